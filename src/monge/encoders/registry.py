"""Encoders by name: the known ones, directories, vector files, hub names, entry points and the user's own objects."""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from monge.encoders.adapter import SHIPPED, Adapter, find_shipped, is_adapter
from monge.encoders.added import check_added, read_added
from monge.encoders.base import DEFAULT_ENCODER, Encoder
from monge.encoders.models import ENCODER_MODELS, find_model, require_model
from monge.environment import Environment
from monge.errors import ModelError, OptionError, suggest

if TYPE_CHECKING:
    from monge.encoders.plan import TransformerPlan
    from monge.encoders.static.encoder import FoldCase, OutOfVocabulary
    from monge.encoders.transformer import TransformerEncoder

ENTRY_POINTS = "monge.encoders"
DTYPES = ("float32", "int8", "float16", "bfloat16", "float64")

# encoders without files: name and what makes one
BUILT_IN: tuple[tuple[str, str], ...] = (("hashed", "monge.encoders.static.hashed:HashedEncoder"),)


@dataclass(frozen=True)
class RunOptions:
    """How a transformer is run, and how static vectors are looked up (``oov``, ``fold_case``)."""

    long: str = "window"
    device: str = "auto"
    dtype: str = "float32"
    cache: bool = False
    oov: str = "skip"
    fold_case: str = "auto"

    def __post_init__(self) -> None:
        for name, value, known in (
            ("long", self.long, ("window", "truncate", "error")),
            ("dtype", self.dtype, DTYPES),
        ):
            if value not in known:
                raise OptionError(f"{name} must be one of {', '.join(known)}, not {value!r}{suggest(value, known)}")


def load_encoder(
    source: object = DEFAULT_ENCODER,
    *,
    long: str = "window",
    device: str = "auto",
    dtype: str = "float32",
    cache: bool = False,
    oov: str = "skip",
    fold_case: str = "auto",
    environment: Environment | None = None,
) -> Encoder:
    """Return the encoder that *source* names.

    *source* is a name (``minilm``, ``mpnet``, ``use``, ``glove``, ``hashed``, one that ``monge models add`` recorded,
    or one that another package adds through the entry-point group ``monge.encoders``), the directory of a Hugging Face
    encoder, the file of an adapter (``monge train adapter``), a file or directory of word vectors, a hub name
    (``org/model`` or ``bert-base-uncased``), or any object that follows :class:`~monge.encoders.base.Encoder`, which is
    returned as it is. A missing model is fetched, unless *environment* (None: that of this process) is offline.

    *long* says what happens to texts beyond the model's window: ``window``, ``truncate`` or ``error``. BERT, RoBERTa,
    DistilBERT and MPNet models run without torch when *dtype* is float32 or int8 (matrix products in whole numbers,
    about twice as fast; :mod:`~monge.encoders.onnx.int8`), on the processor (*device* auto or cpu) or, in float32, on
    a GPU if onnxruntime-gpu is installed; everything else needs the torch extra. With *cache* the hidden states of a
    transformer are kept on disk (:class:`~monge.encoders.cached.CachedEncoder`), unless *environment* has its cache
    off. *oov* and *fold_case* are for static vectors (:class:`~monge.encoders.static.encoder.StaticEncoder`).

    Raises OptionError for an unknown option or object, and ModelError for a model that is not there or not right.

    >>> load_encoder("hashed").layers
    3
    """
    if not isinstance(source, str | os.PathLike):
        return _check_encoder(source)
    options = RunOptions(long, device, dtype, cache, oov, fold_case)
    return _load_name(os.fspath(source), options, Environment.read() if environment is None else environment)


