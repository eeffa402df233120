"""The house rules, checked on the source itself."""

import ast
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "monge"

# from the ground up: a room may import itself and the rooms listed before it
ROOMS = (
    "errors", "version", "wording", "environment", "storage", "text", "encoders", "annotate", "transport", "clouds",
    "crosslingual", "lm", "learned", "discourse", "scores", "metrics", "comparison", "meta", "explanation", "engine",
    "search", "workflows", "report", "testing", "service", "cli",
)  # fmt: skip
FILES = sorted(SOURCE.rglob("*.py"))
ENTRANCES = {"__init__.py", "__main__.py"}  # of the package itself: they may import any room
_MODULE = re.compile(r"(monge(?:\.\w+)+)(?::[\w.]*)?")  # "monge.room.module:attribute", as registries write it


def room_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imported_rooms(path: Path) -> set[str]:
    """Return the rooms that a file imports, also those that a string of the form module:attribute names."""
    rooms = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names: list[str] = []
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names = [node.module or ""]
            if node.module == "monge":
                names = [f"monge.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            target = _MODULE.fullmatch(node.value)
            names = [target[1]] if target and (SOURCE / target[1].split(".")[1]).is_dir() else []
        rooms |= {name.split(".")[1] for name in names if name.startswith("monge.")}
    return rooms


def test_every_room_has_its_place() -> None:
    there = {room_of(path) for path in FILES if path.name not in ENTRANCES or path.parent != SOURCE}
    assert there == set(ROOMS)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_point_down(path: Path) -> None:
    if path.parent == SOURCE and path.name in ENTRANCES:
        return
    room = room_of(path)
    for other in imported_rooms(path) - {room}:
        assert ROOMS.index(other) < ROOMS.index(room), f"{room} must not import {other}"


def test_nothing_changes_the_environment() -> None:
    """Flags travel in an Environment value; onnxruntime reads its telemetry switch only from a variable."""
    writing = re.compile(
        r"os\.(putenv|unsetenv)|environ\[[^]]*\] *=[^=]|del os\.environ|environ\.(update|setdefault|pop)"
    )
    found = [path for path in FILES if writing.search(path.read_text(encoding="utf-8"))]
    assert found == [SOURCE / "encoders" / "onnx" / "session.py"]


def test_one_file_reads_our_variables() -> None:
    reading = re.compile(r"os\.environ[^\n]*MONGE_")
    assert [path for path in FILES if reading.search(path.read_text(encoding="utf-8"))] == []


def test_no_class_name_exists_twice() -> None:
    names = [
        node.name
        for path in FILES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    ]
    assert [name for name, count in Counter(names).items() if count > 1] == []


def test_only_the_command_line_sees_its_arguments() -> None:
    rooms = {room_of(path) for path in FILES if "argparse" in path.read_text(encoding="utf-8")}
    assert rooms == {"cli"}


def test_there_is_no_utils() -> None:
    assert not [path for path in SOURCE.rglob("*.py") if "util" in path.stem or "helper" in path.stem]


HEAVY = ["torch", "transformers", "onnxruntime", "onnx", "scipy", "sacrebleu", "nltk", "matplotlib", "tokenizers"]


@pytest.mark.parametrize(
    ("statement", "forbidden"),
    [("import monge", [*HEAVY, "numpy"]), ("import monge.cli", [*HEAVY, "numpy"]), ("import monge.metrics", HEAVY)],
)
def test_import_is_light(statement: str, forbidden: list[str]) -> None:
    code = f"import sys; {statement}; print([m for m in {forbidden!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys, contextlib, io, monge.cli\n"
        "with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit): monge.cli.main(['--help'])\n"
        f"print([m for m in {[*HEAVY, 'numpy']!r} if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_scoring_loads_no_statistics(tmp_path: Path) -> None:
    """scipy takes longer to load than ten lines take to score."""
    lines = tmp_path / "lines.txt"
    lines.write_text("the boy ran\n", encoding="utf-8")
    code = (
        "import sys, contextlib, io, monge.cli\n"
        f"arguments = ['score', {str(lines)!r}, '-i', {str(lines)!r}, '-m', 'chrf', '--no-cache']\n"
        "with contextlib.redirect_stdout(io.StringIO()): monge.cli.main(arguments)\n"
        "print([m for m in ['scipy', 'torch', 'monge.comparison', 'monge.explanation'] if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
