"""The transport score as a differentiable function: greedy matching of order p, in torch."""

from __future__ import annotations

from typing import Any

from monge.encoders.torch_backend import import_torch

FLOOR = 1e-4  # of a cost: the root of a higher power has no derivative at zero


def token_maxima(similarity: Any, rows: Any, columns: Any) -> tuple[Any, Any]:
    """Return the best similarity of every row (B, n) and of every column (B, m) of a batch of matrices (B, n, m).

    *rows* (B, n) and *columns* (B, m) are 1 where there is a token, else 0; elsewhere values mean nothing.
    """
    inside = rows[:, :, None] * columns[:, None, :]
    masked = similarity.masked_fill(inside == 0, -2.0)
    return masked.max(2).values, masked.max(1).values


def mean_of_order(maxima: Any, mask: Any, order: float) -> Any:
    """Return 1 − (mean of (1 − s)^p)^(1/p) over the tokens of each text: precision or recall of order p."""
    cost = (1 - maxima).clamp_min(FLOOR) ** order
    return 1 - ((cost * mask).sum(1) / mask.sum(1).clamp_min(1)) ** (1 / order)


def unlikeness(predicted: Any, wanted: Any) -> Any:
    """Return 1 − Pearson's r of two tensors of one shape; 1 where either does not vary."""
    a, b = predicted - predicted.mean(), wanted - wanted.mean()
    return 1 - (a * b).sum() / (a.norm() * b.norm() + 1e-8)


def discordance(predicted: Any, wanted: Any) -> Any:
    """Return 1 − Lin's concordance of two tensors: like :func:`unlikeness`, but mean and spread must agree too.

    ρ_c = 2 cov(a, b) / (var a + var b + (mean a − mean b)²), Lin (1989).
    """
    a, b = predicted - predicted.mean(), wanted - wanted.mean()
    apart = (predicted.mean() - wanted.mean()) ** 2
    return 1 - 2 * (a * b).mean() / ((a * a).mean() + (b * b).mean() + apart + 1e-8)


def pad_matrices(matrices: list[Any], rows: int, columns: int) -> Any:
    """Return the numpy matrices as one tensor (B, rows, columns), filled up with zeros or cut."""
    torch, _ = import_torch()
    made = torch.zeros(len(matrices), rows, columns)
    for i, matrix in enumerate(matrices):
        part = torch.from_numpy(matrix[:rows, :columns].astype("float32"))
        made[i, : part.shape[0], : part.shape[1]] = part
    return made
