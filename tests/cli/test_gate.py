"""Checks that a build can fail by: exit statuses, summaries, assertions, and the examples for CI services."""

import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

from monge.cli import main
from monge.errors import MongeError
from monge.testing import assert_not_worse, assert_scores
from monge.workflows.gate import read_thresholds

ROOT = Path(__file__).parents[2]
DEMO = ROOT / "examples" / "demo"
BETTER, WORSE, REFERENCE = (str(DEMO / f"{name}.txt") for name in ("careful", "careless", "reference"))


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["-i", BETTER, "-m", "chrf", "--fail-under", "chrf=70"], 0),
        (["-i", BETTER, "-m", "chrf", "--fail-under", "70"], 0),
        (["-i", BETTER, WORSE, "-m", "chrF", "--fail-under", "chrF=70"], 1),
        (["-i", WORSE, "-m", "ter", "bleu", "--fail-under", "ter=10"], 1),
        (["-i", WORSE, "-m", "ter", "bleu", "--fail-under", "ter=90"], 0),
        (["-i", BETTER, "-m", "chrf", "bleu", "--fail-under", "70"], 2),
        (["-i", BETTER, "-m", "chrf", "--fail-under", "bleu=70"], 2),
        (["-i", BETTER, "-m", "chrf", "--fail-under", "chrf=high"], 2),
        (["-i", BETTER, "-m", "chrf", "--junit", "x.xml"], 2),
    ],
)
def test_scores_under_a_threshold(arguments: list[str], status: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", REFERENCE, *arguments, "-q"]) == status
    assert ("FAILED" in capsys.readouterr().err) is (status == 1)


def test_thresholds_are_read_for_metrics_with_options() -> None:
    labels = ["bertscore,layers=5", "bleu"]
    assert read_thresholds(["bertscore,layers=5=0.8"], labels) == {"bertscore,layers=5": 0.8}
    assert read_thresholds(["bertscore=0.8"], labels) == {"bertscore,layers=5": 0.8}
    with pytest.raises(MongeError, match="given twice"):
        read_thresholds(["bleu=1", "bleu=2"], labels)


@pytest.mark.parametrize(
    ("old", "new", "condition", "status"),
    [
        (WORSE, BETTER, "worse", 0),
        (BETTER, WORSE, "worse", 1),
        (WORSE, str(DEMO / "literal.txt"), "worse", 0),
        (WORSE, str(DEMO / "literal.txt"), "not-better", 1),
    ],
)
def test_against_a_baseline(
    old: str, new: str, condition: str, status: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = ["--summary", str(tmp_path / "s.md"), "--junit", str(tmp_path / "j.xml")]
    checked = ["--baseline", old, "-i", new, "-m", "chrf", "bleu", "--fail-if", condition]
    assert main(["compare", REFERENCE, *checked, "-q", *files]) == status
    assert ("FAILED" in capsys.readouterr().err) is (status == 1)
    suite = ElementTree.parse(tmp_path / "j.xml").getroot()
    assert suite.get("tests") == "2"
    assert int(suite.get("failures", "")) == len(suite.findall("testcase/failure"))
    assert bool(suite.findall("testcase/failure")) is (status == 1)
    summary = (tmp_path / "s.md").read_text(encoding="utf-8")
    assert summary.startswith("### monge compare: ")
    assert ("❌" in summary) is (status == 1)


def test_a_baseline_may_be_a_system_of_a_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "scores.tsv"
    rows = [f"{n}\t{5 + n % 3}\t{1 + n % 2}" for n in range(10)]
    table.write_text("id\told\tnew\n" + "\n".join(rows) + "\n", encoding="utf-8")
    assert main(["compare", "--scores", str(table), "--baseline", "old", "--fail-if", "worse", "-q"]) == 1
    assert main(["compare", "--scores", str(table), "--baseline", "new", "--fail-if", "worse", "-q"]) == 0
    assert main(["compare", "--scores", str(table), "--baseline", "x", "--fail-if", "worse", "-q"]) == 2
    assert main(["compare", "--scores", str(table), "--fail-if", "worse", "-q"]) == 2
    assert "name it with --baseline" in capsys.readouterr().err


def test_a_check_that_could_never_fail_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "scores.tsv"
    table.write_text("id\told\tnew\n1\t5\t1\n2\t5\t1\n3\t4\t1\n", encoding="utf-8")
    assert main(["compare", "--scores", str(table), "--baseline", "old", "--fail-if", "worse", "-q"]) == 2
    assert "at least 6 are needed" in capsys.readouterr().err


def test_assertions() -> None:
    read = lambda path: Path(path).read_text(encoding="utf-8").splitlines()  # noqa: E731
    better, worse, reference = read(BETTER), read(WORSE), read(REFERENCE)
    assert_not_worse(better, worse, iter(reference), metrics=["chrf", "bleu"])
    with pytest.raises(
        AssertionError, match=r"new is worse than old by chrf: old beats new: .*\nnew is worse.*by bleu"
    ):
        assert_not_worse(worse, better, reference, metrics=["chrf", "bleu"])
    with pytest.raises(MongeError, match="too few"):
        assert_not_worse(better[:3], worse[:3], reference[:3], metrics="chrf")
    assert_scores(better, reference, chrf=70)
    with pytest.raises(AssertionError, match=r"chrf: 73\.85 is not at least 90"):
        assert_scores(better, reference, chrf=90, ter=90)
    with pytest.raises(MongeError, match="no threshold"):
        assert_scores(better, reference)


def _run_action(tmp_path: Path, **inputs: str) -> int:
    """Run the steps of the composite action as GitHub does, but for the installation."""
    action = yaml.safe_load((ROOT / "examples" / "ci" / "action.yml").read_text(encoding="utf-8"))
    assert action["runs"]["using"] == "composite"
    values = {name: str(spec.get("default", "")) for name, spec in action["inputs"].items()} | inputs
    fill = lambda text: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda m: values[m[1]], text)  # noqa: E731
    install, compare = action["runs"]["steps"]
    assert fill(install["run"]) == "python -m pip install --quiet monge"
    around = {name: fill(text) for name, text in compare["env"].items()}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    around |= {"PATH": path, "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md")}
    return subprocess.run(["bash", "-e", "-c", fill(compare["run"])], env=os.environ | around, cwd=tmp_path).returncode


