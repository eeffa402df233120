"""Kept scores: what comes back is what was kept, in the same order, for sparse tables too."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from monge.engine.executors import is_stored
from monge.engine.journal import open_journal
from monge.engine.spool import spool_segments
from monge.environment import Environment
from monge.meta.data import JudgedSet, count_shared_outputs, make_judged_set
from monge.metrics.base import bind_to
from monge.metrics.variants import MetricVariant, parse_variant
from monge.scores import ScoreTable
from monge.text import Segment
from monge.workflows.judged_scores import score_sets

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


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    return Environment(cache_directory=tmp_path)


def compute(text: str, judged: JudgedSet, environment: Environment) -> ScoreTable:
    ((table,),) = score_sets([parse_variant(text)], [judged], environment=environment)
    return table


def is_kept(text: str, judged: JudgedSet, environment: Environment) -> bool:
    segments = judged.judged_segments()
    metric = bind_to(parse_variant(text).load(environment), segments)
    return is_stored(metric, spool_segments(segments), open_journal(environment))


def test_kept_scores_come_back_as_they_were(sparse: JudgedSet, environment: Environment) -> None:
    assert not is_kept("chrf", sparse, environment)
    made = compute("chrf", sparse, environment)
    assert is_kept("chrf", sparse, environment)
    back = compute("chrf", sparse, environment)
    assert (back.systems, back.segments) == (made.systems, made.segments)
    np.testing.assert_array_equal(back.values, made.values)
    assert (back.name, back.totals, back.signature) == ("chrf", made.totals, made.signature)
    assert back.higher_is_better is True


def test_every_step_is_reported(sparse: JudgedSet, environment: Environment) -> None:
    steps: list[tuple[str, int, int]] = []
    ((first, second),) = score_sets(
        [parse_variant("chrf"), parse_variant("ter")],
        [sparse],
        environment=environment,
        report_step=lambda *step: steps.append(step),
    )
    size = len(sparse.judged_segments())
    assert steps == [
        ("corpus statistics of set", 0, 2),
        (f"set, 0 of {size} outputs", 0, 2),
        (f"set, {size} of {size} outputs", 2, 2),
        ("done", 2, 2),
    ]
    assert (first.name, second.name) == ("chrf", "ter")
    assert (first.higher_is_better, second.higher_is_better) == (True, False)


def test_what_is_kept_is_not_computed_again(
    sparse: JudgedSet, environment: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = compute("chrf", sparse, environment)

    def refuse(*arguments: object) -> None:
        raise AssertionError("scored again")

    monkeypatch.setattr("monge.metrics.lexical.sacrebleu.SacrebleuMetric.score", refuse)
    np.testing.assert_array_equal(compute("chrf", sparse, environment).values, made.values)
    with pytest.raises(AssertionError, match="scored again"):
        compute("chrf", sparse, replace(environment, cache=False))


def test_two_metrics_of_one_label_are_not_confused(sparse: JudgedSet, environment: Environment) -> None:
    """Curves over layers of two metrics have the same labels."""
    variants = [MetricVariant("1", "chrf", {"char_order": order}) for order in ("2", "6")]
    for _ in range(2):
        ((first, second),) = score_sets(variants, [sparse], environment=environment)
        assert not np.allclose(first.values, second.values, equal_nan=True)
        for variant, table in zip(variants, (first, second), strict=True):
            expected = [score.value for score in variant.load().score(sparse.judged_segments())]
            assert table.values[np.isfinite(table.values)].sum() == pytest.approx(sum(expected))


def test_ensembles_from_kept_members_are_the_ensembles(sparse: JudgedSet, environment: Environment) -> None:
    compute("chrf", sparse, environment)
    for weight in ("0.5", "2"):  # both find their members
        text = f"ensemble,members=chrf + {weight}*ter"
        kept = compute(text, sparse, environment)
        direct = compute(text, sparse, replace(environment, cache=False))
        assert (kept.systems, kept.segments) == (direct.systems, direct.segments)
        np.testing.assert_allclose(kept.values, direct.values)
    assert is_kept("ter", sparse, environment)


def test_other_texts_or_options_are_other_scores(sparse: JudgedSet, environment: Environment) -> None:
    compute("chrf", sparse, environment)
    assert not is_kept("chrf,char_order=3", sparse, environment)
    assert not is_kept("chrf", sparse.change_texts(str.upper), environment)
    assert not is_kept("chrf", sparse.sample_inputs(10), environment)
    values = sparse.judgments["da"].values.copy()
    values[0] = np.nan  # the outputs of one system are no longer judged, so others are scored
    table = replace(sparse.judgments["da"], values=values)
    assert not is_kept("chrf", replace(sparse, judgments={"da": table}), environment)


def test_shared_outputs_are_counted(sparse: JudgedSet) -> None:
    assert count_shared_outputs([sparse], [sparse]) == 30
    assert count_shared_outputs([sparse], [sparse.change_texts(str.upper)]) == 0


@pytest.mark.parametrize("other", ["library", "version"])
def test_scores_of_other_code_are_never_used(
    sparse: JudgedSet, environment: Environment, monkeypatch: pytest.MonkeyPatch, other: str
) -> None:
    """Another library or another version of monge may make other scores."""
    compute("chrf", sparse, environment)
    target = "monge.engine.journal.MAKER" if other == "version" else "sacrebleu.__version__"
    monkeypatch.setattr(target, "0.0.0")
    assert not is_kept("chrf", sparse, environment)
