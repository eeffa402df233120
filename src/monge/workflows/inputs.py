"""The texts that a use case works on: named by files, or given as segments."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass
from typing import Any

from monge.engine.inputs import spool_columnar, spool_parallel, spool_table
from monge.engine.spool import SegmentSpool, spool_segments
from monge.environment import Environment
from monge.errors import InputError, OptionError
from monge.metrics.languages import choose_encoders, describe_mismatch, sample_sources, sample_texts
from monge.metrics.protocols import Metric
from monge.metrics.transport.metric import TransportMetric
from monge.metrics.variants import MetricVariant
from monge.text import Segment, TestSet, iter_documents, make_segments, read_parallel, read_table, system_names
from monge.text.captions import are_coco, read_coco


@dataclass(frozen=True)
class TextFiles:
    """Files of texts: one output file per system with references and source, or files with everything.

    Those are one JSONL file, or Parquet or Arrow files that make up one table. ``-`` is standard input.
    ``document_ids`` is a file with one document id per line, beside one output file per system. Raises OptionError when
    several kinds or none are named.
    """

    outputs: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    source: str | None = None
    jsonl: str | None = None
    parquet: tuple[str, ...] = ()
    document_ids: str | None = None

    def __post_init__(self) -> None:
        for flag, named in (("--jsonl", self.jsonl), ("--parquet", self.parquet)):
            if named and (self.references or self.outputs or self.source):
                raise OptionError(f"{flag} names all texts: leave out REF, -i and -s")
            if named and self.document_ids:
                raise OptionError(f"{flag} has document ids in its column document: leave out --docids")
        if self.jsonl and self.parquet:
            raise OptionError("--jsonl and --parquet cannot both name the texts")
        if not self.jsonl and not self.parquet and not self.outputs:
            raise OptionError("no outputs to score: name them with -i HYP (- is standard input), or use --jsonl FILE")

    @property
    def holds_captions(self) -> bool:
        """Whether the files are COCO's: results and annotations in JSON."""
        return (
            not self.jsonl
            and self.source is None
            and self.document_ids is None
            and are_coco(self.outputs, self.references)
        )

    def spool(self) -> list[SegmentSpool]:
        """Read the texts onto disk, one spool per system."""
        if self.holds_captions:
            return [spool_segments(own, name) for name, own in self.read().by_system().items()]
        if self.parquet:
            return spool_columnar(self.parquet)
        if self.jsonl:
            return spool_table(self.jsonl)
        return spool_parallel(self.outputs, self.references, self.source, self.document_ids)

    def read(self) -> TestSet:
        """Read the texts into memory."""
        if self.holds_captions:
            return read_coco(self.outputs, self.references[0])
        if self.parquet:
            return TestSet(tuple(segment for spool in self.spool() for segment in spool))
        if self.jsonl:
            return read_table(self.jsonl)
        return read_parallel(self.outputs, self.references, self.source, self.document_ids)


GivenTexts = str | Iterable[str]
GivenReferences = str | Iterable[str | Iterable[str]]
_TEXT_NAMES = {  # what other packages call texts
    "predictions": "hypotheses", "candidates": "hypotheses", "cands": "hypotheses", "refs": "references",
}  # fmt: skip
Texts = TextFiles | Sequence[SegmentSpool]


def spool_texts(texts: Texts) -> list[SegmentSpool]:
    """Return the systems as spools, reading files if need be."""
    return texts.spool() if isinstance(texts, TextFiles) else list(texts)


def name_same_files(texts: Texts) -> tuple[str, ...]:
    """Return a note for every output file that was given more than once, under whatever path."""
    if not isinstance(texts, TextFiles) or texts.holds_captions:
        return ()
    systems: dict[str, list[str]] = {}
    for path, name in zip(texts.outputs, system_names(texts.outputs), strict=True):
        systems.setdefault(os.path.realpath(path), []).append(name)
    return tuple(
        f"{' and '.join(names)} are the same file, {os.path.basename(file)}"
        for file, names in systems.items()
        if len(names) > 1
    )


def spool_systems(
    systems: Mapping[str, Sequence[str]],
    references: Sequence[str | Sequence[str]] | None = None,
    sources: Sequence[str] | None = None,
) -> list[SegmentSpool]:
    """Return systems that are given as lists of outputs, all for the same references and sources."""
    references = references if references is None or isinstance(references, Sequence) else list(references)
    sources = sources if sources is None or isinstance(sources, Sequence) else list(sources)
    made: dict[str, list[Segment]] = {
        name: make_segments(outputs, references, sources, system=name) for name, outputs in systems.items()
    }
    if not made:
        raise InputError("there is no system")
    for name, segments in made.items():
        if not segments:
            raise InputError(f"system {name!r} has no outputs")
    return [spool_segments(segments, name) for name, segments in made.items()]


def name_texts(
    hypotheses: GivenTexts | None, references: GivenReferences | None, options: Mapping[str, Any]
) -> tuple[GivenTexts, GivenReferences | None, dict[str, Any]]:
    """Return hypotheses, references and the other options, where texts may be given by names of other packages.

    Raises OptionError if there are no hypotheses, or if texts are given twice.

    >>> name_texts(None, None, {"predictions": ["a"], "refs": ["b"], "lang": "en"})
    (['a'], ['b'], {'lang': 'en'})
    """
    rest = dict(options)
    texts: dict[str, Any] = {"hypotheses": hypotheses, "references": references}
    for name, meant in _TEXT_NAMES.items():
        given = rest.pop(name, None)
        if given is not None and texts[meant] is not None:
            raise OptionError(f"{meant} are given twice, once as {name}")
        texts[meant] = texts[meant] if given is None else given
    if texts["hypotheses"] is None:
        raise OptionError("no hypotheses are given: monge.score(hypotheses, references, metric=…)")
    return texts["hypotheses"], texts["references"], rest


