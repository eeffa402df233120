"""USE-multilingual as an encoder: tokens with spans around the network."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from monge.encoders.base import EncodedText
from monge.encoders.identity import compose_identity
from monge.encoders.stores import digest
from monge.encoders.tokenized import TokenizedText, check_texts
from monge.encoders.use.network import PROJ, UseNetwork, cut_flat
from monge.encoders.use.pieces import load_pieces
from monge.environment import Environment
from monge.errors import OptionError

ALGORITHM = 1  # raise it when pieces, spans or the network change a vector
LAYER_NAMES = ("emb", "conv1", "conv2", "feats", "proj")
_BUDGET = 1024  # tokens that go through the network together
_UNKNOWN = 0  # the piece for characters that the model does not know


class UseEncoder:
    """An :class:`~monge.encoders.base.Encoder` over USE-multilingual (Yang et al. 2020), without a transformer.

    Layers are named: ``emb`` (512 numbers per token, without context), ``conv1`` and ``conv2`` (768), ``feats`` (1280)
    and ``proj`` (512). They differ in width, so one at a time is read. ``pool`` makes the model's own sentence vector
    from the states ``proj`` of all tokens. A run of unknown characters is one unknown piece per character.
    """

    layer_names = LAYER_NAMES
    sentence_layer = PROJ
    layers = len(LAYER_NAMES)
    dimension = 512

    def __init__(self, tokenizer: Any, network: UseNetwork, *, signature: str, identity: str) -> None:
        self._tokenizer = tokenizer
        self._network = network
        self._signature = signature
        self._identity = identity

    @property
    def identity(self) -> str:
        return self._identity

    @property
    def signature(self) -> str:
        return self._signature

    def tokenize(self, texts: Sequence[str]) -> list[tuple[str, ...]]:
        """Return the tokens ``encode`` would return, end tokens included, without computing vectors."""
        return [sheet.tokens for sheet in self._read(texts)]

    def encode(self, texts: Sequence[str], layers: Sequence[int] | None = None) -> list[EncodedText]:
        """Return one EncodedText per text with the states of one layer; raises OptionError for several."""
        chosen = tuple(range(self.layers)) if layers is None else tuple(layers)
        if len(chosen) != 1:
            raise OptionError(f"the layers {', '.join(LAYER_NAMES)} of USE differ in width: choose one of them")
        if not 0 <= chosen[0] < self.layers:
            raise OptionError(f"no layer {chosen[0]}: this encoder has {', '.join(LAYER_NAMES)} (0 to 4)")
        unique = list(dict.fromkeys(texts))
        sheets = self._read(unique)
        states: list[NDArray[np.float32]] = []
        for run in cut_flat([len(sheet.ids) for sheet in sheets], budget=_BUDGET):
            states += self._network.states([sheet.ids for sheet in sheets[run]], chosen[0])
        encoded = {s.text: s.finish(np.ascontiguousarray(v)[None]) for s, v in zip(sheets, states, strict=True)}
        return [encoded[text] for text in texts]

    def pool(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the model's own vector (512,) of a text, from the states ``proj`` (n, 512) of all its tokens."""
        return self._network.pool(vectors)

    def _read(self, texts: Sequence[str]) -> list[TokenizedText]:
        check_texts(texts)
        encodings = self._tokenizer.encode_batch(list(texts))
        return [
            _spread_unknown(TokenizedText.of_pieces(t, e, {_UNKNOWN})) for t, e in zip(texts, encodings, strict=True)
        ]


def _spread_unknown(sheet: TokenizedText) -> TokenizedText:
    """Give every character of an unknown run a token of its own, as the package does; marks of spaces are special."""
    bare = np.array([token == "▁" for token in sheet.tokens])
    special = sheet.special | bare
    counts = np.array([len(t) if i == _UNKNOWN else 1 for t, i in zip(sheet.tokens, sheet.ids, strict=True)])
    words = np.where(special, -1, sheet.words)
    spans = np.where(special[:, None], 0, sheet.spans)
    if (counts == 1).all():
        return replace(sheet, special=special, words=words, spans=spans)
    rows = np.repeat(np.arange(len(counts)), counts)
    place = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)  # of the character in its run
    single = (spans[:, 1] - spans[:, 0] == counts)[rows] & (counts > 1)[rows]
    starts = np.where(single, spans[rows, 0] + place, spans[rows, 0])
    ends = np.where(single, starts + 1, spans[rows, 1])
    return replace(
        sheet,
        ids=sheet.ids[rows],
        tokens=tuple(
            sheet.tokens[r][p] if counts[r] > 1 else sheet.tokens[r] for r, p in zip(rows, place, strict=True)
        ),
        spans=np.column_stack([starts, ends]),
        special=special[rows],
        words=words[rows],
    )


_LOADED: WeakValueDictionary[str, UseEncoder] = WeakValueDictionary()
_LOADING = threading.Lock()


def identify_use(directory: Path, environment: Environment) -> str:
    """Return what decides the vectors of the model in *directory*, without loading it."""
    weights, pieces = (digest([directory / name], environment) for name in ("weights.npz", "sp.model"))
    return compose_identity("use", "pieces", "numpy", "tokenizers", "regex", weights=weights, tokenizer=pieces)


def load_use(directory: Path, *, title: str, environment: Environment) -> UseEncoder:
    """Return the encoder over the files ``weights.npz`` and ``sp.model`` of *directory*; one in use is shared."""
    identity = identify_use(directory, environment)
    with _LOADING:
        encoder = _LOADED.get(identity)
        if encoder is None:
            network = UseNetwork(directory / "weights.npz")
            signature = f"{title}@{digest([directory / 'weights.npz'], environment)[:8]}"
            encoder = UseEncoder(load_pieces(directory / "sp.model"), network, signature=signature, identity=identity)
            _LOADED[identity] = encoder
        return encoder
