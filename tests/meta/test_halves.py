"""Halves of judged data: by document, so that nothing is in both."""

import pytest

from monge.environment import Environment
from monge.errors import OptionError
from monge.meta.data import count_shared_outputs, make_judged_set
from monge.text import Segment
from monge.workflows.judged_data import JudgedData, read_judged_sets


def test_outputs_of_one_document_stay_together() -> None:
    segments = [Segment(f"text {i}", ("ref",), None, str(i), document=f"d{i // 2}") for i in range(7)]
    judged = make_judged_set("set", segments, {"quality": [float(i) for i in range(7)]})
    odd, even = judged.take_half("odd"), judged.take_half("even")
    assert [s.id for s in odd.segments] == ["0", "1", "4", "5"]
    assert [s.id for s in even.segments] == ["2", "3", "6"]
    assert odd.judgments["quality"].segments == ("0", "1", "4", "5")
    assert odd.notes == ("the odd half: 4 of 7 inputs",)


def test_without_documents_outputs_with_the_same_references_stay_together() -> None:
    """Two systems may give the same output for one input, under ids of their own."""
    segments = [Segment("same", (f"reference {i // 3}",), None, str(i)) for i in range(12)]
    judged = make_judged_set("set", segments, {"quality": [1.0] * 12})
    odd, even = judged.take_half("odd"), judged.take_half("even")
    assert len(odd.segments) == len(even.segments) == 6
    assert count_shared_outputs([odd], [even]) == 0


def test_one_document_has_no_halves() -> None:
    judged = make_judged_set("set", [Segment("a", ("b",), None, "1", document="d")], {"quality": [1.0]})
    with pytest.raises(OptionError, match="set: all its outputs belong to one document"):
        judged.take_half("odd")


def test_a_half_is_named_after_the_path(tmp_path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "rated.tsv"
    rows = [f"text {i}\treference {i}\t{i}" for i in range(8)]
    path.write_text("hypothesis\treference\thuman\n" + "\n".join(rows) + "\n", encoding="utf-8")
    environment = Environment(cache_directory=tmp_path)
    (odd,) = read_judged_sets(JudgedData(f"{path}@odd"), environment=environment)
    (even,) = read_judged_sets(JudgedData(f"{path}@even"), environment=environment)
    assert [s.hypothesis for s in odd.segments] == ["text 0", "text 2", "text 4", "text 6"]
    assert count_shared_outputs([odd], [even]) == 0
    assert JudgedData(f"{path}@odd").name == f"{path}@odd"
    assert JudgedData("summeval@even").spec is not None
    path.with_name("rated.tsv@odd").write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
    assert JudgedData(f"{path}@odd").half == ""  # a file of that name wins
