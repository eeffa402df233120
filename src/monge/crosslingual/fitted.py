"""A fitted re-mapping as a value: two maps, what they were fitted for, and a file to keep them in."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self

import numpy as np

from monge.crosslingual.flows import TRAINED_KINDS
from monge.crosslingual.maps import KINDS, Chain
from monge.errors import InputError, OptionError
from monge.storage.atomic import open_atomic

FORMAT = "monge-remap-1"


@dataclass(frozen=True)
class RemapFacts:
    """What a re-mapping was fitted for, and from what.

    ``encoder`` is the signature of the encoder, ``layers`` and ``aggregation`` say which of its vectors, ``unit``
    whether they belong to ``tokens`` or to whole texts (``sentence``). ``methods`` are in the order of application,
    ``pairs`` counts the pairs of vectors, ``origin`` says what they are (words, sentences, a dictionary), ``texts`` is
    the digest of the texts. ``training`` says how maps with weights were trained (steps, seed, criterion).
    """

    methods: tuple[str, ...]
    encoder: str
    layers: tuple[int, ...]
    aggregation: str = "single"
    unit: str = "tokens"
    pairs: int = 0
    origin: str = ""
    texts: str = ""
    source_language: str = ""
    target_language: str = ""
    training: str = ""


@dataclass(frozen=True, eq=False)
class FittedRemap:
    """The maps of a source and a target language; a metric applies them to the two sides that it compares."""

    facts: RemapFacts
    source: Chain
    target: Chain
    path: str = field(default="", compare=False)

    @property
    def digest(self) -> str:
        """The SHA-256 of the maps and of what they were fitted for."""
        facts = asdict(self.facts)
        for name in ("pairs", "origin", "texts", "source_language", "target_language", "training"):
            facts.pop(name)
        content = json.dumps([facts, self.source.digest, self.target.digest], sort_keys=True)
        return hashlib.sha256(content.encode()).hexdigest()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the maps as safetensors, with a manifest in its header, atomically."""
        from safetensors.numpy import save

        arrays: dict[str, np.ndarray[Any, Any]] = {}
        kinds: dict[str, list[str]] = {}
        for side, chain in (("source", self.source), ("target", self.target)):
            kinds[side] = [one.kind for one in chain.maps]
            for number, one in enumerate(chain.maps):
                for name, array in one.arrays.items():
                    arrays[f"{side}.{number}.{name}"] = np.ascontiguousarray(array)
        manifest = {"format": FORMAT, "facts": asdict(self.facts), "kinds": kinds, "digest": self.digest}
        arrays = arrays or {"empty": np.zeros(1)}
        with open_atomic(path) as stream:
            stream.write(save(arrays, {"manifest": json.dumps(manifest)}))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read what :meth:`save` wrote; raises InputError for any other or a damaged file."""
        from safetensors import SafetensorError, safe_open

        try:
            with safe_open(os.fspath(path), "np") as file:
                manifest = json.loads((file.metadata() or {}).get("manifest", "{}"))
                arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118  # no mapping
        except FileNotFoundError:
            raise InputError(f"{path}: no such re-mapping; `monge align` makes one") from None
        except (OSError, SafetensorError, ValueError) as error:
            raise InputError(f"{path}: not a re-mapping made by `monge align` ({error})") from None
        if manifest.get("format") != FORMAT:
            raise InputError(f"{path}: not a re-mapping made by `monge align`")
        try:
            facts = _read_facts(manifest["facts"])
            source, target = (_read_chain(arrays, side, manifest["kinds"][side]) for side in ("source", "target"))
        except (KeyError, TypeError) as error:
            raise InputError(f"{path}: a damaged re-mapping ({error})") from None
        made = cls(facts, source, target, os.fspath(path))
        if made.digest != manifest["digest"]:
            raise InputError(f"{path}: a damaged re-mapping (its digest is not the one it states)")
        return made

    def check(self, *, encoder: str, layers: tuple[int, ...], aggregation: str, unit: str) -> None:
        """Raise OptionError unless the maps were fitted for these vectors.

        Encoders are compared by the digest in their signatures, not by the name of their folder.
        """
        facts = self.facts
        named = self.path or "the re-mapping"
        if _weights(facts.encoder) != _weights(encoder):
            raise OptionError(f"{named} was fitted for the encoder {facts.encoder}, not for {encoder}")
        if facts.layers != layers or (len(layers) > 1 and facts.aggregation != aggregation):
            theirs = f"{_show(facts.layers)} ({facts.aggregation})"
            raise OptionError(f"{named} was fitted for layer {theirs}, not for {_show(layers)} ({aggregation})")
        if facts.unit != unit:
            raise OptionError(f"{named} was fitted for vectors of {facts.unit}, but these are of {unit}")


def _weights(signature: str) -> str:
    return signature.partition("@")[2] or signature


def _show(layers: tuple[int, ...]) -> str:
    return ",".join(map(str, layers))


def _read_facts(content: Mapping[str, Any]) -> RemapFacts:
    values = dict(content)
    return RemapFacts(methods=tuple(values.pop("methods")), layers=tuple(values.pop("layers")), **values)


def _read_chain(arrays: Mapping[str, Any], side: str, kinds: list[str]) -> Chain:
    maps = []
    for number, kind in enumerate(kinds):
        start = f"{side}.{number}."
        own = {name.removeprefix(start): array for name, array in arrays.items() if name.startswith(start)}
        maps.append({**KINDS, **TRAINED_KINDS}[kind].of(own))
    return Chain(tuple(maps))


def is_file_name(text: str) -> bool:
    """Whether the value of the option ``remap`` names a file, and not a built-in map."""
    return bool(text) and text not in BUILT_IN and not Path(text).is_dir()


BUILT_IN = ("layer", "batch8")
