"""Encoders by name: the known ones, directories, vector files, hub names, entry points and the user's own objects."""

from __future__ import annotations

import importlib
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from monge.encoders.base import Encoder
from monge.encoders.models import MODELS, ModelSpec, find_model, is_offline, require_model
from monge.errors import ModelError, OptionError, suggest

DEFAULT_ENCODER = "minilm"
ENTRY_POINTS = "monge.encoders"

# encoders without files: name and what makes one
BUILT_IN: tuple[tuple[str, str], ...] = (("hashed", "monge.encoders.static.hashed:HashedEncoder"),)


@dataclass(frozen=True)
class RunOptions:
    """How a transformer is run, and how static vectors are looked up (``oov``, ``fold_case``)."""

    long: str = "window"
    device: str = "auto"
    dtype: str = "float32"
    offline: bool | None = None
    cache: bool = False
    oov: str = "skip"
    fold_case: str = "auto"

    def __post_init__(self) -> None:
        for name, value, known in (
            ("long", self.long, ("window", "truncate", "error")),
            ("dtype", self.dtype, ("float32", "float16", "bfloat16", "float64")),
        ):
            if value not in known:
                raise OptionError(f"{name} must be one of {', '.join(known)}, not {value!r}{suggest(value, known)}")


def load_encoder(
    source: object = DEFAULT_ENCODER,
    *,
    long: str = "window",
    device: str = "auto",
    dtype: str = "float32",
    environment: object = None,
    offline: bool | None = None,
    cache: bool = False,
    oov: str = "skip",
    fold_case: str = "auto",
) -> Encoder:
    """Return the encoder that *source* names.

    *source* is a name (``minilm``, ``mpnet``, ``glove``, ``hashed``, or one that another package adds through the
    entry-point group ``monge.encoders``), the directory of a Hugging Face encoder, a file or directory of word
    vectors, a hub name (``org/model`` or ``bert-base-uncased``), or any object that follows
    :class:`~monge.encoders.base.Encoder`, which is returned as it is. A missing model is fetched, unless *offline*
    (None: if the environment sets ``MONGE_OFFLINE``).

    *long* says what happens to texts beyond the model's window: ``window``, ``truncate`` or ``error``. BERT, RoBERTa,
    DistilBERT and MPNet models run on the processor without torch when *device* is auto or cpu and *dtype* is
    float32; everything else needs the torch extra. With *cache* the hidden states of a transformer are kept on disk
    (:class:`~monge.encoders.cached.CachedEncoder`), unless the environment sets ``MONGE_NO_CACHE``. *oov* and
    *fold_case* are for static vectors (:class:`~monge.encoders.static.encoder.StaticEncoder`).

    >>> load_encoder("hashed").layers
    3
    """
    if not isinstance(source, str | os.PathLike):
        return _check_encoder(source)
    return _load_name(os.fspath(source), RunOptions(long, device, dtype, offline, cache, oov, fold_case))


def _load_name(name: str, options: RunOptions) -> Encoder:
    if not name:
        raise OptionError(f"an encoder needs a name: {', '.join(known_names())}, a directory or a hub name")
    if any(name in (spec.name, spec.title) for spec in MODELS):
        return _load_model(find_model(name), options)
    made = _load_named(name)
    if made is not None:
        return made
    path = Path(name).expanduser()
    if path.exists():
        return _load_path(path, options)
    if re.fullmatch(r"([\w-][\w.-]*/)?[\w-][\w.-]*", name):
        return _load_hub(name, options)
    raise ModelError(f"no encoder at {name}: no such file or directory")


def known_names() -> list[str]:
    """Return every name that ``load_encoder`` knows, those of other packages included."""
    from importlib.metadata import entry_points

    added = [point.name for point in entry_points(group=ENTRY_POINTS)]
    return [*(spec.name for spec in MODELS), *(name for name, _ in BUILT_IN), *added]


def _load_named(name: str) -> Encoder | None:
    for known, target in BUILT_IN:
        if name == known:
            module, _, attribute = target.partition(":")
            make: Callable[[], object] = getattr(importlib.import_module(module), attribute)
            return _check_encoder(make())
    from importlib.metadata import entry_points

    for point in entry_points(group=ENTRY_POINTS, name=name):
        return _check_encoder(point.load()())
    return None


def _load_model(spec: ModelSpec, options: RunOptions) -> Encoder:
    directory = require_model(spec, offline=options.offline)
    return _load_path(directory, options, title=spec.title)


def _load_hub(name: str, options: RunOptions) -> Encoder:
    """Load a hub model from the hub's own cache, or download it first; offline only the cache is looked at."""
    import huggingface_hub
    from huggingface_hub.errors import (
        HfHubHTTPError,
        HFValidationError,
        LocalEntryNotFoundError,
        RepositoryNotFoundError,
    )

    offline = is_offline(options.offline)
    try:
        directory = huggingface_hub.snapshot_download(
            name, allow_patterns=["*.json", "*.safetensors", "*.txt", "*.model"], local_files_only=offline
        )
    except (RepositoryNotFoundError, HFValidationError):
        raise _no_encoder(name, "the hub has no such model") from None
    except (HfHubHTTPError, LocalEntryNotFoundError, OSError):
        raise _no_encoder(name, "offline the hub is not asked" if offline else "the hub cannot be reached") from None
    return _load_path(Path(directory), options, title=name)


def _no_encoder(name: str, why: str) -> ModelError:
    near = "" if "/" in name else suggest(name, known_names())
    known = "" if "/" in name else f"; known are {', '.join(known_names())}"
    return ModelError(f"no encoder {name!r}{near}: no such file or directory here, and {why}{known}")


def _load_path(path: Path, options: RunOptions, *, title: str = "") -> Encoder:
    if path.is_file() or not (path / "config.json").is_file():
        from monge.encoders.static import StaticEncoder

        # StaticEncoder itself checks both choices
        return StaticEncoder.load(path, oov=options.oov, fold_case=options.fold_case)  # type: ignore[arg-type]
    from monge.encoders.cached import load_cached
    from monge.encoders.static.cache import is_cache_enabled

    load = partial(_load_transformer, path, options, title)
    if not options.cache or not is_cache_enabled():
        return load()
    return load_cached(load, [*_describe(path), title, options.long, options.device, options.dtype])


def _load_transformer(path: Path, options: RunOptions, title: str) -> Encoder:
    from monge.encoders.transformer import load_transformer

    return load_transformer(path, title=title, long=options.long, device=options.device, dtype=options.dtype)


def _describe(directory: Path) -> list[str]:
    """Return the files of a model with what changes when they do."""
    files = [(file, file.stat()) for file in sorted(directory.resolve().iterdir()) if file.is_file()]
    return [f"{file}|{stat.st_size}|{stat.st_mtime_ns}" for file, stat in files]


def _check_encoder(source: object) -> Encoder:
    if isinstance(source, Encoder):
        return source
    parts = ("signature", "layers", "dimension", "tokenize", "encode")
    missing = [part for part in parts if not hasattr(source, part)]
    raise OptionError(f"{type(source).__name__} is no encoder: it has no {', '.join(missing)}")
