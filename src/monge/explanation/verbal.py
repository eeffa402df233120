"""One sentence that says where a score was lost."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from monge.explanation.documents import DocumentExplanation
from monge.explanation.local import LocalExplanation
from monge.explanation.result import ExplainedPair, Explanation

NAMED = 2  # words of a kind
LOST, MISSING = 0.25, 0.45  # strain from which a word counts as lost, and a reference word as missing
OWN = 2 / 3  # share of a word's strain from which the word itself, not its surplus mass, counts as the reason
NOTHING = 0.03  # mean strain of texts that match


def describe_loss(explanation: Explanation | LocalExplanation | DocumentExplanation) -> str:
    """Return one sentence: the hypothesis words that lose most, and the words of the other text that nothing matches.

    A word counts as missing if its nearest counterpart is at least 45 % of what is far for these texts away
    (``ExplainedPair.mismatch``). Words that lose mostly because they have more mass than their counterpart are
    named separately: that is a matter of the lengths of the texts, not of these words.

    >>> from monge.encoders.static.hashed import HashedEncoder
    >>> from monge.explanation.additive import explain_segments
    >>> from monge.metrics import load_metric
    >>> from monge.text import Segment
    >>> metric = load_metric("bertscore", encoder=HashedEncoder())
    >>> segment = Segment("the long awaited boat came home", ("the long expected boat came home",))
    >>> describe_loss(explain_segments(metric, [segment])[0])
    'lost most on “awaited”; “expected” is missing'
    """
    if isinstance(explanation, DocumentExplanation):
        return _describe_foci(explanation)
    if isinstance(explanation, LocalExplanation):
        return _describe_effects(explanation)
    pair = explanation.pairs[0]
    direction = -1.0 if explanation.higher_is_better else 1.0
    worst_term = max(explanation.terms.items(), key=lambda term: direction * term[1], default=("", 0.0))
    lost = _lost_words(pair, 0, direction, least=LOST)
    missing = _lost_words(pair, 1, direction, least=MISSING)
    parts = []
    if direction * worst_term[1] > _loss(pair, direction):
        parts.append(f"lost most by the {worst_term[0]}")
    elif _mean_strain(pair) < NOTHING:
        return f"almost nothing is lost: every word has its counterpart in the {pair.against}"
    if lost:
        parts.append(f"{'also' if parts else 'lost most'} on {quote(lost)}")
    if missing:
        parts.append(f"{quote(missing)} {'is' if len(missing) == 1 else 'are'} missing")
    parts += _describe_surplus(pair, direction)
    return "; ".join(parts) if parts else "a little is lost on many words, much on none"


def _describe_foci(explanation: DocumentExplanation) -> str:
    """Name the foci that add most to a distance; nothing for scores that are not a sum over foci."""
    shares = [(focus.contribution or 0.0, focus.name) for pair in explanation.pairs for focus in pair.foci]
    named = dict.fromkeys(name for share, name in sorted(shares, reverse=True) if share > 0)
    if not explanation.additive or explanation.higher_is_better is not False:
        return ""
    return f"the texts differ most in {quote(list(named)[:NAMED])}" if named else "the texts share all foci"


def quote(words: Sequence[str]) -> str:
    """Return words in quotation marks, as a list.

    >>> quote(["a", "b"])
    '“a” and “b”'
    """
    return " and ".join(f"“{word}”" for word in words)


def _lost_words(pair: ExplainedPair, side: int, direction: float, *, least: float) -> list[str]:
    """Return the words without a near counterpart that lose most by that."""
    mismatch, strain = pair.mismatch(side), pair.strain(side)
    losses = {
        number: direction * word.contribution * mismatch[number] / strain[number]
        for number, word in enumerate(pair.sides[side].words)
        if mismatch[number] >= least and mismatch[number] >= min(MISSING, OWN * strain[number])
    }
    return _name_largest(pair, side, losses)


def _describe_surplus(pair: ExplainedPair, direction: float) -> list[str]:
    """Return what there is to say about words that have more mass than their counterparts; often nothing."""
    counts = [sum(word.end > word.start for word in text.words) for text in pair.sides]
    parts = []
    for side, (name, way) in enumerate((("hypothesis", "go to"), (pair.against, "come from"))):
        mismatch, strain = pair.mismatch(side), pair.strain(side)
        losses = {
            number: direction * word.contribution * (1 - mismatch[number] / strain[number])
            for number, word in enumerate(pair.sides[side].words)
            if strain[number] >= LOST > mismatch[number] and mismatch[number] < OWN * strain[number]
        }
        if named := _name_largest(pair, side, losses):
            has, whose = ("has a counterpart", "its") if len(named) == 1 else ("have counterparts", "their")
            why = f"the {name} is shorter, so " if counts[side] < counts[1 - side] else ""
            parts.append(f"{quote(named)} {has}, but {why}some of {whose} mass had to {way} other words")
    return parts


def _name_largest(pair: ExplainedPair, side: int, losses: Mapping[int, float]) -> list[str]:
    """Return the words with the largest losses, each once; signs and special tokens are not named."""
    words = pair.sides[side].words
    named = [
        words[number].text
        for number, loss in sorted(losses.items(), key=lambda item: (item[1], words[item[0]].text), reverse=True)
        if loss > 0 and any(map(str.isalnum, words[number].text)) and words[number].end > words[number].start
    ]
    return list(dict.fromkeys(named))[:NAMED]


def _loss(pair: ExplainedPair, direction: float) -> float:
    return math.fsum(direction * word.contribution for side in pair.sides for word in side.words)


def _mean_strain(pair: ExplainedPair) -> float:
    """Return the mean strain over the mass of both texts."""
    total = [float(sum(s * w.mass for s, w in zip(pair.strain(k), pair.sides[k].words, strict=True))) for k in (0, 1)]
    return sum(total) / 2


def _describe_effects(explanation: LocalExplanation) -> str:
    if explanation.higher_is_better is None:
        return "neither direction is better, so no word is good or bad"
    harms = sorted(zip(explanation.suspicion(), (w.text for w in explanation.words), strict=True), reverse=True)
    harmful = list(dict.fromkeys(text for harm, text in harms if harm > 0))[:NAMED]
    helpful = list(dict.fromkeys(text for harm, text in reversed(harms) if harm < 0))[:NAMED]
    parts = [f"better without {quote(harmful)}"] if harmful else []
    parts += [f"rests most on {quote(helpful)}"] if helpful else []
    return "; ".join(parts) if parts else "no single word changes the score"
