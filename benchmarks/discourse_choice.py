"""Chooses a form of `focus_frequency` on the odd articles of SummEval, and reports it on the even ones.

python benchmarks/discourse_choice.py [--write]

All variants compare how often two texts mention each focus; they differ in what a focus is, in the power of the
difference, in how counts are transformed and weighted, in what several references are, and in what a distance is
divided by. The criterion is fixed beforehand: τ-b with people, averaged over four aspects, over 200 bootstrap draws of
odd articles, and over the 12 abstractive and all 16 systems. The even articles are opened when the choice was made.
`--write` puts the table between ``<!-- choice -->`` and ``<!-- end -->`` of docs/results-discourse.md.
"""

from __future__ import annotations

import itertools
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from shared import ROOT

from monge.annotate import AnnotatedText, load_annotator
from monge.environment import Environment
from monge.meta import Resampling, average_agreement, measure_agreement
from monge.meta.agreement import Agreement, interval
from monge.meta.data import JudgedSet
from monge.meta.statistics import find_statistic
from monge.meta.tasks import make_tasks
from monge.report.tables import markdown_table, text_table
from monge.scores import ScoreTable
from monge.storage.atomic import write_text
from monge.workflows.judged_data import JudgedData, read_judged_sets

Array = NDArray[np.float64]
PAGE = ROOT / "docs" / "results-discourse.md"
NOUNS = ("NOUN", "PROPN")
FOCI = {
    "nouns": NOUNS,
    "nouns, adjectives": (*NOUNS, "ADJ"),
    "nouns, verbs": (*NOUNS, "VERB"),
    "content words": (*NOUNS, "ADJ", "VERB", "ADV", "NUM"),
}
ORDERS = (1.0, 1.5, 2.0, 3.0)
COUNTS = ("raw", "log", "relative")
WEIGHTS = ("equal", "idf", "salience")
REFERENCES = ("mean", "pooled", "nearest")
HALVES = ("", "@odd", "@even")
DIVISORS = ("foci", "mentions", "union")


class Variant(NamedTuple):
    """What a variant of the frequency distance does; the first of all is what `focus_frequency` does by default."""

    foci: str = "nouns"
    order: float = 2.0
    counts: str = "raw"
    weight: str = "equal"
    references: str = "mean"
    divisor: str = "foci"


VARIANTS = [Variant(*parts) for parts in itertools.product(FOCI, ORDERS, COUNTS, WEIGHTS, REFERENCES, DIVISORS)]


class Article(NamedTuple):
    """How often every focus is mentioned in the outputs (systems, foci) and references (references, foci)."""

    hypotheses: Array
    references: Array
    idf: Array


def count_articles(judged: JudgedSet, tags: Sequence[str], annotated: dict[str, AnnotatedText]) -> Iterator[Article]:
    """Yield the counts of every article; idf is that of the references of the same set."""
    table = next(iter(judged.judgments.values()))
    by_output = {(s.system, s.id): s for s in judged.segments}
    counts = {text: count_foci(one, tags) for text, one in annotated.items()}
    references = {n: by_output[table.systems[0], n].references for n in table.segments}
    seen = Counter(name for own in references.values() for name in set().union(*(counts[r] for r in own)))
    for segment, texts in references.items():
        own = [counts[by_output[system, segment].hypothesis] for system in table.systems]
        others = [counts[text] for text in texts]
        names = sorted(set().union(*own, *others))
        idf = np.array([np.log((len(references) + 1) / (seen[name] + 1)) for name in names])
        tables = (np.array([[c[name] for name in names] for c in side], dtype=np.float64) for side in (own, others))
        yield Article(*tables, idf)


def count_foci(text: AnnotatedText, tags: Sequence[str]) -> Counter[str]:
    """Return how often every lemma with one of *tags* is mentioned."""
    pairs = zip(text.lemmas, text.tags, strict=True)
    return Counter(lemma for lemma, tag in pairs if tag in tags and any(char.isalnum() for char in lemma))


def measure_distance(article: Article, variant: Variant) -> Array:
    """Return the distance of every output from the references."""
    own, others = (transform(counts, variant.counts) for counts in article[:2])
    if variant.references == "pooled":
        others = others.mean(axis=0, keepdims=True)
    mentioned = (article.references > 0).mean(axis=0)
    weights = {"equal": np.ones_like(mentioned), "idf": article.idf, "salience": 1 + 3 * mentioned}[variant.weight]
    distances = np.abs(own[:, None] - others[None]) ** variant.order @ weights
    either = ((own[:, None] > 0) | (others[None] > 0)).sum(axis=2)
    foci, mentions = (article.hypotheses > 0).sum(axis=1), article.hypotheses.sum(axis=1)
    divisor = {"foci": foci[:, None], "mentions": mentions[:, None], "union": either}[variant.divisor]
    shares = distances / np.maximum(divisor, 1)
    return np.asarray(shares.min(axis=1) if variant.references == "nearest" else shares.mean(axis=1))


def transform(counts: Array, how: str) -> Array:
    """Return counts as they are, log(1 + count), or the share of all mentions."""
    if how == "log":
        return np.log1p(counts)
    return counts / np.maximum(counts.sum(axis=1, keepdims=True), 1) if how == "relative" else counts


