"""Serve scores, explanations and comparisons: a page for people and a JSON API for programs.

  monge serve                      then open http://127.0.0.1:8000
  monge serve --port 9000 -m bertscore moverscore

By default only this machine can reach it, and no token is needed. To serve others, put a token into a file
(--token-file) or the environment (MONGE_TOKEN), choose --host, and put a proxy that speaks HTTPS in front.
"""

from __future__ import annotations

import argparse
import ipaddress
import logging
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from monge.environment import Environment, parse_bytes
from monge.errors import InputError, MongeError, OptionError

if TYPE_CHECKING:
    from monge.service.settings import ServiceSettings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--host", default="127.0.0.1", help="address to listen on (default: 127.0.0.1, this machine only)"
    )
    parser.add_argument("--port", type=int, default=8000, help="port to listen on; 0 takes a free one (default: 8000)")
    parser.add_argument(
        "-m",
        "--metrics",
        nargs="+",
        action="extend",
        default=[],
        metavar="NAME",
        help="metrics to load before the first request",
    )
    parser.add_argument(
        "--encoders",
        nargs="+",
        action="extend",
        metavar="NAME",
        help="encoders that requests may choose, loaded at the start (default: the known models on this machine)",
    )
    parser.add_argument(
        "--dtype",
        choices=("float32", "int8"),
        default="float32",
        help="number format of transformers; int8 is about twice as fast (default: float32)",
    )
    parser.add_argument(
        "--allow-host",
        action="append",
        default=[],
        metavar="NAME",
        help="host name that requests may use; may be repeated (*.name: all names below it, *: any)",
    )
    parser.add_argument(
        "--token-file",
        metavar="FILE",
        help="file with the token that requests must carry (default: $MONGE_TOKEN, or none)",
    )
    _add_limits(parser)


def _add_limits(parser: argparse.ArgumentParser) -> None:
    limits = parser.add_argument_group("limits")
    limits.add_argument(
        "--memory",
        metavar="SIZE",
        default="256M",
        help="vectors of recent texts that each encoder keeps in memory; 0: none (default: 256M)",
    )
    limits.add_argument("--seconds", type=float, default=60.0, help="time limit of a request (default: 60)")
    limits.add_argument("--waiting", type=int, default=256, help="tasks that may wait at once (default: 256)")
    limits.add_argument(
        "--per-client",
        type=int,
        metavar="N",
        help="requests of one client at once (default: no limit on this machine, else 16)",
    )
    limits.add_argument(
        "--text-characters", type=int, default=10_000, metavar="N", help="longest text (default: 10000)"
    )
    limits.add_argument(
        "--segments", type=int, default=5_000, metavar="N", help="most segments in a request (default: 5000)"
    )
    limits.add_argument(
        "--body-bytes", type=int, default=8_000_000, metavar="N", help="largest request (default: 8000000)"
    )


def run(args: argparse.Namespace) -> int:
    try:
        from monge.service.app import create_app
        from monge.service.server import Server, make_config
    except ImportError as error:
        raise MongeError(f"serve needs the extra: pip install 'monge[serve]' ({error.name} is missing)") from None
    environment = Environment.read()
    app = create_app(make_settings(args, environment), environment=environment)
    config = make_config(app, host=args.host, port=args.port)
    with _listen(config) as listener:
        app.state.service.pool.preload(args.metrics)
        _set_up_log()
        host, port = listener.getsockname()[:2]
        address = f"http://{f'[{host}]' if ':' in host else host}:{port}"
        print(f"monge serves at {address}  (Ctrl+C stops it)", file=sys.stderr, flush=True)
        server = Server(config)
        server.run(sockets=[listener])
    return 0 if server.started else 2


def make_settings(args: argparse.Namespace, environment: Environment) -> ServiceSettings:
    """Return the settings of the service from the arguments."""
    from monge.service.settings import ServiceSettings

    local = is_loopback(args.host)
    token = _read_token(args.token_file, environment)
    if not local and not token:
        raise OptionError(f"--host {args.host} admits other machines: set a token (--token-file or MONGE_TOKEN)")
    name = f"[{args.host}]" if ":" in args.host else args.host
    return ServiceSettings(
        body_bytes=args.body_bytes,
        text_characters=args.text_characters,
        segments=args.segments,
        seconds=args.seconds,
        waiting=args.waiting,
        per_client=args.per_client if args.per_client is not None else 0 if local else 16,
        token=token,
        hosts=tuple(dict.fromkeys(["localhost", "127.0.0.1", "[::1]", name.lower(), *map(str.lower, args.allow_host)])),
        encoders=None if args.encoders is None else tuple(args.encoders),
        dtype=args.dtype,
        memory_bytes=parse_bytes(args.memory),
    )


def is_loopback(host: str) -> bool:
    """Whether an address is reachable from this machine only.

    >>> is_loopback("127.0.0.1"), is_loopback("0.0.0.0")
    (True, False)
    """
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _read_token(path: str | None, environment: Environment) -> str:
    """Return the token in a file, or that of the environment; an HTTP header must be able to carry it."""
    if path is None:
        place, token = "MONGE_TOKEN", environment.token
    else:
        try:
            place, token = path, Path(path).read_text(encoding="utf-8", errors="replace").strip()
        except OSError as error:
            raise InputError(f"cannot read {path}: {error.strerror}") from error
        if not token:
            raise InputError(f"{path} holds no token")
    if not (token.isascii() and token.isprintable()):
        raise InputError(f"{place}: a token must be one line of printable ASCII characters")
    return token


def _listen(config: Any) -> socket.socket:
    """Bind the port; a port in use or an address of another machine is an OptionError."""
    family = socket.AF_INET6 if ":" in config.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((config.host, config.port))
    except (OSError, OverflowError) as error:
        listener.close()
        reason = getattr(error, "strerror", None) or error
        raise OptionError(f"cannot listen on {config.host}, port {config.port}: {reason}") from error
    return listener


def _set_up_log() -> None:
    from monge.service.log import JsonLines

    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    for name in ("monge.service", "uvicorn.error"):
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.propagate = False
        logger.setLevel(logging.INFO if name == "monge.service" else logging.WARNING)
