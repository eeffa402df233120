"""Choosing hidden states and joining them into one vector per token."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from monge.encoders.base import Encoder, layer_names_of
from monge.encoders.layers.routing import Routing, route_layers
from monge.encoders.unit import unit_vectors
from monge.errors import OptionError, suggest

FloatArray = NDArray[np.float32]
ALGORITHM = 1  # raise it when an aggregation or KDE routing changes a vector
Aggregation = Callable[[NDArray[np.float64]], NDArray[np.float64]]


def parse_layers(layers: str | int | Sequence[int], count: int) -> tuple[int, ...]:
    """Return the numbers of the hidden states that *layers* names, out of *count* (0 = embeddings).

    A number (negative: from the last), a range ``6-8``, ``last``, ``last5`` (all, if there are fewer), ``middle``
    (0.6 of the depth), ``all`` (embeddings included), or several of these with commas; also plain numbers and
    sequences of numbers.

    >>> parse_layers("6-8", 13), parse_layers("last5", 13), parse_layers(-1, 13), parse_layers("0,4", 13)
    ((6, 7, 8), (8, 9, 10, 11, 12), (12,), (0, 4))
    """
    if isinstance(layers, int):
        chosen = [layers]
    elif isinstance(layers, str):
        chosen = [number for part in layers.split(",") for number in _parse_part(part.strip(), count, layers)]
    else:
        chosen = [int(number) for number in layers]
    if not chosen:
        raise OptionError("no layer was named")
    for number in chosen:
        if not -count <= number < count:
            raise OptionError(f"no layer {number}: this encoder has layers 0 to {count - 1}")
    numbers = tuple(number % count for number in chosen)
    if len(set(numbers)) < len(numbers):
        raise OptionError(f"layers {layers}: a layer is named twice")
    return numbers


def choose_layers(encoder: Encoder, layers: str | int | Sequence[int]) -> tuple[int, ...]:
    """Return the numbers of the hidden states of *encoder* that *layers* names; see :func:`parse_layers`.

    An encoder with named layers (``emb``, ``proj``) knows them by name, too. Its layers are not a stack of equals, so
    ``middle``, ``last`` and ``last5`` all mean the last. ``best`` names the layers that are known to agree best with
    people (``monge models layers`` lists them).
    """
    if layers == "best":
        layers = best_layers(encoder)
    names = layer_names_of(encoder)
    if not names or not isinstance(layers, str):
        return parse_layers(layers, encoder.layers)
    numbers = {name: str(number) for number, name in enumerate(names)}
    parts = [part.strip() for part in layers.split(",")]
    known = [numbers[names[-1]] if re.fullmatch(r"middle|last\d*", part) else numbers.get(part, part) for part in parts]
    try:
        return parse_layers(",".join(known), encoder.layers)
    except OptionError as error:
        raise OptionError(f"{error}; they are called {', '.join(names)}") from None


def best_layers(encoder: Encoder) -> str:
    """Return the layers of *encoder* that agree best with people, as far as it is known by name; else ``middle``."""
    from monge.encoders.added import find_known_layers

    known = find_known_layers(encoder.signature.partition("@")[0])
    return "middle" if known is None else known.layers


def _parse_part(part: str, count: int, whole: str) -> list[int]:
    if part == "all":
        return list(range(count))
    if part == "middle":  # where both shipped encoders agree best with people: 4 of 6, 7 of 12
        return [round(0.6 * (count - 1))]
    if match := re.fullmatch(r"last(\d*)", part):
        last = int(match[1] or 1)
        if last < 1:
            raise OptionError(f"layers {whole!r}: at least one layer is needed")
        return list(range(max(0, count - last), count))  # a static encoder has one layer, which is its last five too
    if re.fullmatch(r"-?\d+", part):
        return [int(part)]
    if (match := re.fullmatch(r"(\d+)-(\d+)", part)) and int(match[1]) <= int(match[2]):
        return list(range(int(match[1]), min(int(match[2]), count) + 1))  # whose last is refused if there are fewer
    raise OptionError(f"layers {whole!r} must be a number, a range like 6-8, last, last5, middle or all")


@dataclass(frozen=True)
class LayerAggregation:
    """A way to join layers; ``text`` is how options write it. Raises OptionError for a text that names none."""

    text: str

    def __post_init__(self) -> None:
        _find_join(self.text)

    @property
    def join(self) -> Aggregation:
        """The function from (layers, n, d) to (n, d')."""
        return _find_join(self.text)

    @property
    def tokenwise(self) -> bool:
        """Whether a token's vector depends on its own layers only; in KDE routing the whole text says when to stop."""
        return self.text.partition(":")[0] in ("single", "mean", "concat", "pmeans")

    def shrinks(self, layers: int) -> bool:
        """Whether a token's vector depends on its own layers only, and is not larger than *layers* of them.

        >>> [parse_aggregation("pmeans:1,inf,-inf").shrinks(layers) for layers in (1, 2, 5)]
        [False, False, True]
        """
        name, _, arguments = self.text.partition(":")
        return layers > 1 and (name == "mean" or (name == "pmeans" and arguments.count(",") < layers))

    def __str__(self) -> str:
        return self.text


def aggregate_layers(
    vectors: NDArray[np.floating], aggregation: LayerAggregation | str, *, normalise: bool = False
) -> FloatArray:
    """Join the layers of one text, (layers, n, d), into one vector per token, (n, d').

    ``single`` takes the one layer there is, ``mean`` averages, ``concat`` puts the layers side by side;
    ``pmeans:1,inf,-inf`` joins power means (:func:`power_mean`; MoverScore, Zhao et al. 2019);
    ``routing:epanechnikov`` and ``routing:gaussian`` are KDE routing (:mod:`~monge.encoders.layers.routing`),
    with ``alpha=``, ``epsilon=`` and ``leaky`` after colons. *normalise* first scales all vectors to length 1.

    >>> layers = np.array([[[1.0, -2.0]], [[3.0, 0.0]]])
    >>> aggregate_layers(layers, "pmeans:1,inf,-inf").tolist()
    [[2.0, -1.0, 3.0, 0.0, 1.0, -2.0]]
    """
    if vectors.ndim != 3 or not vectors.shape[0]:
        raise OptionError(f"layers to aggregate must have shape (layers, n, d), not {vectors.shape}")
    chosen = parse_aggregation(aggregation) if isinstance(aggregation, str) else aggregation
    states = np.asarray(vectors, dtype=np.float64)
    if normalise:
        states = unit_vectors(states)
    return np.asarray(chosen.join(states), dtype=np.float32)


def scale_to_unit(points: FloatArray) -> FloatArray:
    """Return the vectors (n, d) scaled to length 1 in float64, as float32; a vector of zeros stays."""
    return unit_vectors(points.astype(np.float64)).astype(np.float32)


def parse_aggregation(aggregation: str) -> LayerAggregation:
    """Return the way to join layers that *aggregation* names; see :func:`aggregate_layers`."""
    return LayerAggregation(aggregation)


@cache
def _find_join(aggregation: str) -> Aggregation:
    name, _, arguments = aggregation.partition(":")
    if name not in AGGREGATIONS:
        raise OptionError(
            f"no layer aggregation {name!r}{suggest(name, AGGREGATIONS)}; there are {', '.join(AGGREGATIONS)}"
        )
    return AGGREGATIONS[name](arguments)


def power_mean(states: NDArray[np.float64], power: float) -> NDArray[np.float64]:
    """Return the power mean over axis 0, ``s⁻¹(mean s(x))`` with ``s(x) = sign(x)·|x|^p``.

    p = ∞ and −∞ are maximum and minimum. The signed power keeps the mean real for every p; for values of one sign
    and for odd p it is the usual power mean. p = 0 is its limit: the geometric mean for values of one sign, else 0. A
    negative p is undefined where the signed reciprocals cancel out, which raises.

    >>> power_mean(np.array([[1.0, -1.0], [4.0, 2.0]]), 0), power_mean(np.array([[-1.0], [2.0]]), 3) ** 3
    (array([2., 0.]), array([3.5]))
    """
    if power == np.inf:
        return np.asarray(states.max(axis=0))
    if power == -np.inf:
        return np.asarray(states.min(axis=0))
    if power == 1:
        return np.asarray(states.mean(axis=0))
    size, sign = np.abs(states), np.sign(states)
    with np.errstate(divide="ignore"):
        if power == 0:
            one_sign = np.where(np.abs(sign.sum(axis=0)) == len(states), sign[0], 0.0)
            return np.asarray(one_sign * np.exp(np.log(size).mean(axis=0)))
        unit = size.max(axis=0) if power > 0 else size.min(axis=0)  # the largest term becomes 1: no overflow
        ratio = np.divide(size, unit, out=np.zeros_like(size), where=unit > 0)
        mean = np.mean(sign * np.where(unit > 0, ratio, 1.0) ** power, axis=0)
        if power < 0 and np.any((mean == 0) & (unit > 0)):
            raise OptionError(f"the power mean with p = {power:g} is undefined: values of both signs cancel out")
        return np.asarray(np.where(unit > 0, np.sign(mean) * unit * np.abs(mean) ** (1 / power), 0.0))


def _single(arguments: str) -> Aggregation:
    _no_arguments("single", arguments)

    def join(states: NDArray[np.float64]) -> NDArray[np.float64]:
        if len(states) != 1:
            raise OptionError(f"{len(states)} layers need an aggregation other than 'single', such as mean")
        return np.asarray(states[0])

    return join


def _mean(arguments: str) -> Aggregation:
    _no_arguments("mean", arguments)
    return lambda states: np.asarray(states.mean(axis=0))


def _concat(arguments: str) -> Aggregation:
    _no_arguments("concat", arguments)
    return lambda states: np.concatenate(list(states), axis=-1)


def _pmeans(arguments: str) -> Aggregation:
    try:
        powers = [float(part) for part in arguments.split(",")]
    except ValueError:
        raise OptionError(f"pmeans takes numbers, inf or -inf with commas, not {arguments!r}") from None
    if any(np.isnan(power) for power in powers):
        raise OptionError("pmeans cannot take nan")
    return lambda states: np.concatenate([power_mean(states, power) for power in powers], axis=-1)


def _routing(arguments: str) -> Aggregation:
    settings = Routing.parse(arguments)
    return lambda states: route_layers(states, settings)


def _no_arguments(name: str, arguments: str) -> None:
    if arguments:
        raise OptionError(f"layer aggregation {name!r} takes no arguments, but got {arguments!r}")


AGGREGATIONS: dict[str, Callable[[str], Aggregation]] = {
    "single": _single,
    "mean": _mean,
    "concat": _concat,
    "pmeans": _pmeans,
    "routing": _routing,
}
