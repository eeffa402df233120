"""Masses of tokens: uniform, or from document frequencies of a corpus."""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from monge.errors import InputError
from monge.storage.atomic import write_text


@dataclass(frozen=True)
class IdfModel:
    """In how many of ``documents`` texts each token occurs.

    >>> model = IdfModel.count([("the", "cat"), ("the", "dog")])
    >>> model.documents, model.frequencies["the"]
    (2, 2)
    """

    documents: int
    frequencies: Mapping[str, int]
    encoder: str = ""  # whose tokens were counted

    @classmethod
    def count(cls, texts: Iterable[Sequence[str]], *, encoder: str = "") -> IdfModel:
        """Count document frequencies over texts tokenised by *encoder*; raises InputError if there is no text."""
        frequencies: Counter[str] = Counter()
        documents = 0
        for tokens in texts:
            documents += 1
            frequencies.update(set(tokens))
        if documents == 0:
            raise InputError("idf cannot be computed without texts")
        return cls(documents, dict(sorted(frequencies.items())), encoder)

    @classmethod
    def add(cls, parts: Sequence[IdfModel]) -> IdfModel:
        """Return the statistics of a corpus from those of its parts, all counted with the same encoder.

        >>> IdfModel.add([IdfModel.count([("a", "b")]), IdfModel.count([("b",)])]).frequencies
        {'a': 1, 'b': 2}
        """
        frequencies: Counter[str] = Counter()
        for part in parts:
            frequencies.update(part.frequencies)
        return cls(sum(part.documents for part in parts), dict(sorted(frequencies.items())), parts[0].encoder)

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of the statistics."""
        content = json.dumps([self.documents, sorted(self.frequencies.items())], ensure_ascii=True)
        return hashlib.sha256(content.encode()).hexdigest()

    @cached_property
    def weights(self) -> Mapping[str, Mapping[str, float]]:
        """The weight of a single occurrence of any token, by weighting; each is computed when it is first needed."""
        return {name: _Weights(self, rule) for name, rule in WEIGHTINGS.items() if rule is not None}

    @property
    def hash(self) -> str:
        """The first eight hexadecimal digits of the digest, which signatures show."""
        return self.digest[:8]

    def save(self, path: str | Path) -> None:
        """Write the statistics as JSON, atomically."""
        content = {"documents": self.documents, "encoder": self.encoder, "frequencies": dict(self.frequencies)}
        write_text(path, json.dumps(content, ensure_ascii=False) + "\n")

    @classmethod
    def load(cls, path: str | Path) -> IdfModel:
        """Read what :meth:`save` wrote; raises InputError if the file cannot be read or holds something else."""
        try:
            content = json.loads(Path(path).read_text(encoding="utf-8"))
            documents, frequencies = content["documents"], content["frequencies"]
            good = isinstance(documents, int) and documents > 0 and isinstance(frequencies, dict)
            if not good or not all(isinstance(n, int) and 0 < n <= documents for n in frequencies.values()):
                raise ValueError("frequencies must lie between 1 and the number of documents")
        except OSError as error:
            raise InputError(f"{path}: cannot read idf statistics ({error.strerror})") from error
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(f"{path}: not idf statistics ({error})") from error
        return cls(documents, frequencies, str(content.get("encoder", "")))


class _Weights(dict[str, float]):
    """Weights that are remembered once they were computed."""

    def __init__(self, model: IdfModel, rule: Callable[[IdfModel, str, int], float]) -> None:
        super().__init__()
        self._model, self._rule = model, rule

    def __missing__(self, token: str) -> float:
        weight = self[token] = self._rule(self._model, token, 1)
        return weight


def _smoothed_idf(model: IdfModel, token: str, tf: int) -> float:
    return math.log((model.documents + 1) / (model.frequencies.get(token, 0) + 1))


def _plus_one_idf(model: IdfModel, token: str, tf: int) -> float:
    return math.log(1 + (model.documents + 1) / (model.frequencies.get(token, 0) + 1))


def _tf_idf(model: IdfModel, token: str, tf: int) -> float:
    return tf * (math.log(model.documents / max(model.frequencies.get(token, 0), 1)) + 1)


# name → weight of one occurrence of a token that occurs tf times in its text
WEIGHTINGS: dict[str, Callable[[IdfModel, str, int], float] | None] = {
    "uniform": None,
    "idf": _smoothed_idf,  # log((N+1)/(df+1)): BERTScore, MoverScore
    "idf_plus_one": _plus_one_idf,  # log(1 + (N+1)/(df+1)): YiSi
    "tfidf": _tf_idf,  # tf (log(N/df) + 1): WE_WPI eq. 9
}


def weigh_alike(tokens: Sequence[str], weighting: str, model: IdfModel | None) -> NDArray[np.float64]:
    """Return the unnormalised mass (n,) of tokens of many texts, whose mass does not depend on the rest of their text.

    >>> weigh_alike(["a", "b"], "uniform", None)
    array([1., 1.])
    """
    if WEIGHTINGS[weighting] is None:
        return np.ones(len(tokens))
    assert model is not None, "weighting by idf needs counted statistics"
    return np.fromiter(map(model.weights[weighting].__getitem__, tokens), dtype=np.float64, count=len(tokens))


def weigh_tokens(tokens: Sequence[str], weighting: str, model: IdfModel | None) -> NDArray[np.float64]:
    """Return the unnormalised mass (n,) of each token.

    >>> weigh_tokens(["a", "b"], "uniform", None)
    array([1., 1.])
    """
    rule = WEIGHTINGS[weighting]
    if rule is None:
        return np.ones(len(tokens))
    assert model is not None, "weighting by idf needs counted statistics"
    counts = Counter(tokens)
    values = {token: rule(model, token, count) for token, count in counts.items()}
    return np.array([values[token] for token in tokens], dtype=np.float64)
