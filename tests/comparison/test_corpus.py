"""Corpus scores: the same p-values as sacrebleu on the same texts, within sampling error."""

import numpy as np
import pytest
from sacrebleu.metrics import BLEU, CHRF, TER
from sacrebleu.significance import PairedTest

from monge.comparison import CorpusSums, compare_corpora
from monge.errors import InputError

WORDS = [
    "the",
    "a",
    "old",
    "young",
    "man",
    "woman",
    "dog",
    "boat",
    "river",
    "house",
    "stands",
    "runs",
    "looks",
    "near",
    "under",
    "with",
    "and",
    "slowly",
    "two",
    "red",
]
DRAWS = 2000


def test_one_instance_shows_nothing() -> None:
    values = np.array([[[1.0, 2.0]], [[2.0, 2.0]]])
    pair = compare_corpora(CorpusSums(("A", "B"), values, lambda sums: float(sums[0] / sums[1]))).pair("A", "B")
    assert pair.p_bootstrap == pair.p_randomisation == 1.0


def make_texts(seed: int, size: int = 120) -> tuple[list[str], dict[str, list[str]]]:
    """References and three systems that change few, more and most words of them."""
    rng = np.random.default_rng(seed)
    references = [" ".join(rng.choice(WORDS, rng.integers(6, 16))) for _ in range(size)]
    systems = {}
    for name, rate in (("A", 0.20), ("B", 0.22), ("C", 0.26)):
        systems[name] = [
            " ".join(w if rng.uniform() > rate else rng.choice(WORDS) for w in text.split()) for text in references
        ]
    return references, systems


def statistics_of(metric, references: list[str], systems: dict[str, list[str]]) -> CorpusSums:
    values = [metric._extract_corpus_statistics(texts, [references]) for texts in systems.values()]
    return CorpusSums(
        tuple(systems),
        np.array(values, dtype=np.float64),
        lambda sums: float(metric._compute_score_from_stats(sums.tolist()).score),
        not isinstance(metric, TER),
    )


@pytest.mark.parametrize("make", [BLEU, CHRF, TER])
@pytest.mark.parametrize("seed", [0, 1])
def test_p_values_are_sacrebleus(make, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SACREBLEU_SEED", "99")
    references, systems = make_texts(seed)
    ours = compare_corpora(statistics_of(make(), references, systems), draws=DRAWS, trials=DRAWS)
    for kind in ("bs", "ar"):
        test = PairedTest(list(systems.items()), {make.__name__: make()}, [references], test_type=kind, n_samples=DRAWS)
        results = list(test()[1].values())[1]
        for name, result in zip(systems, results, strict=True):
            assert ours.scores[ours.systems.index(name)] == pytest.approx(result.score, abs=1e-9)
            if name == "A":
                continue
            pair = ours.pair("A", name)
            p = pair.p_sacrebleu if kind == "bs" else pair.p_randomisation
            error = 4 * np.sqrt(2 * max(result.p_value * (1 - result.p_value), 0.001) / DRAWS)
            if make is TER:  # whole edits: a draw often equals the observed difference, which sacrebleu does not count
                assert p >= result.p_value - error
            else:
                assert p == pytest.approx(result.p_value, abs=error)


def test_sacrebleus_bootstrap_counts_one_side_only() -> None:
    """So that nobody wonders: where two-sided p is small, sacrebleu's number is half of it."""
    rng = np.random.default_rng(0)
    ratios = []
    for _ in range(40):
        values = np.stack([np.stack([rng.normal(m, 1, 200), np.ones(200)], axis=1) for m in (0.0, 0.2)])
        pair = compare_corpora(CorpusSums(("A", "B"), values, lambda s: float(s[0] / s[1]))).pairs[0]
        if 0.02 < pair.p_bootstrap < 0.2:
            ratios.append(pair.p_sacrebleu / pair.p_bootstrap)
    assert np.mean(ratios) == pytest.approx(0.5, abs=0.08)


def test_a_mean_as_corpus_score_gives_the_tests_of_the_mean() -> None:
    from monge.comparison.pairs import PairedScores
    from monge.comparison.significance import run_tests

    rng = np.random.default_rng(2)
    scores = rng.normal(size=(2, 80)) + np.array([[0.0], [0.2]])
    values = np.stack([scores, np.ones_like(scores)], axis=2)
    pair = compare_corpora(CorpusSums(("A", "B"), values, lambda s: float(s[0] / s[1])), draws=4000, trials=4000).pairs[
        0
    ]
    tests = run_tests(PairedScores(("A", "B"), tuple(map(str, range(80))), scores), draws=4000, seed=12345)
    assert pair.p_bootstrap == pytest.approx(tests["bootstrap"][1][0], abs=0.01)
    assert pair.p_randomisation == pytest.approx(tests["randomisation"][1][0], abs=0.01)
    assert pair.low < pair.difference < pair.high


def test_identical_systems_have_p_one() -> None:
    references, systems = make_texts(0)
    same = {"A": systems["A"], "B": systems["A"]}
    pair = compare_corpora(statistics_of(BLEU(), references, same), draws=200, trials=200).pairs[0]
    assert (pair.difference, pair.p_bootstrap, pair.p_randomisation) == (0.0, 1.0, 1.0)


def test_statistics_must_fit_the_systems() -> None:
    with pytest.raises(InputError, match="statistics of 2 systems"):
        CorpusSums(("A", "B"), np.ones((3, 4, 2)), lambda s: 0.0)
