"""One metric for the whole word-mover family: texts → clouds → transport → score."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

import numpy as np
from numpy.typing import NDArray

from monge.clouds import CloudRecipe, IdfModel, PointCloud
from monge.encoders import Encoder, parse_layers
from monge.encoders.prefetch import encode_in_background
from monge.errors import InputError, NotFittedError
from monge.metrics.base import MetricBase, check_needs, iter_checked
from monge.metrics.protocols import MetricSpec
from monge.metrics.transport.baseline import Baseline
from monge.metrics.transport.pairs import CloudPairs
from monge.metrics.transport.readout import PRECISION, READOUTS, RECALL, Readout
from monge.metrics.transport.settings import TransportSettings
from monge.metrics.transport.signature import sign_transport
from monge.scores import Alignment, Score, Signature
from monge.text import Segment
from monge.transport import (
    BatchSolution,
    TransportPlan,
    TransportProblem,
    TransportSetting,
    cost_matrix,
    share_root,
    solve_pairs,
    solve_powered_pairs,
)

CHUNK = 2000  # segments whose vectors are held at once


@dataclass(frozen=True)
class CorpusStatistics:
    """What ``fit`` learned: idf of hypotheses and references (rows, columns), and the encoder's typical cost.

    ``notes`` say what it could not learn.
    """

    idf_hypothesis: IdfModel | None = None
    idf_reference: IdfModel | None = None
    typical_cost: float | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class TransportMetric(MetricBase):
    """A metric that is a transport problem between a hypothesis and a reference.

    value = readout(<C, P*>) with P* = argmin <C,P> + λ_c KL(P1 | a) + λ_r KL(Pᵀ1 | b); see ``TransportSettings``.
    """

    spec: MetricSpec
    settings: TransportSettings
    encoder: Encoder
    statistics: CorpusStatistics = field(default_factory=CorpusStatistics)
    baseline: Baseline | None = None

    @property
    def fitted(self) -> bool:
        weighted = self.settings.weighting == "uniform" or self.statistics.idf_reference is not None
        return weighted and (not self.settings.relative or self.statistics.typical_cost is not None)

    @property
    def fit_notes(self) -> tuple[str, ...]:
        return self.statistics.notes

    def fit(self, corpus: Sequence[Segment]) -> Self:
        if self.statistics.typical_cost is None:
            return self.fit_shared(corpus)._fit_idf(corpus)
        return self._fit_idf(corpus)

    def fit_shared(self, corpus: Sequence[Segment]) -> Self:
        """Bind the typical cost that relative λ are multiples of, so that systems are scored with the same λ."""
        if not self.settings.relative:
            return self
        typical = self._fit_idf(corpus)._typical_cost(corpus)
        return dataclasses.replace(self, statistics=dataclasses.replace(self.statistics, typical_cost=typical))

    def score(self, segments: Sequence[Segment], *, keep_alignments: bool = False) -> list[Score]:
        if not self.fitted:
            raise NotFittedError(f"{self.spec.name} needs corpus statistics: call fit(segments) first, or compute(...)")
        check_needs(self.spec, segments)
        scores: list[Score] = []
        for start in range(0, len(segments), CHUNK):
            scores.extend(self._score_chunk(segments[start : start + CHUNK], keep_alignments))
        return scores

    @property
    def signature(self) -> Signature:
        return sign_transport(self)

    # -- corpus statistics ---------------------------------------------------------------------------------------

    def _fit_idf(self, corpus: Sequence[Segment]) -> Self:
        if self.settings.weighting == "uniform" or self.settings.idf:
            return self
        if self.settings.weighting == "idf" and _have_one_reference(corpus):
            return self._without_idf()
        checked = iter_checked(self.spec, corpus)
        reference_idf = self._count(text for segment in checked for text in segment.references)
        hypothesis_idf = reference_idf
        if self.settings.idf_from == "sides":
            hypothesis_idf = self._count(segment.hypothesis for segment in corpus)
        statistics = dataclasses.replace(self.statistics, idf_hypothesis=hypothesis_idf, idf_reference=reference_idf)
        return dataclasses.replace(self, statistics=statistics)

    def _without_idf(self) -> Self:
        """Return this metric with uniform weights: log((N+1)/(df+1)) of one segment weighs nothing but mismatches."""
        note = "idf cannot be learnt from one segment: uniform weights"
        settings = self.settings.replace({"weighting": "uniform"})
        statistics = dataclasses.replace(self.statistics, notes=(note,))
        return dataclasses.replace(self, settings=settings, statistics=statistics)

    def _count(self, texts: Iterable[str]) -> IdfModel:
        return IdfModel.fit(self._tokenize(texts), encoder=self.encoder.signature)

    def _tokenize(self, texts: Iterable[str]) -> Iterator[tuple[str, ...]]:
        """Tokenise in parts, because a corpus may be larger than the memory."""
        remaining = iter(texts)
        while part := list(itertools.islice(remaining, 4096)):
            yield from self.encoder.tokenize(part)

    def _typical_cost(self, corpus: Sequence[Segment]) -> float:
        """Median of the costs C_ij between tokens with mass, over at most 1,000 pairs of the corpus."""
        check_needs(self.spec, corpus)
        count = sum(len(segment.references) for segment in corpus)
        every = ((segment.hypothesis, reference) for segment in corpus for reference in segment.references)
        pairs = list(itertools.islice(every, 0, None, max(1, -(-count // 1000))))
        left = self._clouds(dict.fromkeys(h for h, _ in pairs), self.statistics.idf_hypothesis)
        right = self._clouds(dict.fromkeys(r for _, r in pairs), self.statistics.idf_reference)
        cost = "cosine" if self.settings.cost == "position" else self.settings.cost
        costs = [cost_matrix(left[h].massive_points, right[r].massive_points, cost).ravel() for h, r in pairs]
        typical = float(np.median(np.concatenate(costs)))
        if typical < 1e-9:  # points are single precision
            raise InputError(
                "the typical cost of these texts is 0, so no penalty can be relative to it: give lambda_unit=absolute"
            )
        return float(typical**self.settings.order)

    # -- scoring -------------------------------------------------------------------------------------------------

    def make_clouds(self, texts: Iterable[str]) -> dict[str, PointCloud]:
        """Return the cloud of every text, weighted as references are."""
        return self._clouds(dict.fromkeys(texts), self.statistics.idf_reference)

    def _clouds(self, texts: Mapping[str, object], idf: IdfModel | None) -> dict[str, PointCloud]:
        layers = parse_layers(self.settings.layers, self.encoder.layers)
        recipe: CloudRecipe = self.settings.recipe
        encoded = encode_in_background(self.encoder, list(texts), layers)
        return {text: recipe.build(one, idf) for text, one in zip(texts, encoded, strict=True)}

    def _score_chunk(self, segments: Sequence[Segment], keep_alignments: bool) -> Iterator[Score]:
        problems = self._pair(segments)
        solutions = {role: self._solve(role, problems, keep_alignments) for role in self._readout.roles}
        stretch = problems.stretch(self.settings.cost)
        costs = {role: np.where(s.converged, s.costs * stretch, np.nan) for role, s in solutions.items()}
        parts = self._readout.parts(costs, self.settings.alpha)
        if self.baseline:
            parts = self.baseline.rescale(parts)
        for owned in problems.owned:
            yield self._reduce(problems, solutions, parts, owned)

    def _pair(self, segments: Sequence[Segment]) -> CloudPairs:
        statistics = self.statistics
        hypotheses = dict.fromkeys(segment.hypothesis for segment in segments)
        references = dict.fromkeys(reference for segment in segments for reference in segment.references)
        if statistics.idf_hypothesis is statistics.idf_reference:
            left = right = self._clouds(hypotheses | references, statistics.idf_reference)
        else:
            left = self._clouds(hypotheses, statistics.idf_hypothesis)
            right = self._clouds(references, statistics.idf_reference)
        return CloudPairs.build(segments, left, right, joint=self.settings.references == "joint")

    @property
    def _readout(self) -> Readout:
        return READOUTS[self.settings.readout]

    def _marginals(self, role: str) -> tuple[float, float]:
        scale = self.statistics.typical_cost if self.settings.relative else 1.0
        assert scale is not None
        named = {"precision": PRECISION, "recall": RECALL}
        return named.get(role, (self.settings.lambda_c * scale, self.settings.lambda_r * scale))

    def _solve(self, role: str, problems: CloudPairs, keep_couplings: bool) -> BatchSolution:
        """Solve all pairs; from and to an empty text all mass moves, or saying nothing would cost nothing."""
        rho_a, rho_b = self._marginals(role)
        setting = TransportSetting(
            cost=self.settings.cost,
            rho_a=rho_a,
            rho_b=rho_b,
            epsilon=self.settings.epsilon if role == "transport" else 0.0,
            regulariser=self.settings.regulariser,
        )
        solution = self._solve_pairs(problems, problems.pairs, setting, keep_couplings)
        if role != "transport" or rho_a == rho_b == math.inf or not problems.empty.any():
            return solution
        whole = dataclasses.replace(setting, rho_a=math.inf, rho_b=math.inf)
        empty = np.flatnonzero(problems.empty)
        return solution.replaced(empty, self._solve_pairs(problems, problems.pairs[empty], whole, keep_couplings))

    def _solve_pairs(
        self, problems: CloudPairs, pairs: NDArray[np.int64], setting: TransportSetting, keep_couplings: bool
    ) -> BatchSolution:
        batch = (problems.left, problems.right, pairs, setting)
        if self.settings.order != 1:
            return solve_powered_pairs(*batch, order=self.settings.order, keep_couplings=keep_couplings)
        return solve_pairs(*batch, keep_couplings=keep_couplings)

    def _reduce(
        self,
        problems: CloudPairs,
        solutions: Mapping[str, BatchSolution],
        parts: Mapping[str, NDArray[np.float64]],
        owned: slice,
    ) -> Score:
        """Make one Score of the pairs of one segment (one pair a reference, or one joint pair)."""
        readout = self._readout
        values = parts[readout.value][owned]
        index: int | None = None
        if self.settings.references == "mean":
            reduced = {name: float(part[owned].mean()) for name, part in parts.items()}
        else:  # the best reference decides; parts are each at their own best, as in bert-score
            best = np.argmax if readout.higher_is_better else np.argmin
            values = np.where(np.isnan(values), -np.inf if readout.higher_is_better else np.inf, values)
            index = int(best(values)) if self.settings.references == "max" else None
            reduced = {name: _best(part[owned], name) for name, part in parts.items()}
        used = range(owned.start, owned.stop) if index is None else (owned.start + index,)
        notes = problems.notes(used)
        failed = ~np.logical_and.reduce([solution.converged for solution in solutions.values()])
        if failed[list(used)].any():
            notes = (*notes, "no score: transport did not converge")
        elif failed[owned].any():
            notes = (*notes, f"{failed[owned].sum()} of {values.size} references left out: transport did not converge")
        alignments = tuple(
            self._alignment(role, solution, problems, i)
            for role, solution in solutions.items()
            for i in used
            if solution.couplings is not None
        )
        return Score(reduced[readout.value], reduced, alignments, index, notes)

    def _alignment(self, role: str, solution: BatchSolution, problems: CloudPairs, i: int) -> Alignment:
        hypothesis, reference = problems.clouds(i)
        rho_a, rho_b = self._marginals(role)
        if role == "transport" and problems.empty[i]:
            rho_a = rho_b = math.inf
        cost = cost_matrix(hypothesis.points, reference.points, self.settings.cost)
        cost = cost * problems.stretch(self.settings.cost)[i]
        problem = TransportProblem(cost, hypothesis.weights, reference.weights, rho_a, rho_b)
        assert solution.couplings is not None
        if self.settings.order != 1:
            problem = share_root(problem, solution.couplings[i], self.settings.order)
        plan = TransportPlan(problem, solution.couplings[i], int(solution.iterations[i]), bool(solution.converged[i]))
        return Alignment(hypothesis, reference, plan, role)


def _have_one_reference(corpus: Sequence[Segment]) -> bool:
    segments = iter(corpus)
    first = next(segments, None)
    return first is not None and all(segment.references == first.references for segment in segments)


def _best(values: NDArray[np.float64], part: str) -> float:
    known = values[~np.isnan(values)]
    if not known.size:
        return math.nan
    return float(known.min() if part == "distance" else known.max())
