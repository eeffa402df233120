"""The score command as a person uses it, and as a person gets it wrong."""

import argparse
import gzip
import io
import json
import math
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
import sacrebleu

from monge.cli import COMMANDS, build_parser, main

HYPOTHESES = ["The boy ran home.", "Rain is expected.", "Two engines failed."]
REFERENCES = ["A boy ran home.", "Heavy rain is expected.", "Two of three engines failed."]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MONGE_CACHE", str(tmp_path / "cache"))
    Path("ref.txt").write_text("\n".join(REFERENCES) + "\n", encoding="utf-8")
    Path("hyp.txt").write_text("\n".join(HYPOTHESES) + "\n", encoding="utf-8")
    Path("other.txt").write_text("\n".join(REFERENCES[::-1]) + "\n", encoding="utf-8")
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = main(["score", *arguments])
    out, err = capsys.readouterr()
    return status, out, err


def test_json_has_what_users_parse(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "ref.txt", "-i", "hyp.txt", "-m", "bleu", "emd", "--encoder", "hashed", "-f", "json")
    bleu, emd = json.loads(out)
    assert status == 0
    assert bleu["system"] == "hyp"
    assert bleu["metric"] == "bleu"
    assert bleu["score"] == sacrebleu.corpus_bleu(HYPOTHESES, [REFERENCES]).score
    expected = [sacrebleu.sentence_bleu(h, [r]).score for h, r in zip(HYPOTHESES, REFERENCES, strict=True)]
    assert [segment["score"] for segment in bleu["segments"]] == expected
    assert bleu["signature"].startswith("metric:bleu|nrefs:1|case:mixed|")  # as sacrebleu writes it
    assert emd["signature"].startswith("metric:emd|nrefs:1|encoder:hashed")
    assert [segment["id"] for segment in emd["segments"]] == ["1", "2", "3"]


def test_the_number_of_references_is_shown(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "ref.txt", "other.txt", "-i", "hyp.txt", "-m", "chrf", "rouge1")
    assert [line.split("|")[1] for line in out.split("\n") if line.startswith("metric:")] == ["nrefs:2"] * 2
    segments = [{"id": str(n), "hypothesis": "a b", "references": ["a b"] * n} for n in (1, 2)]
    Path("some.jsonl").write_text("\n".join(map(json.dumps, segments)), encoding="utf-8")
    _, out, _ = run(capsys, "--jsonl", "some.jsonl", "-m", "chrf")
    assert "metric:chrf|nrefs:var|" in out


def test_text_table_marks_the_best_and_shows_signatures(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "ref.txt", "-i", "hyp.txt", "other.txt", "-m", "chrf", "-w", "1")
    assert status == 0
    lines = out.splitlines()
    assert lines[0].split() == ["system", "chrf", "↑"]
    assert lines[2].startswith("hyp")
    assert lines[2].endswith("*")
    assert "metric:chrf|" in out


