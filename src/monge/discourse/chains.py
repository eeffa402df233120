"""Lexical chains: foci that run through several sentences."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from monge.discourse.foci import Foci

Chains = Mapping[str, frozenset[int]]


def find_chains(foci: Foci, sentences: NDArray[np.int64]) -> dict[str, frozenset[int]]:
    """Return the foci that are mentioned in at least two sentences, with the numbers of these sentences.

    >>> find_chains({"boat": (0, 2), "crew": (1, 1)}, np.array([0, 0, 1]))
    {'boat': frozenset({0, 1})}
    """
    places = {name: frozenset(sentences[list(mentions)].tolist()) for name, mentions in foci.items()}
    return {name: own for name, own in places.items() if len(own) > 1}


def match_chains(hypothesis: Chains, reference: Chains) -> float:
    """Return Σ |p_h(n) ∩ p_r(n)| / |p_r(n)| over the chains n of both texts; p are the numbers of their sentences.

    It is not divided by the number of chains (as released with Zhao, Strube and Eger 2022), so it grows with the texts.

    >>> match_chains({"boat": frozenset({0, 1}), "crew": frozenset({1, 2})}, {"boat": frozenset({0, 1, 2})})
    0.6666666666666666
    """
    return sum(
        len(own & reference[name]) / len(reference[name]) for name, own in hypothesis.items() if name in reference
    )
