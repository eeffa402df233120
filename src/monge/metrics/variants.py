"""A metric with options in one line of text: ``bertscore,encoder=mpnet,order=4``."""

from __future__ import annotations

import inspect
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from monge.encoders.registry import is_transformer
from monge.environment import Environment
from monge.errors import OptionError
from monge.metrics.aliases import hint_option, note_metric, note_option, resolve_option
from monge.metrics.external_spec import PREFIX, external_label
from monge.metrics.protocols import Metric, refuse_scale
from monge.metrics.registry import find_spec, load_metric, metric_options, metric_specs

OPTIONAL_OPTIONS = ("language", "long")  # options of all metrics that need not fit any of them
_NEXT_OPTION = re.compile(r",(?=\w+=)")


@dataclass(frozen=True)
class MetricVariant:
    """A metric with options; ``label`` is what tables call it, ``notes`` say what other packages call things."""

    label: str
    name: str
    options: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return the variant as it is written: ``LABEL:=NAME,key=value``."""
        return f"{self.label}:=" + ",".join([self.name, *(f"{key}={value}" for key, value in self.options.items())])

    def load(self, environment: Environment | None = None) -> Metric:
        """Return the metric."""
        return load_metric(self.name, environment=environment, **self.options)


def parse_variant(text: str, shared: Mapping[str, Any] | None = None) -> MetricVariant:
    """Read ``NAME``, ``NAME,key=value,key=value`` or ``LABEL:=NAME,key=value``.

    Options of *shared* are added where the metric has them and does not set them itself. Raises OptionError for an
    unknown metric.

    >>> parse_variant("bertscore,encoder=mpnet,aggregation=pmeans:1,inf").options
    {'encoder': 'mpnet', 'aggregation': 'pmeans:1,inf'}
    >>> parse_variant("greedy:=bertscore,layers=7").label
    'greedy'
    """
    label, mark, rest = text.partition(":=")
    if mark and not label.strip():
        raise OptionError(f"metric {text!r}: a label must stand before :=")
    name, *pairs = _NEXT_OPTION.split(rest if mark else text)
    if "," in name and not name.startswith(PREFIX):
        wrong = name.partition(",")[2]
        raise OptionError(f"metric {text!r}: write options as option=value, not {wrong!r}")
    own: dict[str, Any] = {}
    for key, value in (pair.split("=", 1) for pair in pairs):
        if own.setdefault(key, value) != value:
            raise OptionError(f"metric {text!r}: {key} is given twice, as {own[key]!r} and as {value!r}")
    if name.startswith(PREFIX) and not mark:
        label = external_label(name, own)
    variant = MetricVariant(label if mark or name.startswith(PREFIX) else text, find_spec(name).name)
    notes = (note_metric(name, variant.name),)
    return add_options(replace(variant, notes=tuple(filter(None, notes))), own, shared or {})


def add_options(variant: MetricVariant, own: Mapping[str, Any], shared: Mapping[str, Any]) -> MetricVariant:
    """Return the variant with options of its *own*, which win, and those of *shared* that it has.

    Names of other packages are replaced by ours, with a note. Raises OptionError if two of them mean the same, and for
    an own option that does nothing with the encoder.
    """
    known = metric_options(variant.name)
    chosen: dict[str, Any] = {}
    notes = list(variant.notes)
    for given, raw in own.items():
        key, value = resolve_option(given, raw, known)
        if key in chosen:
            raise OptionError(f"metric {variant.label!r}: {key} is given twice, once as {given}")
        chosen[key] = value
        notes += [note_option(given, key, value)] if key != given else []
    for given, raw in shared.items():
        key, value = resolve_option(given, raw, known)
        if key in known and key not in chosen and key not in variant.options:
            chosen[key] = value
            notes += [note_option(given, key, value)] if key != given else []
    options = {**variant.options, **chosen}
    if "dtype" in chosen and not _computes_vectors(options, known):
        if "dtype" in {resolve_option(given, raw, known)[0] for given, raw in own.items()}:
            raise OptionError(f"metric {variant.label!r}: dtype is for transformers, not for word vectors")
        del options["dtype"]
    return replace(variant, options=options, notes=tuple(dict.fromkeys(filter(None, notes))))


def parse_variants(
    texts: Sequence[str], shared: Mapping[str, Any] | None = None, *, optional: Collection[str] = ()
) -> list[MetricVariant]:
    """Read several metrics; a metric that is named twice counts once.

    An option of *shared* must fit at least one of them, unless it is *optional*. Raises OptionError if it does not, or
    if two different metrics have the same label.
    """
    variants = [parse_variant(text, shared) for text in dict.fromkeys(texts)]
    if variants:
        variants = _check_shared(shared or {}, variants, optional)
    for variant in variants:
        if sum(other.label == variant.label for other in variants) > 1:
            raise OptionError(f"two metrics are called {variant.label!r}: label one, as in LABEL:={variant.name}")
    return variants


def gather_notes(variants: Iterable[MetricVariant]) -> tuple[str, ...]:
    """Return the notes of several metrics, each once."""
    return tuple(dict.fromkeys(note for variant in variants for note in variant.notes))


def _computes_vectors(options: Mapping[str, Any], known: Mapping[str, inspect.Parameter]) -> bool:
    """Whether a transformer computes the vectors of a metric; a metric without an encoder of its own may have parts."""
    encoder = options.get("encoder", known["encoder"].default if "encoder" in known else "")
    return not encoder or is_transformer(encoder)


def _check_shared(
    shared: Mapping[str, Any], variants: Sequence[MetricVariant], optional: Collection[str]
) -> list[MetricVariant]:
    """Return the metrics, with a note on those that do not use an option of the others.

    Raises OptionError for an option that none of them uses.
    """
    known = {key for variant in variants for key in metric_options(variant.name)}
    noted = list(variants)
    for given, value in shared.items():
        key, value = resolve_option(given, value, known)
        meant, _ = resolve_option(given, value, optional)
        if meant in optional:
            continue
        idle = [variant for variant in variants if key not in variant.options]
        if len(idle) == len(variants):
            raise _unused(key, value, variants, known)
        note = f"{key}={value} is not used by {', '.join(variant.label for variant in idle)}"
        noted = [replace(one, notes=(*one.notes, note)) if key not in one.options else one for one in noted]
    return noted


def _unused(key: str, value: Any, variants: Sequence[MetricVariant], known: Collection[str]) -> OptionError:
    names = ", ".join(dict.fromkeys(variant.name for variant in variants))
    if key == "rescale":
        return refuse_scale(find_spec(variants[0].name))
    if key in known:
        return OptionError(f"{key}={value} has no effect on the vectors of {names}")
    misspelt = not any(key in metric_options(name) for name in metric_specs())
    near = hint_option(key, known) if misspelt else ""
    return OptionError(f"no option {key!r}{near} in {names}; `monge metrics NAME` lists options")
