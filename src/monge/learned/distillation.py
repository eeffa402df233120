"""How unlike a teacher's opinions of pairs of texts an encoder's are: the loss of distillation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from monge.encoders.torch_backend import import_torch
from monge.learned.teacher import Opinion
from monge.learned.transport_scores import discordance, mean_of_order, pad_matrices, token_maxima, unlikeness

ORDERS = (1.0, 2.0, 3.0)
TAUGHT = 3.0  # the order of the score that is taught, that of mongescore
SENTENCE = 0.35  # weight of the sentence cosine in it: mongescore's ½, once both parts are on one scale
PART = 0.3  # weight of each part beside their sum
_FEWEST = 3  # pairs that can be correlated

Parts = Mapping[str, Any]


def match(similarity: Any, rows: Any, columns: Any) -> dict[str, Any]:
    """Return the best similarities of single tokens and their means of several orders, for matrices (B, n, m).

    *rows* and *columns* are masks of the tokens, at least n and m wide.
    """
    rows, columns = rows[:, : similarity.shape[1]], columns[:, : similarity.shape[2]]
    of_rows, of_columns = token_maxima(similarity, rows, columns)
    parts = {"rows": of_rows, "rows.mask": rows, "columns": of_columns, "columns.mask": columns}
    for order in ORDERS:
        parts[f"order {order} precision"] = mean_of_order(of_rows, rows, order)
        parts[f"order {order} recall"] = mean_of_order(of_columns, columns, order)
    return parts


def combine(parts: Parts) -> Any:
    """Return the score that is taught: the matching plus the sentence cosine."""
    return (parts[f"order {TAUGHT} precision"] + parts[f"order {TAUGHT} recall"]) / 2 + SENTENCE * parts["cosine"]


@dataclass(frozen=True)
class TeacherScale:
    """What the parts of unrelated texts are, by the encoder that learns (before it does) and by its teacher.

    A copy is 1 in both, so the two points put the teacher's parts on the scale of the encoder: t becomes
    u + (t − u') (1 − u) / (1 − u'). mongescore puts its parts on this scale, and would weigh them otherwise if
    training changed how far they spread, which a correlation does not see.
    """

    own: Mapping[str, float]
    teacher: Mapping[str, float]

    @classmethod
    def measure(cls, own: Sequence[Opinion], teacher: Sequence[Opinion]) -> TeacherScale:
        """Return the scale that the opinions of both on the same unrelated pairs make."""
        sides = ({name: float(part.mean()) for name, part in _scores(_read(side, "cpu"))} for side in (own, teacher))
        return cls(*sides)

    def translate(self, parts: Parts) -> dict[str, Any]:
        """Return the teacher's *parts* on the scale of the encoder; similarities of single tokens stay as they are."""
        moved = {
            name: self.own[name] + (part - self.teacher[name]) * (1 - self.own[name]) / (1 - self.teacher[name])
            for name, part in _scores(parts)
        }
        return {**parts, **moved}


def distil(
    parts: Parts,
    opinions: Sequence[Opinion],
    *,
    tokens: float,
    floor: float,
    blend: float = 0.0,
    scale: TeacherScale | None = None,
) -> Any:
    """Return how unlike *opinions* the *parts* of the same pairs are.

    1 − Pearson's r of the score and of its parts, plus *tokens* times 1 − r of the best similarities of single tokens;
    both over the pairs whose cosine is at least *floor* by the teacher. With a *scale*, Lin's concordance takes the
    place of r for the score and its parts. The matching is taught with *blend* times the teacher's sentence cosine
    mixed in (see :func:`mix_cosine`).
    """
    near = [i for i, opinion in enumerate(opinions) if opinion.cosine >= floor]
    if len(near) < _FEWEST:
        return 0.0 * parts["cosine"].sum()
    ours = {name: values[near] for name, values in parts.items()}
    theirs = _read([opinions[i] for i in near], ours["cosine"].device)
    wanted = scale.translate(theirs) if scale else theirs
    wanted = mix_cosine(wanted, blend, scale.own if scale else {})
    loss = _unlike(ours, wanted, discordance if scale else unlikeness)
    return loss + tokens * _unlike_tokens(ours, theirs) if tokens else loss


def mix_cosine(parts: Parts, weight: float, unrelated: Mapping[str, float]) -> dict[str, Any]:
    """Return *parts* in which every mean of the matching has *weight* times the sentence cosine mixed in.

    What a teacher says of whole sentences is often better than what the matching of its words says; in this way the
    words of the encoder learn both. Parts are compared as shares of the way from *unrelated* texts to a copy.
    """
    start = {name: unrelated.get(name, 0.0) for name, _ in _scores(parts)}
    cosine = (parts["cosine"] - start["cosine"]) / (1 - start["cosine"])
    mixed = dict(parts)
    for name in start.keys() - {"cosine"}:
        share = ((parts[name] - start[name]) / (1 - start[name]) + weight * cosine) / (1 + weight)
        mixed[name] = start[name] + (1 - start[name]) * share
    return mixed


def _read(opinions: Sequence[Opinion], device: Any) -> dict[str, Any]:
    torch, _ = import_torch()
    sizes = [opinion.similarity.shape for opinion in opinions]
    rows, columns = max(size[0] for size in sizes), max(size[1] for size in sizes)
    wanted = pad_matrices([opinion.similarity for opinion in opinions], rows, columns).to(device)
    masks = (_prefixes(torch, [size[side] for size in sizes], count) for side, count in ((0, rows), (1, columns)))
    parts = match(wanted, *(mask.to(device) for mask in masks))
    parts["cosine"] = torch.tensor([opinion.cosine for opinion in opinions], device=device)
    return parts


def _scores(parts: Parts) -> list[tuple[str, Any]]:
    """Return the parts that are one number per pair."""
    return [(name, part) for name, part in parts.items() if name.startswith("order") or name == "cosine"]


def _unlike(ours: Parts, theirs: Parts, measure: Callable[[Any, Any], Any]) -> Any:
    names = [name for name in ours if name.startswith("order")]
    matching = sum(measure(ours[name], theirs[name]) for name in names) / len(names)
    cosine = measure(ours["cosine"], theirs["cosine"])
    return measure(combine(ours), combine(theirs)) + PART * (matching + cosine)


def _unlike_tokens(ours: Parts, theirs: Parts) -> Any:
    """Return how unlike the best similarities of single tokens are, of texts that both encoders cut alike."""
    total = 0.0 * ours["cosine"].sum()
    for side in ("rows", "columns"):
        mine, yours = ours[f"{side}.mask"], theirs[f"{side}.mask"]
        alike = mine.sum(1) == yours.sum(1)
        if alike.any():
            total = total + 0.5 * unlikeness(ours[side][alike][mine[alike] > 0], theirs[side][alike][yours[alike] > 0])
    return total


def _prefixes(torch: Any, counts: Sequence[int], width: int) -> Any:
    return (torch.arange(width)[None] < torch.tensor(counts)[:, None]).float()
