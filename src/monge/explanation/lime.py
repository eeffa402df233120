"""LIME: a weighted linear model of the score over texts with some words left out (Ribeiro et al. 2016)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from monge.errors import OptionError
from monge.explanation.local import LocalExplanation, Side, WordGame
from monge.metrics.protocols import Metric
from monge.text import Segment

Floats = NDArray[np.float64]
KERNEL_WIDTH = 0.25  # of cosine distances, as in the authors' code for texts
RIDGE = 1.0
_FEWEST, _MOST = 8, 100_000  # samples


def fit_lime(
    metric: Metric, segment: Segment, *, side: Side = "hypothesis", samples: int = 500, seed: int = 12345
) -> LocalExplanation:
    """Explain a score by the coefficients of a local linear model of the metric.

    Masks z ∈ {0, 1}ⁿ say which words are kept: all 2ⁿ of them where that is at most *samples*, otherwise random ones
    (how many words are left out is drawn first, then which). Each weighs exp(−d²/σ²) with d = 1 − cos(z, 1) and
    σ = 0.25, and the effects β solve the ridge regression min Σ w (score(z) − β₀ − z·β)² + ‖β‖².

    Parameters
    ----------
    metric, segment, side
        The metric, the segment, and the text of it whose words are left out.
    samples
        The number of variants to score.
    seed
        Of the random masks.

    Returns
    -------
    LocalExplanation
        Effects are the coefficients, ``base`` the intercept; a note gives the weighted R² of the linear model.

    Raises
    ------
    OptionError
        If *samples* is too small or too large.
    InputError
        As ``occlude_words`` does.

    >>> from monge.metrics import load_metric
    >>> found = fit_lime(load_metric("rouge1"), Segment("a red boat", ("a blue boat",)))
    >>> [word.text for word in found.words if word.effect < 0]
    ['red']
    """
    if not _FEWEST <= samples <= _MOST:
        raise OptionError(f"samples={samples}: must be at least {_FEWEST} and at most {_MOST:,}")
    game = WordGame(segment, side)
    masks = draw_masks(len(game.spans), samples, np.random.default_rng(seed))
    variants = [game.keep(mask) for mask in masks]
    unique = list(dict.fromkeys(variants))
    known = {v: score.value for v, score in zip(unique, metric.score(unique), strict=True)}
    game.check(metric, list(known.values()))
    values = np.array([known[variant] for variant in variants])
    weights = weigh_masks(masks)
    intercept, effects = fit_ridge(masks.astype(np.float64), values, weights)
    fitted = intercept + masks @ effects
    centre = np.average(values, weights=weights)
    total = float(weights @ (values - centre) ** 2)
    quality = 1 - float(weights @ (values - fitted) ** 2) / total if total > 0 else 1.0
    found = game.explanation(metric, "lime", effects.tolist(), (float(values[0]), intercept), len(unique))
    return found.with_note(f"LIME's linear model explains {quality:.0%} of the score's variation near this text")


def draw_masks(words: int, samples: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Return masks (m, words), the whole text first: all of them if they are few, else random ones."""
    if words < 20 and 2**words <= samples:
        numbers = np.arange(2**words)[::-1]
        return ((numbers[:, None] >> np.arange(words)) & 1).astype(np.bool_)
    masks = np.ones((samples, words), dtype=np.bool_)
    for row in range(1, samples):
        left_out = rng.permutation(words)[: rng.integers(1, words + 1)]
        masks[row, left_out] = False
    return masks


def weigh_masks(masks: NDArray[np.bool_]) -> Floats:
    """Return exp(−d²/σ²) with d the cosine distance between a mask and the whole text: 1 − √(share of words kept).

    >>> weigh_masks(np.array([[True, True], [False, False]])).round(6).tolist()
    [1.0, 0.0]
    """
    distance = 1 - np.sqrt(masks.mean(axis=1))
    weights: Floats = np.exp(-(distance**2) / KERNEL_WIDTH**2)
    return weights


def fit_ridge(masks: Floats, values: Floats, weights: Floats, *, ridge: float = RIDGE) -> tuple[float, Floats]:
    """Return intercept (not penalised) and coefficients (n,) of the weighted ridge regression."""
    share = weights / weights.sum()
    means, level = share @ masks, float(share @ values)
    centred = masks - means
    gram = centred.T @ (weights[:, None] * centred) + ridge * np.eye(masks.shape[1])
    effects: Floats = np.linalg.solve(gram, centred.T @ (weights * (values - level)))
    return level - float(means @ effects), effects
