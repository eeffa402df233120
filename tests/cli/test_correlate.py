"""`monge correlate`, as a person uses it and as a person gets it wrong."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from scipy import stats

from monge.metrics import load_metric

Run = Callable[..., tuple[int, str, str]]


def columns(path: Path) -> dict[str, list[str]]:
    header, *rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
    return {name: [row[i] for row in rows] for i, name in enumerate(header)}


def test_a_newcomer_reads_the_answer_in_one_screen(rated: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")  # the width of the terminal must not decide
    status, out, _ = run("correlate", "rated.tsv", "-m", "bleu", "chrf", "rouge1", "rougel", "ter", "--draws", "200")
    assert status == 0
    assert len(out.splitlines()) <= 24
    assert max(map(len, out.splitlines())) <= 100
    assert out.splitlines()[2].startswith("Use ")
    assert "used 120 of 120 judged outputs; 0 unused" in out


def test_values_are_those_of_scipy(rated: Path, run: Run) -> None:
    status, out, _ = run("correlate", "rated.tsv", "-m", "chrf", "-f", "json", "-s", "pearson", "kendall")
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


def test_distances_are_turned_and_levels_differ(rated: Path, run: Run) -> None:
    values = {}
    for level in ("segment", "item", "by-system", "summary", "system"):
        arguments = ("correlate", "rated.tsv", "-m", "ter", "--level", level, "-f", "json", "--draws", "50")
        status, out, err = run(*arguments)
        assert status == 0, err
        values[level] = json.loads(out)["metrics"][0]["average"]["value"]
    assert min(values.values()) > 0.3
    assert values["item"] == values["summary"]
    assert len({round(v, 6) for v in values.values()}) == 4


def test_scores_of_monge_score_are_read_back(rated: Path, run: Run) -> None:
    table = columns(rated)
    rows = [
        {"id": i, "system": s, "hypothesis": h, "references": [r]}
        for i, s, h, r in zip(table["id"], table["system"], table["hypothesis"], table["reference"], strict=True)
    ]
    Path("set.jsonl").write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    status, out, _ = run("score", "--jsonl", "set.jsonl", "-m", "chrf", "ter", "-f", "json")
    Path("scores.json").write_text(out, encoding="utf-8")
    status, read, _ = run("correlate", "rated.tsv", "--scores", "scores.json", "-f", "json")
    assert status == 0
    _, computed, _ = run("correlate", "rated.tsv", "-m", "chrf", "ter", "-f", "json")
    both = [json.loads(text)["metrics"] for text in (read, computed)]
    assert [(m["metric"], m["average"]["value"]) for m in both[0]] == [
        (m["metric"], m["average"]["value"]) for m in both[1]
    ]


def test_a_file_says_which_direction_is_better(rated: Path, run: Run) -> None:
    """The registry's direction is that of a metric as it comes; an option may have turned it."""
    table = columns(rated)
    rows = [
        {"id": i, "system": s, "hypothesis": h, "references": [r]}
        for i, s, h, r in zip(table["id"], table["system"], table["hypothesis"], table["reference"], strict=True)
    ]
    Path("set.jsonl").write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    metric = ("-m", "emd", "--encoder", "hashed", "-o", "readout=inverse")
    status, out, err = run("score", "--jsonl", "set.jsonl", *metric, "-f", "json", "--segments", "scores.tsv")
    assert status == 0, err
    Path("scores.json").write_text(out, encoding="utf-8")
    run("correlate", "rated.tsv", *metric, "--save-scores", "saved.tsv")
    run("correlate", "rated.tsv", *metric, "--save-scores", "saved.jsonl")
    values = []
    for name in ("scores.json", "scores.tsv", "saved.tsv", "saved.jsonl"):
        status, out, err = run("correlate", "rated.tsv", "--scores", name, "-f", "json", "--draws", "0")
        assert status == 0, err
        values.append(json.loads(out)["metrics"][0]["average"]["value"])
    assert values[0] > 0.3
    assert values == pytest.approx([values[0]] * 4)


