"""Local explanations as text and pictures: words coloured by their effect on the score."""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

from monge.explanation import LocalExplanation, describe_loss
from monge.report.alignment.layout import label_width, reads_leftwards
from monge.report.alignment.parts import FONT, LOSS, MARGIN, SIZE, signed, svg_title
from monge.report.printable import make_printable, shorten
from monge.report.tables import text_table
from monge.scores.direction import describe_direction
from monge.wording import count_noun

GAIN = "#2680a0"
WIDTH = 900.0
BOX, GAP, LINE = 30.0, 8.0, 62.0
GAINS, LOSSES = (250, 153, 116, 80, 44, 38), (250, 223, 216, 209, 202, 196)  # colours 0–255 of a terminal


def render_effects_text(explanation: LocalExplanation, *, colour: bool = False) -> str:
    """Return the words with their effects as lines for a terminal."""
    better = describe_direction(explanation.higher_is_better)
    lines = [f"{explanation.metric} {explanation.value:.4f}  ({better})", "", _shaded(explanation, colour), ""]
    rows = [
        [
            shorten(make_printable(word.text), 40),
            signed(word.effect, 4),
            "harms" if harm > 0 else "helps" if harm < 0 else "",
        ]
        for word, harm in zip(explanation.words, _harms(explanation), strict=True)
    ]
    lines.append(text_table([f"{explanation.side} word", "adds", ""], rows))
    notes = [f"note: {make_printable(note)}" for note in explanation.notes]
    told = f"{describe_loss(explanation)}."
    return "\n".join([*lines, "", told, effects_sentence(explanation), *notes, explanation.signature])


def _harms(explanation: LocalExplanation) -> list[float]:
    """Return how much each word harms the score; no word does if neither direction is better."""
    if explanation.higher_is_better is None:
        return [0.0] * len(explanation.words)
    return [float(value) for value in explanation.suspicion()]


def effects_sentence(explanation: LocalExplanation) -> str:
    """Return one sentence that says what the effects are."""
    if explanation.base is None:
        return "Each number is what the score loses when that one word is left out (occlusion); they do not add up."
    if explanation.method == "lime":
        return (
            f"Each number is the coefficient of a linear model of the score over {explanation.evaluations} texts with "
            f"words left out (LIME; intercept {explanation.base:.4f})."
        )
    total = sum(word.effect for word in explanation.words)
    if explanation.method == "shares":
        return (
            f"{explanation.value:.4f} is the sum of what its {count_noun(len(explanation.words), 'word')} add (exact)"
        )
    return (
        f"{explanation.value:.4f} = {explanation.base:.4f} (no word) {signed(total, 4)} (all words), "
        f"each word's mean gain over random orders (Shapley sampling, {explanation.evaluations} scores)"
    )


def render_effects(explanation: LocalExplanation, *, width: float = WIDTH) -> str:
    """Draw the words as boxes on lines, red where a word harms the score, blue where it helps; effects above."""
    leftwards = reads_leftwards(" ".join(word.text for word in explanation.words))
    worst = max((abs(word.effect) for word in explanation.words), default=0.0) or 1.0
    x, y = MARGIN, MARGIN + 16
    body = []
    for number, (word, harm) in enumerate(zip(explanation.words, _harms(explanation), strict=True)):
        label = shorten(make_printable(word.text), 28)
        wide = max(label_width(label, SIZE) + 18, 46.0)
        if x > MARGIN and x + wide > width - MARGIN:
            x, y = MARGIN, y + LINE
        left = width - x - wide if leftwards else x
        colour, tint = (LOSS if harm > 0 else GAIN), 0.06 + 0.6 * abs(word.effect) / worst
        body.append(
            f'<g class="word" data-h="{number}" tabindex="0" role="img">'
            f"{svg_title(f'{word.text}: adds {signed(word.effect, 4)}')}"
            f'<rect x="{left:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{BOX:.0f}" rx="6" '
            f'fill="{colour}" fill-opacity="{tint:.2f}" stroke="currentColor" stroke-opacity="0.25"/>'
            f'<text x="{left + wide / 2:.1f}" y="{y + 20:.1f}" text-anchor="middle">{escape(label)}</text>'
            f'<text x="{left + wide / 2:.1f}" y="{y - 5:.1f}" font-size="12" opacity="0.75" text-anchor="middle">'
            f"{signed(word.effect)}</text></g>"
        )
        x += wide + GAP
    height = y + BOX + MARGIN
    label = quoteattr(f"What each word adds to {explanation.metric} {explanation.value:.4f}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
        f'height="{height:.0f}" font-family="{escape(FONT)}" font-size="{SIZE:.0f}" fill="currentColor" role="group" '
        f"aria-label={label}>{''.join(body)}</svg>"
    )


def _shaded(explanation: LocalExplanation, colour: bool) -> str:
    worst = max((abs(word.effect) for word in explanation.words), default=0.0) or 1.0
    shown = []
    for word, harm in zip(explanation.words, _harms(explanation), strict=True):
        label = make_printable(word.text)
        shades = LOSSES if harm > 0 else GAINS
        shade = shades[round(abs(word.effect) / worst * (len(shades) - 1))]
        shown.append(f"\x1b[38;5;{shade}m{label}\x1b[0m" if colour else label)
    return " ".join(shown)