def given_segments(
    hypotheses: GivenTexts, references: GivenReferences | None = None, sources: GivenTexts | None = None
) -> list[Segment]:
    """Return the segments of texts given in Python: iterables of one text per segment, or one string each.

    If the hypothesis is one string, *references* are its own: one text or several. Raises InputError if there are no
    texts, or if the lengths differ; the message explains how to turn references in sacrebleu's layout (one list per
    reference file) around.

    >>> [segment.references for segment in given_segments("a", ["b", "c"])]
    [('b', 'c')]
    """
    if isinstance(hypotheses, str):
        own = references if references is None or isinstance(references, str) else list(references)
        alone = sources if sources is None or isinstance(sources, str) else list(sources)
        one = [alone] if isinstance(alone, str) else alone
        return make_segments([hypotheses], None if own is None else [own], one)  # type: ignore[list-item]
    for name, texts in (("references", references), ("sources", sources)):
        if isinstance(texts, str):
            raise InputError(f"{name} are one text, but hypotheses are several: give one per hypothesis")
    hypotheses = list(hypotheses) if isinstance(hypotheses, Iterator) else hypotheses
    given = list(references) if isinstance(references, Iterator) else references
    try:
        segments = make_segments(hypotheses, given, sources)  # type: ignore[arg-type]
    except InputError as error:
        raise InputError(f"{error}{_hint_layout(hypotheses, given)}") from error
    if not segments:
        raise InputError("there are no texts to score: hypotheses is empty")
    return segments


def join_given(segments: Sequence[Segment], document_ids: Iterable[str]) -> list[Segment]:
    """Return the documents that segments make up; *document_ids* has one id per segment.

    Raises InputError if the numbers differ, or if an id is empty or not a text.

    >>> [one.hypothesis for one in join_given(given_segments(["a", "b", "c"]), ["x", "x", "y"])]
    ['a\\nb', 'c']
    """
    ids = [document_ids] if isinstance(document_ids, str) else list(document_ids)
    if len(ids) != len(segments):
        raise InputError(f"{len(segments)} hypotheses but {len(ids)} document ids")
    for number, name in enumerate(ids, start=1):
        if not isinstance(name, str) or not name.strip():
            raise InputError(f"document id {number} must be a text that is not empty, not {name!r}")
    named = (dataclasses.replace(one, document=name) for one, name in zip(segments, ids, strict=True))
    return list(iter_documents(list(named)))


def _hint_layout(hypotheses: GivenTexts, references: GivenReferences | None) -> str:
    """Return advice if the references seem to be in sacrebleu's layout: one list per set of references."""
    if not isinstance(hypotheses, Sized) or not isinstance(references, Sequence) or isinstance(references, str):
        return ""
    several = [one for one in references if isinstance(one, Sequence) and not isinstance(one, str)]
    if several and len(several) == len(references) and all(len(one) == len(hypotheses) for one in several):
        return " (one list per reference file, as in sacrebleu? Turn them around: references=list(zip(*references)))"
    return ""


def warn_of_language(
    metrics: Sequence[Metric],
    systems: Iterable[Sequence[Segment]],
    declared: str,
    *,
    environment: Environment | None = None,
) -> tuple[str, ...]:
    """Return a warning if the texts of a job are in a language that an encoder was not made for."""
    texts = (text for segments in systems for text in sample_texts(segments))
    sources = (text for segments in systems for text in sample_sources(segments))
    mismatch = describe_mismatch(metrics, texts, sources=sources, declared=declared, environment=environment)
    return (mismatch,) if mismatch else ()


def fit_encoders(
    variants: Iterable[MetricVariant], systems: Iterable[Sequence[Segment]], declared: str = ""
) -> tuple[MetricVariant, ...]:
    """Return the metrics with an encoder that knows the language of the texts, where none was chosen."""
    texts = (text for segments in systems for text in sample_texts(segments))
    return choose_encoders(variants, texts, declared=declared)


def fit_encoders_to_parts(
    variants: Sequence[MetricVariant], parts: Iterable[Sequence[Segment]], declared: str = ""
) -> tuple[MetricVariant, ...]:
    """Return the metrics as ``fit_encoders`` does if that is the same for every part of a data set, else unchanged.

    Scores of all parts must come from one encoder to be comparable.
    """
    fitted = [fit_encoders(variants, [segments], declared) for segments in parts if segments]
    chosen = [[(variant.name, variant.options) for variant in one] for one in fitted]
    return fitted[0] if fitted and all(one == chosen[0] for one in chosen) else tuple(variants)


def require_transport(metrics: Sequence[Metric], use: str, example: str) -> TransportMetric:
    """Return the one transport metric among *metrics*; raises OptionError for anything else."""
    if len(metrics) != 1 or not isinstance(metrics[0], TransportMetric):
        raise OptionError(f"{use} takes one transport metric: -m {example}, for example")
    return metrics[0]
