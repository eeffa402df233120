"""From "A beats B" to the sentences: the instances on which systems differ most, with their texts and reasons."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from monge.comparison import Comparison
from monge.comparison.diagnosis import key_pairs
from monge.comparison.instances import InstanceDifference, find_differences
from monge.errors import MongeError
from monge.explanation import Explanation, LocalExplanation, describe_loss, explain_segments, occlude_words
from monge.metrics.base import bind_shared, bind_to
from monge.metrics.protocols import Aligning, Encoding, Metric
from monge.text import Segment

SHOWN_PAIRS = 3  # pairs of systems whose instances are shown; a report with more is not read
LONGEST = 2_000  # characters of an output that is explained

Explained = Explanation | LocalExplanation
Explain = Callable[[str, Segment], Explained | None]


@dataclass(frozen=True, eq=False)
class ShownInstance:
    """One instance with its texts: the outputs of both systems, and the explanations of their scores, if any."""

    difference: InstanceDifference
    source: str | None
    references: tuple[str, ...]
    outputs: tuple[str, str]
    explanations: tuple[Explained | None, Explained | None] = (None, None)

    def record(self) -> dict[str, object]:
        """Return plain JSON values; texts of scores that were read from a file are unknown and left out."""
        reasons = [None if one is None else describe_loss(one) for one in self.explanations]
        texts = {} if not any(self.outputs) else {
            "source": self.source, "references": list(self.references), "outputs": list(self.outputs),
        }  # fmt: skip
        told = {"reasons": reasons} if any(reasons) else {}
        return dataclasses.asdict(self.difference) | texts | told


@dataclass(frozen=True, eq=False)
class ShownPair:
    """Two systems: instances that speak most for the first, and most for the second."""

    first: str
    second: str
    for_first: tuple[ShownInstance, ...]
    for_second: tuple[ShownInstance, ...]

    def __iter__(self) -> Iterator[ShownInstance]:
        return iter((*self.for_first, *self.for_second))

    def record(self) -> dict[str, object]:
        """Return plain JSON values."""
        return {
            "first": self.first,
            "second": self.second,
            "for_first": [one.record() for one in self.for_first],
            "for_second": [one.record() for one in self.for_second],
        }


def show_instances(
    comparison: Comparison,
    segments: Mapping[str, Sequence[Segment]],
    *,
    count: int = 3,
    explain: Explain | None = None,
) -> tuple[ShownPair, ...]:
    """Return the instances on which the first three key pairs differ most, the better system of a pair first.

    *segments* are those of each system, matched by id (empty: the texts are unknown); *explain* is given a system and
    its segment.
    """
    places = {name: {one.id: k for k, one in enumerate(own)} for name, own in segments.items()}

    def show(first: str, second: str, found: InstanceDifference) -> ShownInstance:
        own = [segments[name][places[name][found.id]] for name in (first, second) if name in segments]
        if len(own) < 2:
            return ShownInstance(found, None, (), ("", ""))
        reasons = [explain(name, one) if explain else None for name, one in zip((first, second), own, strict=True)]
        return ShownInstance(
            found, own[0].source, own[0].references, (own[0].hypothesis, own[1].hypothesis), (reasons[0], reasons[1])
        )

    shown = []
    for pair in key_pairs(comparison)[:SHOWN_PAIRS] if count > 0 else []:
        ahead = pair.probability - 0.5 or pair.advantage
        first, second = (pair.first, pair.second) if ahead >= 0 else (pair.second, pair.first)
        found = find_differences(comparison, first, second, count=count)
        groups = [tuple(show(first, second, one) for one in group) for group in (found.for_first, found.for_second)]
        shown.append(ShownPair(first, second, groups[0], groups[1]))
    return tuple(shown)


class InstanceExplainer:
    """Explains segments of systems by a metric whose statistics are bound as when the systems were scored.

    A metric that moves no mass is explained by leaving words out, unless it uses an encoder: that would take too long
    here. What cannot be explained gets None.
    """

    def __init__(self, label: str, metric: Metric, systems: Mapping[str, Sequence[Segment]]) -> None:
        self._label = label
        self._metric = metric
        self._systems = systems
        self._bound: dict[str, Metric] = {}

    def __call__(self, system: str, segment: Segment) -> Explained | None:
        """Return the explanation of the score of one segment, or None."""
        long = max(map(len, (segment.hypothesis, *segment.references)), default=0) > LONGEST
        if long or self._metric.spec.unit != "segment" or not segment.hypothesis.strip():
            return None
        if not isinstance(self._metric, Aligning) and isinstance(self._metric, Encoding):
            return None
        metric = self._bind(system)
        try:
            aligning = isinstance(metric, Aligning)
            found = explain_segments(metric, [segment])[0] if aligning else occlude_words(metric, segment)
        except MongeError:  # too many words, or no score without one of them
            return None
        return dataclasses.replace(found, metric=self._label)

    def _bind(self, system: str) -> Metric:
        if system not in self._bound:
            everything = [segment for own in self._systems.values() for segment in own]
            shared = self._metric if self._metric.bound else bind_shared(self._metric, everything)
            self._bound[system] = bind_to(shared, self._systems[system])
        return self._bound[system]
