"""Translations that are induced, the criteria made of them, and VecMap."""

from pathlib import Path

import numpy as np
import pytest

from monge.crosslingual import vecmap
from monge.crosslingual.fit import VectorPairs
from monge.crosslingual.induction import (
    csls_scores,
    distinct_rows,
    mutual_pairs,
    nearness,
    own_rows,
    semantic_criterion,
    structural_criterion,
)
from monge.crosslingual.vecmap import VecmapSettings, fit_vecmap
from monge.crosslingual.words import cosines
from monge.errors import InputError, OptionError


def rotation(seed: int, dimension: int) -> np.ndarray:
    matrix, _ = np.linalg.qr(np.random.default_rng(seed).standard_normal((dimension, dimension)))
    return matrix


def language(seed: int, count: int = 500, dimension: int = 10) -> np.ndarray:
    """Words in groups of unequal size and spread: a space that looks like itself in one way only."""
    draw = np.random.default_rng(seed)
    centres = 1.5 * draw.standard_normal((30, dimension))
    groups = draw.integers(30, size=count)
    return centres[groups] * draw.gamma(1, 1, (count, 1)) + 0.7 * draw.standard_normal((count, dimension))


def test_csls_of_a_worked_example() -> None:
    similarity = np.array([[0.9, 0.8, 0.1], [0.7, 0.2, 0.3]])
    scores = csls_scores(similarity, neighbours=2)
    assert scores[0, 0] == pytest.approx(1.8 - 0.85 - 0.8)
    assert scores[1, 2] == pytest.approx(0.6 - 0.5 - 0.2)


@pytest.mark.parametrize("similarity", ["cosine", "distance"])
def test_translations_are_found_in_one_space(similarity: str) -> None:
    rows = language(1)
    order = np.random.default_rng(2).permutation(len(rows))
    left, right = mutual_pairs(rows, rows[order], similarity)
    assert (order[right] == left).mean() > 0.99
    assert len(left) > 450


def test_distances() -> None:
    assert nearness(np.array([[0.0, 0.0]]), np.array([[3.0, 4.0], [0.0, 0.0]])) == pytest.approx(np.array([[-5, 0]]))


def test_criteria_prefer_the_right_map() -> None:
    rows, turn = language(1), rotation(3, 10)
    target = rows @ turn + 2
    right, wrong = rows @ turn + 2, rows + 2
    for similarity in ("cosine", "distance"):
        assert semantic_criterion(right, target, similarity) > semantic_criterion(wrong, target, similarity)
    assert structural_criterion(right, target) == pytest.approx(0, abs=1e-9)
    assert structural_criterion(right * 3, target) < -0.5
    moved = np.repeat(target.mean(axis=0)[None] + 0.01, len(rows), axis=0)
    assert not semantic_criterion(moved, target) > semantic_criterion(wrong, target)  # a collapse gains nothing


def test_frequent_vectors_come_first_and_once() -> None:
    one, two, three = np.eye(3)
    rows = np.array([one, two, three, two, two, three])
    assert distinct_rows(rows, 2).tolist() == [two.tolist(), three.tolist()]
    assert len(distinct_rows(np.arange(30.0)[:, None], 10)) == 10


@pytest.mark.parametrize("noise", [0.0, 0.1])
def test_vecmap_recovers_a_rotation_without_a_dictionary(noise: float) -> None:
    rows, draw = language(4), np.random.default_rng(5)
    order = draw.permutation(len(rows))
    target = (rows @ rotation(6, 10) + noise * draw.standard_normal(rows.shape))[order]
    seen: list[float] = []
    maps = fit_vecmap(VectorPairs(rows, target), VecmapSettings(patience=5), show=lambda _, value: seen.append(value))
    found = order[cosines(maps[0].transform(rows), maps[1].transform(target)).argmax(axis=1)]
    assert (found == np.arange(len(rows))).mean() > 0.95
    assert seen[-1] > 0.95
    again = fit_vecmap(VectorPairs(rows, target), VecmapSettings(patience=5))
    assert again[0].digest == maps[0].digest


def test_vectors_that_both_languages_have_say_nothing_of_a_map() -> None:
    """Subwords, digits and names: with them the identity looks better than the true map."""
    turn, shared = rotation(3, 10), language(9, 300)
    source = language(1, 200)
    target = np.concatenate([source @ turn, shared])
    mixed = np.concatenate([source, shared])
    assert semantic_criterion(mixed, target) > semantic_criterion(mixed @ turn, target)
    own, other = own_rows(mixed, target, 1000)
    assert (len(own), len(other)) == (200, 200)
    assert semantic_criterion(own @ turn, other) > semantic_criterion(own, other)
    assert [len(rows) for rows in own_rows(shared, shared[:290], 1000)] == [300, 290]  # nothing would be left


class KilledError(Exception):
    """Stands for a kill: nothing is tidied up."""


def test_an_interrupted_vecmap_goes_on_to_the_same_maps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vecmap, "_SAVE_EVERY", 0.0)
    rows = language(4, 120)
    sample = VectorPairs(rows, (rows @ rotation(6, 10))[::-1])
    settings, place = VecmapSettings(patience=4), tmp_path / "state"
    done: list[int] = []

    def killed(iteration: int, _: float) -> None:
        if iteration == 9:
            raise KilledError

    with pytest.raises(KilledError):
        fit_vecmap(sample, settings, show=killed, checkpoint=place)
    resumed = fit_vecmap(sample, settings, show=lambda number, _: done.append(number), checkpoint=place)
    whole = fit_vecmap(sample, settings)
    assert done[0] == 9
    assert [one.digest for one in resumed] == [one.digest for one in whole]
    with pytest.raises(OptionError, match="other data or settings"):
        fit_vecmap(sample, VecmapSettings(seed=2, patience=4), checkpoint=place)
    place.write_bytes(b"nothing")
    with pytest.raises(InputError, match="not a checkpoint"):
        fit_vecmap(sample, settings, checkpoint=place)
