"""Texts that adapters learn from: hypotheses of a reference, with what a teacher or people think of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from monge.errors import InputError
from monge.learned.distillation import SENTENCE
from monge.learned.teacher import Opinion

LEAST_REFERENCES = 20
_MOST_HELD_OUT = 300  # references
_SAME = 0.85  # the teacher's cosine from which a hypothesis is taken for a paraphrase


@dataclass(frozen=True)
class Example:
    """Hypotheses of one reference, with a teacher's opinions or human judgments where there are any."""

    reference: str
    hypotheses: tuple[str, ...]
    opinions: tuple[Opinion, ...] = ()
    judgments: tuple[float, ...] = ()

    def above(self, floor: float) -> Example | None:
        """Return the example without hypotheses whose cosine is below *floor* by the teacher; None if none is left."""
        kept = [i for i, opinion in enumerate(self.opinions) if opinion.cosine >= floor]
        if not kept:
            return None
        judgments = tuple(self.judgments[i] for i in kept) if self.judgments else ()
        texts, opinions = tuple(self.hypotheses[i] for i in kept), tuple(self.opinions[i] for i in kept)
        return Example(self.reference, texts, opinions, judgments)


def choose_two(example: Example, rng: np.random.Generator) -> list[int]:
    """Return the places of two hypotheses, drawn at random; of one if there is no other."""
    count = len(example.hypotheses)
    return [int(i) for i in rng.permutation(count)[:2]]


def best_hypothesis(example: Example) -> str:
    """Return the hypothesis that the teacher or people like best, or the first."""
    values = example.judgments or [
        float(np.asarray(o.similarity, dtype=np.float32).max(axis=0, initial=-1).mean()) + SENTENCE * o.cosine
        for o in example.opinions
    ]
    return example.hypotheses[int(np.argmax(values)) if len(values) else 0]


def paraphrase(example: Example) -> str | None:
    """Return the best hypothesis, or None if the teacher, or people where there is none, do not find it good.

    With neither a teacher nor judgments, hypotheses are taken for paraphrases as they are.
    """
    best = best_hypothesis(example)
    place = example.hypotheses.index(best)
    if example.opinions:
        return best if example.opinions[place].cosine >= _SAME else None
    return best if not example.judgments or example.judgments[place] > 0 else None


def split_examples(examples: Sequence[Example], seed: int, batch: int) -> tuple[list[Example], list[Example]]:
    """Hold out a tenth of the references, at most so many that judging takes little of the time."""
    if len(examples) < max(LEAST_REFERENCES, 2 * batch):
        need = max(LEAST_REFERENCES, 2 * batch)
        raise InputError(f"{len(examples)} different references are too few to train on: at least {need} are needed")
    order = np.random.default_rng([seed, 0]).permutation(len(examples))
    count = max(2, min(len(examples) // 10, _MOST_HELD_OUT))
    return [examples[i] for i in order[count:]], [examples[i] for i in order[:count]]
