"""The commands that measure agreement, as a person uses them and as a person gets them wrong."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from monge.cli import main
from monge.metrics import load_metric

WORDS = ("the cat sat on a mat while two dogs ran home before heavy rain fell over the old town").split()  # noqa: SIM905


def corrupt(text: str, share: float, rng: np.random.Generator) -> str:
    """Return *text* with a share of its words replaced: worse outputs are worse by construction."""
    return " ".join(rng.choice(WORDS) if rng.random() < share else word for word in text.split())


@pytest.fixture
def rated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Outputs of three systems for 40 inputs whose rating falls with the share of wrong words."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MONGE_CACHE", str(tmp_path / "cache"))
    rng = np.random.default_rng(0)
    lines = ["id\tsystem\thypothesis\treference\trating\tlength"]
    for i in range(40):
        reference = " ".join(rng.choice(WORDS, 12))
        for system, base in (("good", 0.1), ("fair", 0.3), ("poor", 0.6)):
            share = float(np.clip(base + rng.normal(0, 0.15), 0, 1))
            output = corrupt(reference, share, rng)
            rating = round(5 * (1 - share) + rng.normal(0, 0.2), 2)
            lines.append(f"{i}\t{system}\t{output}\t{reference}\t{rating}\t{len(output)}")
    path = tmp_path / "rated.tsv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = main(list(arguments))
    out, err = capsys.readouterr()
    return status, out, err


def columns(path: Path) -> dict[str, list[str]]:
    header, *rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
    return {name: [row[i] for row in rows] for i, name in enumerate(header)}


def test_a_newcomer_reads_the_answer_in_one_screen(rated: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(
        capsys, "correlate", "rated.tsv", "-m", "bleu", "chrf", "rouge1", "rougel", "ter", "--draws", "200"
    )
    assert status == 0
    assert len(out.splitlines()) <= 24
    assert max(map(len, out.splitlines())) <= 100
    assert out.splitlines()[2].startswith("Use ")
    assert "used 120 of 120 judged outputs; 0 unused" in out


def test_values_are_those_of_scipy(rated: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "correlate", "rated.tsv", "-m", "chrf", "-f", "json", "-s", "pearson", "kendall")
    pearson, kendall = json.loads(out)
    table = columns(rated)
    scores = load_metric("chrf").compute(table["hypothesis"], table["reference"])["scores"]
    ratings = [float(r) for r in table["rating"]]
    assert status == 0
    (metric,) = pearson["metrics"]
    assert metric["average"]["value"] == pytest.approx(stats.pearsonr(ratings, scores).statistic)
    assert kendall["metrics"][0]["average"]["value"] == pytest.approx(stats.kendalltau(ratings, scores).statistic)
    assert metric["average"]["low"] < metric["average"]["value"] < metric["average"]["high"]
    assert metric["signature"].startswith("metric:chrf|")


def test_distances_are_turned_and_levels_differ(rated: Path, capsys: pytest.CaptureFixture[str]) -> None:
    values = {}
    for level in ("segment", "item", "by-system", "summary", "system"):
        arguments = ("correlate", "rated.tsv", "-m", "ter", "--level", level, "-f", "json", "--draws", "50")
        status, out, err = run(capsys, *arguments)
        assert status == 0, err
        values[level] = json.loads(out)["metrics"][0]["average"]["value"]
    assert min(values.values()) > 0.3
    assert values["item"] == values["summary"]
    assert len({round(v, 6) for v in values.values()}) == 4


def test_scores_of_monge_score_are_read_back(rated: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = columns(rated)
    rows = [
        {"id": i, "system": s, "hypothesis": h, "references": [r]}
        for i, s, h, r in zip(table["id"], table["system"], table["hypothesis"], table["reference"], strict=True)
    ]
    Path("set.jsonl").write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    status, out, _ = run(capsys, "score", "--jsonl", "set.jsonl", "-m", "chrf", "ter", "-f", "json")
    Path("scores.json").write_text(out, encoding="utf-8")
    status, read, _ = run(capsys, "correlate", "rated.tsv", "--scores", "scores.json", "-f", "json")
    assert status == 0
    _, computed, _ = run(capsys, "correlate", "rated.tsv", "-m", "chrf", "ter", "-f", "json")
    both = [json.loads(text)["metrics"] for text in (read, computed)]
    assert [(m["metric"], m["average"]["value"]) for m in both[0]] == [
        (m["metric"], m["average"]["value"]) for m in both[1]
    ]


def test_a_file_says_which_direction_is_better(rated: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The registry's direction is that of a metric as it comes; an option may have turned it."""
    table = columns(rated)
    rows = [
        {"id": i, "system": s, "hypothesis": h, "references": [r]}
        for i, s, h, r in zip(table["id"], table["system"], table["hypothesis"], table["reference"], strict=True)
    ]
    Path("set.jsonl").write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    metric = ("-m", "emd", "--encoder", "hashed", "-o", "readout=inverse")
    status, out, err = run(capsys, "score", "--jsonl", "set.jsonl", *metric, "-f", "json", "--segments", "scores.tsv")
    assert status == 0, err
    Path("scores.json").write_text(out, encoding="utf-8")
    run(capsys, "correlate", "rated.tsv", *metric, "--save-scores", "saved.tsv")
    run(capsys, "correlate", "rated.tsv", *metric, "--save-scores", "saved.jsonl")
    values = []
    for name in ("scores.json", "scores.tsv", "saved.tsv", "saved.jsonl"):
        status, out, err = run(capsys, "correlate", "rated.tsv", "--scores", name, "-f", "json", "--draws", "0")
        assert status == 0, err
        values.append(json.loads(out)["metrics"][0]["average"]["value"])
    assert values[0] > 0.3
    assert values == pytest.approx([values[0]] * 4)


