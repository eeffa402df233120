"""Reading and checking the values of arguments."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Sequence

from monge.errors import InputError, OptionError

FIGURES = (".svg", ".png", ".pdf")  # endings of the names of figures


def seed(text: str) -> int:
    """Return a seed, a whole number of at least 0; argparse reports anything else."""
    try:
        value = int(text)
    except ValueError:
        value = -1
    if value < 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 0")
    return value


def seeds(text: str) -> tuple[int, ...]:
    """Return seeds that are parted by commas; argparse reports anything else."""
    return tuple(seed(part.strip()) for part in text.split(","))


def count(text: str) -> int:
    """Return a number of things to show, at least 1; argparse reports anything else."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 1")
    return int(text)


def check_target(path: str | None, *, endings: Sequence[str] = (), inputs: Iterable[str | None] = ()) -> None:
    """Raise now if *path* cannot be written, rather than after the work whose result it should receive.

    *endings* are the allowed endings of the name, where they choose the format; *inputs* are files that must not be
    overwritten. Raises OptionError for a wrong name, and InputError if the folder is missing or read-only.
    """
    if path is None or path == "-":
        return
    if endings and not path.endswith(tuple(endings)):
        raise OptionError(f"cannot write {path}: the name must end in {', '.join(endings)}")
    for name in inputs:
        if name and name != "-" and os.path.exists(name) and os.path.exists(path) and os.path.samefile(name, path):
            raise OptionError(f"cannot write {path}: it is one of the files to read")
    folder = os.path.dirname(os.path.abspath(path))
    if os.path.isdir(path):
        raise InputError(f"cannot write {path}: it is a directory")
    if not os.path.isdir(folder):
        raise InputError(f"cannot write {path}: there is no folder {os.path.dirname(path) or folder}")
    if not os.access(folder, os.W_OK):
        raise InputError(f"cannot write {path}: its folder is read-only")


def check_figures(*wanted: str | None) -> None:
    """Raise now if figures are *wanted* (files or folders for them) and matplotlib is not installed."""
    if any(wanted):
        from monge.report.plots import figure_style

        with figure_style():
            pass


def add_theme_argument(parser: argparse._ActionsContainer) -> None:
    """Add the choice between light and dark figures."""
    parser.add_argument("--theme", choices=("light", "dark"), default="light", help="of figures (default: light)")