def test_the_action_of_the_examples_runs(tmp_path: Path) -> None:
    assert _run_action(tmp_path, reference=REFERENCE, baseline=BETTER, candidate=WORSE, metrics="chrf bleu") == 1
    assert "2 of 2 checks failed" in (tmp_path / "summary.md").read_text(encoding="utf-8")
    assert (tmp_path / "monge-junit.xml").exists()
    assert _run_action(tmp_path, reference=REFERENCE, baseline=WORSE, candidate=BETTER, metrics="chrf") == 0


def test_the_hook_of_the_examples_runs() -> None:
    config = yaml.safe_load((ROOT / "examples" / "ci" / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    command, *arguments = config["repos"][0]["hooks"][0]["entry"].split()
    assert command == "monge"
    done = subprocess.run([sys.executable, "-m", "monge", *arguments], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_test_of_the_examples_passes() -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-c", os.devnull, "--rootdir", "examples/ci", "examples/ci"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_no_system_is_best_on_other_segments(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "texts.tsv"
    path.write_text("system\tid\toutput\ttarget\nA\t1\ta b\ta b\nA\t2\ta\ta b\nB\t1\ta b\ta b\n", encoding="utf-8")
    assert main(["score", "--table", str(path), "-m", "chrf"]) == 0
    done = capsys.readouterr()
    assert "*" not in done.out
    assert "scored on different segments" in done.err


def test_latex_prints_signs_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", REFERENCE, "-i", BETTER, WORSE, "-m", "chrf", "-f", "latex"]) == 0
    rows = [line for line in capsys.readouterr().out.splitlines() if not line.startswith("%")]
    assert any("careful $>$ careless" in line for line in rows)
    assert not re.search(r"(?<!\$)[<>](?!\$)", "\n".join(rows))
