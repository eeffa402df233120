"""Write the notebooks: every NAME.py of this folder becomes NAME.ipynb, executed.

A source has cells that begin with ``# %%`` (code) or ``# %% [markdown]`` (text in comments). Without arguments all
notebooks are executed and written; with ``--check`` they are executed, and their sources compared with the files.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).parent
_CELL = re.compile(r"^# %%(?P<kind> \[markdown\])?.*\n", re.MULTILINE)


def sources() -> list[Path]:
    """Return the sources of the notebooks, in order."""
    return sorted(FOLDER.glob("[0-9]*.py"))


def make_notebook(source: Path) -> nbformat.NotebookNode:
    """Return the notebook of a source, not executed."""
    text = source.read_text(encoding="utf-8")
    marks = list(_CELL.finditer(text))
    notebook = nbformat.v4.new_notebook()
    for number, mark in enumerate(marks):
        end = marks[number + 1].start() if number + 1 < len(marks) else len(text)
        body = text[mark.end() : end].strip("\n")
        if mark["kind"]:
            body = "\n".join(line.removeprefix("#").removeprefix(" ") for line in body.splitlines())
            cell = nbformat.v4.new_markdown_cell(body)
        else:
            cell = nbformat.v4.new_code_cell(body)
        cell["id"] = f"cell-{number + 1}"
        notebook.cells.append(cell)
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook.metadata["language_info"] = {"name": "python"}
    return notebook


def execute(notebook: nbformat.NotebookNode) -> None:
    """Run all cells in this folder; raises if one fails. What depends on the time of the run is left out."""
    variables = os.environ | {"PYTHONWARNINGS": "ignore", "PYDEVD_DISABLE_FILE_VALIDATION": "1"}
    client = NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(FOLDER)}})
    client.execute(env=variables)
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
    notebook.metadata["language_info"] = {"name": "python"}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="execute, but write nothing")
    arguments = parser.parse_args()
    failed = 0
    for source in sources():
        notebook = make_notebook(source)
        target = source.with_suffix(".ipynb")
        execute(notebook)
        if not arguments.check:
            target.write_text(nbformat.writes(notebook, version=4) + "\n", encoding="utf-8")
        elif not same_sources(notebook, target):
            print(f"{target.name} is not what {source.name} makes: run {Path(__file__).name}")
            failed = 1
        print(f"{source.stem}: {len(notebook.cells)} cells executed")
    return failed


def same_sources(notebook: nbformat.NotebookNode, target: Path) -> bool:
    """Whether the file holds the same cells, whatever their output."""
    known = nbformat.read(target, as_version=4)
    return [(c.cell_type, c.source) for c in known.cells] == [(c.cell_type, c.source) for c in notebook.cells]


if __name__ == "__main__":
    sys.exit(main())
