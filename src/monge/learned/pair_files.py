"""Reading pairs of texts with labels: MNLI, QNLI, QQP, PAWS, MRPC and STS-B as they are published, or your own."""

from __future__ import annotations

import ast
import csv
import json
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from monge.errors import InputError, OptionError, suggest
from monge.text import iter_lines
from monge.text.columns import find_columns

TASKS = ("nli", "paraphrase", "similarity")
FEWEST = 20
_ROLES = {
    "first": ("sentence1", "question1", "#1 string", "premise", "question", "text1", "a"),
    "second": ("sentence2", "question2", "#2 string", "sentence", "hypothesis", "text2", "b"),
    "label": ("gold_label", "label", "is_duplicate", "score", "similarity", "quality", "relatedness_score"),
}
_NLI = {"0": "entailment", "1": "neutral", "2": "contradiction"}
_YES = {"1": "1", "0": "0", "true": "1", "false": "0", "yes": "1", "no": "0", "1.0": "1", "0.0": "0"}
_UNDECIDED = ("-", "-1", "")  # raters did not agree, or the label is hidden
_MOST_BROKEN = 0.01
_STS_COLUMNS = 7  # genre, file, year, number, score, two sentences: STS-B as first published, without a header


@dataclass(frozen=True)
class LabelledPairs:
    """Pairs of texts with one target each: the number of a class, or a similarity between 0 and 1.

    ``classes`` names the classes; it is empty for similarities. ``notes`` say what was left out.
    """

    task: str
    pairs: tuple[tuple[str, str], ...]
    targets: tuple[float, ...]
    classes: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def read_labelled_pairs(paths: Sequence[str | Path], task: str) -> LabelledPairs:
    """Read pairs for a *task*: ``nli`` (classes), ``paraphrase`` (yes or no) or ``similarity`` (numbers).

    Files are .tsv, .csv or .jsonl, with named columns (those of the public sets, or first text ``a``, second ``b`` and
    ``label``) or without a header and with three columns: text, text, label. Pairs without a decided label are left
    out. Raises InputError with file and line for what cannot be read, for fewer than 20 pairs and for labels that are
    all the same.
    """
    if task not in TASKS:
        raise OptionError(f"task must be one of {', '.join(TASKS)}, not {task!r}{suggest(task, TASKS)}")
    rows, undecided, broken = [], 0, 0
    for path in paths:
        for cells in _read_rows(Path(path)):
            if cells is None:
                broken += 1
            elif cells[2].strip() in _UNDECIDED:
                undecided += 1
            else:
                rows.append(cells)
    names = ", ".join(str(path) for path in paths)
    if broken > max(3, _MOST_BROKEN * len(rows)):
        raise InputError(f"{names}: {broken} lines have another number of cells than the header")
    if len(rows) < FEWEST:
        raise InputError(f"{names}: {len(rows)} labelled pairs are too few to train on; at least {FEWEST} are needed")
    left = ((undecided, "without a decided label"), (broken, "with another number of cells"))
    notes = tuple(f"{count} lines {what} were left out" for count, what in left if count)
    pairs = tuple((first, second) for first, second, _, _ in rows)
    if task == "similarity":
        return LabelledPairs(task, pairs, _scale([(label, place) for *_, label, place in rows], names), notes=notes)
    labels = [_name_class(label, place, task) for *_, label, place in rows]
    classes = tuple(sorted(set(labels)))
    if len(classes) < 2:
        raise InputError(f"{names}: all {len(rows)} pairs have the label {classes[0]!r}; nothing can be learned")
    if len(classes) > (3 if task == "nli" else 2):
        raise InputError(f"{names}: {len(classes)} different labels ({', '.join(classes[:5])} …) for the task {task}")
    return LabelledPairs(task, pairs, tuple(float(classes.index(label)) for label in labels), classes, notes)


Row = tuple[str, str, str, str]  # first text, second text, label, place for messages


