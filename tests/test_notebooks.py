"""The notebooks: made from their sources, executed without an error."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent.parent / "examples" / "notebooks"


def load_builder():
    spec = importlib.util.spec_from_file_location("notebook_build", FOLDER / "build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_notebooks_are_what_their_sources_make() -> None:
    build = load_builder()
    assert len(build.sources()) == 3
    for source in build.sources():
        target = source.with_suffix(".ipynb")
        assert build.same_sources(build.make_notebook(source), target), "run make notebooks"
        cells = json.loads(target.read_text(encoding="utf-8"))["cells"]
        outputs = [output for cell in cells for output in cell.get("outputs", [])]
        assert outputs
        assert not [output for output in outputs if output["output_type"] == "error"]
        assert any("text/html" in output.get("data", {}) for output in outputs)


@pytest.mark.slow
def test_notebooks_run() -> None:
    done = subprocess.run([sys.executable, str(FOLDER / "build.py"), "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
