"""Tables for terminals, LaTeX and Markdown."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

Row = Sequence[str]


def display_width(text: str) -> int:
    """Return how many terminal columns *text* takes: wide characters two, combining marks none.

    >>> display_width("日本"), display_width("é")
    (4, 1)
    """
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )


def text_table(header: Row, rows: Sequence[Row], *, left: int = 1) -> str:
    """Return aligned columns, the first *left* ones flush left, numbers flush right.

    >>> print(text_table(["system", "bleu"], [["a", "31.2"], ["long", "9.1"]]))
    system  bleu
    ------  ----
    a       31.2
    long     9.1
    """
    widths = _column_widths([header, *rows])
    rule = ["-" * width for width in widths]
    return "\n".join(_text_line(line, widths, left) for line in (header, rule, *rows))


def folded_table(header: Row, rows: Sequence[Row], *, width: int | None) -> str:
    """Return :func:`text_table`, in blocks of columns under each other where it is wider than *width*.

    Every block repeats the first column and has at least one other. None: as wide as it gets.

    >>> print(folded_table(["system", "bleu", "chrf"], [["a", "31.2", "55.0"]], width=14))
    system  bleu
    ------  ----
    a       31.2
    <BLANKLINE>
    system  chrf
    ------  ----
    a       55.0
    """
    first, *widths = _column_widths([header, *rows])
    blocks: list[list[int]] = [[]]
    used = first
    for column, own in enumerate(widths, start=1):
        if width is not None and blocks[-1] and used + 2 + own > width:
            blocks.append([])
            used = first
        blocks[-1].append(column)
        used += 2 + own
    return "\n\n".join(text_table(_choose([header], block)[0], _choose(rows, block)) for block in blocks)


def _choose(rows: Sequence[Row], columns: Sequence[int]) -> list[list[str]]:
    return [[row[0], *(row[i] for i in columns)] for row in rows]


def _column_widths(lines: Sequence[Row]) -> list[int]:
    return [max(display_width(line[i]) for line in lines) for i in range(len(lines[0]))]


def _text_line(line: Row, widths: Sequence[int], left: int) -> str:
    cells = []
    for i, (cell, width) in enumerate(zip(line, widths, strict=True)):
        gap = " " * (width - display_width(cell))
        cells.append(cell + gap if i < left else gap + cell)
    return "  ".join(cells).rstrip()


def markdown_table(header: Row, rows: Sequence[Row], *, left: int = 1) -> str:
    """Return a Markdown table, the first *left* columns flush left.

    >>> print(markdown_table(["system", "bleu"], [["a|b", "31.2"]]))
    | system | bleu |
    |---|---:|
    | a\\|b | 31.2 |
    """
    rule = "|" + "|".join("---" if i < left else "---:" for i in range(len(header))) + "|"
    body = ["| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in (header, *rows)]
    return "\n".join([body[0], rule, *body[1:]])


_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "±": r"$\pm$", "↑": r"$\uparrow$", "↓": r"$\downarrow$",
    "−": "$-$", "<": "$<$", ">": "$>$", "|": "$|$", "≤": r"$\leq$", "≥": r"$\geq$", "×": r"$\times$", "→": r"$\to$",
    "–": "--", "—": "---", "…": r"\ldots{}", "τ": r"$\tau$", "λ": r"$\lambda$", "α": r"$\alpha$", "\u00a0": "~",
}  # fmt: skip


def escape_latex(text: str) -> str:
    """Return *text* escaped, so that LaTeX prints it as it is.

    >>> print(escape_latex("a_b > 5%"))
    a\\_b $>$ 5\\%
    """
    return "".join(_LATEX.get(char, char) for char in text)


def latex_table(header: Row, rows: Sequence[Row], *, left: int = 1, bold: Sequence[tuple[int, int]] = ()) -> str:
    """Return a booktabs table; *bold* lists (row, column) cells to emphasise."""
    columns = "l" * left + "r" * (len(header) - left)
    marked = set(bold)
    body = []
    for r, row in enumerate(rows):
        cells = [escape_latex(cell) for cell in row]
        cells = [rf"\textbf{{{cell}}}" if (r, c) in marked else cell for c, cell in enumerate(cells)]
        body.append(" & ".join(cells) + r" \\")
    return "\n".join(
        [
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            " & ".join(escape_latex(cell) for cell in header) + r" \\",
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
        ]
    )
