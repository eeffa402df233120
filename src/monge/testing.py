"""Assertions on the quality of generated text, for pytest and other test runners.

from monge.testing import assert_not_worse, assert_scores

def test_new_prompt_is_not_worse():
    assert_not_worse(new_outputs, old_outputs, references, metrics=["chrf", "bertscore"])

def test_summaries_are_good():
    assert_scores(outputs, references, bertscore=0.85, rougeL=0.4)
"""

from __future__ import annotations

from collections.abc import Sequence

from monge.comparison import CompareSettings
from monge.engine.job import JobOptions
from monge.engine.spool import spool_segments
from monge.environment import Environment
from monge.errors import OptionError
from monge.metrics.variants import parse_variants
from monge.workflows.compare import CompareRequest, run_compare
from monge.workflows.gate import GateCheck, check_baseline, check_thresholds
from monge.workflows.inputs import GivenReferences, GivenTexts, given_segments
from monge.workflows.score import DEFAULT_METRIC, ScoreRequest, run_score


def assert_not_worse(
    new: GivenTexts,
    old: GivenTexts,
    references: GivenReferences | None = None,
    *,
    metrics: str | Sequence[str] = DEFAULT_METRIC,
    sources: GivenTexts | None = None,
    alpha: float = 0.05,
    test: str = "sign",
    environment: Environment | None = None,
) -> None:
    """Raise AssertionError if *new* outputs are significantly worse than *old* ones by any of the metrics.

    Parameters
    ----------
    new, old, references, sources
        Texts, one per input, in the same order.
    metrics
        One metric or several, with options as on the command line.
    alpha, test
        The level and the test that decides (``sign``, ``wilcoxon``, ``t``, ``randomisation``, ``bootstrap``, ``mood``).

    Raises
    ------
    AssertionError
        With one sentence per metric that finds the new outputs worse.
    MongeError
        If the texts cannot be scored, or are too few for the test to find anything.

    >>> reference = [f"the boy saw {n} dogs in the rain" for n in range(8)]
    >>> assert_not_worse(reference, [text[:9] for text in reference], reference, metrics="chrf")
    >>> assert_not_worse([text[:9] for text in reference], reference, reference, metrics="chrf")
    Traceback (most recent call last):
    ...
    AssertionError: new is worse than old by chrf: old beats new: better on 100 % of 8 instances ...
    """
    kept = references if references is None or isinstance(references, str) else list(references)
    given = sources if sources is None or isinstance(sources, str) else list(sources)
    systems = {"old": given_segments(old, kept, given), "new": given_segments(new, kept, given)}
    spools = [spool_segments(segments, name) for name, segments in systems.items()]
    variants = parse_variants([metrics] if isinstance(metrics, str) else metrics)
    if not variants:
        raise OptionError("metrics is empty: name at least one metric")
    settings = CompareSettings(alpha=alpha, decide_by=test)
    result = run_compare(CompareRequest(spools, tuple(variants), settings=settings), environment=environment)
    _raise_failures(check_baseline(result, "old"), "new is worse than old by {metric}: {message}")


def assert_scores(
    hypotheses: GivenTexts,
    references: GivenReferences | None = None,
    *,
    sources: GivenTexts | None = None,
    environment: Environment | None = None,
    **thresholds: float,
) -> None:
    """Raise AssertionError if a score of the whole set is worse than its threshold.

    *thresholds* are given by metric (``bertscore=0.85``; ``**{"bertscore,layers=5": 0.8}`` with options). Where lower
    is better (``ter``), the threshold is the most that is allowed.

    >>> assert_scores(["a b c d"], ["a b c d"], bleu=90, ter=10)
    >>> assert_scores(["a b c d"], ["x y"], chrf=50)
    Traceback (most recent call last):
    ...
    AssertionError: chrf: 0.00 is not at least 50
    """
    if not thresholds:
        raise OptionError("no threshold: name a metric and its threshold, as in bertscore=0.85")
    variants = tuple(parse_variants(list(thresholds)))
    spool = spool_segments(given_segments(hypotheses, references, sources), "outputs")
    request = ScoreRequest([spool], variants, JobOptions(progress=False))
    checks = check_thresholds(run_score(request, environment=environment).systems, thresholds)
    _raise_failures(checks, "{metric}: {message}")


def _raise_failures(checks: Sequence[GateCheck], form: str) -> None:
    __tracebackhide__ = True  # pytest then points at the call
    failed = [form.format(metric=check.metric, message=check.message) for check in checks if not check.passed]
    if failed:
        raise AssertionError("\n".join(failed))