def test_saved_features_keep_their_sign(rated: Path, run: Run) -> None:
    """Features such as length have no direction, and a file of their scores asks for none."""
    _, computed, _ = run("correlate", "rated.tsv", "-m", "length", "-f", "json", "--save-scores", "saved.tsv")
    status, read, err = run("correlate", "rated.tsv", "--scores", "saved.tsv", "-f", "json")
    assert status == 0, err
    values = [json.loads(text)["metrics"][0]["average"]["value"] for text in (computed, read)]
    assert values[0] == values[1] != 0


def test_systems_scored_in_two_ways_are_not_one_metric(rated: Path, run: Run) -> None:
    table = columns(rated)
    for system, order in (("good", "char_order=6"), ("poor", "char_order=2")):
        own = [i for i, name in enumerate(table["system"]) if name == system]
        for name in ("hypothesis", "reference"):
            Path(f"{name}.{system}").write_text("\n".join(table[name][i] for i in own), encoding="utf-8")
        arguments = ("reference." + system, "-i", "hypothesis." + system, "-m", "chrf", "-o", order, "-f", "json")
        _, out, _ = run("score", *arguments)
        results = json.loads(out)
        results[0]["system"] = system
        for k, segment in enumerate(results[0]["segments"]):
            segment["id"] = str(k)
        Path(f"{system}.json").write_text(json.dumps(results), encoding="utf-8")
    status, out, err = run("correlate", "rated.tsv", "--scores", "good.json", "poor.json")
    assert (status, out) == (2, "")
    assert "chrf of system 'poor': made with" in err


def test_unknown_direction_is_asked_for(rated: Path, run: Run) -> None:
    table = columns(rated)
    rows = zip(table["id"], table["system"], table["length"], strict=True)
    Path("mine.tsv").write_text("id\tsystem\tmine\n" + "\n".join("\t".join(row) for row in rows), encoding="utf-8")
    status, _, err = run("correlate", "rated.tsv", "--scores", "mine.tsv")
    assert status == 2
    assert "--higher mine or --lower mine" in err
    status, out, _ = run("correlate", "rated.tsv", "--scores", "mine.tsv", "--higher", "mine", "-f", "json")
    higher = json.loads(out)["metrics"][0]["average"]["value"]
    _, out, _ = run("correlate", "rated.tsv", "--scores", "mine.tsv", "--lower", "mine", "-f", "json")
    assert json.loads(out)["metrics"][0]["average"]["value"] == pytest.approx(-higher)


def test_missing_scores_are_counted(rated: Path, run: Run) -> None:
    table = columns(rated)
    rows = list(zip(table["id"], table["system"], table["length"], strict=True))[:90]
    Path("part.tsv").write_text("id\tsystem\tmine\n" + "\n".join("\t".join(row) for row in rows), encoding="utf-8")
    status, out, _ = run("correlate", "rated.tsv", "--scores", "part.tsv", "--higher", "all", "-m", "chrf")
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
        (["rated.tsv", "-m", "x:=bleu", "x:=chrf"], "two metrics are called 'x'"),
        (["rated.tsv", "-m", "bleu", "--human", "ratings"], "did you mean 'rating'"),
        (["rated.tsv", "-m", "bleu", "-s", "pearsen"], "did you mean 'pearson'"),
        (["rated.tsv", "-m", "bleu", "chrf", "--level", "item", "--test", "williams"], "Williams"),
        (["rated.tsv", "-m", "bleu", "-s", "soft-accuracy"], "system level"),
        (["rated.tsv", "-m", "bleu", "-o", "layers=3"], "no option 'layers' in bleu"),
        (["rated.tsv", "-m", "bleu", "--sample", "2"], "fewer than 3"),
        (["rated.tsv", "-m", "bleu", "--alpha", "2"], "between 0 and 1"),
        (["rated.tsv", "--scores", "rated.tsv", "-m", "bleu"], "--higher rating or --lower rating"),
        (["rated.tsv", "--score-columns", "length"], "--higher length or --lower length"),
        (["rated.tsv", "-m", "bleu", "-s", "tau-like", "--threshold", "nan"], "threshold must be a number"),
        (["rated.tsv", "-m", "bleu", "--threshold", "2"], "--threshold 2 applies to tau-like only"),
        (["rated.tsv", "-m", "bertscore", "--layers", "3", "-o", "layers=4"], "'layers' is given twice"),
        (["rated.tsv", "-m", "bleu", "--html", "no/folder/page.html"], "there is no folder no/folder"),
        (["rated.tsv", "-m", "bleu", "--plot", "matrix.gif"], "must end in .svg, .png, .pdf"),
        (["rated.tsv", "-m", "bleu", "--save-scores", "scores.xlsx"], "must end in .tsv, .jsonl"),
    ],
)
def test_mistakes_get_one_sentence(rated: Path, run: Run, arguments: list[str], message: str) -> None:
    status, out, err = run("correlate", *arguments)
    assert status == 2
    assert out == ""
    assert err.startswith("monge: ")
    assert err.count("\n") == 1
    assert message in err


