"""From segments to pairs of clouds: piece by piece where vectors are stored, otherwise all at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import NamedTuple

from monge.clouds import PointCloud
from monge.encoders.prefetch import in_background
from monge.metrics.transport.pairs import CloudPairs
from monge.metrics.transport.side import Side
from monge.metrics.transport.statistics import CorpusStatistics
from monge.text import Segment

PIECE = 500  # segments whose stored vectors are read at once, while those before are compared
READERS = 2  # threads that read pieces: they hold the interpreter for half of their time, so that more would wait


class _Texts(NamedTuple):
    """The texts of segments: what each is compared with, and the different texts of both sides."""

    hypotheses: list[str]
    groups: list[tuple[str, ...]]
    own: dict[str, None]
    others: dict[str, None]


@dataclass(frozen=True, eq=False)
class CloudPairing:
    """How the hypotheses and the texts that they are *compared* with become clouds.

    *joint* pools all that a hypothesis is compared with; *positional* says that the cost needs positions of points.
    """

    hypothesis: Side
    other: Side
    statistics: CorpusStatistics
    compared: Callable[[Segment], tuple[str, ...]]
    _: KW_ONLY
    joint: bool
    positional: bool

    def pair_all(self, segments: Sequence[Segment]) -> Iterator[CloudPairs]:
        """Yield the clouds of all *segments* in order: pieces of them while their vectors are stored, then the rest.

        Pieces are read and built while the caller works on those before. New texts are encoded all at once, because
        an encoder is fastest on many texts of the same length.
        """
        done = 0
        if self.hypothesis.may_be_stored and self.other.may_be_stored:
            pieces = [segments[start : start + PIECE] for start in range(0, len(segments), PIECE)]
            for pairs in in_background(self._read, pieces, workers=READERS):
                if pairs is None:
                    break
                done += len(pairs.owned)
                yield pairs
        if done < len(segments):
            yield self._make(segments[done:])

    def _read(self, segments: Sequence[Segment]) -> CloudPairs | None:
        """Return the clouds of *segments* if all that is needed for them is stored; else None."""
        texts, statistics = self._list_texts(segments), self.statistics
        wanted = texts.own | texts.others if self._alike else texts.others
        right = self.other.read_clouds(wanted, statistics.idf_reference)
        if right is None:
            return None
        left = right if self._alike else self.hypothesis.read_clouds(texts.own, statistics.idf_hypothesis)
        return None if left is None else self._lay_out(texts, left, right)

    def _make(self, segments: Sequence[Segment]) -> CloudPairs:
        texts, statistics = self._list_texts(segments), self.statistics
        if self._alike:
            both = self.other.make_clouds(texts.own | texts.others, statistics.idf_reference)
            return self._lay_out(texts, both, both)
        left = self.hypothesis.make_clouds(texts.own, statistics.idf_hypothesis)
        return self._lay_out(texts, left, self.other.make_clouds(texts.others, statistics.idf_reference))

    @property
    def _alike(self) -> bool:
        """Whether the clouds of both sides are made in the same way."""
        return self.hypothesis is self.other and self.statistics.idf_hypothesis is self.statistics.idf_reference

    def _list_texts(self, segments: Sequence[Segment]) -> _Texts:
        hypotheses, groups = [one.hypothesis for one in segments], [self.compared(one) for one in segments]
        others = dict.fromkeys(text for group in groups for text in group)
        return _Texts(hypotheses, groups, dict.fromkeys(hypotheses), others)

    def _lay_out(self, texts: _Texts, left: Mapping[str, PointCloud], right: Mapping[str, PointCloud]) -> CloudPairs:
        return CloudPairs.build(
            texts.hypotheses, texts.groups, left, right, joint=self.joint, positional=self.positional
        )
