"""One metric for the whole word-mover family: texts → clouds → transport → score."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

import numpy as np
from numpy.typing import NDArray

from monge.clouds import BatchRemapping, PointCloud
from monge.crosslingual.fitted import FittedRemap, is_file_name
from monge.encoders import Encoder
from monge.encoders.held import EncoderReading
from monge.errors import InputError, UnboundMetricError
from monge.metrics.base import MetricBase, check_needs, iter_checked
from monge.metrics.baseline import Baseline
from monge.metrics.protocols import MetricSpec
from monge.metrics.transport.linear import linearise_transport
from monge.metrics.transport.pairing import CloudPairing
from monge.metrics.transport.pairs import CloudPairs
from monge.metrics.transport.readout import READOUTS, Readout, lean_alpha
from monge.metrics.transport.reduction import best_value, find_best, note_missing_pairs, note_unseen
from monge.metrics.transport.settings import TransportSettings
from monge.metrics.transport.side import Side
from monge.metrics.transport.signature import identify_transport, sign_transport
from monge.metrics.transport.solving import PairSolver
from monge.metrics.transport.statistics import CorpusCounts, CorpusStatistics, add_counts
from monge.scores import LinearForm, Score, Signature
from monge.text import Segment
from monge.transport import BatchSolution, cost_matrix

CHUNK = 2000  # segments whose vectors are held at once


@dataclass(frozen=True, eq=False)
class TransportMetric(MetricBase):
    """A metric that is a transport problem between a hypothesis and a reference (or the source).

    value = readout(<C, P*>) with P* = argmin <C,P> + λ_c KL(P1 | a) + λ_r KL(Pᵀ1 | b); see ``TransportSettings``.
    ``hypothesis`` and ``other`` say how the texts of each side become clouds.
    """

    spec: MetricSpec
    settings: TransportSettings
    hypothesis: Side
    other: Side
    statistics: CorpusStatistics = field(default_factory=CorpusStatistics)
    baseline: Baseline | None = None

    @property
    def encoder(self) -> Encoder:
        """The encoder of hypotheses."""
        return self.hypothesis.encoder

    @property
    def signature(self) -> Signature:
        return sign_transport(self)

    @property
    def identity(self) -> str | None:
        return identify_transport(self)

    @property
    def language(self) -> str:
        return self.settings.language

    @property
    def remap_languages(self) -> tuple[str, str]:
        """The languages of sources and translations that a re-mapping from a file was fitted on."""
        if not is_file_name(self.settings.remap):
            return "", ""
        facts = FittedRemap.load(self.settings.remap).facts
        return facts.source_language, facts.target_language

    def encodings(self) -> tuple[EncoderReading, ...]:
        sides = (self.hypothesis,) if self.hypothesis is self.other else (self.hypothesis, self.other)
        return tuple(side.reading for side in sides)

    @property
    def depends_on_batch(self) -> bool:
        """Whether the score of a segment depends on those that are scored with it (a map of whole batches)."""
        return any(isinstance(side.recipe.remap, BatchRemapping) for side in (self.hypothesis, self.other))

    # -- corpus statistics ---------------------------------------------------------------------------------------

    @property
    def bound(self) -> bool:
        weighted = self.settings.cloud.weighting == "uniform" or self.statistics.idf_reference is not None
        return weighted and (not self.settings.transport.relative or self.statistics.typical_cost is not None)

    @property
    def binding_notes(self) -> tuple[str, ...]:
        return self.statistics.notes

    def bind(self, corpus: Sequence[Segment]) -> Self:
        shared = self.bind_shared(corpus) if self.statistics.typical_cost is None else self
        return shared._bind_idf(shared._count_all(corpus))

    def bind_shared(self, corpus: Sequence[Segment]) -> Self:
        """Bind the typical cost that relative λ are multiples of, so that systems are scored with the same λ."""
        return self._bind_cost(corpus, self._count_all(corpus)) if self.settings.transport.relative else self

    @property
    def shares_statistics(self) -> bool:
        """Whether λ are relative to a typical cost, which must be that of all compared systems."""
        return self.settings.transport.relative and self.statistics.typical_cost is None

    def bind_counted(self, corpus: Sequence[Segment], counts: Sequence[CorpusCounts]) -> Self:
        shared = self.bind_shared_counted(corpus, counts) if self.statistics.typical_cost is None else self
        return shared._bind_idf(add_counts(counts))

    def bind_shared_counted(self, corpus: Sequence[Segment], counts: Sequence[CorpusCounts]) -> Self:
        return self._bind_cost(corpus, add_counts(counts)) if self.settings.transport.relative else self

    def count(self, segments: Sequence[Segment]) -> CorpusCounts:
        """Return the counts of a part of the corpus."""
        return self._count_all(segments) or CorpusCounts(None, None, None)

    def with_statistics(self, statistics: CorpusStatistics) -> Self:
        """Return this metric with what ``bind`` computed for another like it."""
        return dataclasses.replace(self._without_idf() if statistics.uniform else self, statistics=statistics)

    def _count_all(self, corpus: Sequence[Segment]) -> CorpusCounts | None:
        """Return the document frequencies of *corpus*, or None where no idf has to be computed."""
        if self.settings.cloud.weighting == "uniform" or self.settings.idf.file:
            return None
        compared = self._common_texts(corpus)
        checked = iter_checked(self.spec, corpus)
        other = self.other.count_idf(text for segment in checked for text in self.compared(segment))
        hypothesis = None
        if self.settings.idf.source == "sides":
            hypothesis = self.hypothesis.count_idf(segment.hypothesis for segment in corpus)
        elif self.hypothesis.encoder is not self.other.encoder:  # the same texts, in the tokens of the other encoder
            hypothesis = self.hypothesis.count_idf(text for segment in corpus for text in self.compared(segment))
        return CorpusCounts(hypothesis, other, compared)

    def _bind_cost(self, corpus: Sequence[Segment], counts: CorpusCounts | None) -> Self:
        typical = self._bind_idf(counts)._typical_cost(corpus)
        return dataclasses.replace(self, statistics=dataclasses.replace(self.statistics, typical_cost=typical))

    def _bind_idf(self, counts: CorpusCounts | None) -> Self:
        if counts is None or counts.other is None:
            return self
        if self.settings.cloud.weighting == "idf" and counts.compared is not None:
            return self._without_idf()
        hypothesis = counts.other if counts.hypothesis is None else counts.hypothesis
        statistics = dataclasses.replace(self.statistics, idf_hypothesis=hypothesis, idf_reference=counts.other)
        return dataclasses.replace(self, statistics=statistics)

    def _without_idf(self) -> Self:
        """Return this metric with uniform weights: log((N+1)/(df+1)) of one segment weighs nothing but mismatches."""
        note = "idf cannot be computed from one segment: uniform weights"
        hypothesis = self.hypothesis.with_uniform_weights()
        other = hypothesis if self.other is self.hypothesis else self.other.with_uniform_weights()
        cloud = dataclasses.replace(self.settings.cloud, weighting="uniform")
        return dataclasses.replace(
            self,
            settings=dataclasses.replace(self.settings, cloud=cloud),
            hypothesis=hypothesis,
            other=other,
            statistics=dataclasses.replace(self.statistics, notes=(note,), uniform=True),
        )

    def _common_texts(self, corpus: Sequence[Segment]) -> tuple[str, ...] | None:
        """Return what every hypothesis is compared with, or None if not all are compared with the same."""
        segments = iter(corpus)
        first = next(segments, None)
        if first is None or any(self.compared(segment) != self.compared(first) for segment in segments):
            return None
        return self.compared(first)

    def _typical_cost(self, corpus: Sequence[Segment]) -> float:
        """Median of the costs C_ij between tokens with mass, over at most 1,000 pairs of the corpus."""
        check_needs(self.spec, corpus)
        count = sum(len(self.compared(segment)) for segment in corpus)
        every = ((segment.hypothesis, text) for segment in corpus for text in self.compared(segment))
        pairs = list(itertools.islice(every, 0, None, max(1, -(-count // 1000))))
        left = self.hypothesis.make_clouds(dict.fromkeys(h for h, _ in pairs), self.statistics.idf_hypothesis)
        right = self.other.make_clouds(dict.fromkeys(r for _, r in pairs), self.statistics.idf_reference)
        cost = "cosine" if self.settings.transport.cost == "position" else self.settings.transport.cost
        costs = [cost_matrix(left[h].points_with_mass, right[r].points_with_mass, cost).ravel() for h, r in pairs]
        typical = float(np.median(np.concatenate(costs)))
        if typical < 1e-9:  # points are single precision
            raise InputError(
                "the typical cost of these texts is 0, so no penalty can be relative to it: give lambda_unit=absolute"
            )
        return float(typical**self.settings.transport.order)

    # -- scoring -------------------------------------------------------------------------------------------------

    def compared(self, segment: Segment) -> tuple[str, ...]:
        """Return the texts that a hypothesis is compared with: its references, or its source."""
        if self.settings.against == "references":
            return segment.references
        return () if segment.source is None else (segment.source,)

    def score(self, segments: Sequence[Segment]) -> list[Score]:
        return self._score(segments, keep_alignments=False)

    def score_with_alignments(self, segments: Sequence[Segment]) -> list[Score]:
        return self._score(segments, keep_alignments=True)

    def linear_form(self, score: Score) -> LinearForm:
        return linearise_transport(score, self.settings.readout, self.baseline)

    def make_clouds(self, texts: Iterable[str]) -> Mapping[str, PointCloud]:
        """Return the cloud of every text, weighted as references are."""
        return self.other.make_clouds(dict.fromkeys(texts), self.statistics.idf_reference)

    def _score(self, segments: Sequence[Segment], *, keep_alignments: bool) -> list[Score]:
        if not self.bound:
            raise UnboundMetricError(
                f"{self.spec.name} needs corpus statistics: call bind(segments) first, or compute(...)"
            )
        check_needs(self.spec, segments)
        scores: list[Score] = []
        for start in range(0, len(segments), CHUNK):
            for problems in self._pairing.pair_all(segments[start : start + CHUNK]):
                scores.extend(self._score_pairs(problems, keep_alignments))
        return scores

    def _score_pairs(self, problems: CloudPairs, keep_alignments: bool) -> Iterator[Score]:
        solver = self._solver
        solutions = {role: solver.solve(role, problems, keep_couplings=keep_alignments) for role in self._readout.roles}
        stretch = problems.stretch(self.settings.transport.cost)
        costs = {
            role: np.where(s.converged & problems.comparable, s.costs * stretch, np.nan)
            for role, s in solutions.items()
        }
        parts = self._readout.parts(costs, self._alpha(problems))
        yield from self._reduce_all(problems, solutions, parts)

    @property
    def _pairing(self) -> CloudPairing:
        readout, transport = self.settings.readout, self.settings.transport
        return CloudPairing(
            self.hypothesis,
            self.other,
            self.statistics,
            self.compared,
            joint=readout.references == "joint",
            positional=transport.cost == "position",
        )

    @property
    def _solver(self) -> PairSolver:
        typical = self.statistics.typical_cost
        return PairSolver(self.settings.transport, self.settings.readout.drop_flows, typical)

    def _alpha(self, problems: CloudPairs) -> float | NDArray[np.float64]:
        """Return the weight of recall, of all pairs or of each."""
        choice = self.settings.readout
        return lean_alpha(choice.alpha, choice.lean, *problems.sizes) if choice.lean else choice.alpha

    @property
    def _readout(self) -> Readout:
        return READOUTS[self.settings.readout.kind]

    def _reduce_all(
        self,
        problems: CloudPairs,
        solutions: Mapping[str, BatchSolution],
        parts: Mapping[str, NDArray[np.float64]],
    ) -> Iterator[Score]:
        """Make one Score per segment; where nothing has to be chosen, noted or kept, it is read off."""
        plain = problems.comparable & ~problems.noted & (problems.unknown == 0)
        for solution in solutions.values():
            plain = plain & solution.converged & (solution.couplings is None)
        columns = {name: part.tolist() for name, part in parts.items()}
        unknown = problems.unknown.tolist()
        chosen = 0 if self.settings.readout.references == "max" and self.settings.against == "references" else None
        ordinary = plain.tolist()
        for owned in problems.owned:
            i = owned.start
            if owned.stop - i == 1 and ordinary[i]:
                own = self._rescale({name: column[i] for name, column in columns.items()})
                yield Score(own[self._readout.value], own, (), chosen, (), unknown[i])
            else:
                yield self._reduce(problems, solutions, parts, owned)

    def _reduce(
        self,
        problems: CloudPairs,
        solutions: Mapping[str, BatchSolution],
        parts: Mapping[str, NDArray[np.float64]],
        owned: slice,
    ) -> Score:
        """Make one Score of the pairs of one segment (one pair per reference, or one joint pair)."""
        readout, choice = self._readout, self.settings.readout.references
        stated = np.flatnonzero(problems.stated[owned]) + owned.start
        index: int | None = None
        if choice == "mean":
            reduced = {name: float(part[stated].mean()) for name, part in parts.items()}
        else:  # the best reference decides; parts are each at their own best, as in bert-score
            index = (
                find_best(parts[readout.value][stated], higher=readout.higher_is_better) if choice == "max" else None
            )
            reduced = {name: best_value(part[stated], higher=name != "distance") for name, part in parts.items()}
        solver = self._solver
        used = stated.tolist() if index is None else [int(stated[index])]
        alignments = tuple(
            solver.align(role, solution, problems, i)
            for role, solution in solutions.items()
            for i in used
            if solution.couplings is not None
        )
        failed = ~np.logical_and.reduce([solution.converged for solution in solutions.values()])
        notes = problems.notes(used, other=self.settings.against.removesuffix("s"))
        notes += note_missing_pairs(problems, failed, owned, used)
        best = max(self.spec.bounds) if readout.higher_is_better else min(self.spec.bounds)
        if self.baseline is None and abs(reduced[readout.value] - best) <= 1e-6:
            notes += note_unseen(problems, used)
        decided = used[0] - owned.start if index is not None and self.settings.against == "references" else None
        reduced = self._rescale(reduced)
        unknown = float(problems.unknown[used].max())
        return Score(reduced[readout.value], reduced, alignments, decided, notes, unknown)

    def with_baseline(self, baseline: Baseline) -> Self:
        """Return the metric on the scale of *baseline*, where unrelated texts score 0 and a copy 1."""
        low, high = sorted(map(baseline.scale.place, self.spec.bounds))
        spec = dataclasses.replace(self.spec, bounds=(low, high), higher_is_better=True)
        return dataclasses.replace(self, spec=spec, baseline=baseline)

    def _rescale(self, parts: dict[str, float]) -> dict[str, float]:
        """Rescale the parts if there is a baseline; a distance that is not the score itself stays a distance."""
        if self.baseline is None:
            return parts
        kept = {"distance"} - {self._readout.value}
        return {**self.baseline.rescale(parts), **{name: parts[name] for name in kept & parts.keys()}}
