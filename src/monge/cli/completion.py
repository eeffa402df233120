"""Print a completion script for your shell.

bash: monge completion bash > ~/.local/share/bash-completion/completions/monge
zsh:  monge completion zsh > "${fpath[1]}/_monge"

It needs an extra: pip install 'monge[completion]'.
"""

from __future__ import annotations

import argparse

from monge.errors import MongeError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=("bash", "zsh", "tcsh"))


def run(args: argparse.Namespace) -> int:
    from monge.cli import build_parser

    try:
        import shtab
    except ImportError:
        raise MongeError("completion needs the extra: pip install 'monge[completion]'") from None
    print(shtab.complete(build_parser("*"), shell=args.shell))
    return 0