@pytest.fixture
def two_pairs(rated: Path) -> Path:
    """A folder of two language pairs in which systems and segments have the same names, and judgments differ."""
    from monge.meta.data import read_named_columns
    from monge.meta.data.mtme import write_tree

    judged = read_named_columns(rated)
    reversed_texts = judged.change_texts(lambda text: " ".join(reversed(text.split()[3:])))
    for name, one in (("de-en", judged), ("cs-en", reversed_texts)):
        write_tree(type(judged)(name, one.segments, one.judgments), "tree")
    return Path("tree")


def test_scores_of_a_part_serve_that_part_only(two_pairs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, "correlate", "tree", "-m", "chrf", "-f", "json", "--save-scores", "all.tsv")
    assert status == 0, err
    status, again, err = run(capsys, "correlate", "tree", "--scores", "all.tsv", "-f", "json")
    assert status == 0, err
    tasks = [json.loads(text)["metrics"][0]["tasks"] for text in (out, again)]
    assert tasks[0]["de-en"]["value"] != tasks[0]["cs-en"]["value"]
    assert tasks[1] == tasks[0]
    kept = [line for line in Path("all.tsv").read_text(encoding="utf-8").splitlines() if not line.startswith("cs-en")]
    Path("one.tsv").write_text("\n".join(kept), encoding="utf-8")
    status, out, err = run(capsys, "correlate", "tree", "--scores", "one.tsv")
    assert (status, out) == (2, "")
    assert err == "monge: chrf has scores of de-en, but none of cs-en\n"
    rows = "\n".join(f"{pair} set {i} good poor" for pair in ("cs-en", "de-en") for i in range(1, 41))
    Path("RR-seglevel.csv").write_text("LP DATA SID BETTER WORSE\n" + rows + "\n", encoding="utf-8")
    status, out, err = run(capsys, "correlate", "RR-seglevel.csv", "--scores", "all.tsv", "-f", "json")
    assert status == 0, err
    ranked = json.loads(out)["metrics"][0]["tasks"]
    assert {task: found["used"] for task, found in ranked.items()} == {"cs-en": 80, "de-en": 80}
    status, _, err = run(capsys, "correlate", "RR-seglevel.csv", "--scores", "one.tsv")
    assert (status, err) == (2, "monge: chrf has scores of de-en, but none of cs-en\n")


