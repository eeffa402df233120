"""Encoders by name: the known ones, directories, vector files, hub names, entry points and the user's own objects."""

from __future__ import annotations

import importlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from monge.encoders.base import Encoder
from monge.encoders.models import MODELS, ModelSpec, find_spec, verify
from monge.errors import ModelError, OptionError, suggest

ENTRY_POINTS = "monge.encoders"


@dataclass(frozen=True)
class EncoderOptions:
    """How a transformer encoder is run; encoders without such choices ignore it."""

    long: str = "window"
    device: str = "auto"
    dtype: str = "float32"
    offline: bool | None = None


def load_encoder(
    source: object, *, long: str = "window", device: str = "auto", dtype: str = "float32", offline: bool | None = None
) -> Encoder:
    """Return the encoder that *source* names.

    *source* is a name (``minilm``, ``mpnet``, ``glove``, ``hashed``, or one added by another package through the
    entry-point group ``monge.encoders``), a directory of a Hugging Face encoder, a file of word vectors, a hub name
    (``org/model``), or any object that follows :class:`~monge.encoders.base.Encoder`, which is returned as it is. A known
    model that is missing is fetched, unless *offline* (default: the environment variable ``MONGE_OFFLINE``).

    >>> load_encoder("hashed").signature.startswith("hashed")
    True
    """
    if not isinstance(source, str | os.PathLike):
        return _check_object(source)
    options = EncoderOptions(long, device, dtype, offline)
    name = os.fspath(source)
    if name == "hashed":
        from monge.encoders.hashed import HashedEncoder

        return HashedEncoder()
    if any(name in (spec.name, spec.title) for spec in MODELS):
        return _load_known(find_spec(name), options)
    path = Path(name).expanduser()
    if path.is_dir():
        return _load_directory(path, options)
    if path.is_file():
        from monge.encoders.static import StaticEncoder

        return StaticEncoder.load(path)
    raise ModelError(f"no encoder {name!r}{suggest(name, known_names())}")


def known_names() -> list[str]:
    """Return every name ``load_encoder`` knows without a path."""
    return ["hashed", *(spec.name for spec in MODELS)]


def _load_known(spec: ModelSpec, options: EncoderOptions) -> Encoder:
    from monge.encoders.models import locate

    directory = locate(spec)
    if directory is None:
        raise ModelError(f"{spec.name} is not here; get it with: monge models fetch {spec.name}")
    digest = verify(spec, directory)
    if spec.kind == "static":
        from monge.encoders.static import StaticEncoder

        return StaticEncoder.load(directory / spec.weights)
    return _load_directory(directory, options, title=spec.title, digest=digest)


def _load_directory(directory: Path, options: EncoderOptions, *, title: str = "", digest: str = "") -> Encoder:
    from tokenizers import Tokenizer

    from monge.encoders.checkpoint import Checkpoint, read_config
    from monge.encoders.onnx_backend import OnnxBackend
    from monge.encoders.transformer import TransformerEncoder

    config = read_config(directory)
    backend = OnnxBackend(Checkpoint(directory, config))
    tokenizer = Tokenizer.from_file(str(directory / "tokenizer.json"))
    return TransformerEncoder(tokenizer, backend, signature=f"{title}@{digest[:8]}", long=options.long)


def _check_object(source: object) -> Encoder:
    if isinstance(source, Encoder):
        return source
    missing = [n for n in ("signature", "layers", "dimension", "tokenize", "encode") if not hasattr(source, n)]
    raise OptionError(f"{type(source).__name__} is no encoder: it has no {', '.join(missing)}")
