"""Judged segments joined to documents."""

import math
from pathlib import Path

import numpy as np
import pytest

from monge.environment import Environment
from monge.errors import OptionError
from monge.meta.data import make_judged_set
from monge.text import Segment
from monge.workflows.correlate import correlate
from monge.workflows.judged_data import JudgedData, read_judged_sets


def test_texts_are_joined_and_judgments_averaged() -> None:
    segments = [
        Segment(f"{system}{i}", (f"r{i}",), None, str(i), system, document=f"d{i // 2}")
        for system in ("a", "b")
        for i in range(4)
    ]
    quality = [1.0, 3.0, 5.0, math.nan, 2.0, 4.0, math.nan, math.nan]
    judged = make_judged_set("set", segments, {"quality": quality}).join_documents()
    assert [(s.system, s.id, s.hypothesis, s.references) for s in judged.segments] == [
        ("a", "d0", "a0\na1", ("r0\nr1",)),
        ("a", "d1", "a2\na3", ("r2\nr3",)),
        ("b", "d0", "b0\nb1", ("r0\nr1",)),
        ("b", "d1", "b2\nb3", ("r2\nr3",)),
    ]
    table = judged.judgments["quality"]
    assert table.segments == ("d0", "d1")
    np.testing.assert_array_equal(table.values, [[2.0, 5.0], [3.0, math.nan]])
    assert judged.notes == ("4 inputs joined to 2 documents",)
    assert [s.id for s in judged.take_half("even").segments] == ["d1", "d1"]


def test_segments_without_a_document_cannot_be_joined() -> None:
    judged = make_judged_set("set", [Segment("a", ("b",), None, "7")], {"quality": [1.0]})
    with pytest.raises(OptionError, match="set: segment '7' belongs to no document"):
        judged.join_documents()


def test_documents_are_named_after_the_path(tmp_path: Path) -> None:
    path = tmp_path / "rated.tsv"
    lines = ["system\tid\tdocument\thypothesis\treference\thuman"]
    for system in ("a", "b", "c"):
        lines += [f"{system}\t{i}\td{i // 3}\tthe boat {system} {i}\tthe boat a {i}\t{i % 5}" for i in range(12)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    environment = Environment(cache_directory=tmp_path)
    for name in (f"{path}@documents@odd", f"{path}@odd@documents"):
        data = JudgedData(name)
        assert (data.joined, data.half, data.place) == (True, "odd", str(path))
        (judged,) = read_judged_sets(data, environment=environment)
        assert [s.id for s in judged.segments] == ["d0", "d2"] * 3
    result = correlate(f"{path}@documents", metrics=["chrf"], environment=environment)
    assert sum(task.used.sum() for task in result.tasks) == 12