def test_no_overlap_shows_names_of_both_sides(rated: Path, run: Run) -> None:
    Path("other.tsv").write_text("id\tsystem\tbleu\n900\tx\t1\n", encoding="utf-8")
    status, _, err = run("correlate", "rated.tsv", "--scores", "other.tsv")
    assert status == 2
    assert "no output in common" in err
    assert "'900'" in err


def test_constant_scores_are_a_dash_with_a_reason(rated: Path, run: Run) -> None:
    table = columns(rated)
    rows = [f"{i}\t{s}\t1" for i, s in zip(table["id"], table["system"], strict=True)]
    Path("flat.tsv").write_text("id\tsystem\tflat\n" + "\n".join(rows), encoding="utf-8")
    status, out, _ = run("correlate", "rated.tsv", "--scores", "flat.tsv", "--higher", "all", "-m", "chrf")
    assert status == 0
    assert "flat, rated: no value: scores all equal" in out
    line = next(line for line in out.splitlines() if line.startswith("flat "))
    assert line.split()[1:] == ["–", "–", "–"]


def test_figures_page_and_files_are_written(rated: Path, run: Run) -> None:
    status, out, _ = run(
        "correlate", "rated.tsv", "-m", "bleu", "chrf", "--plot", "matrix.svg", "--html", "page.html",
        "--save-scores", "all.tsv", "-f", "markdown", "--draws", "100",
    )  # fmt: skip
    assert status == 0
    assert "| metric |" in out
    assert Path("matrix.svg").read_text(encoding="utf-8").startswith("<?xml")
    page = Path("page.html").read_text(encoding="utf-8")
    assert page.count("<figure>") == 4
    assert "http" not in page.split("<body>")[0]
    assert len(Path("all.tsv").read_text(encoding="utf-8").splitlines()) == 1 + 2 * (3 + 120)  # systems and outputs
    status, again, _ = run("correlate", "rated.tsv", "--scores", "all.tsv", "-f", "markdown", "--draws", "100")
    assert again.splitlines()[4:8] == out.splitlines()[4:8]


def test_the_heat_map_is_a_figure_or_a_table(rated: Path, run: Run) -> None:
    arguments = ("correlate", "rated.tsv", "-m", "bleu", "chrf", "--draws", "0", "--theme", "dark")
    status, _, _ = run(*arguments, "--heatmap", "map.svg", "--distributions", "quality.pdf")
    assert status == 0
    assert "#16181b" in Path("map.svg").read_text(encoding="utf-8")
    assert Path("quality.pdf").read_bytes().startswith(b"%PDF")
    run(*arguments, "--heatmap", "map.tsv")
    lines = [line.split("\t") for line in Path("map.tsv").read_text(encoding="utf-8").splitlines()]
    assert lines[0][:2] == ["", "human"]
    assert [line[0] for line in lines] == lines[0]


def test_layer_curves(rated: Path, run: Run) -> None:
    metrics = ("-m", "bertscore,encoder=hashed", "moverscore,encoder=hashed", "chrf")
    status, _, _ = run("correlate", "rated.tsv", *metrics, "--draws", "0", "--layer-curves", "layers.svg")
    assert status == 0
    assert Path("layers.svg").read_text(encoding="utf-8").startswith("<?xml")
    status, _, err = run("correlate", "rated.tsv", "-m", "chrf", "--draws", "0", "--layer-curves", "layers.svg")
    assert status == 2
    assert "no metric with layers" in err