def _load_name(name: str, options: RunOptions, environment: Environment) -> Encoder:
    if not name:
        raise OptionError(f"an encoder needs a name: {', '.join(known_names())}, a directory or a hub name")
    if any(name in (spec.name, spec.title) for spec in ENCODER_MODELS):
        spec = find_model(name)
        return _load_path(require_model(spec, environment), options, environment, title=spec.title)
    shipped = find_shipped(name)
    if shipped is not None:
        return _load_path(shipped.path, options, environment)
    made = _load_named(name)
    if made is not None:
        return made
    added = read_added(environment).get(name)
    if added is not None:
        encoder = _load_name(added.source, options, environment)
        check_added(added, encoder)
        return encoder
    path = Path(name).expanduser()
    if path.exists():
        return _load_path(path, options, environment)
    if re.fullmatch(r"([\w-][\w.-]*/)?[\w-][\w.-]*", name):
        return _load_hub(name, options, environment)
    raise ModelError(f"no encoder at {name}: no such file or directory")


def is_transformer(source: object) -> bool:
    """Whether *source*, as :func:`load_encoder` takes it, seems to be a transformer, which *dtype* applies to.

    Nothing is loaded or fetched: an unknown name is taken for a transformer of the hub.

    >>> is_transformer("minilm"), is_transformer("glove")
    (True, False)
    """
    if not isinstance(source, str | os.PathLike):
        return False
    name = os.fspath(source)
    for spec in ENCODER_MODELS:
        if name in (spec.name, spec.title):
            return spec.kind == "transformer"
    if find_shipped(name) is not None:
        return True
    path = Path(name).expanduser()
    if path.exists():
        return (path / "config.json").is_file() or is_adapter(path)
    return name not in known_names()


def known_names() -> list[str]:
    """Return every name that ``load_encoder`` knows, those of other packages included."""
    from importlib.metadata import entry_points

    added = [point.name for point in entry_points(group=ENTRY_POINTS)]
    shipped = [adapter.name for adapter in SHIPPED]
    return [*(spec.name for spec in ENCODER_MODELS), *shipped, *(name for name, _ in BUILT_IN), *added]


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


def _load_hub(name: str, options: RunOptions, environment: Environment) -> Encoder:
    directory, why = download_from_hub(name, environment)
    if directory is None:
        missing = importlib.util.find_spec("torch") is None
        extra = "; models of the hub also need torch: pip install 'monge[torch]'" if missing else ""
        raise _no_encoder(name, why + extra)
    return _load_path(directory, options, environment, title=name)


def download_from_hub(name: str, environment: Environment) -> tuple[Path | None, str]:
    """Return the directory of a hub model, from the hub's own cache or downloaded, or None and the reason.

    Offline only the cache is looked at.
    """
    import huggingface_hub
    from huggingface_hub.errors import (
        HfHubHTTPError,
        HFValidationError,
        LocalEntryNotFoundError,
        RepositoryNotFoundError,
    )

    try:
        directory = huggingface_hub.snapshot_download(
            name, allow_patterns=["*.json", "*.safetensors", "*.txt", "*.model"], local_files_only=environment.offline
        )
    except (RepositoryNotFoundError, HFValidationError):
        return None, "the hub has no such model"
    except (HfHubHTTPError, LocalEntryNotFoundError, OSError):
        return None, "offline the hub is not asked" if environment.offline else "the hub cannot be reached"
    return Path(directory), ""


def _no_encoder(name: str, why: str) -> ModelError:
    near = "" if "/" in name else suggest(name, known_names())
    known = "" if "/" in name else f"; known are {', '.join(known_names())}"
    return ModelError(f"no encoder {name!r}{near}: no such file or directory here, and {why}{known}")


def find_directory(name: str, environment: Environment) -> tuple[Path, str]:
    """Return the directory of the transformer that *name* names, and its title; a missing known model is fetched.

    Raises ModelError for a name that is not a transformer (word vectors, USE, an adapter).
    """
    spec = next((spec for spec in ENCODER_MODELS if name in (spec.name, spec.title)), None)
    added = read_added(environment).get(name)
    if spec is not None:
        if spec.kind != "transformer":
            raise ModelError(f"{name} is not a transformer ({spec.title}: {spec.kind})")
        directory, title = require_model(spec, environment), spec.title
    elif added is not None:
        return find_directory(added.source, environment)
    elif (directory := Path(name).expanduser()).is_dir():
        title = directory.resolve().name
    elif not directory.exists() and re.fullmatch(r"[\w-][\w.-]*(/[\w-][\w.-]*)?", name):
        found, why = download_from_hub(name, environment)
        if found is None:
            raise _no_encoder(name, why)
        directory, title = found, name
    else:
        raise ModelError(f"no encoder at {name}: a name or the directory of a transformer is needed")
    if not (directory / "config.json").is_file():
        raise ModelError(f"{name} is not a transformer: {directory} holds no config.json")
    return directory, title


