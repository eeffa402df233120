"""What the shell does, Python does: the same numbers from monge.score, monge.compare and monge.explain."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import monge
from monge.cli import main
from monge.errors import OptionError
from monge.explanation import describe_loss
from monge.scores import ScoreTable
from monge.workflows.compare import CompareRequest, run_compare

REFERENCES = ["the boy ran home", "rain fell on the town", "two dogs sat on a mat", "a man read the book"]
OUTPUTS = {
    "A": ["the boy ran home", "rain fell on a town", "two dogs sat on the mat", "a man read a book"],
    "B": ["the boy ran", "the rain fell", "dogs on mats", "he read"],
}
TABLE = ScoreTable(("A", "B"), ("1",), [[1], [2]])  # type: ignore[arg-type]
Shell = Callable[..., object]


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MONGE_CACHE", str(tmp_path / "cache"))
    for name, lines in {"ref": REFERENCES, **OUTPUTS}.items():
        (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")

    def run(*arguments: str) -> object:
        assert main(list(arguments)) == 0
        return json.loads(capsys.readouterr().out)

    return run


METRIC = "bertscore,encoder=hashed,layers=1"


def test_score(shell: Shell) -> None:
    found = shell("score", "ref", "-i", "A", "-m", METRIC, "-f", "json")
    ours = monge.score(OUTPUTS["A"], REFERENCES, metric=METRIC)
    assert found[0]["score"] == pytest.approx(ours["score"], abs=1e-12)
    assert [s["score"] for s in found[0]["segments"]] == ours["scores"]
    assert found[0]["metric"] == METRIC
    assert monge.score(OUTPUTS["A"], REFERENCES, metric="bertscore", encoder="hashed", layers=1) == ours


def test_compare(shell: Shell) -> None:
    found = shell("compare", "ref", "-i", "A", "B", "-m", "chrf", f"greedy:={METRIC}", "-f", "json")
    ours = monge.compare(OUTPUTS, REFERENCES, metrics=["chrf", f"greedy:={METRIC}"])
    assert list(found["metrics"]) == list(ours.comparisons) == ["chrf", "greedy"]
    assert ours.agreement is not None
    for label, comparison in ours.comparisons.items():
        assert set(found["metrics"][label]["systems"]) == set(comparison.order)


def test_systems_with_other_numbers_of_references_are_not_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "all.jsonl"
    several = {"A": ["the boy ran", "a boy ran"], "B": ["the boy ran"]}
    lines = [
        json.dumps({"system": system, "id": str(i), "hypothesis": "the boy ran", "references": references})
        for system, references in several.items()
        for i in range(3)
    ]
    path.write_text("\n".join(lines), encoding="utf-8")
    assert main(["compare", "--jsonl", str(path), "-m", "chrf"]) == 2
    assert "chrf of system 'B': made with nrefs 1, other scores of it with 2" in capsys.readouterr().err


def test_compare_tables_and_files(tmp_path: Path) -> None:
    table = ScoreTable(("A", "B"), ("1", "2", "3"), [[3, 2, 3], [1, 1, 2]])  # type: ignore[arg-type]
    assert monge.compare({"human": table})["human"].order == ["A", "B"]
    path = tmp_path / "scores.tsv"
    path.write_text("id\tA\tB\n1\t3\t1\n2\t2\t1\n3\t3\t2\n", encoding="utf-8")
    result = monge.compare(str(path))
    assert next(iter(result.comparisons.values())).order == ["A", "B"]


@pytest.mark.parametrize("metric", [METRIC, "chrf"])
def test_explain(shell: Shell, metric: str) -> None:
    pair = ("--hypothesis", "the boy ran", "--reference", "the boy ran home")
    found = shell("explain", *pair, "-m", metric, "-f", "json")
    ours = monge.explain("the boy ran", "the boy ran home", metric=metric)
    assert json.loads(json.dumps(ours.record())) | {"sentence": describe_loss(ours)} == found


def test_one_grammar_in_every_command(shell: Shell) -> None:
    labelled = f"mine:={METRIC}"
    assert shell("score", "ref", "-i", "A", "-m", labelled, "-f", "json")[0]["metric"] == "mine"
    assert shell("explain", "ref", "-i", "A", "--line", "2", "-m", labelled, "-f", "json")["metric"] == "mine"
    with pytest.raises(OptionError, match="no metric 'nosuch'"):
        monge.compare(OUTPUTS, REFERENCES, metrics="nosuch,layers=3")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: monge.compare(["a", "b"]), "not list"),
        (lambda: monge.compare({"A": OUTPUTS["A"], "B": TABLE}, REFERENCES), "not both"),
        (lambda: monge.compare({}, REFERENCES), "there is no system"),
        (lambda: run_compare(CompareRequest()), "none is given"),
        (lambda: monge.score(OUTPUTS["A"], REFERENCES, metric=["chrf"]), "not list"),
        (lambda: monge.score(references=REFERENCES, metric="chrf"), "no hypotheses are given"),
        (lambda: monge.score(OUTPUTS["A"], REFERENCES, cands=REFERENCES, metric="chrf"), "given twice, once as cands"),
        (lambda: monge.score([], [], metric="chrf"), "there are no texts"),
        (lambda: monge.Scorer("chrf")([], []), "there are no texts"),
        (lambda: monge.compare({"A": [], "B": []}, [], metrics="bleu"), "'A' has no outputs"),
        (lambda: monge.compare(OUTPUTS, REFERENCES, metrics="bleu", metric="chrf"), "leave one out"),
        (lambda: monge.score(OUTPUTS["A"], REFERENCES, metric="bleu", verbose=True), "progress=True"),
        (lambda: monge.score(OUTPUTS["A"], REFERENCES, metric="bleu", return_hash=True), "has a signature"),
        (lambda: monge.score(OUTPUTS["A"], REFERENCES, metric=":=chrf"), "a label must stand before"),
        (lambda: monge.score(OUTPUTS["A"], REFERENCES, metric="chrf,beta=1,beta=2"), "beta is given twice"),
    ],
)
def test_mistakes_are_one_sentence(call: Callable[[], object], message: str) -> None:
    with pytest.raises(monge.MongeError, match=message):
        call()


def test_scores_may_be_named_by_a_path(tmp_path: Path) -> None:
    path = tmp_path / "scores.tsv"
    path.write_text("id\tA\tB\n1\t3\t1\n2\t2\t1\n3\t3\t2\n", encoding="utf-8")
    assert next(iter(monge.compare(path).comparisons.values())).order == ["A", "B"]


@pytest.mark.parametrize(
    "call",
    [
        lambda: monge.explain("a b", "a c", metric="chrf", how="shapley", orders=10**12),
        lambda: monge.correlate([{"hypothesis": "a", "reference": "b", "human": 1}] * 3, metrics="chrf", draws=10**12),
        lambda: monge.correlate([{"hypothesis": "a", "reference": "b", "human": 1}] * 3, metrics="chrf", draws=1),
        lambda: monge.score(set(OUTPUTS["A"]), REFERENCES, metric="chrf"),
        lambda: monge.score(OUTPUTS["A"], REFERENCES, metric="chrf,beta"),
    ],
)
def test_what_cannot_be_meant_is_refused_at_once(call: Callable[[], object]) -> None:
    with pytest.raises(monge.MongeError):
        call()


def test_references_of_all_systems_may_come_from_a_generator() -> None:
    result = monge.compare(OUTPUTS, (reference for reference in REFERENCES), metrics="chrf")  # type: ignore[arg-type]
    assert list(result) == ["chrf"]
    assert len(result) == 1
    assert "chrf" in result


@pytest.mark.parametrize("names", [("predictions", "references"), ("cands", "refs"), ("candidates", "references")])
def test_texts_may_have_the_names_of_other_packages(names: tuple[str, str]) -> None:
    given: dict[str, Any] = dict(zip(names, (OUTPUTS["A"], REFERENCES), strict=True))
    assert monge.score(**given, metric="chrf") == monge.score(OUTPUTS["A"], REFERENCES, metric="chrf")


def test_one_metric_may_be_named_either_way() -> None:
    several = monge.score(OUTPUTS["A"], REFERENCES, metrics="chrf")
    assert several["chrf"] == monge.score(OUTPUTS["A"], REFERENCES, metric="chrf")
    found = monge.compare(OUTPUTS, REFERENCES, metric="chrf")
    assert found["chrf"].order == monge.compare(OUTPUTS, REFERENCES, metrics="chrf")["chrf"].order


def test_a_scorer_has_the_methods_of_other_packages() -> None:
    scorer = monge.Scorer(["chrf", "rouge1"])
    values = scorer(OUTPUTS["A"], REFERENCES)
    assert scorer.score(OUTPUTS["A"], REFERENCES) == values
    assert scorer.compute(predictions=OUTPUTS["A"], references=REFERENCES) == values
