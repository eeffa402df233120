"""How unlike a teacher's opinions of pairs of texts an encoder's are: the loss of distillation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from monge.encoders.torch_backend import import_torch
from monge.learned.teacher import Opinion
from monge.learned.transport_scores import mean_of_order, pad_matrices, token_maxima, unlikeness

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


def distil(parts: Parts, opinions: Sequence[Opinion], *, tokens: float, floor: float) -> Any:
    """Return how unlike *opinions* the *parts* of the same pairs are.

    1 − Pearson's r of the score and of its parts, plus *tokens* times 1 − r of the best similarities of single tokens;
    both over the pairs whose cosine is at least *floor* by the teacher.
    """
    near = [i for i, opinion in enumerate(opinions) if opinion.cosine >= floor]
    if len(near) < _FEWEST:
        return 0.0 * parts["cosine"].sum()
    ours = {name: values[near] for name, values in parts.items()}
    theirs = _read([opinions[i] for i in near], ours["cosine"].device)
    loss = _unlike(ours, theirs)
    return loss + tokens * _unlike_tokens(ours, theirs) if tokens else loss


def hold(parts: Parts, opinions: Sequence[Opinion]) -> Any:
    """Return how unlike *opinions*, those of the encoder before it was changed, the *parts* of the same pairs are."""
    return _unlike(parts, _read(opinions, parts["cosine"].device))


def _read(opinions: Sequence[Opinion], device: Any) -> dict[str, Any]:
    torch, _ = import_torch()
    sizes = [opinion.similarity.shape for opinion in opinions]
    rows, columns = max(size[0] for size in sizes), max(size[1] for size in sizes)
    wanted = pad_matrices([opinion.similarity for opinion in opinions], rows, columns).to(device)
    masks = (_prefixes(torch, [size[side] for size in sizes], count) for side, count in ((0, rows), (1, columns)))
    parts = match(wanted, *(mask.to(device) for mask in masks))
    parts["cosine"] = torch.tensor([opinion.cosine for opinion in opinions], device=device)
    return parts


def _unlike(ours: Parts, theirs: Parts) -> Any:
    names = [name for name in ours if name.startswith("order")]
    matching = sum(unlikeness(ours[name], theirs[name]) for name in names) / len(names)
    cosine = unlikeness(ours["cosine"], theirs["cosine"])
    return unlikeness(combine(ours), combine(theirs)) + PART * (matching + cosine)


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
