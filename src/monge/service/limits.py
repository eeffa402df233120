"""Checks of a request against the limits of the service, before any work is done."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from monge.metrics import Metric, find_spec, metric_specs
from monge.service.messages import CompareBody, ExplainBody, MetricChoice, ScoreBody, SegmentText
from monge.service.settings import ServiceSettings, too_large, unusable
from monge.service.worker import SLICE
from monge.text import Segment, word_spans
from monge.wording import count_noun

# words in a text, for metrics whose time grows faster than the text
MOST_WORDS = {"cubic": 100}
EXPLAINED_WORDS = {True: 1_000, False: 300}  # by whether the metric aligns; if not, each word needs a further score
EXPLAINED_PAIRS = 250_000


def pace_of(metric: Metric) -> int:
    """Return how many characters a metric may score in a round; a slow one gets one segment."""
    return 1 if metric.spec.growth in MOST_WORDS else SLICE


def check_words(metric: Metric, segments: Sequence[Segment], field: str) -> None:
    """Refuse texts of more words, as the metric itself counts them, than a slow metric can score."""
    most = MOST_WORDS.get(metric.spec.growth)
    if most is None:
        return
    texts = (text for segment in segments for text in (segment.hypothesis, *segment.references))
    longest = max(map(metric.count_words, texts))
    if longest > most:
        raise too_large(f"a text of {longest:,} words; {metric.spec.name} allows at most {most} here", field)


def check_score(request: ScoreBody, limits: ServiceSettings) -> None:
    """Refuse too many metrics, segments, references or characters."""
    _check_metrics(request.metrics, limits)
    _check_segments({f"segments[{i}]": segment for i, segment in enumerate(request.segments)}, limits)


def check_explain(request: ExplainBody, limits: ServiceSettings) -> None:
    """Refuse too many references, characters or words: an explanation contains every pair of words."""
    most = EXPLAINED_WORDS[request.metric.name in metric_specs() and find_spec(request.metric.name).explains]
    _check_segments({"segment": request.segment}, limits)
    texts = {"hypothesis": request.segment.hypothesis}
    texts |= {f"references[{i}]": text for i, text in enumerate(request.segment.references)}
    for name, text in texts.items():
        if (count := len(word_spans(text))) > most:
            reason = f"a text of {count:,} words; at most {most:,} can be explained"
            raise too_large(reason, f"segment.{name}")
    hypothesis, *references = (len(word_spans(text)) for text in texts.values())
    if hypothesis * sum(references) > EXPLAINED_PAIRS:
        reason = (
            f"{count_noun(hypothesis, 'word')} against {sum(references)} in "
            f"{count_noun(len(references), 'reference')} are too many pairs"
        )
        raise too_large(f"{reason}; at most {EXPLAINED_PAIRS:,} can be explained", "segment.references")


def check_compare(request: CompareBody, limits: ServiceSettings) -> None:
    """Refuse too many metrics, systems, lines or characters, and files of different lengths."""
    _check_metrics(request.metrics, limits)
    if len(request.systems) > limits.systems:
        raise too_large(f"{len(request.systems)} systems; at most {limits.systems} can be compared here", "systems")
    if len(request.references) > limits.references:
        raise too_large(
            f"{len(request.references)} reference files; at most {limits.references} are allowed", "references"
        )
    columns = list(_columns(request))
    first_name, first = columns[0]
    for name, lines in columns:
        if len(lines) > limits.segments:
            raise too_large(f"{len(lines)} lines; at most {limits.segments} are allowed", name)
        if len(lines) != len(first):
            raise unusable(f"{count_noun(len(lines), 'line')}, but {first_name} has {len(first)}", name)
    if not first:
        raise unusable("there are no lines to compare", first_name)
    for name, lines in request.systems.items():
        for i, (line, *references) in enumerate(zip(lines, *request.references, strict=True)):
            _check_pairs(line, references, limits, f"systems.{name}[{i}]")
    texts = [(f"{name}[{i}]", line) for name, lines in columns for i, line in enumerate(lines)]
    _check_texts(texts, limits)


def _columns(request: CompareBody) -> Iterator[tuple[str, Sequence[str]]]:
    yield from ((f"systems.{name}", lines) for name, lines in request.systems.items())
    yield from ((f"references[{i}]", lines) for i, lines in enumerate(request.references))
    if request.sources is not None:
        yield "sources", request.sources


def _check_metrics(metrics: Sequence[MetricChoice], limits: ServiceSettings) -> None:
    if len(metrics) > limits.metrics:
        raise too_large(f"{len(metrics)} metrics; at most {limits.metrics} are allowed at once", "metrics")


def _check_segments(segments: Mapping[str, SegmentText], limits: ServiceSettings) -> None:
    if len(segments) > limits.segments:
        raise too_large(f"{len(segments)} segments; at most {limits.segments} are allowed at once", "segments")
    texts: list[tuple[str, str]] = []
    for field, segment in segments.items():
        if len(segment.references) > limits.references:
            reason = f"{len(segment.references)} references; at most {limits.references} are allowed"
            raise too_large(reason, f"{field}.references")
        _check_pairs(segment.hypothesis, segment.references, limits, field)
        texts.append((f"{field}.hypothesis", segment.hypothesis))
        texts += [(f"{field}.references[{k}]", text) for k, text in enumerate(segment.references)]
        if segment.source is not None:
            texts.append((f"{field}.source", segment.source))
    _check_texts(texts, limits)


def _check_pairs(hypothesis: str, references: Sequence[str], limits: ServiceSettings, field: str) -> None:
    """Refuse a segment that would block all others: it is scored in one piece, and its time grows with its pairs."""
    against = sum(map(len, references))
    if len(hypothesis) * against > limits.text_characters**2 / 2:
        reason = (
            f"{count_noun(len(hypothesis), 'character')} against "
            f"{against:,} in {count_noun(len(references), 'reference')}"
        )
        raise too_large(f"{reason}; use fewer or shorter references for a long text", field)


def _check_texts(texts: Sequence[tuple[str, str]], limits: ServiceSettings) -> None:
    total = 0
    for name, text in texts:
        total += len(text)
        if len(text) > limits.text_characters:
            reason = f"a text of {len(text):,} characters; at most {limits.text_characters:,} are allowed"
            raise too_large(reason, name)
    if total > limits.total_characters:
        raise too_large(f"{total:,} characters in total; at most {limits.total_characters:,} are allowed at once")