def test_systems_scored_in_two_ways_are_not_one_metric(rated: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = columns(rated)
    for system, order in (("good", "char_order=6"), ("poor", "char_order=2")):
        own = [i for i, name in enumerate(table["system"]) if name == system]
        for name in ("hypothesis", "reference"):
            Path(f"{name}.{system}").write_text("\n".join(table[name][i] for i in own), encoding="utf-8")
        arguments = ("reference." + system, "-i", "hypothesis." + system, "-m", "chrf", "-o", order, "-f", "json")
        _, out, _ = run(capsys, "score", *arguments)
        results = json.loads(out)
        results[0]["system"] = system
        for k, segment in enumerate(results[0]["segments"]):
            segment["id"] = str(k)
        Path(f"{system}.json").write_text(json.dumps(results), encoding="utf-8")
    status, out, err = run(capsys, "correlate", "rated.tsv", "--scores", "good.json", "poor.json")
    assert (status, out) == (2, "")
    assert "chrf of system 'poor': made with" in err


def test_unknown_direction_is_asked_for(rated: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = columns(rated)
    rows = zip(table["id"], table["system"], table["length"], strict=True)
    Path("mine.tsv").write_text("id\tsystem\tmine\n" + "\n".join("\t".join(row) for row in rows), encoding="utf-8")
    status, _, err = run(capsys, "correlate", "rated.tsv", "--scores", "mine.tsv")
    assert status == 2
    assert "--higher mine or --lower mine" in err
    status, out, _ = run(capsys, "correlate", "rated.tsv", "--scores", "mine.tsv", "--higher", "mine", "-f", "json")
    higher = json.loads(out)["metrics"][0]["average"]["value"]
    _, out, _ = run(capsys, "correlate", "rated.tsv", "--scores", "mine.tsv", "--lower", "mine", "-f", "json")
    assert json.loads(out)["metrics"][0]["average"]["value"] == pytest.approx(-higher)


def test_missing_scores_are_counted(rated: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = columns(rated)
    rows = list(zip(table["id"], table["system"], table["length"], strict=True))[:90]
    Path("part.tsv").write_text("id\tsystem\tmine\n" + "\n".join("\t".join(row) for row in rows), encoding="utf-8")
    status, out, _ = run(capsys, "correlate", "rated.tsv", "--scores", "part.tsv", "--higher", "all", "-m", "chrf")
    assert status == 0
    assert "used 90 of 120 judged outputs; 30 unused" in out
    assert "mine has no score for 30 of 120 judged outputs, left out for all" in out.replace("\n  ", " ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing.tsv"], "no such file, folder or data set"),
        (["wmt71"], "did you mean 'wmt17'"),
        (["rated.tsv"], "no metric"),
        (["rated.tsv", "-m", "blue"], "did you mean 'bleu'"),
        (["rated.tsv", "-m", "bleu", "bleu"], "two metrics are called 'bleu'"),
        (["rated.tsv", "-m", "bleu", "--human", "ratings"], "did you mean 'rating'"),
        (["rated.tsv", "-m", "bleu", "-s", "pearsen"], "did you mean 'pearson'"),
        (["rated.tsv", "-m", "bleu", "chrf", "--level", "item", "--test", "williams"], "Williams"),
        (["rated.tsv", "-m", "bleu", "-s", "soft-accuracy"], "system level"),
        (["rated.tsv", "-m", "bleu", "-o", "layers=3"], "no metric of bleu has an option 'layers'"),
        (["rated.tsv", "-m", "bleu", "--sample", "2"], "fewer than 3"),
        (["rated.tsv", "-m", "bleu", "--alpha", "2"], "between 0 and 1"),
        (["rated.tsv", "--scores", "rated.tsv", "-m", "bleu"], "is not a number"),
        (["rated.tsv", "--score-columns", "length"], "--higher length or --lower length"),
        (["rated.tsv", "-m", "bleu", "-s", "tau-like", "--threshold", "nan"], "threshold must be a number"),
        (["rated.tsv", "-m", "bertscore", "--layers", "3", "-o", "layers=4"], "'layers' is given twice"),
        (["rated.tsv", "-m", "bleu", "--html", "no/folder/page.html"], "there is no folder no/folder"),
        (["rated.tsv", "-m", "bleu", "--plot", "matrix.gif"], "must end in .svg, .png, .pdf"),
        (["rated.tsv", "-m", "bleu", "--save-scores", "scores.xlsx"], "must end in .tsv, .jsonl"),
    ],
)
def test_mistakes_get_one_sentence(
    rated: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    status, out, err = run(capsys, "correlate", *arguments)
    assert status == 2
    assert out == ""
    assert err.startswith("monge: ")
    assert err.count("\n") == 1
    assert message in err


def test_no_overlap_shows_names_of_both_sides(rated: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("other.tsv").write_text("id\tsystem\tbleu\n900\tx\t1\n", encoding="utf-8")
    status, _, err = run(capsys, "correlate", "rated.tsv", "--scores", "other.tsv")
    assert status == 2
    assert "no output in common" in err
    assert "'900'" in err


def test_constant_scores_are_a_dash_with_a_reason(rated: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = columns(rated)
    rows = [f"{i}\t{s}\t1" for i, s in zip(table["id"], table["system"], strict=True)]
    Path("flat.tsv").write_text("id\tsystem\tflat\n" + "\n".join(rows), encoding="utf-8")
    status, out, _ = run(capsys, "correlate", "rated.tsv", "--scores", "flat.tsv", "--higher", "all", "-m", "chrf")
    assert status == 0
    assert "flat, rated: no value: scores all equal" in out
    line = next(line for line in out.splitlines() if line.startswith("flat "))
    assert line.split()[1:] == ["–", "–", "–"]


def test_figures_page_and_files_are_written(rated: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(
        capsys, "correlate", "rated.tsv", "-m", "bleu", "chrf", "--plot", "matrix.svg", "--html", "page.html",
        "--save-scores", "all.tsv", "-f", "markdown", "--draws", "100",
    )  # fmt: skip
    assert status == 0
    assert "| metric |" in out
    assert Path("matrix.svg").read_text(encoding="utf-8").startswith("<?xml")
    page = Path("page.html").read_text(encoding="utf-8")
    assert page.count("<figure>") == 3
    assert "http" not in page.split("<body>")[0]
    assert len(Path("all.tsv").read_text(encoding="utf-8").splitlines()) == 241
    status, again, _ = run(capsys, "correlate", "rated.tsv", "--scores", "all.tsv", "-f", "markdown", "--draws", "100")
    assert again.splitlines()[4:8] == out.splitlines()[4:8]


def test_ranked_pairs(rated: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "correlate", "rated.tsv", "-m", "chrf", "--save-scores", "scores.tsv")
    rows = "\n".join(f"xx-en set {i} good poor" for i in range(40))
    Path("RR-seglevel.csv").write_text("LP DATA SID BETTER WORSE\n" + rows + "\n", encoding="utf-8")
    status, out, err = run(capsys, "correlate", "RR-seglevel.csv", "--scores", "scores.tsv", "-f", "json")
    assert status == 0, err
    record = json.loads(out)
    assert record["statistic"] == "tau-like"
    assert record["metrics"][0]["average"]["value"] > 0.8
    status, _, err = run(capsys, "correlate", "RR-seglevel.csv", "--scores", "scores.tsv", "-m", "bleu")
    assert status == 2
    assert "ranked pairs hold no texts to compute metrics on: leave out -m" in err


def test_tune_chooses_on_one_set_and_reports_on_another(rated: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = rated.read_text(encoding="utf-8").splitlines()
    Path("dev.tsv").write_text("\n".join(lines[:61]) + "\n", encoding="utf-8")
    Path("test.tsv").write_text("\n".join([lines[0], *lines[61:]]) + "\n", encoding="utf-8")
    arguments = ("tune", "dev.tsv", "-m", "chrf", "--grid", "char_order=1..3", "word_order=0,2", "--report", "test.tsv")
    status, out, err = run(capsys, *arguments, "--draws", "100", "-f", "json")
    assert status == 0, err
    record = json.loads(out)
    chosen = record["chosen_on"]["metrics"]
    assert len(chosen) == 6
    best = max(chosen, key=lambda m: m["average"]["value"])["metric"]
    assert " ".join(f"{k}={v}" for k, v in record["options"].items()) == best
    assert {m["metric"] for m in record["reported_on"][0]["metrics"]} == {"chosen", "as it was"}
    status, out, _ = run(capsys, *arguments, "--draws", "100")
    assert "no output of these sets is in dev.tsv" in out
    status, _, err = run(capsys, *arguments[:-1], "rated.tsv")
    assert status == 2
    assert "60 outputs of rated.tsv are among those of dev.tsv" in err
    status, _, err = run(capsys, "tune", "dev.tsv", "-m", "chrf", "--grid", "char_order=1..3")
    assert status == 2


def test_benchmark_resumes_and_reports(rated: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("benchmark", "quick", "--data", "rated.tsv", "--folder", "out", "--draws", "50", "--sample", "20")
    metrics = ("-m", "bleu", "bertscore,encoder=hashed", "--ablate", "bertscore,encoder=hashed", "yisi1,encoder=hashed")
    status, out, err = run(capsys, *arguments, *metrics, "--no-curves")
    assert status == 0, err
    assert out.strip() == "out/report.html"
    cells = {path.name: path.stat().st_mtime_ns for path in Path("out/cells").iterdir()}
    record = json.loads(Path("out/report.json").read_text(encoding="utf-8"))
    steps = record["data"][0]["ablations"][0]["steps"]
    assert list(steps) == ["bertscore,encoder=hashed", "+ weighting=idf_plus_one", "+ alpha=0.7"]
    next(iter(Path("out/cells").glob("bleu*"))).write_text("damaged", encoding="utf-8")
    status, _, err = run(capsys, *arguments, *metrics, "--no-curves")
    assert status == 0, err
    again = {path.name: path.stat().st_mtime_ns for path in Path("out/cells").iterdir()}
    assert again.keys() == cells.keys()
    assert [name for name in cells if again[name] != cells[name]] == [n for n in cells if n.startswith("bleu")]
    assert json.loads(Path("out/report.json").read_text(encoding="utf-8")) == record
    assert "one switch at a time" in Path("out/report.md").read_text(encoding="utf-8")
    assert Path("out/report.html").read_text(encoding="utf-8").count("<figure>") >= 3


def test_layer_curves(rated: Path, minilm_directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from monge.engine.suites import SUITES

    assert any(suite.curves for suite in SUITES)
    (rated.parent / "cache").mkdir()
    (rated.parent / "cache" / "models").symlink_to(minilm_directory.parent)
    status, _, err = run(
        capsys, "benchmark", "quick", "--data", "rated.tsv", "--folder", "out", "--draws", "20", "-m", "bertscore",
        "--sample", "10", "--offline",
    )  # fmt: skip
    assert status == 0, err
    curves = json.loads(Path("out/report.json").read_text(encoding="utf-8"))["data"][0]["curves"]
    assert list(curves["bertscore"]) == [str(layer) for layer in range(7)]


def test_data_commands(judgments: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MONGE_DATA", str(judgments))
    status, out, _ = run(capsys, "data", "list")
    assert status == 0
    assert "wmt17 " in out
    status, out, _ = run(capsys, "data", "show", "et-en")
    assert "CC0-1.0" in out
    assert "1,000 outputs" in out
    status, out, _ = run(capsys, "data", "path", "et-en")
    assert Path(out.strip()).is_dir()
    status, _, err = run(capsys, "data", "get", "summeval")
    assert status == 2
    assert "no fixed public address" in err


def test_wmt17_baselines_are_the_published_ones(
    judgments: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """sentBLEU .481 and chrF++ .579 on average over seven pairs (Zhao et al. 2019, table 1), within 0.02."""
    monkeypatch.setenv("MONGE_DATA", str(judgments))
    status, out, _ = run(capsys, "correlate", "wmt17", "-m", "bleu", "chrfpp", "-f", "json", "--draws", "0")
    assert status == 0
    values = {m["metric"]: m["average"]["value"] for m in json.loads(out)["metrics"]}
    assert values["bleu"] == pytest.approx(0.481, abs=0.02)
    assert values["chrfpp"] == pytest.approx(0.579, abs=0.02)


def test_judged_captions(rated: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts = {"x.jpg": ["a dog runs", "a brown dog is running"], "y.jpg": ["two cats sleep", "cats asleep on a sofa"]}
    lines = [f"{image}#{k}\t{text}" for image, own in texts.items() for k, text in enumerate(own)]
    Path("captions.txt").write_text("\n".join(lines), encoding="utf-8")
    rows = ["x.jpg\tx.jpg#0\t4\t4", "x.jpg\ty.jpg#0\t1\t1", "y.jpg\ty.jpg#1\t4\t3", "y.jpg\tx.jpg#1\t1\t2"]
    Path("expert.txt").write_text("\n".join(rows), encoding="utf-8")
    status, out, err = run(
        capsys, "correlate", "expert.txt", "--captions", "captions.txt", "-m", "chrf", "-f", "json", "--draws", "0"
    )
    assert status == 0, err
    average = json.loads(out)["metrics"][0]["average"]
    assert average["used"] == 4
    assert average["value"] > 0.5


def test_a_folder_of_mt_metrics_eval_is_read_and_gets_our_scores(
    rated: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from monge.meta.data import read_named_columns
    from monge.meta.data.mtme import write_tree

    judged = read_named_columns(rated)
    write_tree(type(judged)("xx-en", judged.segments, judged.judgments), "tree")
    Path("tree/references/xx-en.refA.txt").rename("tree/references/xx-en.gold.txt")
    status, out, err = run(capsys, "correlate", "tree", "-m", "chrf", "--mtme", "tree", "-f", "json", "--draws", "0")
    assert status == 0, err
    value = json.loads(out)["metrics"][0]["average"]["value"]
    assert len(Path("tree/metric-scores/xx-en/chrf-gold.seg.score").read_text(encoding="utf-8").splitlines()) == 120
    status, out, err = run(capsys, "correlate", "tree", "-f", "json", "--draws", "0")
    assert status == 0, err
    (metric,) = json.loads(out)["metrics"]
    assert metric["metric"] == "chrf-gold"
    assert metric["average"]["value"] == pytest.approx(value)


def test_a_new_folder_of_mt_metrics_eval_gets_texts_and_judgments(
    rated: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ("-f", "json", "--draws", "0")
    status, out, err = run(capsys, "correlate", "rated.tsv", "-m", "chrf", "--mtme", "new", *arguments)
    assert status == 0, err
    status, again, err = run(capsys, "correlate", "new", *arguments)
    assert status == 0, err
    first, second = (json.loads(text)["metrics"][0] for text in (out, again))
    assert second["metric"] == "chrf-refA"
    assert second["average"]["value"] == pytest.approx(first["average"]["value"])
