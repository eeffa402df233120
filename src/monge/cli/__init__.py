"""The command line: one file per command, imported only when it is called."""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import os
import sys
from collections.abc import Sequence

from monge.cli.other_packages import refuse_foreign_flags
from monge.errors import MongeError, OptionError, suggest
from monge.version import __version__

# name, module of monge.cli, one line for `monge --help`
COMMANDS: tuple[tuple[str, str, str], ...] = (
    ("score", "score", "score outputs against references"),
    ("compare", "compare", "decide which system is better, with tests and intervals"),
    ("simulate", "simulate", "rerun the synthetic study of paired evaluation"),
    ("correlate", "correlate", "measure how metrics agree with human judgments"),
    ("benchmark", "benchmark", "run a grid of metrics over sets of judgments and report"),
    ("tune", "tune", "choose a metric's settings on one set and report them on others"),
    ("data", "data", "list, show and fetch sets of human judgments"),
    ("explain", "explain", "show why a score is what it is"),
    ("stress", "stress", "measure what metrics miss: negation, numbers, names, order …"),
    ("serve", "serve", "serve scores and explanations: a page and a JSON API"),
    ("nearest", "nearest", "find the texts nearest to a text, exactly"),
    ("metrics", "metrics", "list the metrics, or print the card of one"),
    ("models", "models", "list, fetch and locate encoder weights"),
    ("dictionaries", "dictionaries", "list and fetch bilingual dictionaries"),
    ("cache", "cache", "show, prune, verify or clear what was computed before"),
    ("train", "train", "learn from data: train what metrics then use as a file"),
    ("classify", "classify", "find labels of texts or score answers with what was trained"),
    ("align", "align", "put the vectors of two languages into one space"),
    ("normalise", "normalise", "write contractions in full and put words into the usual order"),
    ("calibrate", "calibrate", "build the baseline that rescales a metric"),
    ("confidence", "confidence", "calibrate how far a single score can be trusted"),
    ("doctor", "doctor", "check this install against stored values"),
    ("completion", "completion", "print a shell completion script"),
)


def build_parser(command: str | None = None) -> argparse.ArgumentParser:
    """Return the parser; only *command*'s own arguments are added (all commands' when it is ``"*"``)."""
    parser = argparse.ArgumentParser(
        prog="monge",
        formatter_class=_help_formatter,
        description="Principled evaluation of generated text by optimal transport.",
        epilog="`monge COMMAND --help` explains a command. Start with: monge score REF -i HYP",
    )
    parser.add_argument("--version", action="version", version=f"monge {__version__}")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, module_name, summary in COMMANDS:
        if command in (name, "*"):
            module = importlib.import_module(f"monge.cli.{module_name}")
            sub = subparsers.add_parser(
                name, help=summary, description=module.__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
            )
            module.add_arguments(sub)
            sub.set_defaults(run=module.run)
        else:
            subparsers.add_parser(name, help=summary)
    return parser


def _help_formatter(prog: str) -> argparse.HelpFormatter:
    formatter = argparse.HelpFormatter(prog)
    formatter._action_max_length = 14  # argparse forgets the indent of commands and breaks the longest ones
    return formatter


def _forget_output() -> None:
    """Point standard output nowhere, or the interpreter complains when it flushes at exit (see docs of SIGPIPE)."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _prepare_streams() -> None:
    """Let a terminal without arrows show numbers still, and a closed output swallow them."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115  # lives as long as the process
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status: 0, or 2 for anything the user can mend."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    command = next((a for a in arguments if not a.startswith("-")), None)
    names = [name for name, _, _ in COMMANDS]
    _prepare_streams()
    try:
        if not arguments:
            build_parser().print_help(sys.stderr)
            return 2
        if command is not None and command not in names and not arguments[0].startswith("-"):
            raise MongeError(f"no command {command!r}{suggest(command, names)}; see monge --help")
        refuse_foreign_flags(command, arguments)
        args, unknown = build_parser(command).parse_known_args(arguments)
        if unknown:
            raise OptionError(
                f"{' '.join(unknown)!r} is not an argument of monge {command}; see monge {command} --help"
            )
        status = int(args.run(args))
        sys.stdout.flush()
        return status
    except MongeError as error:
        print(f"monge: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader (head, less) has gone
        _forget_output()
        return 0
    except OSError as error:
        place = f"{os.fsdecode(error.filename)}: " if isinstance(error.filename, str | bytes) else ""
        print(f"monge: {place}{error.strerror or error}", file=sys.stderr)
        _forget_output()
        return 2
    except KeyboardInterrupt:
        print("monge: interrupted", file=sys.stderr)
        return 130