def name_base(name: str, title: str) -> str:
    """Return what the file of an adapter calls its encoder: *name*, or *title* for a folder, which others have not."""
    return title if Path(name).expanduser().is_dir() else name


def _find_base(adapter: Adapter, environment: Environment) -> tuple[Path, str]:
    """Return directory and title of the encoder that *adapter* changes: a folder beside its file, or one by name."""
    beside = Path(adapter.path).resolve().parent / adapter.base
    if (beside / "config.json").is_file():
        return beside, beside.name
    try:
        return find_directory(adapter.base, environment)
    except ModelError as error:
        raise ModelError(
            f"{adapter.path}: the encoder that this adapter changes is not here; put its folder beside the adapter, or "
            f"say where it is: monge models add {adapter.base} FOLDER ({error})"
        ) from error


def _load_path(path: Path, options: RunOptions, environment: Environment, *, title: str = "") -> Encoder:
    adapter = Adapter.load(path) if is_adapter(path) else None
    if adapter is not None:
        path, title = _find_base(adapter, environment)
    if (path / "sp.model").is_file() and (path / "weights.npz").is_file():
        return _load_use(path, options, environment, title=title or path.resolve().name)
    if path.is_file() and path.suffix == ".safetensors":
        from monge.encoders.context import ContextEncoder

        return ContextEncoder.load(path)
    if path.is_file() or not (path / "config.json").is_file():
        return _load_static(path, options, environment)
    from monge.encoders.plan import plan_transformer
    from monge.encoders.transformer import load_transformer

    run = {"long": options.long, "device": options.device, "dtype": options.dtype}
    plan = partial(plan_transformer, path, title=title, environment=environment, adapter=adapter, **run)
    if not options.cache or not environment.cache:
        return load_transformer(plan())
    from monge.encoders.cached import load_cached
    from monge.encoders.stores import vector_store

    made = plan()
    return load_cached(
        partial(_load_as_planned, plan),
        identity=made.identity,
        title=made.title,
        store=vector_store(environment),
        dtype=environment.cache_dtype,
    )


def _load_use(path: Path, options: RunOptions, environment: Environment, *, title: str) -> Encoder:
    from monge.encoders.use.encoder import identify_use, load_use

    load = partial(load_use, path, title=title, environment=environment)
    if not options.cache or not environment.cache:
        return load()
    from monge.encoders.cached import load_cached
    from monge.encoders.stores import vector_store

    identity = identify_use(path, environment)
    return load_cached(
        load, identity=identity, title=title, store=vector_store(environment), dtype=environment.cache_dtype
    )


def _load_as_planned(plan: Callable[[], TransformerPlan]) -> TransformerEncoder:
    """Load what the files are now: they may have changed since they were first looked at, which is then noticed."""
    from monge.encoders.transformer import load_transformer

    return load_transformer(plan())


def _load_static(path: Path, options: RunOptions, environment: Environment) -> Encoder:
    from monge.encoders.static import StaticEncoder

    # StaticEncoder itself checks both choices
    oov, fold_case = cast("OutOfVocabulary", options.oov), cast("FoldCase", options.fold_case)
    return StaticEncoder.load(path, oov=oov, fold_case=fold_case, environment=environment)


def _check_encoder(source: object) -> Encoder:
    if isinstance(source, Encoder):
        return source
    parts = ("signature", "layers", "dimension", "tokenize", "encode")
    missing = [part for part in parts if not hasattr(source, part)]
    raise OptionError(f"{type(source).__name__} is not an encoder: it has no {', '.join(missing)}")
