"""The family under one roof: switches, references, fallbacks, alignments."""

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from monge.encoders.static.hashed import HashedEncoder
from monge.errors import InputError, OptionError
from monge.explanation.additive import explain_segments
from monge.metrics import load_metric
from monge.metrics.baseline import Baseline
from monge.metrics.specs import TRANSPORT_SPECS
from monge.metrics.transport.metric import TransportMetric
from monge.metrics.transport.readout import combine_f, lean_alpha
from monge.text import Segment

TRANSPORT = [spec.name for spec in TRANSPORT_SPECS if spec.name not in ("wmdo", "we_wpi_context")]
PAIRS = [
    Segment("The boy in a coat.", ("The young man in a slicker.",), id="1"),
    Segment("The old man slept all day long.", ("All day the man slept.",), id="2"),
    Segment("A dog.", ("Two cats and a dog ran.",), id="3"),
]


def load(name: str, **options: object) -> TransportMetric:
    options = {"encoder": HashedEncoder(dimension=16, layers=6, special=True), "against": "references"} | options
    metric = load_metric(name, **options)
    assert isinstance(metric, TransportMetric)
    return metric if metric.bound else metric.bind(PAIRS)


def values(metric: TransportMetric, segments: list[Segment] = PAIRS) -> np.ndarray:
    return np.array([score.value for score in metric.score(segments)])


def test_precision_and_recall_are_one_sided_transport() -> None:
    """Theorem 1 of Chen et al. (2020), through the whole metric."""
    parts = [score.parts for score in load("bertscore").score(PAIRS)]
    precision = 1 - values(load("emd", lambda_c="inf", lambda_r="0"))
    recall = 1 - values(load("emd", lambda_c="0", lambda_r="inf"))
    assert np.allclose([p["precision"] for p in parts], precision, atol=1e-12)
    assert np.allclose([p["recall"] for p in parts], recall, atol=1e-12)
    assert np.allclose([p["f"] for p in parts], combine_f(precision, recall, 0.5), atol=1e-12)


def test_metrics_are_settings_of_each_other() -> None:
    assert np.allclose(values(load("f_alpha", alpha=0.5)), values(load("bertscore")))
    assert np.allclose(
        values(load("lazy_emd", lambda_c=math.inf, lambda_r=math.inf, epsilon=0)), values(load("emd")), atol=1e-9
    )
    for reading in ("average", "literal"):
        smd = values(load("smd", reading=reading))
        assert np.allclose(values(load("moverscore", ngram=0, reading=reading)), 1 - smd, atol=1e-6)
    assert np.allclose(values(load("we_wpi", cost="cosine")), values(load("we")))


def test_large_penalties_approach_the_earth_movers_distance() -> None:
    exact = values(load("emd"))
    gaps = [
        np.abs(values(load("lazy_emd", lambda_c=v, lambda_r=v, epsilon=0)) - exact).max() for v in (1.0, 10.0, 1000.0)
    ]
    assert gaps[0] > gaps[1] > gaps[2]
    assert gaps[2] < 1e-2


def test_presets_follow_the_target_language() -> None:
    def penalties(**options: str) -> tuple[float, float]:
        settings = load("lazy_emd", **options).settings
        return settings.transport.lambda_c, settings.transport.lambda_r

    assert penalties() == (0.23, 0.31)
    assert penalties(language="zh") == penalties(language="zh-TW") == (0.018, 0.97)
    assert penalties(language="de") == (0.009, 0.95)
    assert penalties(language="de", lambda_c="2") == (2.0, 0.95)
    assert load("f_alpha", language="cs").settings.readout.alpha == 0.96


def test_relative_penalties_scale_with_the_typical_cost() -> None:
    metric = load("lazy_emd", lambda_unit="relative", lambda_c=2, lambda_r=3)
    typical = metric.statistics.typical_cost
    assert typical is not None
    assert 0.5 < typical < 1.5  # hashed vectors are nearly orthogonal: 1 - cos is about 1
    absolute = load("lazy_emd", lambda_c=2 * typical, lambda_r=3 * typical)
    assert np.allclose(values(metric), values(absolute))
    assert f"*{typical:.6g}" in str(metric.signature)


