"""Without a compiler the build says what to do."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_a_missing_compiler_is_reported(tmp_path):
    if not (ROOT / "setup.py").exists():
        pytest.skip("the package is tested away from its source tree")
    command = [sys.executable, "setup.py", "build_ext", "--build-lib", str(tmp_path), "--build-temp", str(tmp_path)]
    environment = {**os.environ, "CXX": "/nonexistent/c++", "CC": "/nonexistent/cc"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "Install a C++ compiler" in done.stderr
    assert "Traceback" not in done.stderr
