"""Cells: what comes back is what went in, in the same order, for sparse tables too."""

import json
from pathlib import Path

import numpy as np
import pytest

from monge.meta.data import JudgedSet, make_judged_set
from monge.metrics.variants import parse_variant
from monge.text import Segment
from monge.workflows.cells import CellStore, shared_outputs
from monge.workflows.grid import score_grid
from monge.workflows.judging import sample_inputs, score_judged_set

WORDS = "the cat sat on a mat while two dogs ran home before rain".split()  # noqa: SIM905


@pytest.fixture
def sparse() -> JudgedSet:
    """Every input judged for one system only, systems out of order, as in WMT's segment sets."""
    rng = np.random.default_rng(3)
    segments = []
    for i in rng.permutation(30):
        reference = " ".join(rng.choice(WORDS, 8))
        text = " ".join(rng.choice(WORDS) if rng.random() < 0.4 else w for w in reference.split())
        segments.append(Segment(text, (reference,), id=str(i), system=f"s{rng.integers(4)}"))
    return make_judged_set("set", segments, {"da": rng.normal(size=30).tolist()})


def test_a_cell_comes_back_as_it_was(tmp_path: Path, sparse: JudgedSet) -> None:
    store, variant = CellStore(tmp_path), parse_variant("chrf")
    assert store.load(variant, sparse) is None
    made = store.score(variant, variant.load(), sparse)
    back = store.load(variant, sparse)
    assert back is not None
    assert back.table.systems == made.table.systems
    assert back.table.segments == made.table.segments
    np.testing.assert_array_equal(back.table.values, made.table.values)
    assert (back.totals, back.higher_is_better, back.table.signature) == (made.totals, True, made.table.signature)


def test_ensembles_from_stored_members_are_the_ensembles(tmp_path: Path, sparse: JudgedSet) -> None:
    store = CellStore(tmp_path)
    for weight in ("0.5", "2"):  # the second finds both members in the store
        variant = parse_variant(f"ensemble,members=chrf + {weight}*ter")
        direct = score_judged_set(variant.load(), sparse, label="x").table
        stored = store.score(variant, variant.load(), sparse).table
        assert (stored.systems, stored.segments) == (direct.systems, direct.segments)
        np.testing.assert_allclose(stored.values, direct.values)
    assert len(list(tmp_path.glob("cells/*.json"))) == 4


def test_other_texts_or_options_are_other_cells(tmp_path: Path, sparse: JudgedSet) -> None:
    store, variant = CellStore(tmp_path), parse_variant("chrf")
    store.score(variant, variant.load(), sparse)
    assert store.load(parse_variant("chrf,char_order=3"), sparse) is None
    assert store.load(variant, sparse.change_texts(str.upper)) is None
    assert store.load(variant, sample_inputs(sparse, 10)) is None


@pytest.mark.parametrize("damage", ["", "{", '{"systems": []}', "[]"])
def test_a_damaged_cell_is_a_missing_one(tmp_path: Path, sparse: JudgedSet, damage: str) -> None:
    store, variant = CellStore(tmp_path), parse_variant("chrf")
    store.score(variant, variant.load(), sparse)
    (path,) = tmp_path.glob("cells/*.json")
    assert json.loads(path.read_text(encoding="utf-8"))["metric"] == "chrf"
    path.write_text(damage, encoding="utf-8")
    assert store.load(variant, sparse) is None


def test_shared_outputs_are_counted(sparse: JudgedSet) -> None:
    assert shared_outputs([sparse], [sparse]) == 30
    assert shared_outputs([sparse], [sparse.change_texts(str.upper)]) == 0


def test_a_cell_of_another_signature_is_a_missing_one(tmp_path: Path, sparse: JudgedSet) -> None:
    variant = parse_variant("chrf")
    CellStore(tmp_path).score(variant, variant.load(), sparse)
    (path,) = tmp_path.glob("cells/*.json")
    record = json.loads(path.read_text(encoding="utf-8"))
    assert record["made_as"] == str(variant.load().signature)
    path.write_text(json.dumps(record | {"made_as": "metric:chrf|library:another"}), encoding="utf-8")
    assert CellStore(tmp_path).load(variant, sparse) is None


def test_cells_of_other_code_are_used_and_told(
    tmp_path: Path, sparse: JudgedSet, capsys: pytest.CaptureFixture[str]
) -> None:
    variant = parse_variant("chrf")
    score_grid([variant], [sparse], CellStore(tmp_path))
    (path,) = tmp_path.glob("cells/*.json")
    record = json.loads(path.read_text(encoding="utf-8"))
    assert "other code" not in capsys.readouterr().err
    path.write_text(json.dumps(record | {"code": "0123456789abcdef"}), encoding="utf-8")
    score_grid([variant], [sparse], CellStore(tmp_path))
    assert "1 stored results were computed by other code of this version" in capsys.readouterr().err
