"""Measuring what metrics miss: damaged texts that they do not notice, paraphrases that they do not recognise."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from monge.environment import Environment
from monge.explanation.paraphrases import ParaphraseTrial, Preference, find_trials
from monge.explanation.stress import StressResult, own_pairs, run_stress
from monge.explanation.triples import Overlap, TripleScores, measure_overlap, read_triples, score_triples
from monge.meta.data.locate import data_folders
from monge.metrics.variants import MetricVariant, gather_notes
from monge.text import Segment
from monge.workflows.inputs import fit_encoders, warn_of_language
from monge.workflows.score import DEFAULT_METRIC

MOST_TRIPLES = 300  # of a public data set


@dataclass(frozen=True)
class StressRequest:
    """Metrics to test, and on what.

    ``texts`` are good outputs with references (default: the 40 pairs that come with monge), ``attacks`` the kinds of
    damage (default: all), ``triples`` a file of A, paraphrase B, non-paraphrase C. With the defaults, public sets of
    paraphrases in the data folders of the environment are tried too. ``language`` is the code of the language of the
    texts, if it is known.
    """

    metrics: tuple[MetricVariant, ...] = (MetricVariant(DEFAULT_METRIC, DEFAULT_METRIC),)
    texts: tuple[Segment, ...] = ()
    attacks: tuple[str, ...] = ()
    triples: str = ""
    seed: int = 12345
    language: str = ""


@dataclass(frozen=True, eq=False)
class StressReport:
    """One result per metric, and the preferences of all metrics in each trial with paraphrases.

    ``scores`` are those of trials with triples, by trial and metric. ``warnings`` concern all metrics.
    """

    results: tuple[StressResult, ...]
    trials: tuple[ParaphraseTrial, ...]
    preferences: Mapping[str, Sequence[Preference]]
    scores: Mapping[str, Sequence[TripleScores]] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    def overlaps(self) -> dict[str, Overlap]:
        """Return, for every trial with triples, how many words paraphrases and the others share with A."""
        return {trial.name: measure_overlap(trial.triples) for trial in self.trials if trial.triples}

    def records(self) -> list[dict[str, object]]:
        """Return plain JSON values, one object per metric."""
        records = []
        overlaps = self.overlaps()
        for place, result in enumerate(self.results):
            own = {
                name: found[place].record() | ({"overlap": asdict(overlaps[name])} if name in overlaps else {})
                for name, found in self.preferences.items()
            }
            records.append(result.record() | ({"paraphrases": own} if own else {}))
        return records


def run_stress_test(
    request: StressRequest,
    *,
    environment: Environment | None = None,
    report_step: Callable[[int, int], object] | None = None,
) -> StressReport:
    """Test every metric; *report_step* is called with the number of steps that are done and of all there are."""
    environment = environment or Environment.read()
    trials = gather_trials(request, environment)
    pairs = list(request.texts) or own_pairs()
    variants = fit_encoders(request.metrics, [pairs], request.language)
    total, done = len(variants) * (1 + len(trials)), 0
    results: list[StressResult] = []
    preferences: dict[str, list[Preference]] = {trial.name: [] for trial in trials}
    scores: dict[str, list[TripleScores]] = {}
    metrics = []
    step = report_step or (lambda done, total: None)
    for variant in variants:
        step(done, total)
        metric = variant.load(environment)
        metrics.append(metric)
        results.append(run_stress(metric, pairs, request.attacks, seed=request.seed))
        for trial in trials:
            found = score_triples(metric, trial.triples, label=variant.label) if trial.triples else None
            preferences[trial.name].append(trial.run(metric) if found is None else Preference.of(found.rate))
            if found is not None:
                scores.setdefault(trial.name, []).append(found)
        done += 1 + len(trials)
    step(done, total)
    warnings = warn_of_language(metrics, [pairs], request.language, environment=environment)
    return StressReport(tuple(results), tuple(trials), preferences, scores, (*gather_notes(variants), *warnings))


def gather_trials(request: StressRequest, environment: Environment) -> list[ParaphraseTrial]:
    """Return the file of triples and, with the defaults, the public sets in the data folders."""
    found = []
    if request.triples:
        what = "paraphrase above non-paraphrase"
        found.append(ParaphraseTrial(Path(request.triples).name, what, triples=read_triples(request.triples)))
    if not (request.attacks or request.texts):
        found += [trial.spread(MOST_TRIPLES) for trial in find_trials(data_folders(environment))]
    return found
