"""Kept scores: what comes back is what was kept, in the same order, for sparse tables too."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from monge.environment import Environment
from monge.meta.data import JudgedSet, count_shared_outputs, make_judged_set
from monge.metrics.variants import MetricVariant, parse_variant
from monge.scores import ScoreTable
from monge.text import Segment
from monge.workflows.judged_scores import score_judged_set, score_sets
from monge.workflows.score_folder import ScoreFolder

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


def compute(variant: MetricVariant, judged: JudgedSet, folder: Path) -> ScoreTable:
    """Return the scores of a metric on a set, kept in *folder*."""
    ((table,),) = score_sets([variant], [judged], environment=Environment.read(), keeper=ScoreFolder(folder))
    return table


def test_kept_scores_come_back_as_they_were(tmp_path: Path, sparse: JudgedSet) -> None:
    folder, variant = ScoreFolder(tmp_path), parse_variant("chrf")
    assert folder.load(variant, sparse) is None
    made = compute(variant, sparse, tmp_path)
    back = folder.load(variant, sparse)
    assert back is not None
    assert (back.systems, back.segments) == (made.systems, made.segments)
    np.testing.assert_array_equal(back.values, made.values)
    assert (back.name, back.totals, back.signature) == ("chrf", made.totals, made.signature)
    assert back.higher_is_better is True


def test_only_what_is_missing_is_computed(tmp_path: Path, sparse: JudgedSet) -> None:
    chrf, ter = parse_variant("chrf"), parse_variant("ter")
    compute(chrf, sparse, tmp_path)
    steps: list[tuple[str, int, int]] = []
    ((first, second),) = score_sets(
        [chrf, ter],
        [sparse],
        environment=Environment.read(),
        keeper=ScoreFolder(tmp_path),
        report_step=lambda *step: steps.append(step),
    )
    assert steps == [("encoding set", 0, 1), ("ter on set", 0, 1), ("done", 1, 1)]
    assert (first.name, second.name) == ("chrf", "ter")
    assert (first.higher_is_better, second.higher_is_better) == (True, False)


def test_two_metrics_of_one_label_are_not_confused(tmp_path: Path, sparse: JudgedSet) -> None:
    """Curves over layers of two metrics have the same labels."""
    variants = [MetricVariant("1", "chrf", {"char_order": order}) for order in ("2", "6")]
    ((first, second),) = score_sets(variants, [sparse], environment=Environment.read(), keeper=ScoreFolder(tmp_path))
    assert not np.allclose(first.values, second.values, equal_nan=True)
    for variant, table in zip(variants, (first, second), strict=True):
        expected = score_judged_set(variant.load(), sparse, label="1")
        np.testing.assert_array_equal(table.values, expected.values)
        kept = ScoreFolder(tmp_path).load(variant, sparse)
        assert kept is not None
        np.testing.assert_array_equal(kept.values, expected.values)


def test_ensembles_from_kept_members_are_the_ensembles(tmp_path: Path, sparse: JudgedSet) -> None:
    for weight in ("0.5", "2"):  # the second finds both members in the folder
        variant = parse_variant(f"ensemble,members=chrf + {weight}*ter")
        direct = score_judged_set(variant.load(), sparse, label="x")
        kept = compute(variant, sparse, tmp_path)
        assert (kept.systems, kept.segments) == (direct.systems, direct.segments)
        np.testing.assert_allclose(kept.values, direct.values)
    assert len(list(tmp_path.glob("scores/*.json"))) == 4


def test_other_texts_or_options_are_other_scores(tmp_path: Path, sparse: JudgedSet) -> None:
    folder, variant = ScoreFolder(tmp_path), parse_variant("chrf")
    compute(variant, sparse, tmp_path)
    assert folder.load(parse_variant("chrf,char_order=3"), sparse) is None
    assert folder.load(variant, sparse.change_texts(str.upper)) is None
    assert folder.load(variant, sparse.sample_inputs(10)) is None
    values = sparse.judgments["da"].values.copy()
    values[0] = np.nan  # the outputs of one system are no longer judged, so others are scored
    table = replace(sparse.judgments["da"], values=values)
    assert folder.load(variant, replace(sparse, judgments={"da": table})) is None


@pytest.mark.parametrize("damage", ["", "{", '{"systems": []}', "[]"])
def test_damaged_scores_are_missing_ones(tmp_path: Path, sparse: JudgedSet, damage: str) -> None:
    folder, variant = ScoreFolder(tmp_path), parse_variant("chrf")
    compute(variant, sparse, tmp_path)
    (path,) = tmp_path.glob("scores/*.json")
    assert json.loads(path.read_text(encoding="utf-8"))["metric"] == "chrf"
    path.write_text(damage, encoding="utf-8")
    assert folder.load(variant, sparse) is None


def test_shared_outputs_are_counted(sparse: JudgedSet) -> None:
    assert count_shared_outputs([sparse], [sparse]) == 30
    assert count_shared_outputs([sparse], [sparse.change_texts(str.upper)]) == 0


@pytest.mark.parametrize("other", ["signature", "version"])
def test_scores_of_other_code_are_never_used(
    tmp_path: Path, sparse: JudgedSet, monkeypatch: pytest.MonkeyPatch, other: str
) -> None:
    """Another library, other weights or another version of monge make other scores."""
    variant = parse_variant("chrf")
    compute(variant, sparse, tmp_path)
    assert ScoreFolder(tmp_path).load(variant, sparse) is not None
    if other == "version":
        monkeypatch.setattr("monge.workflows.score_folder.__version__", "0.0.0")
    else:
        monkeypatch.setattr("sacrebleu.__version__", "0.0.0")
    assert ScoreFolder(tmp_path).load(variant, sparse) is None