def _read_rows(path: Path) -> Iterator[Row | None]:
    """Yield the rows of a file; None for one with another number of cells than its header."""
    suffix = path.name.lower().removesuffix(".gz").rpartition(".")[2]
    lines = iter_lines(path)
    if suffix in ("jsonl", "json"):
        yield from _read_objects(lines, path)
        return
    table = csv.reader((line + "\n" for line in lines), strict=False) if suffix == "csv" else _split_tabs(lines)
    header: dict[str, int] | None = None
    width = 0
    for number, cells in enumerate(table, start=1):
        if not any(cell.strip() for cell in cells):
            continue
        if header is None:
            header, named = _find_header(cells, f"{path}, line {number}")
            width = len(cells)
            if named:
                continue
        if len(cells) != width:
            yield None
        else:
            texts = [_plain(cells[header[role]]) for role in ("first", "second")]
            yield texts[0], texts[1], cells[header["label"]], f"{path}, line {number}"


def _split_tabs(lines: Iterator[str]) -> Iterator[list[str]]:
    return (line.split("\t") for line in lines)


def _find_header(cells: Sequence[str], place: str) -> tuple[dict[str, int], bool]:
    """Return the number of the column of each role, and whether the line names them."""
    found = find_columns(cells, _ROLES)
    if len(found) == len(_ROLES):
        return {role: list(cells).index(name) for role, name in found.items()}, True
    if len(cells) == _STS_COLUMNS and _is_number(cells[4]):
        return {"label": 4, "first": 5, "second": 6}, False
    if len(cells) == 3 and not found:
        return {"first": 0, "second": 1, "label": 2}, False
    missing = ", ".join(role for role in _ROLES if role not in found)
    raise InputError(
        f"{place}: no column for {missing}; name the columns a, b and label, or give three without a header"
    )


def _read_objects(lines: Iterator[str], path: Path) -> Iterator[Row]:
    for number, line in enumerate(lines, start=1):
        place = f"{path}, line {number}"
        if not line.strip():
            continue
        try:
            fields = json.loads(line)
            found = find_columns(fields, _ROLES)
            first, second, label = (fields[found[role]] for role in _ROLES)
        except (ValueError, TypeError):
            raise InputError(f"{place}: not a JSON object") from None
        except KeyError as error:
            raise InputError(f"{place}: no field for {error.args[0]}") from None
        yield str(first), str(second), str(label), place


def _plain(text: str) -> str:
    """Undo the Python literal that PAWS-QQP is printed as."""
    if text[:2] in ("b'", 'b"'):
        try:
            value = ast.literal_eval(text)
            return value.decode() if isinstance(value, bytes) else text
        except (ValueError, SyntaxError, UnicodeDecodeError):
            return text
    return text


def _name_class(label: str, place: str, task: str) -> str:
    text = label.strip().lower()
    if task == "nli":
        return _NLI.get(text, text)
    if text not in _YES:
        raise InputError(f"{place}: the label {label!r} is neither 0 nor 1")
    return _YES[text]


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _scale(labels: Sequence[tuple[str, str]], names: str) -> tuple[float, ...]:
    """Return similarities from 0 to 1, the lowest and the highest that occur."""
    wrong = next(((label, place) for label, place in labels if not _is_number(label)), None)
    if wrong is not None:
        raise InputError(f"{wrong[1]}: the similarity {wrong[0]!r} is not a number")
    values = [float(label) for label, _ in labels]
    low, high = min(values), max(values)
    if low == high:
        raise InputError(f"{names}: all {len(values)} pairs have the similarity {low:g}; nothing can be learned")
    return tuple((value - low) / (high - low) for value in values)


def count_classes(data: LabelledPairs) -> dict[str, int]:
    """Return how many pairs each class has."""
    counts = Counter(int(target) for target in data.targets)
    return {name: counts[i] for i, name in enumerate(data.classes)}
