"""From a score or a comparison to the sentences behind it."""

import json
import re
import sys
from pathlib import Path

import pytest

from monge.cli import main

REFERENCES = [
    "the long expected boat came home",
    "it rained all day",
    "she sang a song for us and the children danced until the lights went out",
    "the harbour was empty",
    "the harbour was full of people",
    "nobody came",
]


@pytest.fixture(autouse=True)
def _hashed_encoder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from monge.encoders.static.hashed import HashedEncoder
    from monge.metrics.transport import building

    monkeypatch.setattr(building, "load_encoder", lambda *_, **__: HashedEncoder())
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MONGE_CACHE", str(tmp_path / "cache"))
    better = ["the long awaited boat came home", *REFERENCES[1:5], "bananas"]
    worse = ["a train left", "sun shone", *REFERENCES[2:4], "the harbour was dark", "nobody came"]
    for name, lines in (("ref", REFERENCES), ("better", better), ("worse", worse)):
        Path(f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


COMPARE = ["compare", "ref.txt", "-i", "better.txt", "worse.txt", "-m", "bertscore"]


def test_a_comparison_shows_both_directions(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*COMPARE, "--show", "2"]) == 0
    out = capsys.readouterr().out
    first, second = out.split("Where better is most ahead of worse")[1].split("Where worse is most ahead of better")
    assert re.findall(r"instance +(\d)", first) == ["2", "1"]
    assert "[it rained all day]" in first
    assert re.findall(r"instance +(\d)", second) == ["6"]
    assert "“bananas”" in second
    assert "[bananas]" in second


def test_nothing_is_shown_if_nothing_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*COMPARE, "--show", "0"]) == 0
    assert "most ahead" not in capsys.readouterr().out


def test_the_record_holds_texts_and_reasons(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*COMPARE, "-f", "json", "--show", "1", "--buckets", "length", "words"]) == 0
    record = json.loads(capsys.readouterr().out)
    shown = record["shown"][0]
    assert (shown["first"], shown["second"]) == ("better", "worse")
    instance = shown["for_second"][0]
    assert instance["outputs"] == ["bananas", "nobody came"]
    assert instance["references"] == ["nobody came"]
    assert instance["advantage"] < 0
    assert instance["reasons"][1].startswith("almost nothing is lost")
    assert [bucket["kind"] for bucket in record["buckets"]] == ["length", "words"]


def test_buckets_count_what_a_reader_counts(capsys: pytest.CaptureFixture[str]) -> None:
    """The numbers were counted by hand."""
    Path("types.tsv").write_text(
        "id\tkind\n" + "".join(f"{i}\t{k}\n" for i, k in enumerate("aabbba")), encoding="utf-8"
    )
    kinds = ["--buckets", "length", "frequency", "words", "type", "--types", "types.tsv:kind"]
    assert main([*COMPARE, "-f", "json", *kinds]) == 0
    found = {one["kind"]: one["buckets"] for one in json.loads(capsys.readouterr().out)["buckets"]}
    assert [(b["name"], b["count"]) for b in found["length"]] == [("< 10 words", 5), ("10–19", 1)]
    assert [(b["name"], b["count"]) for b in found["type"]] == [("a", 3), ("b", 3)]
    assert [(b["name"], b["count"]) for b in found["frequency"]] == [("1", 6)]
    words = {bucket["name"]: bucket for bucket in found["words"]}
    # harbour, was and came are in two references each; better keeps harbour, was, harbour, was and one came
    assert words["2"]["count"] == 6
    assert words["2"]["values"][0] == pytest.approx(2 * 5 / (5 + 6))
    assert words["5–9"]["count"] == 5  # the


def test_a_report_without_matplotlib(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert main([*COMPARE, "--html", "report.html"]) == 0
    assert "better" in capsys.readouterr().out
    page = Path("report.html").read_text(encoding="utf-8")
    assert "pip install" in page
    assert '<mark class="a">it rained all day</mark>' in page
    assert "why better scores" in page  # the explanation is folded below
    assert 'href="#section-1"' in page


def test_the_worst_segments_of_a_system(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", "ref.txt", "-i", "better.txt", "-m", "bertscore", "ter", "--worst", "2"]) == 0
    out = capsys.readouterr().out
    for metric in ("bertscore", "ter"):
        part = out.split(f"worst 2 of better by {metric}")[1]
        assert re.search(r"id +(\d)", part)[1] == "6"
        assert "output     bananas" in part
    assert "lost most on “bananas”" in out


def test_explaining_the_worst_segments(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "ref.txt", "-i", "better.txt", "-m", "bertscore", "--worst", "2", "-f", "json"]) == 0
    records = json.loads(capsys.readouterr().out)
    assert [record["id"] for record in records] == ["6", "1"]
    assert records[1]["sentence"] == "lost most on “awaited”; “expected” is missing"
    assert records[0]["value"] < records[1]["value"]


@pytest.mark.parametrize(
    ("name", "start"), [("a.png", b"\x89PNG"), ("a.pdf", b"%PDF"), ("a.svg", b"<svg"), ("a.json", b"{")]
)
def test_the_format_follows_the_name(name: str, start: bytes) -> None:
    for metric in ("emd", "chrf"):
        pair = ["--hypothesis", "the boy costs $5 and $6", "--reference", "the man ran home"]
        assert main(["explain", "-m", metric, *pair, "--output", name]) == 0
        content = Path(name).read_bytes()
        assert content.startswith(start)
        assert main(["explain", "-m", metric, *pair, "--output", name]) == 0
        assert Path(name).read_bytes() == content  # the same every time


def test_a_name_and_a_format_that_differ_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    pair = ["--hypothesis", "a", "--reference", "b"]
    assert main(["explain", "-m", "emd", *pair, "-f", "svg", "--output", "a.png"]) == 2
    assert "-f svg does not fit --output a.png" in capsys.readouterr().err
    assert main(["explain", "-m", "emd", *pair, "-f", "png"]) == 2
    assert "name a file with --output" in capsys.readouterr().err
