"""Explaining metrics of documents: what each focus adds to a score, and which sentences it links."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from monge.discourse import Foci, link_sentences
from monge.errors import OptionError
from monge.metrics.base import check_needs, sign_scores
from monge.metrics.discourse.base import DiscourseMetric
from monge.metrics.discourse.focus import FocusMetric
from monge.metrics.discourse.reader import ReadDocument
from monge.metrics.protocols import Metric
from monge.scores.display import Displayed
from monge.text import Segment
from monge.wording import count_noun

Span = tuple[int, int]


@dataclass(frozen=True)
class SentenceLink:
    """Two sentences (numbers from 0) that share foci; ``weight`` is their number divided by the sentences' distance.

    For a metric whose graph is unweighted, it is 1 divided by the distance.
    """

    first: int
    second: int
    weight: float
    foci: tuple[str, ...]


@dataclass(frozen=True)
class DocumentText:
    """A text with the character offsets of its sentences, and the links between them."""

    text: str
    sentences: tuple[Span, ...]
    links: tuple[SentenceLink, ...]


@dataclass(frozen=True)
class FocusShare:
    """A focus, where both texts mention it (character offsets), and what it adds to the score.

    ``contribution`` is None if the score is not a sum over foci.
    """

    name: str
    hypothesis: tuple[Span, ...]
    reference: tuple[Span, ...]
    contribution: float | None = None


@dataclass(frozen=True)
class DocumentPair:
    """A hypothesis and one reference (None for metrics without references), with the foci of either."""

    reference_index: int | None
    hypothesis: DocumentText
    reference: DocumentText | None
    foci: tuple[FocusShare, ...]


@dataclass(frozen=True)
class DocumentExplanation(Displayed):
    """An explained score of a document; for metrics of foci, the contributions of all pairs sum to the value."""

    metric: str
    signature: str
    value: float
    higher_is_better: bool | None
    pairs: tuple[DocumentPair, ...]
    parts: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def additive(self) -> bool:
        """Whether the score is the sum of what its foci add."""
        return any(focus.contribution is not None for pair in self.pairs for focus in pair.foci)

    @property
    def total(self) -> float:
        """The sum of all contributions."""
        return math.fsum(focus.contribution or 0.0 for pair in self.pairs for focus in pair.foci)

    def record(self) -> dict[str, Any]:
        """Return plain JSON values; character offsets count code points, a missing value is null."""
        found = dataclasses.asdict(self)
        found["value"] = self.value if math.isfinite(self.value) else None
        found["parts"] = {name: value if math.isfinite(value) else None for name, value in self.parts.items()}
        return found | {"additive": self.additive}

    def __repr__(self) -> str:
        count = len({focus.name for pair in self.pairs for focus in pair.foci})
        return f"<{self.metric}: {self.value:.4f}, explained by {count} foci>"


def is_explained_by_foci(metric: Metric) -> bool:
    """Whether ``explain_document`` can explain a metric."""
    return isinstance(metric, DiscourseMetric)


def explain_document(metric: Metric, segment: Segment) -> DocumentExplanation:
    """Score a document and return its foci, what they add to the score, and the graphs of its sentences.

    Raises OptionError if the metric is not one of foci or sentences, and InputError if a reference it needs is missing.

    >>> from monge.metrics import load_metric
    >>> segment = Segment("The boat sank. A boat!", ("The boat sank near the coast.",))
    >>> found = explain_document(load_metric("focus_frequency"), segment)
    >>> [(focus.name, focus.contribution) for focus in found.pairs[0].foci], found.total == found.value
    ([('boat', 1.0), ('coast', 1.0)], True)
    """
    if not isinstance(metric, DiscourseMetric):
        raise OptionError(f"{metric.spec.name} has no foci; explain it by occlusion or shapley")
    check_needs(metric.spec, [segment])
    others = metric.compared(segment)
    read = metric.reader.read([segment.hypothesis, *others], lambda document: document)
    score = metric.score([segment])[0]
    own = read[segment.hypothesis]
    added = [_contributions(metric, own, read[text]) for text in others]
    counted = sum(one is not None for one in added)  # references that the mean is taken over
    weighted = metric.settings.get("graph") != "unweighted"
    described = {text: _describe(document, weighted) for text, document in read.items()}
    pairs = [
        DocumentPair(
            k, described[segment.hypothesis], described[text], _shares(own, read[text], added[k] or {}, counted)
        )
        for k, text in enumerate(others)
    ]
    if not others:
        shares = tuple(FocusShare(name, _spans(own, name), ()) for name in own.foci)
        pairs = [DocumentPair(None, described[segment.hypothesis], None, shares)]
    return DocumentExplanation(
        metric.spec.name,
        str(sign_scores(metric, [segment])),
        score.value,
        metric.spec.higher_is_better,
        tuple(pairs),
        dict(score.parts),
        score.notes,
    )


def describe_foci(explanation: DocumentExplanation) -> str:
    """Return in words what matters most: the foci that add most, or the number of linked sentences."""
    if explanation.additive:
        added: dict[str, float] = {}
        for focus in (focus for pair in explanation.pairs for focus in pair.foci):
            added[focus.name] = added.get(focus.name, 0.0) + (focus.contribution or 0.0)
        worst = sorted((name for name in added if added[name] > 0), key=lambda name: -added[name])[:3]
        return f"differs most in {', '.join(worst)}" if worst else "both texts mention the same things in the same way"
    own = explanation.pairs[0].hypothesis
    return f"{count_noun(len(own.sentences), 'sentence')}, {count_noun(len(own.links), 'pair')} of which share a focus"


def _contributions(metric: DiscourseMetric[Any], own: ReadDocument, other: ReadDocument) -> Mapping[str, float] | None:
    """Return what every focus adds to the distance from one reference; None if the metric does not add foci up."""
    if not isinstance(metric, FocusMetric):
        return None
    found = metric.compare(metric.reduce(own), metric.reduce(other))
    return None if found is None else {one.name: one.contribution for one in found}


def _shares(own: ReadDocument, other: ReadDocument, added: Mapping[str, float], counted: int) -> tuple[FocusShare, ...]:
    names = dict.fromkeys([*own.foci, *other.foci])
    shares = [
        FocusShare(name, _spans(own, name), _spans(other, name), added[name] / counted if name in added else None)
        for name in names
    ]
    return tuple(sorted(shares, key=lambda share: -(share.contribution or 0.0)))


def _spans(document: ReadDocument, name: str) -> tuple[Span, ...]:
    return tuple((int(a), int(b)) for a, b in document.annotated.spans[list(document.foci.get(name, ()))])


def _describe(document: ReadDocument, weighted: bool) -> DocumentText:
    words = document.annotated
    bounds = [words.spans[words.sentences == number] for number in range(words.sentence_count)]
    sentences = tuple((int(own[0, 0]), int(own[-1, 1])) for own in bounds)
    links = _links(document.foci, words.sentences, words.sentence_count, weighted)
    return DocumentText(words.text, sentences, tuple(links))


def _links(
    foci: Foci, sentences: np.ndarray[Any, np.dtype[np.int64]], count: int, weighted: bool
) -> list[SentenceLink]:
    weights = link_sentences(foci, sentences, count, weighted=weighted)
    places = {name: set(sentences[list(mentions)].tolist()) for name, mentions in foci.items()}
    return [
        SentenceLink(i, j, float(weights[i, j]), tuple(n for n, own in places.items() if {i, j} <= own))
        for i, j in np.argwhere(weights > 0).tolist()
    ]
