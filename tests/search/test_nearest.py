"""Nearest texts: what brute force finds, with far fewer problems solved."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from monge.cli import main
from monge.encoders.static.hashed import HashedEncoder
from monge.engine.journal import Journal
from monge.errors import OptionError
from monge.metrics import load_metric
from monge.metrics.transport.metric import TransportMetric
from monge.search import nearest as nearest_module
from monge.search.bounds import BOUNDED_COSTS, BoundedClouds
from monge.search.nearest import find_nearest
from monge.storage.store import Store
from monge.text import Segment
from monge.transport import RaggedClouds, TransportSetting, solve_pairs

WORDS = [f"word{n}" for n in range(60)]
STATIC = HashedEncoder(dimension=12, layers=1)
CONTEXTUAL = HashedEncoder(dimension=12, layers=3, special=True)


def make_texts(count: int, seed: int, longest: int = 12) -> list[str]:
    generator = np.random.default_rng(seed)
    return [" ".join(generator.choice(WORDS, size=generator.integers(1, longest))) for _ in range(count)]


def load(name: str, encoder: HashedEncoder, **options: Any) -> TransportMetric:
    metric = load_metric(name, encoder=encoder, **options)
    assert isinstance(metric, TransportMetric)
    return metric


METRICS = {
    "wmd": load("wmd", STATIC),
    "emd": load("emd", CONTEXTUAL),
    "moverscore": load("moverscore", CONTEXTUAL, layers="last2"),
    "squares": load("emd", CONTEXTUAL, cost="sqeuclidean"),
    "smd": load("smd", CONTEXTUAL, layers="last2"),
    "cosine": load("cosine", CONTEXTUAL),
}


def brute_force(metric: TransportMetric, queries: list[str], corpus: list[str], k: int) -> list[list[int]]:
    fitted = metric if metric.bound else metric.bind([Segment(text, (text,)) for text in corpus])
    found = []
    for query in queries:
        scores = fitted.score([Segment(query, (text,)) for text in corpus])
        distances = [score.parts["distance"] for score in scores]
        found.append(np.lexsort((np.arange(len(corpus)), distances))[:k].tolist())
    return found


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("shard", [600, 10**6], ids=["sharded", "whole"])
def test_equals_brute_force(name: str, shard: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nearest_module, "_SHARD_CHARACTERS", shard)
    monkeypatch.setattr(nearest_module, "_BLOCK", 16)
    monkeypatch.setattr(nearest_module, "_BATCH", 4)
    corpus = make_texts(120, 1)
    corpus += corpus[:10]  # equal texts: the earlier one comes first
    queries = [*make_texts(8, 2), corpus[3]]
    search = find_nearest(METRICS[name], queries, corpus, k=5)
    assert [[n.place for n in own] for own in search.neighbours] == brute_force(METRICS[name], queries, corpus, 5)
    assert search.pairs == 9 * 130
    assert 0 < search.solved < search.pairs
    assert search.neighbours[-1][0].distance == pytest.approx(0, abs=1e-7)


REAL = """A dog runs along the beach. | A dog ran on the sand by the sea. | Two men talk about the weather.
The weather was discussed by two men. | She reads a book under a tree. | A tree fell on the library.
He bought bread, milk and eggs. | Eggs, milk and bread were bought. | The train leaves at nine in the morning.
At nine the morning train departs. | Nobody saw the thief leave. | The thief left unseen. | A DOG RUNS! | The sea"""


@pytest.mark.parametrize("name", ["wmd", "emd", "moverscore"])
def test_equals_brute_force_on_real_vectors(name: str, minilm_directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nearest_module, "_SHARD_CHARACTERS", 300)
    metric = load_metric(name, encoder="minilm")
    assert isinstance(metric, TransportMetric)
    texts = [text.strip() for text in REAL.replace("\n", "|").split("|")]
    corpus = [f"{left} {right}" for left in texts for right in texts[:6]] + texts + texts[:4]
    queries = [texts[0], "A cat runs along the beach with a book.", corpus[7], "nine"]
    everything = brute_force(metric, queries, corpus, 500)
    for k in (1, 7, 500):
        search = find_nearest(metric, queries, corpus, k=k)
        assert [[n.place for n in own] for own in search.neighbours] == [order[:k] for order in everything]


def test_an_interrupted_search_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nearest_module, "_SHARD_CHARACTERS", 600)
    monkeypatch.setattr(nearest_module, "_KEEP_SECONDS", 0.0)
    corpus, queries, store = make_texts(120, 1), make_texts(8, 2), Store(tmp_path / "scores")
    whole = find_nearest(METRICS["wmd"], queries, corpus, k=5)
    visit, visits = nearest_module._Shard.visit, []

    def visit_some(shard: Any, *arguments: Any) -> None:
        visits.append(shard)
        if len(visits) == 20:  # in the third shard
            raise KeyboardInterrupt
        visit(shard, *arguments)

    with monkeypatch.context() as patch:
        patch.setattr(nearest_module._Shard, "visit", visit_some)
        with pytest.raises(KeyboardInterrupt):
            find_nearest(METRICS["wmd"], queries, corpus, k=5, journal=Journal(store))
    again = find_nearest(METRICS["wmd"], queries, corpus, k=5, journal=Journal(store))
    assert 0 < again.reused < len(corpus)
    assert (again.neighbours, again.pairs, again.solved) == (whole.neighbours, whole.pairs, whole.solved)
    with monkeypatch.context() as patch:
        patch.setattr(nearest_module._Shard, "visit", None)
        third = find_nearest(METRICS["wmd"], queries, corpus, k=5, journal=Journal(store))
    assert third.neighbours == whole.neighbours
    assert third.reused == len(corpus)
    for changed in ({"k": 4}, {"corpus": [*corpus[:-1], "new"]}, {"queries": queries[:7]}):
        other = {"queries": queries, "corpus": corpus, "k": 5, **changed}
        assert find_nearest(METRICS["wmd"], **other, journal=Journal(store)).reused == 0  # type: ignore[arg-type]


def test_pruning_leaves_few_problems() -> None:
    corpus = make_texts(2000, 3, longest=6)
    search = find_nearest(METRICS["wmd"], corpus[:5], corpus, k=1)
    assert [own[0].place for own in search.neighbours] == [0, 1, 2, 3, 4]
    assert search.solved < 0.05 * search.pairs


def test_fewer_texts_than_neighbours() -> None:
    search = find_nearest(METRICS["wmd"], ["word1"], ["word1", "word2"], k=10)
    assert [neighbour.place for neighbour in search.neighbours[0]] == [0, 1]


def test_texts_without_words_have_no_neighbours() -> None:
    search = find_nearest(METRICS["emd"], ["", "word1"], ["", "word2", "   "], k=2)
    assert search.neighbours[0] == []
    assert [neighbour.place for neighbour in search.neighbours[1]] == [1]
    assert search.skipped == 2


def test_repeated_queries_get_the_same() -> None:
    corpus = make_texts(50, 5)
    search = find_nearest(METRICS["wmd"], ["word1 word2", "word1 word2"], corpus, k=3)
    assert search.neighbours[0] == search.neighbours[1]


@pytest.mark.parametrize(
    "metric",
    [
        load("bertscore", CONTEXTUAL),
        load("lazy_emd", CONTEXTUAL),
        load("emd", CONTEXTUAL, epsilon=0.01),
        load("we_wpi", STATIC),
    ],
    ids=lambda metric: metric.spec.name,
)
def test_other_metrics_are_refused(metric: TransportMetric) -> None:
    with pytest.raises(OptionError, match="not an earth mover's distance"):
        find_nearest(metric, ["a"], ["b"])


def test_k_must_be_positive() -> None:
    with pytest.raises(OptionError, match="at least 1"):
        find_nearest(METRICS["wmd"], ["a"], ["b"], k=0)


coordinates = st.floats(-3, 3, width=32, allow_subnormal=False)


@st.composite
def ragged(draw: st.DrawFn, count: int) -> RaggedClouds:
    points: list[NDArray[np.float32]] = []
    weights: list[NDArray[np.float64]] = []
    for _ in range(count):
        n = draw(st.integers(1, 4))
        points.append(np.array(draw(st.lists(st.tuples(coordinates, coordinates), min_size=n, max_size=n)), np.float32))
        mass = np.array(draw(st.lists(st.floats(0, 1), min_size=n, max_size=n))) + 1e-3
        weights.append(mass / mass.sum())
    return RaggedClouds.from_clouds(points, weights)


@pytest.mark.parametrize("cost", BOUNDED_COSTS)
@settings(max_examples=100, deadline=None)
@given(clouds=ragged(count=3), query=ragged(count=1))
def test_bounds_never_exceed_the_distance(cost: Any, clouds: RaggedClouds, query: RaggedClouds) -> None:
    pairs = np.array([[0, 0], [0, 1], [0, 2]])
    exact = solve_pairs(query, clouds, pairs, TransportSetting(cost=cost)).costs
    bounded, asked = BoundedClouds.of(clouds, cost), BoundedClouds.of(query, cost)
    relaxed = bounded.relaxed_bounds(asked, np.array([0, 1, 2]))
    assert (bounded.centroid_bounds(asked) <= exact).all()
    assert (relaxed <= exact).all()
    one_sided = [
        solve_pairs(query, clouds, pairs, TransportSetting(cost, rho_a=a, rho_b=b))
        for a, b in ((np.inf, 0.0), (0.0, np.inf))
    ]
    largest = np.maximum(*(solution.costs for solution in one_sided))
    if cost != "cosine" or all((np.abs(side.points).max(1) > 0).all() for side in (clouds, query)):
        np.testing.assert_allclose(relaxed, largest, atol=1e-4, rtol=1e-4)


def test_the_bounds_matter() -> None:
    """Bounds that are too high lose neighbours: the comparison with brute force can fail."""
    corpus, queries = make_texts(120, 1), make_texts(8, 2)
    wanted = brute_force(METRICS["wmd"], queries, corpus, 5)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(BoundedClouds, "relaxed_bounds", lambda self, query, chosen: np.full(len(chosen), np.inf))
        search = find_nearest(METRICS["wmd"], queries, corpus, k=5)
    assert [[n.place for n in own] for own in search.neighbours] != wanted


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setenv("MONGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("MONGE_NO_CACHE", "")
    (tmp_path / "query.txt").write_text("a dog\n\n", encoding="utf-8")
    (tmp_path / "corpus.txt").write_text("a cat\tsat\na dog\nthe sun\n", encoding="utf-8")
    return [str(tmp_path / "query.txt"), str(tmp_path / "corpus.txt")]


def test_the_command(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nearest", *files, "-k", "2", "--encoder", "hashed"]) == 0
    shown = capsys.readouterr()
    lines = shown.out.splitlines()
    assert lines[0] == "query 1: a dog"
    assert lines[1] == "  0.0000  line 2  a dog"
    assert lines[3:] == ["", "query 2: ", "  most of its words are unknown, or it has none: no neighbours"]
    assert "of 3 exact problems solved" in shown.err
    assert main(["nearest", *files, "-k", "2", "--encoder", "hashed"]) == 0
    again = capsys.readouterr()
    assert again.out == shown.out
    assert "all texts were searched in an earlier run" in again.err


def test_texts_cannot_steer_the_terminal(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    for path in files:
        Path(path).write_text("a dog\x1b]0;owned\x07 \x1b[2J\n", encoding="utf-8")
    assert main(["nearest", *files, "-k", "1", "--encoder", "hashed"]) == 0
    shown = capsys.readouterr().out
    assert not {"\x1b", "\x07"} & set(shown)
    assert shown.count("a dog␛]0;owned␇ ␛[2J") == 2


def test_the_command_in_other_formats(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nearest", *files, "-k", "3", "--encoder", "hashed", "-f", "json", "-q"]) == 0
    shown = capsys.readouterr()
    records = [json.loads(line) for line in shown.out.splitlines()]
    assert records[0]["neighbours"][0]["line"] == 2
    assert records[1]["neighbours"] == []
    assert shown.err == ""
    assert main(["nearest", *files, "-k", "3", "--encoder", "hashed", "-f", "tsv"]) == 0
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert rows[0] == ["query", "rank", "line", "distance", "text"]
    assert rows[1] == ["1", "1", "2", "0.0", "a dog"]
    assert all(len(row) == 5 for row in rows)


@pytest.mark.parametrize("arguments", [["-m", "bleu"], ["-m", "wmd", "emd"], ["-m", "bertscore"], ["-k", "0"]])
def test_the_command_refuses(files: list[str], arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nearest", *files, "--encoder", "hashed", *arguments]) == 2
    assert capsys.readouterr().err.startswith("monge: ")


def test_two_sides_are_refused() -> None:
    metric = load_metric("emd", encoder=HashedEncoder(layers=3), against_layers="0")
    with pytest.raises(OptionError, match="both sides need one encoder"):
        find_nearest(metric, ["a"], ["b"], k=1)
