"""The house rules, checked on the source itself."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "monge"

# rooms from the ground up; a room may import itself and any lower one
FLOORS = [
    {"errors", "version"},
    {"text"},
    {"encoders", "transport"},
    {"clouds"},
    {"scores"},
    {"discourse", "crosslingual"},
    {"metrics", "compare", "meta", "explain"},
    {"report", "engine"},
    {"cli", "service", "api"},
]
FLOOR = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}
NEIGHBOURS_THAT_MAY_MEET = {("explain", "metrics"), ("engine", "report"), ("cli", "service"), ("service", "cli")}


def room_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imported_rooms(path: Path) -> set[str]:
    rooms = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names = [node.module or ""]
            if node.module == "monge":
                names = [f"monge.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        rooms |= {name.split(".")[1] for name in names if name.startswith("monge.")}
    return rooms


FILES = [path for path in SOURCE.rglob("*.py") if len(path.relative_to(SOURCE).parts) > 1 or path.stem in FLOOR]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_point_down(path: Path) -> None:
    room = room_of(path)
    for other in imported_rooms(path) - {room}:
        allowed = FLOOR[other] < FLOOR[room] or (room, other) in NEIGHBOURS_THAT_MAY_MEET
        assert allowed, f"{room} must not import {other}"


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
