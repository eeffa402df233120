"""`monge correlate` on a folder of mt-metrics-eval, and into one."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., tuple[int, str, str]]


def test_a_folder_of_mt_metrics_eval_is_read_and_gets_our_scores(rated: Path, run: Run) -> None:
    from monge.meta.data import read_named_columns
    from monge.meta.data.mtme import write_tree

    (judged,) = read_named_columns(rated)
    write_tree(type(judged)("xx-en", judged.segments, judged.judgments), "tree")
    Path("tree/references/xx-en.refA.txt").rename("tree/references/xx-en.gold.txt")
    status, out, err = run("correlate", "tree", "-m", "chrf", "--mtme", "tree", "-f", "json", "--draws", "0")
    assert status == 0, err
    value = json.loads(out)["metrics"][0]["average"]["value"]
    assert len(Path("tree/metric-scores/xx-en/chrf-gold.seg.score").read_text(encoding="utf-8").splitlines()) == 120
    status, out, err = run("correlate", "tree", "-f", "json", "--draws", "0")
    assert status == 0, err
    (metric,) = json.loads(out)["metrics"]
    assert metric["metric"] == "chrf-gold"
    assert metric["average"]["value"] == pytest.approx(value)


def test_a_new_folder_of_mt_metrics_eval_gets_texts_and_judgments(rated: Path, run: Run) -> None:
    arguments = ("-f", "json", "--draws", "0")
    status, out, err = run("correlate", "rated.tsv", "-m", "chrf", "--mtme", "new", *arguments)
    assert status == 0, err
    status, again, err = run("correlate", "new", *arguments)
    assert status == 0, err
    first, second = (json.loads(text)["metrics"][0] for text in (out, again))
    assert second["metric"] == "chrf-refA"
    assert second["average"]["value"] == pytest.approx(first["average"]["value"])


def test_scores_of_systems_come_back_from_a_folder(rated: Path, run: Run) -> None:
    arguments = ("-f", "json", "--draws", "0", "--level", "system")
    _, out, err = run("correlate", "rated.tsv", "-m", "bleu", "--mtme", "new", *arguments)
    assert not err
    _, again, err = run("correlate", "new", *arguments)
    assert not err
    first, second = (json.loads(text)["metrics"][0]["average"]["value"] for text in (out, again))
    assert second == pytest.approx(first, abs=1e-12)


def test_scores_stand_in_the_order_of_the_folder(rated: Path, run: Run) -> None:
    """The same outputs in other rows, and the same scores from a file: the lines of the folder stay."""
    run("correlate", "rated.tsv", "-m", "chrf", "--mtme", "new", "--save-scores", "scores.tsv")
    written = Path("new/metric-scores/rated/chrf-refA.seg.score").read_bytes()
    header, *rows = rated.read_text(encoding="utf-8").splitlines()
    Path("other").mkdir()
    Path("other/rated.tsv").write_text("\n".join([header, *reversed(rows)]) + "\n", encoding="utf-8")
    status, out, err = run("correlate", "other/rated.tsv", "-m", "chrf", "--mtme", "new")
    assert (status, out) == (2, "")
    assert "new/system-outputs/rated/poor.txt: line 1 is not the output of segment '39'; choose a new folder" in err
    header, *rows = Path("scores.tsv").read_text(encoding="utf-8").splitlines()
    Path("turned.tsv").write_text("\n".join([header, *reversed(rows)]) + "\n", encoding="utf-8")
    status, _, err = run("correlate", "rated.tsv", "--scores", "turned.tsv", "--mtme", "again")
    assert status == 0, err
    assert Path("again/metric-scores/rated/chrf-refA.seg.score").read_bytes() == written
    systems = [dict(line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()) for path in (
        Path("new/metric-scores/rated/chrf-refA.sys.score"), Path("again/metric-scores/rated/chrf-refA.sys.score"),
    )]  # fmt: skip
    assert systems[0] == systems[1]
    outputs = [row for row in rows if row.split("\t")[header.split("\t").index("level")] == "segment"]
    Path("outputs.tsv").write_text("\n".join([header, *outputs]) + "\n", encoding="utf-8")
    status, _, err = run("correlate", "rated.tsv", "--scores", "outputs.tsv", "--mtme", "third")
    assert status == 0, err
    assert not Path("third/metric-scores/rated/chrf-refA.sys.score").exists()  # the file has no scores of systems


def test_incomplete_scores_make_no_folder(rated: Path, run: Run) -> None:
    run("correlate", "rated.tsv", "-m", "chrf", "--save-scores", "scores.tsv")
    lines = Path("scores.tsv").read_text(encoding="utf-8").splitlines()
    Path("part.tsv").write_text("\n".join(lines[:-1]) + "\n", encoding="utf-8")
    status, out, err = run("correlate", "rated.tsv", "--scores", "part.tsv", "--mtme", "new")
    assert (status, out) == (2, "")
    assert "chrf has no score of system 'poor' on segment '39'" in err
    assert not Path("new").exists()


def test_outputs_of_an_unnamed_system_come_back(rated: Path, run: Run) -> None:
    rows = [line.split("\t") for line in rated.read_text(encoding="utf-8").splitlines()]
    kept = ["\t".join((r[0], *r[2:])) for r in rows if r[1] in ("system", "fair")]
    Path("one.tsv").write_text("\n".join(kept) + "\n", encoding="utf-8")
    status, out, err = run("correlate", "one.tsv", "-m", "chrf", "--mtme", "new", "-f", "json", "--draws", "0")
    assert status == 0, err
    status, again, err = run("correlate", "new", "-f", "json", "--draws", "0")
    assert status == 0, err
    values = [json.loads(text)["metrics"][0]["average"]["value"] for text in (out, again)]
    assert values[1] == pytest.approx(values[0])


@pytest.fixture
def two_pairs(rated: Path) -> Path:
    """A folder of two language pairs in which systems and segments have the same names, and judgments differ."""
    from monge.meta.data import read_named_columns
    from monge.meta.data.mtme import write_tree

    (judged,) = read_named_columns(rated)
    reversed_texts = judged.change_texts(lambda text: " ".join(reversed(text.split()[3:])))
    for name, one in (("de-en", judged), ("cs-en", reversed_texts)):
        write_tree(type(judged)(name, one.segments, one.judgments), "tree")
    return Path("tree")


def test_scores_of_a_part_serve_that_part_only(two_pairs: Path, run: Run) -> None:
    status, out, err = run("correlate", "tree", "-m", "chrf", "-f", "json", "--save-scores", "all.tsv")
    assert status == 0, err
    status, again, err = run("correlate", "tree", "--scores", "all.tsv", "-f", "json")
    assert status == 0, err
    tasks = [json.loads(text)["metrics"][0]["tasks"] for text in (out, again)]
    assert tasks[0]["de-en"]["value"] != tasks[0]["cs-en"]["value"]
    assert tasks[1] == tasks[0]
    kept = [line for line in Path("all.tsv").read_text(encoding="utf-8").splitlines() if not line.startswith("cs-en")]
    Path("one.tsv").write_text("\n".join(kept), encoding="utf-8")
    status, out, err = run("correlate", "tree", "--scores", "one.tsv")
    assert (status, out) == (2, "")
    assert err == "monge: chrf has scores of de-en, but none of cs-en\n"
    rows = "\n".join(f"{pair} set {i} good poor" for pair in ("cs-en", "de-en") for i in range(1, 41))
    Path("RR-seglevel.csv").write_text("LP DATA SID BETTER WORSE\n" + rows + "\n", encoding="utf-8")
    status, out, err = run("correlate", "RR-seglevel.csv", "--scores", "all.tsv", "-f", "json")
    assert status == 0, err
    ranked = json.loads(out)["metrics"][0]["tasks"]
    assert {task: found["used"] for task, found in ranked.items()} == {"cs-en": 80, "de-en": 80}
    status, _, err = run("correlate", "RR-seglevel.csv", "--scores", "one.tsv")
    assert (status, err) == (2, "monge: chrf has scores of de-en, but none of cs-en\n")
