"""Public test sets for metrics: paraphrases that share few words, and non-paraphrases that share many.

After figure 3 of Kaster, Zhao and Eger (2021; chapter 12 of Zhao's thesis).
"""

from __future__ import annotations

import ast
import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from monge.errors import InputError
from monge.explanation.plausibility import rank_auc
from monge.explanation.stress import Rate
from monge.explanation.triples import Triple, keep_least_shared, read_triples, score_triples
from monge.metrics.base import bind_to
from monge.metrics.protocols import Metric
from monge.text import Segment

Pair = tuple[str, str, bool]  # two texts that share their words, and whether they mean the same

_DRAWS = 1000

# name → file, what is measured, how many of the triples with the fewest shared words were published (0: all)
_TRIPLES = {
    "paws-wiki": ("paws.tsv.gz", "PAWS-Wiki: paraphrase above a non-paraphrase with the same words", 100),
    "freitag": ("freitag.tsv.gz", "WMT19 English: paraphrase above the sentence with its nouns permuted", 0),
}


@dataclass(frozen=True)
class Preference:
    """The share of *trials* in which a metric preferred the text with the same meaning, and its 95 % interval."""

    share: float
    low: float
    high: float
    trials: int

    def record(self) -> dict[str, object]:
        """Return plain JSON values."""
        return {"trials": self.trials, "share": self.share, "interval": [self.low, self.high]}

    @classmethod
    def of(cls, rate: Rate) -> Preference:
        """Return a rate with Wilson's interval."""
        return cls(rate.share, *rate.interval, rate.trials)


@dataclass(frozen=True, eq=False)
class ParaphraseTrial:
    """A named set of triples or of pairs, and what is measured on it."""

    name: str
    what: str
    triples: Sequence[Triple] = ()
    pairs: Sequence[Pair] = ()

    def run(self, metric: Metric) -> Preference:
        """Return how often *metric* prefers the paraphrase."""
        if self.pairs:
            return separate_paraphrases(metric, self.pairs)
        return Preference.of(score_triples(metric, self.triples).rate)

    def spread(self, limit: int) -> ParaphraseTrial:
        """Return at most *limit* triples, spread evenly; all pairs are kept, because their two kinds are compared."""
        return ParaphraseTrial(self.name, self.what, _spread(self.triples, limit), self.pairs)


def find_trials(folders: Sequence[Path]) -> list[ParaphraseTrial]:
    """Return the English sets that the data folders contain: PAWS (QQP), PAWS-Wiki and Freitag's paraphrases."""
    found = []
    for folder in folders:
        if (path := folder / "paws_qqp" / "dev_and_test.tsv").is_file():
            what = "PAWS-QQP: pairs with the same words, AUC of paraphrases against the others"
            found.append(ParaphraseTrial("paws", what, pairs=read_paws(path)))
        for name, (file, what, count) in _TRIPLES.items():
            path = folder / "global_explanation" / "adversarial" / file
            if path.is_file():
                triples = read_triples(path)
                found.append(ParaphraseTrial(name, what, keep_least_shared(triples, count) if count else triples))
    return list({trial.name: trial for trial in reversed(found)}.values())[::-1]


def read_paws(path: Path) -> list[Pair]:
    """Return the pairs of a PAWS file and whether they are paraphrases; texts may be written as Python bytes.

    Raises InputError if a column is missing.
    """
    with path.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))
    try:
        return [(_text(row["sentence1"]), _text(row["sentence2"]), row["label"] == "1") for row in rows]
    except (KeyError, ValueError, SyntaxError) as error:
        raise InputError(f"{path}: columns sentence1, sentence2 and label are expected ({error})") from error


def _text(cell: str) -> str:
    value = ast.literal_eval(cell) if cell[:2] in ("b'", 'b"') else cell
    return value.decode("utf-8") if isinstance(value, bytes) else str(value)


def separate_paraphrases(metric: Metric, pairs: Sequence[Pair], *, seed: int = 12345) -> Preference:
    """Return how well a metric separates paraphrases from other pairs: AUC, with a 95 % bootstrap interval over pairs.

    >>> from monge.metrics import load_metric
    >>> separate_paraphrases(load_metric("chrf"), [("a b", "a b", True), ("a b", "c d", False)]).share
    1.0
    """
    segments = [Segment(first, (second,)) for first, second, _ in pairs]
    bound = bind_to(metric, segments)
    values = np.array([score.value for score in bound.score(segments)])
    known = ~np.isnan(values)
    scores, gold = values[known], np.array([same for _, _, same in pairs])[known]
    if not bound.spec.higher_is_better:
        scores = -scores
    rng = np.random.default_rng(seed)
    draws = (rng.integers(0, len(gold), len(gold)) for _ in range(_DRAWS))
    drawn = [rank_auc(gold[draw], scores[draw]) for draw in draws if 0 < gold[draw].sum() < len(gold)]
    low, high = np.percentile(drawn, [2.5, 97.5])
    return Preference(rank_auc(gold, scores), float(low), float(high), len(gold))


def _spread(triples: Sequence[Triple], limit: int) -> list[Triple]:
    return [triples[i] for i in np.linspace(0, len(triples) - 1, min(limit, len(triples))).astype(int)]