@pytest.mark.parametrize("name", TRANSPORT)
def test_alignments_carry_the_score(name: str) -> None:
    """The contributions of the alignment sum to the cost the score was read from."""
    metric = load(name)
    for score in metric.score_with_alignments(PAIRS):
        for alignment in score.alignments:
            total = float(alignment.contributions().sum())
            part = {"precision": 1 - score.parts.get("precision", 0), "recall": 1 - score.parts.get("recall", 0)}
            assert math.isclose(total, part.get(alignment.role, score.parts.get("distance", math.nan)), abs_tol=1e-9)


SEVERAL = Segment("The boy in a coat.", ("The young man in a slicker.", "A boy in a coat.", "Rain."), id="1")


@pytest.mark.parametrize("name", TRANSPORT)
def test_reference_aggregation(name: str) -> None:
    each = [values(load(name), [Segment(SEVERAL.hypothesis, (r,))])[0] for r in SEVERAL.references]
    ways = ("max", "mean") if name == "we_wpi" else ("max", "mean", "joint")  # positions cannot be pooled
    metric = {way: load(name, references=way) for way in ways}
    best = max(each) if metric["max"].spec.higher_is_better else min(each)
    assert math.isclose(values(metric["max"], [SEVERAL])[0], best, abs_tol=1e-9)
    assert metric["max"].score([SEVERAL])[0].reference_index == each.index(best)
    assert math.isclose(values(metric["mean"], [SEVERAL])[0], float(np.mean(each)), abs_tol=1e-9)
    if "joint" in metric:
        one = Segment(SEVERAL.hypothesis, SEVERAL.references[:1])
        assert math.isclose(values(metric["joint"], [one])[0], each[0], abs_tol=1e-9)
        assert math.isfinite(values(metric["joint"], [SEVERAL])[0])


def test_joint_references_offer_every_word_to_be_matched() -> None:
    """Precision against the pooled references is at least that against the best single one."""
    pooled = load("bertscore", references="joint").score([SEVERAL])[0].parts["precision"]
    best = load("bertscore", references="max").score([SEVERAL])[0].parts["precision"]
    assert pooled >= best - 1e-12


def test_idf_from_both_sides_depends_on_the_outputs() -> None:
    one, two = load("moverscore_v1"), load("moverscore_v1").bind([*PAIRS, Segment("boy boy", ("x",))])
    assert one.signature["weighting"] != two.signature["weighting"]


def test_idf_file_is_used_and_named(tmp_path) -> None:
    fitted = load("moverscore")
    assert fitted.statistics.idf_reference is not None
    fitted.statistics.idf_reference.save(tmp_path / "idf.json")
    loaded = load_metric(
        "moverscore", encoder=HashedEncoder(dimension=16, layers=6, special=True), idf=str(tmp_path / "idf.json")
    )
    assert loaded.bound
    assert np.array_equal(values(loaded), values(fitted))  # type: ignore[arg-type]
    assert str(loaded.signature) == str(fitted.signature)


def test_one_sentence_has_no_idf_and_says_so() -> None:
    """The released MoverScore called this a perfect 1.0."""
    segment = Segment("The boy slept.", ("The man ran.",))
    metric = load_metric("moverscore_v2", encoder=HashedEncoder(dimension=16, layers=6, special=True)).bind([segment])
    score = metric.score([segment])[0]
    assert score.value < 0.99
    assert metric.binding_notes == ("idf cannot be computed from one segment: uniform weights",)
    assert "weighting:uniform" in str(metric.signature)
    assert metric.compute(["The boy slept."], ["The man ran."])["notes"]["score"] == list(metric.binding_notes)


