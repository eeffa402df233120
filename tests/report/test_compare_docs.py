"""The tutorial on comparing says what the program prints."""

import re
import shlex
from pathlib import Path

import pytest

from monge.cli import main

ROOT = Path(__file__).parent.parent.parent
TUTORIAL = ROOT / "docs" / "tutorial-compare.md"
TEXT = TUTORIAL.read_text(encoding="utf-8")


@pytest.mark.parametrize("block", re.findall(r"```console\n(.*?)```", TEXT, re.DOTALL))
def test_commands_print_what_is_shown(block: str, capsys, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "80")
    command, _, shown = block.partition("\n")
    assert main(shlex.split(command.removeprefix("$ monge "))) == 0
    assert capsys.readouterr().out.rstrip() == shown.rstrip()


@pytest.mark.parametrize("code", re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL))
def test_python_runs(code: str, capsys) -> None:
    exec(compile(code, str(TUTORIAL), "exec"), {})
    assert "new beats old" in capsys.readouterr().out


def test_figures_and_links_exist() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", TEXT):
        assert (TUTORIAL.parent / target).exists(), target


def test_the_example_scores_are_what_the_script_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib.util

    spec = importlib.util.spec_from_file_location("figures", ROOT / "examples" / "make_compare_figures.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "SCORES", tmp_path / "scores.tsv")
    module.write_scores()
    stored = ROOT / "examples" / "compare" / "scores.tsv"
    assert (tmp_path / "scores.tsv").read_bytes() == stored.read_bytes()
