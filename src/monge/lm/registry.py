"""Language models by name: the known one, GGUF files, directories and hub names."""

from __future__ import annotations

import os
import re
from functools import lru_cache
from pathlib import Path

from monge.encoders.identity import compose_identity
from monge.encoders.models import LANGUAGE_MODEL, MODELS, ModelSpec, require_model
from monge.encoders.stores import digest, vector_store
from monge.environment import Environment
from monge.errors import ModelError, OptionError, suggest
from monge.lm.base import LanguageModel

DEFAULT_LANGUAGE_MODEL = "smollm2"


def load_language_model(
    source: object = DEFAULT_LANGUAGE_MODEL, *, device: str = "auto", environment: Environment | None = None
) -> LanguageModel:
    """Return the language model that *source* names, behind the cache unless *environment* has it off.

    *source* is ``smollm2``, a GGUF file of the Llama kind, the directory or hub name of any causal language model of
    Hugging Face (which needs the torch extra), or an object that follows
    :class:`~monge.lm.base.LanguageModel`, which is returned as it is. ``smollm2`` is fetched if it is missing, unless
    the environment is offline.

    Raises ModelError for a model that is not there or not right, and OptionError for an object of another kind.
    """
    if not isinstance(source, str | os.PathLike):
        if isinstance(source, LanguageModel):
            return source
        raise OptionError(f"{type(source).__name__} is not a language model: it has no signature, identity or score")
    environment = Environment.read() if environment is None else environment
    model = _load(os.fspath(source), device, environment)
    if not environment.cache or model.identity is None:
        return model
    from monge.lm.cached import CachedLanguageModel

    return CachedLanguageModel(model, vector_store(environment))


def _load(name: str, device: str, environment: Environment) -> LanguageModel:
    for spec in MODELS:
        if spec.kind == LANGUAGE_MODEL and name in (spec.name, spec.title):
            directory = require_model(spec, environment)
            return _load_gguf(directory / spec.files[0].name, environment, spec)
    path = Path(name).expanduser()
    if path.suffix == ".gguf" and path.is_file():
        return _load_gguf(path, environment)
    if path.is_dir():
        from monge.lm.torch_model import TorchLanguageModel

        return TorchLanguageModel(path, title=path.resolve().name, device=device, environment=environment)
    if re.fullmatch(r"[\w-][\w.-]*(/[\w-][\w.-]*)?", name) and path.suffix != ".gguf":
        return _load_hub(name, device, environment)
    raise ModelError(f"no language model at {name}: no such file or directory")


def _load_gguf(path: Path, environment: Environment, spec: ModelSpec | None = None) -> LanguageModel:
    return _open_gguf(path, digest([path], environment), spec)


@lru_cache(maxsize=1)  # metrics share its weights (500 MB)
def _open_gguf(path: Path, weights: str, spec: ModelSpec | None) -> LanguageModel:
    from monge.lm.llama_model import ALGORITHM, LlamaModel

    identity = compose_identity(
        "onnx", "onnxruntime", "tokenizers", device="cpu", lm=ALGORITHM, weights=weights, dtype="float32"
    )
    title = spec.title if spec else path.stem
    languages = spec.language_codes if spec else ()
    return LlamaModel(path, signature=f"{title}@{weights[:8]}", identity=identity, languages=languages)


def _load_hub(name: str, device: str, environment: Environment) -> LanguageModel:
    from monge.encoders.registry import download_from_hub
    from monge.lm.torch_model import TorchLanguageModel

    directory, why = download_from_hub(name, environment)
    if directory is None:
        known = [spec.name for spec in MODELS if spec.kind == LANGUAGE_MODEL]
        near = "" if "/" in name else f"{suggest(name, known)}; known is {', '.join(known)}"
        raise ModelError(f"no language model {name!r}: no such file or directory here, and {why}{near}")
    return TorchLanguageModel(directory, title=name, device=device, environment=environment)
