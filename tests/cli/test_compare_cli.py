"""`monge compare` and `monge simulate` as a user meets them."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from monge.cli import main


@pytest.fixture
def table(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    shared = rng.normal(0.6, 0.1, size=80)
    rows = ["id\told\tnew\ttype"]
    rows += [
        f"s{k}\t{v + rng.normal(0, 0.05):.4f}\t{v + 0.04 + rng.normal(0, 0.05):.4f}\t{'a' if k % 2 else 'b'}"
        for k, v in enumerate(shared)
    ]
    path = tmp_path / "scores.tsv"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def run(capsys: pytest.CaptureFixture[str], *argv: object) -> tuple[int, str, str]:
    status = main([str(a) for a in argv])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_a_table_is_decided_and_explained(table: Path, capsys) -> None:
    status, out, err = run(capsys, "compare", "--scores", table)
    assert (status, err) == (0, "")
    assert out.startswith("2 systems, 80 instances, higher is better\n\n  new beats old: better on ")
    assert max(map(len, out.split("\n"))) <= 80


def test_rows_named_system_are_compared_as_systems(table: Path, tmp_path: Path, capsys) -> None:
    """The same scores with one system per row give the same answer, and the report says how they were read."""
    columns = list(zip(*(line.split("\t")[:3] for line in table.read_text(encoding="utf-8").splitlines()), strict=True))
    turned = tmp_path / "turned.tsv"
    lines = ["\t".join(("system" if cell == "id" else cell) for cell in column) for column in columns]
    turned.write_text("\n".join(lines) + "\n", encoding="utf-8")
    one, other = (json.loads(run(capsys, "compare", "--scores", path, "-f", "json")[1]) for path in (table, turned))
    assert other["systems"] == ["old", "new"]
    assert (other["pairs"], other["conclusions"]) == (one["pairs"], one["conclusions"])
    assert any("one instance per row (named by column 'id')" in note for note in one["notes"])
    reading = "the scores were read as one system per row (named by column 'system'), one instance per column"
    assert any(note.startswith(reading) for note in other["notes"])
    assert reading in " ".join(run(capsys, "compare", "--scores", turned)[1].split())


def test_draws_beyond_reach_are_refused_at_once(table: Path, capsys) -> None:
    status, out, err = run(capsys, "compare", "--scores", table, "--draws", "999999999999")
    assert (status, out) == (2, "")
    assert "draws must be at least 1 and at most 1,000,000, not 999,999,999,999" in err


def test_the_same_command_prints_the_same_twice(table: Path, capsys) -> None:
    assert run(capsys, "compare", "--scores", table) == run(capsys, "compare", "--scores", table)


def test_lower_is_better_turns_the_verdict(table: Path, capsys) -> None:
    _, out, _ = run(capsys, "compare", "--scores", table, "--lower-is-better", "-q")
    assert "old beats new" in out


def test_json_markdown_and_latex(table: Path, capsys) -> None:
    _, out, _ = run(capsys, "compare", "--scores", table, "-f", "json")
    assert json.loads(out)["clusters"] == [["new"], ["old"]]
    assert "\n- new beats old" in run(capsys, "compare", "--scores", table, "-f", "markdown")[1]
    assert r"\toprule" in run(capsys, "compare", "--scores", table, "-f", "latex")[1]


def test_quiet_metrics_together_are_sentences_only(tmp_path: Path, capsys) -> None:
    for name in ("ref", "one", "two"):
        (tmp_path / name).write_text("a b\nc d\n" if name != "two" else "a\nc\n", encoding="utf-8")
    texts = [tmp_path / "ref", "-i", tmp_path / "one", tmp_path / "two", "-m", "chrf", "rougel"]
    assert "Agreement of metrics" in run(capsys, "compare", *texts)[1]
    _, out, _ = run(capsys, "compare", *texts, "-q")
    assert "one and two cannot be told apart by both metrics" in out
    assert "Agreement of metrics" not in out


@pytest.mark.parametrize("kind", ["text", "json", "markdown", "latex"])
def test_quiet_prints_sentences_only(table: Path, capsys, kind: str) -> None:
    _, out, _ = run(capsys, "compare", "--scores", table, "-f", kind, "-q")
    assert "new beats old" in out
    for more in ("TrueSkill", "tabular", "p_values", "seed:"):
        assert more not in out


def test_report_and_figures_are_written(table: Path, tmp_path: Path, capsys) -> None:
    page, folder = tmp_path / "r.html", tmp_path / "figures"
    assert run(capsys, "compare", "--scores", table, "--html", page, "--plots", folder, "-q")[0] == 0
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert sorted(p.name for p in folder.iterdir()) == [
        "density-1-new-vs-old.svg",
        "differences-1-new-vs-old.svg",
        "pairwise.svg",
        "ranks.svg",
    ]


def test_texts_are_scored_and_compared(tmp_path: Path, capsys) -> None:
    rng = np.random.default_rng(0)
    words = [
        "the",
        "old",
        "man",
        "looks",
        "at",
        "a",
        "red",
        "boat",
        "on",
        "the",
        "slow",
        "river",
        "while",
        "two",
        "dogs",
        "run",
    ]
    references = [" ".join(rng.choice(words, 10)) for _ in range(60)]
    for name, rate in (("good", 0.1), ("poor", 0.4)):
        damaged = [" ".join(w if rng.uniform() > rate else "x" for w in text.split()) for text in references]
        (tmp_path / name).write_text("\n".join(damaged) + "\n", encoding="utf-8")
    (tmp_path / "ref").write_text("\n".join(references) + "\n", encoding="utf-8")
    status, out, err = run(
        capsys, "compare", tmp_path / "ref", "-i", tmp_path / "good", tmp_path / "poor", "-m", "bleu", "chrf"
    )
    assert (status, err) == (0, "")
    assert out.startswith("2 metrics together\n\n  good beats poor by both metrics")
    assert "the corpus score prefers good" in " ".join(out.split())
    assert "Corpus score" in out
    types = tmp_path / "types"
    types.write_text("\n".join(["a", "b"] * 30) + "\n", encoding="utf-8")
    assert (
        run(
            capsys,
            "compare",
            tmp_path / "ref",
            "-i",
            tmp_path / "good",
            tmp_path / "poor",
            "-m",
            "bleu",
            "--types",
            types,
        )[0]
        == 0
    )


def test_jsonl_may_hold_segments_in_any_order_but_the_same_ones(tmp_path: Path, capsys) -> None:
    rows = [
        {
            "system": system,
            "id": str(k),
            "hypothesis": f"word {k if k != damaged else 'x'} end",
            "references": [f"word {k} end"],
        }
        for system, order, damaged in (("A", range(8), 3), ("B", reversed(range(8)), 5))
        for k in order
    ]
    path = tmp_path / "texts.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")
    status, out, _ = run(capsys, "compare", "--jsonl", path, "-m", "chrf", "-f", "json")
    assert status == 0
    (pair,) = json.loads(out)["pairs"]
    assert (pair["wins"], pair["ties"], pair["losses"]) == (1, 6, 1)
    path.write_text("\n".join(map(json.dumps, rows[:-1])) + "\n", encoding="utf-8")
    status, _, err = run(capsys, "compare", "--jsonl", path, "-m", "chrf")
    assert status == 2
    assert "segment '0' of system 'A' is missing in system 'B'" in err


def test_what_score_prints_can_be_compared(tmp_path: Path, capsys) -> None:
    for name, lines in (("ref", "a b c d\nx y z w\n"), ("one", "a b c d\nx y z q\n"), ("two", "a b q d\nq y z q\n")):
        (tmp_path / name).write_text(lines, encoding="utf-8")
    _, out, _ = run(
        capsys, "score", tmp_path / "ref", "-i", tmp_path / "one", tmp_path / "two", "-m", "chrf", "-f", "json"
    )
    (tmp_path / "scores.json").write_text(out, encoding="utf-8")
    status, out, _ = run(capsys, "compare", "--scores", tmp_path / "scores.json")
    assert status == 0
    assert "2 systems, 2 instances" in out
    assert "cannot decide anything" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--scores", "{table}", "-i", "x"], "leave out REF, -i, -s, --jsonl and --parquet"),
        ([], "nothing to compare"),
        (["--scores", "nowhere.tsv"], "cannot read nowhere.tsv"),
        (["--scores", "{table}", "--alpha", "2"], "alpha must lie between 0 and 1"),
        (["--scores", "{table}", "--draws", "3"], "3 draws cannot show"),
        (["--scores", "{table}", "--types", "{table}"], "has 81 lines, but there are 80 instances"),
        (["--scores", "{single}"], "needs at least two systems; only 'A' is given"),
        (["--scores", "{apart}"], "'A' and 'B' have no scored instance in common"),
        (["--scores", "{infinite}"], "line 2, column 'B': infinite score"),
        (["{table}", "-i", "{table}"], "needs at least two systems"),
        (["--scores", "{table}", "-m", "bleu"], "-m has nothing to do"),
        (["--scores", "{table}", "--layers", "3"], "--layers has nothing to do"),
        (["{table}", "-i", "{table}", "{table}", "--lower-is-better"], "metrics know their direction"),
    ],
)
def test_mistakes_get_one_sentence(arguments: list[str], message: str, table: Path, tmp_path: Path, capsys) -> None:
    files = {"table": table}
    for name, text in {
        "single": "id\tA\n1\t2\n",
        "apart": "system,id,score\nA,1,2\nB,2,3\n",
        "infinite": "id\tA\tB\n1\t2\tinf\n",
    }.items():
        files[name] = tmp_path / name
        files[name].write_text(text, encoding="utf-8")
    page = tmp_path / "page.html"
    status, out, err = run(capsys, "compare", *(a.format(**files) for a in arguments), "--html", page)
    assert (status, out) == (2, "")
    assert err.startswith("monge: ")
    assert err.count("\n") == 1
    assert message in err
    assert not page.exists()


def test_simulate_prints_every_panel_and_draws(tmp_path: Path, capsys) -> None:
    plot, rows = tmp_path / "f.svg", tmp_path / "r.tsv"
    small = [
        "--types",
        "1",
        "3",
        "--outliers",
        "0",
        "0.1",
        "--systems",
        "3",
        "--instances",
        "10",
        "20",
        "--repeats",
        "2",
    ]
    status, out, _ = run(capsys, "simulate", *small, "--plot", plot, "--segments", rows)
    assert status == 0
    assert {line[0] for line in out.split("\n")[2:] if line[:1] in "abcdefgh" and line[1:2] == " "} == set("abcdefgh")
    assert plot.read_bytes().startswith(b"<?xml")
    assert len(rows.read_text(encoding="utf-8").split("\n")) == 1 + 16 + 1
    assert run(capsys, "simulate", *small, "--recipe", "paper", "-f", "markdown")[0] == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ["compare", "no.txt", "-i", "no.txt", "--plots", "figures"],
        ["correlate", "no.tsv", "-m", "bleu", "--plot", "matrix.svg"],
        ["simulate", "--repeats", "0", "--plot", "figure.svg"],
        ["benchmark", "mt"],
    ],
)
def test_missing_matplotlib_is_told_before_the_work(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert main(arguments) == 2
    assert "pip install 'monge[plot]'" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_simulate_refuses_the_impossible(capsys) -> None:
    status, _, err = run(capsys, "simulate", "--systems", "1")
    assert status == 2
    assert "at least 2 systems" in err
    for target in (["--plot", "figure.gif"], ["--segments", "out.xlsx"], ["--plot", "no/folder/figure.svg"]):
        status, out, err = run(capsys, "simulate", *target)
        assert (status, out) == (2, "")
        assert f"cannot write {target[1]}" in err


def test_simulations_without_an_order_are_counted(capsys) -> None:
    small = ("--systems", "2", "--instances", "2", "--types", "1", "--outliers", "0", "--repeats", "20")
    _, out, _ = run(capsys, "simulate", *small, "--recipe", "paper")
    assert "BT tied all systems in " in out.splitlines()[-1]


def test_further_analyses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rng = np.random.default_rng(0)
    names = ["big/1", "big/2", "big/3", "small/1", "small/2", "small/3"]
    values = rng.normal(size=(40, 6)) + np.array([1.0] * 3 + [0.0] * 3)
    lines = ["\t".join(["id", *names]), *("\t".join([str(i), *map(str, row)]) for i, row in enumerate(values))]
    table, budget = tmp_path / "scores.tsv", tmp_path / "budget.tsv"
    table.write_text("\n".join(lines) + "\n", encoding="utf-8")
    costs = [f"{name}\t{seconds}" for name, seconds in zip(names, (9, 8, 7, 1, 2, 3), strict=True)]
    budget.write_text("\n".join(["system\tseconds", *costs]) + "\n", encoding="utf-8")
    arguments = [
        "compare",
        "--scores",
        str(table),
        "--diagnose",
        "--runs",
        "/",
        "--budget",
        str(budget),
        "--draws",
        "100",
    ]
    assert main([*arguments, "--plots", str(tmp_path / "figures"), "--theme", "dark"]) == 0
    out = capsys.readouterr().out
    assert "almost stochastic order" in out
    assert "P(test in the column is significant" in out
    assert "scores and costs" in out
    drawn = {path.name for path in (tmp_path / "figures").iterdir()}
    assert {"tests.svg", "sizes.svg", "runs.svg"} <= drawn
    assert main([*arguments, "-f", "json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["runs"]["orders"][0]["epsilon_min"] < 0.2
    assert record["budget"]["seconds"]["efficient"][0] == "small/1"
    assert record["sizes"]["sizes"] == [10, 40]