def test_one_segment_has_no_interval_and_the_reason_is_said(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("ref.txt", "hyp.txt"):
        Path(name).write_text("The boy ran home.\n", encoding="utf-8")
    _, out, _ = run(capsys, "ref.txt", "-i", "hyp.txt", "-m", "chrf", "emd,encoder=hashed", "--confidence")
    assert "±" not in out
    assert "note: hyp: no interval: at least two segments with a score are needed" in out
    _, out, _ = run(capsys, "ref.txt", "-i", "hyp.txt", "-m", "chrf", "--confidence", "-f", "json")
    assert json.loads(out)[0]["confidence"] is None


def test_notes_count_one_segment_in_the_singular(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("ref.txt").write_text("The boy ran home.\n", encoding="utf-8")
    Path("hyp.txt").write_text("\n", encoding="utf-8")
    _, out, _ = run(capsys, "ref.txt", "-i", "hyp.txt", "-m", "chrf")
    assert "(1 of 1 segment)" in out


def test_a_file_that_is_given_twice_is_noted(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, err = run(capsys, "ref.txt", "-i", "hyp.txt", "./hyp.txt", "other.txt", "-m", "chrf")
    assert [line.split()[0] for line in out.splitlines()[2:5]] == ["hyp", "hyp-2", "other"]
    assert "monge: hyp and hyp-2 are the same file, hyp.txt" in err


def test_a_table_wider_than_the_terminal_is_folded(
    files: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = ("ref.txt", "-i", "hyp.txt", "other.txt", "-m", "chrf", "chrfpp", "rouge1", "rouge2", "-q")
    monkeypatch.setenv("COLUMNS", "40")
    _, piped, _ = run(capsys, *arguments)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    _, folded, _ = run(capsys, *arguments)
    assert max(map(len, folded.splitlines())) <= 40 < max(map(len, piped.splitlines()))
    assert folded.count("other") == folded.count("system") > 1
    assert {cell for cell in folded.split() if "-" not in cell} == {c for c in piped.split() if "-" not in c}


def test_latex(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, err = run(capsys, "ref.txt", "-i", "hyp.txt", "other.txt", "-m", "chrf", "-f", "latex")
    assert out.startswith(r"\begin{tabular}{lr}")
    assert r"\textbf{" in out
    assert "metric:chrf" in err


def test_gzip_stdin_and_several_references(
    files: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("ref.gz").write_bytes(gzip.compress(Path("ref.txt").read_bytes()))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(Path("hyp.txt").read_bytes())))
    _, out, _ = run(capsys, "ref.gz", "other.txt", "-i", "-", "-m", "bleu", "-f", "json")
    assert json.loads(out)[0]["score"] == sacrebleu.corpus_bleu(HYPOTHESES, [REFERENCES, REFERENCES[::-1]]).score


def test_options_that_take_several_may_be_repeated(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    apart = ["ref.txt", "-i", "hyp.txt", "-i", "other.txt", "-m", "bleu", "-m", "chrf", "-f", "json"]
    together = ["ref.txt", "-i", "hyp.txt", "other.txt", "-m", "bleu", "chrf", "-f", "json"]
    assert run(capsys, *apart)[1] == run(capsys, *together)[1]


@pytest.mark.parametrize("command", [name for name, _, _ in COMMANDS])
def test_no_repeated_option_replaces_the_first(command: str) -> None:
    (commands,) = [a for a in build_parser(command)._actions if isinstance(a, argparse._SubParsersAction)]
    lists = [a for a in commands.choices[command]._actions if a.option_strings and a.nargs == "+" and not a.default]
    assert all(isinstance(option, argparse._ExtendAction) for option in lists)


def test_jsonl_and_segment_files(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    records = [
        {"id": "x1", "system": "a", "hypothesis": "The boy ran.", "references": ["A boy ran.", "The boy ran."]},
        {"id": "x2", "system": "a", "hypothesis": "", "references": ["Rain."]},
    ]
    Path("in.jsonl").write_text("\n".join(json.dumps(r) for r in records), encoding="utf-8")
    for name in ("out.tsv", "out.jsonl", "out.tsv.gz"):
        status, out, _ = run(capsys, "--jsonl", "in.jsonl", "-m", "emd", "--encoder", "hashed", "--segments", name)
        assert status == 0
        assert Path(name).exists()
    assert Path("out.tsv").read_text(encoding="utf-8").splitlines()[1].startswith("a\temd\tx1\t")
    second = json.loads(Path("out.jsonl").read_text(encoding="utf-8").splitlines()[1])
    assert second["notes"] == ["hypothesis: empty text"]
    assert "note: a, emd: hypothesis: empty text (1 of 2 segments)" in out


def test_names_of_systems_cannot_steer_the_terminal(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    records = [{"system": f"{name}\x1b[2J", "hypothesis": text, "references": ["b"]} for name, text in ("xa", "y ")]
    Path("in.jsonl").write_text("\n".join(json.dumps(r) for r in records), encoding="utf-8")
    status, out, _ = run(capsys, "--jsonl", "in.jsonl", "-m", "chrf")
    assert status == 0
    assert "\x1b" not in out
    assert "x␛[2J" in out
    assert "note: y␛[2J, chrf" in out


def test_a_missing_score_is_not_the_best() -> None:
    from monge.cli.score_output import _best
    from monge.engine.system_scores import SystemScores

    def result(system: str, score: float) -> SystemScores:
        return SystemScores(system, "m", score, "", True, [], [], Counter(), 0)  # type: ignore[arg-type]

    known, missing = result("known", 0.5), result("missing", math.nan)
    assert _best([missing, known], "m") == _best([known, missing], "m") == ["known"]
    assert _best([missing], "m") == []


def test_idf_statistics_can_be_kept(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    common = ["ref.txt", "-i", "hyp.txt", "-m", "moverscore", "--encoder", "hashed", "-f", "json"]
    _, first, _ = run(capsys, *common, "--save-idf", "idf.json")
    _, again, _ = run(capsys, *common, "--idf", "idf.json")
    assert json.loads(first) == json.loads(again)


def test_idf_of_one_segment_is_not_used_and_told(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("one.txt").write_text(HYPOTHESES[0] + "\n", encoding="utf-8")
    Path("its.txt").write_text(REFERENCES[0] + "\n", encoding="utf-8")
    metric = ("-m", "moverscore", "--encoder", "hashed", "--layers", "0")
    note = "idf cannot be computed from one segment: uniform weights"
    status, out, _ = run(capsys, "its.txt", "-i", "one.txt", *metric)
    assert status == 0
    assert "weighting:uniform" in out
    assert f"note: one, moverscore: {note} (1 of 1 segment)" in out
    assert json.loads(run(capsys, "its.txt", "-i", "one.txt", *metric, "-f", "json")[1])[0]["notes"] == {note: 1}
    assert note.split(":")[0] in run(capsys, "its.txt", "-i", "one.txt", *metric, "--save-idf", "x.json")[2]
    assert not Path("x.json").exists()


def test_calibrated_scores_put_chance_at_zero(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("corpus.txt").write_text("\n".join(f"number {i} word{i} more{i * 7}" for i in range(60)), encoding="utf-8")
    metric = ["-m", "bertscore", "--encoder", "hashed"]
    assert main(["calibrate", "corpus.txt", "--output", "base.json", *metric]) == 0
    capsys.readouterr()
    status, out, _ = run(capsys, "corpus.txt", "-i", "corpus.txt", *metric, "-o", "baseline=base.json", "-f", "json")
    assert status == 0
    assert json.loads(out)[0]["score"] == pytest.approx(1)
    status, _, err = run(
        capsys,
        "corpus.txt",
        "-i",
        "corpus.txt",
        "-m",
        "bertscore",
        "--encoder",
        "hashed",
        "--layers",
        "0",
        "-o",
        "baseline=base.json",
    )
    assert status == 2
    assert "layers" in err


BAD = [
    (["missing.txt", "-i", "hyp.txt"], "missing.txt"),
    (["ref.txt", "-i", "short.txt"], "short.txt"),
    (["ref.txt", "-i", "latin1.txt"], "latin1.txt, line 2"),
    (["ref.txt", "-i", "empty.txt"], "empty.txt"),
    (["ref.txt", "-i", "hyp.txt", "-m", "moverscor"], "did you mean 'moverscore'"),
    (["ref.txt", "-i", "hyp.txt", "-m", "bleu", "-o", "smoth_method=exp"], "did you mean 'smooth_method'"),
    (["ref.txt", "-i", "hyp.txt", "-m", "emd", "--encoder", "hashed", "-o", "ngram=two"], "ngram"),
    (["ref.txt", "-i", "hyp.txt", "-o", "novalue"], "KEY=VALUE"),
    (["ref.txt", "-i", "hyp.txt", "-m", "emd", "--encoder", "org/model", "--offline"], "org/model"),
    (["ref.txt", "-i", "hyp.txt", "-m", "emd", "--encoder", "minilmm", "--offline"], "did you mean 'minilm'"),
    (["ref.txt"], "-i HYP"),
    (["ref.txt", "-i", "."], "directory"),
    (["--jsonl", "bad.jsonl"], "bad.jsonl, line 2"),
    (["--jsonl", "hyp.txt", "-i", "hyp.txt"], "--jsonl"),
    (["ref.txt", "-i", "hyp.txt", "-m", "emd", "--encoder", "nan.txt"], "nan.txt"),
    (["ref.txt", "-i", "hyp.txt", "-m", "chrf", "--segments", "out.xlsx"], "out.xlsx"),
    (["ref.txt", "-i", "hyp.txt", "-m", "chrf", "--segments", "no/such/folder/out.tsv"], "out.tsv"),
    (["ref.txt", "-i", "hyp.txt", "-m", "chrf", "-w", "99"], "99"),
    (["-i", "hyp.txt", "-m", "chrf"], "reference"),
    (["ref.txt", "-i", "hyp.txt", "-m", "bleu", "--layers", "3"], "no option 'layers' in bleu;"),
    (["ref.txt", "-i", "hyp.txt", "--layers", "3", "-o", "layers=4"], "'layers' is given twice: as '3' and as '4'"),
    (["ref.txt", "-i", "hyp.txt", "-m", "bleu", "-o", "tokenize=zh", "-o", "tokenize=13a"], "given twice"),
]


@pytest.mark.parametrize(
    ("arguments", "message"), BAD, ids=lambda value: " ".join(value) if isinstance(value, list) else None
)
def test_bad_input_is_one_clear_sentence(
    files: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    Path("short.txt").write_text("one line\n", encoding="utf-8")
    Path("latin1.txt").write_bytes("fine\nna\u00efve\nfine\n".encode("latin-1"))
    Path("empty.txt").write_bytes(b"")
    Path("bad.jsonl").write_text('{"hypothesis": "a", "references": ["b"]}\n{"hypothesis": 3}\n', encoding="utf-8")
    Path("nan.txt").write_text("boy nan 1\nran 1 2\n", encoding="utf-8")
    before = sorted(path.name for path in files.iterdir())
    status, out, err = run(capsys, *arguments)
    assert status == 2
    assert out == ""
    assert message in err
    assert err.startswith("monge: ")
    assert err.count("\n") == 1
    assert [name for name in sorted(path.name for path in files.iterdir()) if name != "cache"] == before


def test_unknown_command_offers_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scor"]) == 2
    assert "did you mean 'score'" in capsys.readouterr().err


def test_metrics_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["metrics"]) == 0
    listing = capsys.readouterr().out
    assert "lazy_emd" in listing
    assert main(["metrics", "lazy_emd"]) == 0
    assert "KL(P1 | a)" in capsys.readouterr().out
    assert main(["metrics", "-f", "json"]) == 0
    assert {m["name"] for m in json.loads(capsys.readouterr().out)} >= {"bertscore", "bleu"}


def test_a_closed_pipe_is_not_an_error(files: Path) -> None:
    command = f"{sys.executable} -m monge metrics moverscore | head -n 1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert done.stdout.startswith("# moverscore")
    assert "Traceback" not in done.stderr


def test_closed_streams_are_no_bug(files: Path) -> None:
    score = f"{sys.executable} -m monge score"
    closed = f"{score} - -i hyp.txt -m bleu <&-"
    done = subprocess.run(closed, shell=True, capture_output=True, text=True, check=False)
    assert done.stderr == "monge: standard input is closed, so '-' cannot be read\n"
    silent = f"{score} ref.txt -i hyp.txt -m bleu >&-"
    done = subprocess.run(silent, shell=True, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_completion(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    assert "score" in capsys.readouterr().out


def test_bare_numbers_as_sacrebleu_prints_them(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, "ref.txt", "-i", "hyp.txt", "other.txt", "-m", "bleu", "chrf", "-b", "-w", "1")
    others = REFERENCES[::-1]
    scores = [
        (sacrebleu.corpus_bleu(h, [REFERENCES]), sacrebleu.corpus_chrf(h, [REFERENCES])) for h in (HYPOTHESES, others)
    ]
    assert (status, err) == (0, "")
    assert out == "".join(f"{bleu.score:.1f}\t{chrf.score:.1f}\n" for bleu, chrf in scores)
    status, out, err = run(capsys, "ref.txt", "-i", "hyp.txt", "-m", "bleu", "-b", "-f", "json")
    assert (status, out) == (2, "")
    assert "--score-only" in err


def test_outputs_may_be_piped(files: Path) -> None:
    command = [sys.executable, "-m", "monge", "score", "ref.txt", "-m", "bleu", "-b"]
    piped = subprocess.run(command, input="\n".join(HYPOTHESES) + "\n", capture_output=True, text=True, check=True)
    assert float(piped.stdout) == pytest.approx(sacrebleu.corpus_bleu(HYPOTHESES, [REFERENCES]).score, abs=0.005)
    alone = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert alone.returncode == 2
    assert "name them with -i HYP (- is standard input)" in alone.stderr


def test_unknown_arguments_name_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["metrics", "--nonsense"]) == 2
    assert (
        capsys.readouterr().err == "monge: '--nonsense' is not an argument of monge metrics; see monge metrics --help\n"
    )
    assert main([]) == 2
    assert "score outputs against references" in capsys.readouterr().err


def test_no_input_is_overwritten(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("all.jsonl").write_text(json.dumps({"hypothesis": "a", "references": ["a"]}) + "\n", encoding="utf-8")
    before = Path("all.jsonl").read_bytes()
    status, _, err = run(capsys, "--jsonl", "all.jsonl", "-m", "bleu", "--segments", "./all.jsonl")
    assert (status, err) == (2, "monge: cannot write ./all.jsonl: it is one of the files to read\n")
    assert main(["explain", "ref.txt", "-i", "hyp.txt", "--line", "1", "-m", "bleu", "--output", "ref.txt"]) == 2
    assert "it is one of the files to read" in capsys.readouterr().err
    assert Path("all.jsonl").read_bytes() == before
    assert Path("ref.txt").read_text(encoding="utf-8") == "\n".join(REFERENCES) + "\n"


def test_documents_of_plain_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, lines in (("hyp", "a b c\nd e f\nx\n"), ("ref", "a b c\nd e g\ny\n"), ("ids", "one\none\ntwo\n")):
        (tmp_path / name).write_text(lines, encoding="utf-8")
    files = [str(tmp_path / name) for name in ("ref", "hyp", "ids")]
    texts = [files[0], "-i", files[1], "--docids", files[2]]
    assert main(["score", *texts, "-m", "rouge1", "rc", "--documents", "mean", "-f", "json"]) == 0
    rouge, rc = json.loads(capsys.readouterr().out)
    assert [row["id"] for row in rouge["segments"]] == [row["id"] for row in rc["segments"]] == ["one", "two"]
    assert rouge["segments"][0]["score"] == pytest.approx((1 + 2 / 3) / 2)
    assert main(["score", *texts, "-m", "rouge1", "--documents", "whole", "-b"]) == 0
    assert float(capsys.readouterr().out) == pytest.approx((5 / 6 + 0) / 2, abs=1e-4)
    table = tmp_path / "t.jsonl"
    table.write_text('{"hypothesis": "a", "references": ["a"]}\n', encoding="utf-8")
    assert main(["score", "--jsonl", str(table), "--docids", files[2], "-m", "rouge1"]) == 2
    assert "leave out --docids" in capsys.readouterr().err