def test_ranked_pairs(rated: Path, run: Run) -> None:
    run("correlate", "rated.tsv", "-m", "chrf", "--save-scores", "scores.tsv")
    rows = "\n".join(f"xx-en set {i} good poor" for i in range(40))
    Path("RR-seglevel.csv").write_text("LP DATA SID BETTER WORSE\n" + rows + "\n", encoding="utf-8")
    status, out, err = run("correlate", "RR-seglevel.csv", "--scores", "scores.tsv", "-f", "json")
    assert status == 0, err
    record = json.loads(out)
    assert record["statistic"] == "tau-like"
    assert record["metrics"][0]["average"]["value"] > 0.8
    status, _, err = run("correlate", "RR-seglevel.csv", "--scores", "scores.tsv", "-m", "bleu")
    assert status == 2
    assert "ranked pairs have no texts to compute metrics on: leave out -m" in err


def test_wmt17_baselines_are_the_published_ones(judgments: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """sentBLEU .481 and chrF++ .579 on average over seven pairs (Zhao et al. 2019, table 1), within 0.02."""
    monkeypatch.setenv("MONGE_DATA", str(judgments))
    status, out, _ = run("correlate", "wmt17", "-m", "bleu", "chrfpp", "-f", "json", "--draws", "0")
    assert status == 0
    values = {m["metric"]: m["average"]["value"] for m in json.loads(out)["metrics"]}
    assert values["bleu"] == pytest.approx(0.481, abs=0.02)
    assert values["chrfpp"] == pytest.approx(0.579, abs=0.02)


def test_judged_captions(rated: Path, run: Run) -> None:
    texts = {"x.jpg": ["a dog runs", "a brown dog is running"], "y.jpg": ["two cats sleep", "cats asleep on a sofa"]}
    lines = [f"{image}#{k}\t{text}" for image, own in texts.items() for k, text in enumerate(own)]
    Path("captions.txt").write_text("\n".join(lines), encoding="utf-8")
    rows = ["x.jpg\tx.jpg#0\t4\t4", "x.jpg\ty.jpg#0\t1\t1", "y.jpg\ty.jpg#1\t4\t3", "y.jpg\tx.jpg#1\t1\t2"]
    Path("expert.txt").write_text("\n".join(rows), encoding="utf-8")
    status, out, err = run(
        "correlate", "expert.txt", "--captions", "captions.txt", "-m", "chrf", "-f", "json", "--draws", "0"
    )
    assert status == 0, err
    average = json.loads(out)["metrics"][0]["average"]
    assert average["used"] == 4
    assert average["value"] > 0.5


def test_documents_count_without_texts(rated: Path, run: Run) -> None:
    table = columns(rated)
    rows = zip(table["id"], table["system"], table["rating"], table["hypothesis"], table["reference"], strict=True)
    lines = [(i, s, f"d{int(i) % 5}", r, h, ref) for i, s, r, h, ref in rows]
    header = ("id", "system", "document", "rating", "hypothesis", "reference")
    for name, width in (("with", 6), ("without", 4)):
        text = "\n".join("\t".join(row[:width]) for row in (header, *lines))
        Path(f"{name}.tsv").write_text(text + "\n", encoding="utf-8")
    run("correlate", "with.tsv", "-m", "chrf", "--save-scores", "scores.tsv")
    found = []
    for name in ("with", "without"):
        arguments = ("--scores", "scores.tsv", "--level", "summary", "-f", "json", "--draws", "0")
        _, out, _ = run("correlate", f"{name}.tsv", *arguments)
        found.append(json.loads(out)["metrics"][0]["average"])
    assert found[0]["groups"] == 5
    assert found[1] == found[0]
    arguments = ("--scores", "scores.tsv", "--sample", "10", "-f", "json", "--draws", "0")
    _, out, _ = run("correlate", "without.tsv", *arguments)
    record = json.loads(out)
    assert record["metrics"][0]["average"]["used"] == 30
    assert "note: a sample of 10 of 40 inputs (seed 0)" in record["notes"]


def test_saved_scores_say_how_they_were_made(rated: Path, run: Run) -> None:
    _, out, _ = run("correlate", "rated.tsv", "-m", "chrf", "--save-scores", "scores.tsv", "-f", "json", "--draws", "0")
    _, again, _ = run("correlate", "rated.tsv", "--scores", "scores.tsv", "-f", "json", "--draws", "0")
    signatures = [json.loads(text)["metrics"][0]["signature"] for text in (out, again)]
    assert signatures[0].startswith("metric:chrf|")
    assert signatures[1] == signatures[0]


@pytest.mark.parametrize("name", ["scores.tsv", "scores.jsonl"])
def test_saved_scores_keep_the_scores_of_systems(rated: Path, run: Run, name: str) -> None:
    """Corpus BLEU is not the mean of sentence BLEU: at system level the saved scores must give the same agreement."""
    level = ("--level", "system", "-f", "json", "--draws", "0")
    status, out, err = run("correlate", "rated.tsv", "-m", "bleu", "chrf", "ter", "--save-scores", name, *level)
    assert status == 0, err
    status, again, err = run("correlate", "rated.tsv", "--scores", name, *level)
    assert status == 0, err
    first, second = ({m["metric"]: m["average"]["value"] for m in json.loads(text)["metrics"]} for text in (out, again))
    assert second == pytest.approx(first, abs=1e-12)
    values = json.loads(out)["metrics"]
    kept = [
        line for line in Path(name).read_text(encoding="utf-8").splitlines() if "segment" in line or "part\t" in line
    ]
    Path(f"outputs-{name}").write_text("\n".join(kept) + "\n", encoding="utf-8")
    _, means, _ = run("correlate", "rated.tsv", "--scores", f"outputs-{name}", *level)
    assert values != json.loads(means)["metrics"]  # so that this test can fail


def test_language_pairs_are_not_pooled(rated: Path, run: Run) -> None:
    """Ratings of two pairs on different scales: pooled, the scales decide; by pair, the metric does."""
    header, *rows = [line.split("\t") for line in rated.read_text(encoding="utf-8").splitlines()]
    lines = ["\t".join(["lp", *header])]
    for pair, shift in (("de-en", 0.0), ("cs-en", 100.0)):
        lines += ["\t".join([pair, *row[:4], str(float(row[4]) + shift), row[5]]) for row in rows]
    Path("pairs.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    _, alone, _ = run("correlate", "rated.tsv", "-m", "chrf", "-f", "json", "--draws", "0")
    status, out, err = run(
        "correlate", "pairs.tsv", "-m", "chrf", "-f", "json", "--draws", "0", "--save-scores", "scores.tsv"
    )
    assert status == 0, err
    record = json.loads(out)
    assert record["tasks"] == ["de-en", "cs-en"]
    expected = json.loads(alone)["metrics"][0]["average"]["value"]
    assert [t["value"] for t in record["metrics"][0]["tasks"].values()] == pytest.approx([expected] * 2)
    status, again, err = run("correlate", "pairs.tsv", "--scores", "scores.tsv", "-f", "json", "--draws", "0")
    assert status == 0, err
    assert json.loads(again)["metrics"] == record["metrics"]


def test_crowd_answers_are_reported_as_shares(rated: Path, run: Run) -> None:
    texts = {"x.jpg": ["a dog runs", "a brown dog is running"], "y.jpg": ["two cats sleep", "cats asleep on a sofa"]}
    lines = [f"{image}#{k}\t{text}" for image, own in texts.items() for k, text in enumerate(own)]
    Path("captions.txt").write_text("\n".join(lines), encoding="utf-8")
    rows = [
        "x.jpg\tx.jpg#0\t1\t3\t0",
        "x.jpg\ty.jpg#0\t0\t0\t40",
        "y.jpg\ty.jpg#1\t0.75\t3\t1",
        "y.jpg\tx.jpg#1\t0\t0\t3",
    ]
    Path("crowd.txt").write_text("\n".join(rows), encoding="utf-8")
    arguments = ("crowd.txt", "--captions", "captions.txt", "-m", "chrf", "-f", "json", "--draws", "0")
    status, out, err = run("correlate", *arguments)
    assert status == 0, err
    record = json.loads(out)
    assert record["metrics"][0]["average"]["value"] > 0.5
    assert any("the judgment is the share of yes" in note for note in record["notes"])