def test_lazy_emd_of_one_reference_word_is_theorem_2() -> None:
    encoder = HashedEncoder()
    metric = load_metric("lazy_emd", encoder=encoder, lambda_c=0.7, lambda_r=0.4, epsilon=0)
    segment = Segment("one small boat", ("ship",))
    score = metric.score([segment])[0]
    cost = metric.score_with_alignments([segment])[0].alignments[0].plan.problem.cost[:, 0]  # type: ignore[call-arg]
    # p_i = exp(-c_i/λc - (λr/λc) A) w_i with A = log Σ p: solved for the total mass in closed form
    base = np.exp(-cost / 0.7) / 3
    total = base.sum() ** (0.7 / (0.7 + 0.4))
    expected = float((cost * base).sum() * total ** (-0.4 / 0.7))
    assert math.isclose(score.value, expected, rel_tol=1e-7)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"lambda_c": "-1"}, "lambda_c"),
        ({"lambda_c": "much"}, "a number"),
        ({"ngram": "1.5"}, "whole number"),
        ({"cost": "manhattan"}, "must be one of"),
        ({"alpha": "2"}, "between 0 and 1"),
        ({"drop": "stopword"}, "did you mean 'stopwords'"),
        ({"layers": "99"}, "99"),
        ({"costs": "cosine"}, "did you mean 'cost'"),
        ({"alpha": "0.3"}, "no effect"),
        ({"readout": "f", "epsilon": "0.1"}, "no effect"),
        ({"idf": "idf.json"}, "weighting=uniform"),
        ({"language": "chinese"}, "a code such as"),
        ({"layers": "0-2"}, "aggregation=mean"),
        ({"aggregation": "meen"}, "did you mean 'mean'"),
        ({"cost": "position", "references": "joint"}, "positions"),
        ({"normalise_points": "maybe"}, "true or false"),
    ],
)
def test_wrong_options_are_named(options: dict[str, str], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        load("emd", **options)


def test_penalties_that_differ_little_have_different_signatures() -> None:
    assert str(load("lazy_emd", lambda_c=0.23).signature) != str(load("lazy_emd", lambda_c=0.2300004).signature)
    assert str(load("lazy_emd", lambda_c=2).signature) == str(load("lazy_emd", lambda_c="2.0").signature)


def test_relative_penalties_are_shared_between_systems() -> None:
    metric = load_metric("lazy_emd", encoder=HashedEncoder(), lambda_unit="relative")
    shared = metric.bind_shared(PAIRS)
    assert shared.bound
    one, two = shared.bind(PAIRS[:1]), shared.bind(PAIRS[1:])
    assert str(one.signature) == str(two.signature)


def test_bounds_follow_the_readout() -> None:
    assert load("bertscore", readout="distance").spec.bounds == (0.0, math.inf)
    assert load("emd", readout="inverse").spec.bounds == (0.0, 1.0)
    assert load("emd").spec.bounds == (0.0, 2.0)
    for name, options in (
        ("emd", {"cost": "sqeuclidean"}),
        ("bertscore", {"cost": "euclidean"}),
        ("moverscore_v1", {"normalise_points": False, "pooling": "sum"}),
        ("emd", {"epsilon": 1e6, "lambda_c": 0.0, "lambda_r": 0.0}),
    ):
        metric = load(name, **options)
        low, high = metric.spec.bounds
        assert ((low <= values(metric)) & (values(metric) <= high)).all()
    assert load("emd", readout="inverse").spec.higher_is_better


def test_an_unconverged_transport_gives_no_score(monkeypatch: pytest.MonkeyPatch) -> None:
    from monge.metrics.transport import solving as module
    from monge.transport import BatchSolution

    solve = module.solve_pairs

    def stopped(*arguments: object, **options: object) -> BatchSolution:
        solution = solve(*arguments, **options)  # type: ignore[arg-type]
        converged = np.array([True, False, True])
        return BatchSolution(solution.costs, solution.masses, solution.iterations, converged, solution.couplings)

    monkeypatch.setattr(module, "solve_pairs", stopped)
    scores = load("emd").score(PAIRS)
    assert [math.isnan(score.value) for score in scores] == [False, True, False]
    assert scores[1].notes == ("no score: transport did not converge",)


def test_a_reference_without_converged_transport_is_left_out_with_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    from monge.metrics.transport import solving as module
    from monge.transport import BatchSolution

    solve = module.solve_pairs

    def stopped(*arguments: object, **options: object) -> BatchSolution:
        solution = solve(*arguments, **options)  # type: ignore[arg-type]
        converged = np.array([False, True])
        return BatchSolution(solution.costs, solution.masses, solution.iterations, converged, solution.couplings)

    alone = load("emd").score([Segment("a red boat", ("the blue ship",))])[0]
    monkeypatch.setattr(module, "solve_pairs", stopped)
    score = load("emd").score([Segment("a red boat", ("a red boat", "the blue ship"))])[0]
    assert score.value == alone.value
    assert score.reference_index == 1
    assert score.notes == ("1 of 2 references left out: transport did not converge",)


def test_f_has_no_pole_where_precision_and_recall_differ_in_sign() -> None:
    precision, recall = np.array([-0.0449, -0.2, -0.2, 0.0, np.nan]), np.array([0.0440, 0.4, -0.1, 0.5, 0.5])
    np.testing.assert_allclose(combine_f(precision, recall, 0.5), [0.0, 0.0, -2 * 0.02 / 0.3, 0.0, np.nan])


def test_relative_penalties_need_a_cost_to_be_relative_to() -> None:
    with pytest.raises(InputError, match="typical cost of these texts is 0"):
        load_metric("lazy_emd", encoder="hashed", lambda_unit="relative").bind([Segment("dog", ("dog",))] * 3)


@pytest.mark.parametrize("epsilon", [0.0, 0.009])
def test_relaxed_transport_of_an_empty_text_moves_everything(epsilon: float) -> None:
    metric = load("lazy_emd", epsilon=epsilon)
    pairs = [Segment("", ("a red boat",)), Segment("a red boat", ("a red boat",)), Segment("a red boat", ("",))]
    scores = metric.score_with_alignments(pairs)
    assert [score.value for score in scores] == pytest.approx([1.0, scores[1].value, 1.0])
    assert scores[0].alignments[0].plan.coupling.sum() == pytest.approx(1.0)


def test_a_baseline_serves_penalties_relative_to_the_texts(tmp_path: Path) -> None:
    options = {"readout": "one_minus", "lambda_unit": "relative", "epsilon": 0.0}
    Baseline(
        str(load("lazy_emd", **options).signature), {"value": 0.25, "score": 0.25}, {"value": 1.0, "score": 1.0}, 7
    ).save(tmp_path / "base.json")
    rescaled = load("lazy_emd", **options, baseline=str(tmp_path / "base.json"))
    assert values(rescaled) == pytest.approx((values(load("lazy_emd", **options)) - 0.25) / 0.75)
    with pytest.raises(OptionError, match="lambda_c"):
        load("lazy_emd", **options | {"lambda_unit": "absolute"}, baseline=str(tmp_path / "base.json"))


@given(st.floats(0.05, 0.95), st.floats(0, 4), st.integers(0, 40), st.integers(0, 40))
def test_f_leans_to_the_shorter_text(alpha: float, lean: float, hypothesis: int, reference: int) -> None:
    (found,) = np.atleast_1d(lean_alpha(alpha, lean, np.array([hypothesis * 1.0]), np.array([reference * 1.0])))
    assert 0 < found < 1
    if hypothesis > reference:
        assert found >= alpha
    elif hypothesis < reference:
        assert found <= alpha
    else:
        assert found == pytest.approx(alpha)


def test_leaning_f_is_that_of_the_weight_by_lengths() -> None:
    segments = [Segment("the boy ran home", ("the boy ran", "the boy ran home before it began to rain"))]
    plain = load_metric("bertscore", encoder="hashed", references="mean")
    leaning = load_metric("bertscore", encoder="hashed", references="mean", lean=2)
    parts = [
        load_metric("bertscore", encoder="hashed").score([Segment("the boy ran home", (r,))])[0].parts
        for r in segments[0].references
    ]
    weights = [4**2 / (4**2 + n**2) for n in (3, 9)]
    expected = [
        p["precision"] * p["recall"] / (w * p["precision"] + (1 - w) * p["recall"])
        for p, w in zip(parts, weights, strict=True)
    ]
    assert leaning.score(segments)[0].value == pytest.approx(np.mean(expected))
    assert plain.score(segments)[0].value != pytest.approx(np.mean(expected))
    explained = explain_segments(leaning, segments)[0]
    assert explained.total == pytest.approx(explained.value, abs=1e-12)
    with pytest.raises(OptionError, match="lean has no effect with readout=distance"):
        load_metric("emd", encoder="hashed", lean=1)
    with pytest.raises(OptionError, match="lean=-1"):
        load_metric("bertscore", encoder="hashed", lean=-1)