def measure(data: str, variants: Sequence[Variant], draws: int) -> dict[Variant, list[Agreement]]:
    """Return agreement of every variant: averages over aspects on the 12 abstractive and the 16 systems, coherence."""
    environment = Environment.read()
    found: dict[Variant, list[Agreement]] = {variant: [] for variant in variants}
    half = data.removeprefix("summeval")
    for part in (f"summeval/abstractive{half}", f"summeval{half}"):
        (judged,) = read_judged_sets(JudgedData(part), environment=environment)
        table = next(iter(judged.judgments.values()))
        texts = list(dict.fromkeys(text for s in judged.segments for text in (s.hypothesis, *s.references)))
        annotated = dict(zip(texts, load_annotator(environment=environment).annotate(texts), strict=True))
        articles = {foci: list(count_articles(judged, tags, annotated)) for foci, tags in FOCI.items()}
        for variant in variants:
            values = np.array([measure_distance(article, variant) for article in articles[variant.foci]]).T
            scores = ScoreTable(table.systems, table.segments, values, higher_is_better=False, name="distance")
            tasks = make_tasks([(judged, {"distance": scores})], level="system")
            plan = Resampling(count=draws)
            parts = [measure_agreement(t, find_statistic("kendall"), level="system", resampling=plan) for t in tasks]
            found[variant] += [average_agreement([own["distance"] for own in parts]), parts[0]["distance"]]
    return found


def criterion(found: Sequence[Agreement]) -> float:
    """Return the mean over bootstrap draws, of 12 and 16 systems."""
    return float(np.mean([found[0].draws.mean(), found[2].draws.mean()]))


def rank_best(ratings: Array) -> float:
    """Return the best average τ-b that one strict ranking can have with all rows of *ratings* (aspects, systems).

    The four aspects rank systems differently, so no score can agree with all of them. Exact, over all subsets of
    systems (the linear ordering problem): best[S] is the most that the systems of S, ranked above all others, give.
    """
    count = ratings.shape[1]
    gain = np.zeros((count, count))  # of i above j
    for row in ratings:
        signs = np.sign(row[:, None] - row[None, :])
        untied = np.count_nonzero(signs) / 2
        gain += signs / np.sqrt(untied * count * (count - 1) / 2) / len(ratings)
    members = np.arange(1 << count)[:, None] >> np.arange(count)[None, :] & 1
    below = members @ gain  # [S, j]: what j below all of S gives
    best = np.full(1 << count, -np.inf)
    best[0] = 0.0
    for subset in range(1 << count):  # a subset comes before all that contain it
        for j in np.flatnonzero(members[subset] == 0):
            larger = subset | 1 << int(j)
            best[larger] = max(best[larger], best[subset] + below[subset, j])
    return float(best[-1])


def print_limits() -> None:
    """Print the best average that any ranking can reach, and how well one half of the articles predicts the other."""
    environment, kendall = Environment.read(), find_statistic("kendall")
    for part in ("summeval/abstractive", "summeval"):
        sets = {half: read_judged_sets(JudgedData(part + half), environment=environment)[0] for half in HALVES}
        means = {h: np.array([np.nanmean(t.values, axis=1) for t in s.judgments.values()]) for h, s in sets.items()}
        limits = "  ".join(f"{half or 'all'} {rank_best(rows):.3f}".lstrip("@") for half, rows in means.items())
        odd, even = sets["@odd"], sets["@even"]
        totals = replace(odd, judgments={}, totals={a: dict(zip(t.systems, np.nanmean(t.values, axis=1).tolist(),
                         strict=True)) for a, t in odd.judgments.items()})  # fmt: skip
        found = []
        for aspect, table in even.judgments.items():
            tasks = make_tasks([(totals.choose_aspects([aspect]), {"even": table})], level="system")
            found.append(measure_agreement(tasks[0], kendall, level="system")["even"].value)
        print(f"{part}: the best ranking has {limits}; people on odd and on even articles agree {np.mean(found):.3f}")


def main() -> int:
    print_limits()
    chosen_on = measure("summeval@odd", VARIANTS, 200)
    ranked = sorted(VARIANTS, key=lambda variant: -criterion(chosen_on[variant]))
    print(f"{len(ranked)} variants; the best ten on the odd articles (mean over draws):")
    for variant in ranked[:10]:
        print(f"{criterion(chosen_on[variant]):.3f}", *variant, sep="  ")
    default = Variant()
    print(f"the default is number {ranked.index(default) + 1}: {criterion(chosen_on[default]):.3f}")
    rows = []
    for data in ("summeval@odd", "summeval@even", "summeval"):
        found = measure(data, [default, ranked[0]], 1000)
        for variant in (default, ranked[0]):
            cells = [f"{a.value:.3f} [{a.low:.3f}, {a.high:.3f}]".replace("0.", ".") for a in found[variant]]
            name = "default" if variant == default else ", ".join(str(part) for part in variant)
            rows.append([data, name, *cells])
        gains = [b.draws - a.draws for a, b in zip(*(found[v] for v in (default, ranked[0])), strict=True)]
        cells = ["{:+.3f} [{:+.3f}, {:+.3f}]".format(gain.mean(), *interval(gain, 0.95)) for gain in gains]
        rows.append([data, "difference", *(cell.replace("0.", ".") for cell in cells)])
    header = ["articles", "variant", "12 systems", "12, coherence", "16 systems", "16, coherence"]
    print(text_table(header, rows))
    if "--write" in sys.argv[1:]:
        table = markdown_table(header, rows)
        page = re.sub(
            r"(<!-- choice -->\n).*?(<!-- end -->)",
            lambda block: f"{block[1]}{table}\n{block[2]}",
            PAGE.read_text(encoding="utf-8"),
            flags=re.DOTALL,
        )
        write_text(PAGE, page)
    return 0


if __name__ == "__main__":
    sys.exit(main())
