"""Self-contained HTML pages: no script, no font, no network."""

from __future__ import annotations

import base64
import html
from collections.abc import Collection, Sequence
from importlib.resources import files

from monge.report.tables import Row


def escape(text: str) -> str:
    """Return *text* escaped, so that a browser shows it as it is.

    >>> escape('a < "b"')
    'a &lt; &quot;b&quot;'
    """
    return html.escape(text, quote=True)


def html_table(header: Row, rows: Sequence[Row], *, left: int = 1) -> str:
    """Return a table, the first *left* columns flush left, inside a box that scrolls when it is too wide.

    >>> '<td class="l">&lt;a&gt;</td>' in html_table(["system"], [["<a>"]])
    True
    """

    def line(cells: Row, tag: str) -> str:
        marked = (f' class="l">{escape(c)}' if i < left else f">{escape(c)}" for i, c in enumerate(cells))
        return f"<tr>{''.join(f'<{tag}{cell}</{tag}>' for cell in marked)}</tr>"

    body = "".join(line(row, "td") for row in rows)
    return f'<div class="scroll"><table><thead>{line(header, "th")}</thead><tbody>{body}</tbody></table></div>'


def html_list(items: Sequence[str], *, kind: str = "") -> str:
    """Return sentences as a list; *kind* ("warning", "note") is its CSS class."""
    style = f' class="{escape(kind)}"' if kind else ""
    return f"<ul{style}>{''.join(f'<li>{escape(item)}</li>' for item in items)}</ul>" if items else ""


def html_figure(svg: bytes, caption: str) -> str:
    """Return an SVG figure as an image inside the page, so that figures cannot disturb each other."""
    data = base64.b64encode(svg).decode("ascii")
    alt = escape(caption)
    return f'<figure><img alt="{alt}" src="data:image/svg+xml;base64,{data}"><figcaption>{alt}</figcaption></figure>'


def html_details(summary: str, content: str) -> str:
    """Return content folded under a summary."""
    return f"<details><summary>{escape(summary)}</summary>{content}</details>"


def html_page(title: str, sections: Sequence[tuple[str, str]], *, folded: Collection[str] = ()) -> str:
    """Return a whole page from (heading, HTML) sections; a section without content is left out.

    A page of more than three sections begins with a list of them; every section can be folded, and those whose heading
    is among *folded* are at first.
    """
    style = files("monge.report").joinpath("page.css").read_text(encoding="utf-8")
    kept = [(f"section-{k}", heading, content) for k, (heading, content) in enumerate(sections, 1) if content]
    links = "".join(f'<li><a href="#{name}">{escape(heading)}</a></li>' for name, heading, _ in kept)
    contents = f'<nav class="contents" aria-label="Contents"><ul>{links}</ul></nav>' if len(kept) > 3 else ""
    body = "".join(
        f'<section id="{name}"><details{"" if heading in folded else " open"}><summary><h2>{escape(heading)}</h2>'
        f"</summary>{content}</details></section>"
        for name, heading, content in kept
    )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{style}</style></head>"
        f"<body><main><h1>{escape(title)}</h1>{contents}{body}</main></body></html>\n"
    )
