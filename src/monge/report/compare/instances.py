"""The instances on which two systems differ most: for terminals, papers and browsers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from monge.explanation import LocalExplanation, describe_loss
from monge.report.alignment.ribbons import render_ribbons
from monge.report.alignment.word_effects import render_effects
from monge.report.compare.differences import MarkedText, mark_differences
from monge.report.html import escape, html_details
from monge.report.printable import make_printable
from monge.workflows.instances import Explained, ShownInstance, ShownPair

COLOURS = ("32", "34")  # ANSI green and blue, as the two systems have in figures
PICTURE = 900.0  # pixels across


def instances_text(pair: ShownPair, *, colour: bool, hint: str = "") -> str:
    """Return the instances of a pair as lines for a terminal; words that only one output has are coloured, or in [ ].

    *hint* says how to see more of an instance.
    """
    parts = [
        f"{title}\n\n" + "\n\n".join(_instance_lines(pair, one, colour) for one in group)
        for title, group in _groups(pair)
        if group
    ]
    if not parts:
        return ""
    legend = "" if colour else "[ ]: words that only this output has"
    return "\n\n".join([*parts, "\n".join(filter(None, [legend, hint]))]).rstrip()


def instances_markdown(pair: ShownPair) -> str:
    """Return the instances of a pair as Markdown, words that only one output has in bold."""
    parts = []
    for title, group in _groups(pair):
        for one in group:
            rows = [f"- {name}: {text}" for name, text in _texts(pair, one, lambda piece, _: f"**{piece}**")]
            parts.append(f"**{title}** (instance {make_printable(one.difference.id)})\n\n" + "\n".join(rows))
    return "\n\n".join(parts)


def instances_html(pairs: Sequence[ShownPair], *, drill: str = "") -> str:
    """Return the instances of several pairs, explanations folded below each.

    *drill* is the name of the metric, where a page can explain an output when its button is pressed.
    """
    parts = []
    for pair in pairs:
        for title, group in _groups(pair):
            cards = "".join(_card(pair, one, drill) for one in group)
            parts.append(f"<h3>{escape(title)}</h3>{cards or '<p class=note>none</p>'}")
    return "".join(parts)


def _groups(pair: ShownPair) -> list[tuple[str, tuple[ShownInstance, ...]]]:
    return [
        (f"Where {pair.first} is most ahead of {pair.second}", pair.for_first),
        (f"Where {pair.second} is most ahead of {pair.first}", pair.for_second),
    ]


def _instance_lines(pair: ShownPair, one: ShownInstance, colour: bool) -> str:
    def mark(text: str, side: int) -> str:
        return f"\x1b[{COLOURS[side]}m{text}\x1b[0m" if colour else f"[{text}]"

    rows = _texts(pair, one, mark)
    wide = max(len(name) for name, _ in rows)
    return "\n".join(f"  {name:<{wide}}  {text}" for name, text in rows)


def _texts(pair: ShownPair, one: ShownInstance, mark: object) -> list[tuple[str, str]]:
    """Return (name, text) rows of an instance; *mark* wraps what only one output has."""
    names = (make_printable(pair.first), make_printable(pair.second))
    scores = (one.difference.first, one.difference.second)
    rows = [("instance", make_printable(one.difference.id))]
    if one.source is not None:
        rows.append(("source", make_printable(one.source)))
    several = len(one.references) > 1
    rows += [
        (f"reference {k}" if several else "reference", make_printable(text)) for k, text in enumerate(one.references, 1)
    ]
    pieces = mark_differences(*one.outputs)
    for side, name in enumerate(names):
        text = "".join(_mark(piece, side, mark) for piece in pieces[side])
        rows.append((name, f"{scores[side]:.4g}  {text}".rstrip()))
        reason = one.explanations[side]
        if reason is not None:
            rows.append(("", make_printable(describe_loss(reason))))
    return rows


def _mark(piece: MarkedText, side: int, mark: object) -> str:
    text = make_printable(piece.text)
    return mark(text, side) if piece.own and callable(mark) else text


def _card(pair: ShownPair, one: ShownInstance, drill: str) -> str:
    rows = [] if one.source is None else [_row("source", escape(make_printable(one.source)))]
    several = len(one.references) > 1
    rows += [
        _row(f"reference {k}" if several else "reference", escape(make_printable(text)))
        for k, text in enumerate(one.references, 1)
    ]
    pieces = mark_differences(*one.outputs)
    for side, name in enumerate((pair.first, pair.second)):
        score = (one.difference.first, one.difference.second)[side]
        words = "".join(
            f'<mark class="{"ab"[side]}">{escape(make_printable(piece.text))}</mark>'
            if piece.own
            else escape(make_printable(piece.text))
            for piece in pieces[side]
        )
        reason = one.explanations[side]
        told = "" if reason is None else f'<p class="note reason">{escape(make_printable(describe_loss(reason)))}</p>'
        button = (
            f'<button type="button" class="drill" data-system="{escape(name)}" data-id="{escape(one.difference.id)}" '
            f'data-metric="{escape(drill)}">explain</button>'
            if drill
            else ""
        )
        head = f'{escape(make_printable(name))} <span class="score">{score:.4g}</span>'
        rows.append(_row(head, f"{words} {button}{told}", kind=f' class="{"ab"[side]}"'))
    folded = "".join(
        html_details(f"why {name} scores {score:.4g}", f'<div class="picture">{_picture(reason)}</div>')
        for name, score, reason in zip(
            (pair.first, pair.second), (one.difference.first, one.difference.second), one.explanations, strict=True
        )
        if reason is not None
    )
    heading = f'<p class="note">instance {escape(make_printable(one.difference.id))}</p>'
    return f'<div class="instance">{heading}<dl>{"".join(rows)}</dl>{folded}</div>'


def _row(name: str, content: str, *, kind: str = "") -> str:
    return f'<dt{kind}>{name}</dt><dd dir="auto">{content}</dd>'


def _picture(explanation: Explained) -> str:
    if isinstance(explanation, LocalExplanation):
        return render_effects(explanation, width=PICTURE)
    return "".join(
        render_ribbons(explanation, pair=k, columns=False, width=PICTURE, frame=False)
        for k in range(len(explanation.pairs))
    )


def instances_record(shown: Mapping[str, Sequence[ShownPair]], name: str) -> list[dict[str, object]]:
    """Return the instances of a metric as plain JSON values."""
    return [pair.record() for pair in shown.get(name, ())]
