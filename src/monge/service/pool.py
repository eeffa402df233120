"""Loaded metrics and encoders, shared by all requests; the choices of a request are checked here."""

from __future__ import annotations

import dataclasses
import inspect
import json
import math
import threading
import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any

from monge.encoders import Encoder, load_encoder
from monge.encoders.base import Identified
from monge.encoders.models import ENCODER_MODELS, locate_model
from monge.encoders.recent import RecentEncoder
from monge.environment import Environment
from monge.errors import ModelError, MongeError, suggest
from monge.metrics import Metric, MetricSpec, find_spec, load_metric, metric_options, metric_specs
from monge.metrics.lexical.sacrebleu import tokenizer_model
from monge.metrics.variants import parse_variants
from monge.service.settings import RefusalError, ServiceSettings, unusable

KEPT = 32  # metrics with different options
LOOK = 10.0  # seconds between looks for models on this machine
LONGEST_OPTION = 100  # characters; no valid value is longer

# options with text values that name no file, device or model
TEXT_OPTIONS = frozenset(
    {
        "against", "against_layers", "aggregation", "cost", "drop", "idf_from", "lambda_unit", "language", "layers",
        "massless", "pooling", "reading", "readout", "references", "regulariser", "smooth_method", "tokenize",
        "weighting",
    }
)  # fmt: skip

LARGEST = {"n": 9.0}  # n-grams of NIST, which are kept in memory
LEAST = {"epsilon": 0.001}  # or 0; smaller values take minutes


class MetricPool:
    """Loads metrics and encoders on first use and keeps those used most recently."""

    def __init__(self, settings: ServiceSettings, environment: Environment) -> None:
        self._settings = settings
        self._environment = environment
        self._lock = threading.Lock()  # of the tables below; never held while something is loaded
        self._loading: dict[str, threading.Lock] = {}
        self._metrics: OrderedDict[str, Metric] = OrderedDict()
        self._encoders: dict[str, Encoder] = {}
        self._unobstructed: set[str] = set()  # metrics that were found to run here
        self._found: tuple[float, list[str] | None] = (0.0, None)  # when models were looked for, and those there are

    def encoders(self) -> list[str]:
        """Return the names of the encoders that requests may choose."""
        if self._settings.encoders is not None:
            return list(self._settings.encoders)
        looked, found = self._found
        if found is None or time.monotonic() - looked > LOOK:
            found = [spec.name for spec in ENCODER_MODELS if locate_model(spec, self._environment) is not None]
            self._found = (time.monotonic(), found)
        return list(found)

    def add_encoder(self, name: str, encoder: Encoder) -> None:
        """Offer an encoder object under a name, if the settings allow that name."""
        self._encoders[name] = encoder

    def preload(self, metrics: Sequence[str]) -> None:
        """Load *metrics* and the encoders that the settings name, before the first request.

        Raises a MongeError for the first that is unknown or cannot be loaded.
        """
        for name in self._settings.encoders or ():
            self._encoder(name, "encoders")
        for variant in parse_variants(metrics):
            self.load(variant.name, variant.options)

    def load(self, name: str, options: Mapping[str, Any], field: str = "metric", *, fetch: bool = True) -> Metric:
        """Return a metric; raise a RefusalError that names the field of the request if it cannot be offered.

        Without *fetch* a model that is not on this machine is such a reason.
        """
        try:
            find_spec(name)
        except MongeError as error:
            raise unusable(str(error), f"{field}.name") from error
        key = json.dumps([name, dict(options)], sort_keys=True, default=str)
        known = self._look_up(key)
        if known is not None:
            return known
        with self._loading_of(f"metric {name}"):  # other metrics can be loaded meanwhile
            known = self._look_up(key)
            if known is None:
                known = self._load(name, options, field, fetch=fetch)
                with self._lock:
                    self._metrics[key] = known
                    while len(self._metrics) > KEPT:
                        self._metrics.popitem(last=False)
        return known

    def _look_up(self, key: str) -> Metric | None:
        with self._lock:
            if key in self._metrics:
                self._metrics.move_to_end(key)
            return self._metrics.get(key)

    def _loading_of(self, what: str) -> threading.Lock:
        """Return the lock for loading *what*; there is one per metric and encoder on offer, so they stay few."""
        with self._lock:
            return self._loading.setdefault(what, threading.Lock())

    def _load(self, name: str, options: Mapping[str, Any], field: str, *, fetch: bool) -> Metric:
        known = offered_options(name)
        for key in options:
            if key != "encoder" and key not in known:
                listed = ", ".join(known) or "none"
                raise unusable(
                    f"{name} has no option {key!r}{suggest(key, known)} here; its options are {listed}",
                    f"{field}.options.{key}",
                )
        chosen: dict[str, Any] = {key: _as_text(value) for key, value in options.items()}
        for key, text in chosen.items():
            _check_value(key, text, f"{field}.options.{key}")
        parameter = metric_options(name).get("encoder")
        if parameter is not None:
            chosen["encoder"] = self._encoder(str(options.get("encoder") or parameter.default), field)
        elif "encoder" in chosen:
            raise unusable(f"{name} uses no encoder", f"{field}.options.encoder")
        try:
            environment = self._environment if fetch else dataclasses.replace(self._environment, offline=True)
            return load_metric(name, environment=environment, **chosen)
        except ModelError as error:  # not the request's fault: other metrics still answer
            raise RefusalError(503, str(error)) from error
        except MongeError as error:
            raise unusable(str(error), f"{field}.options") from error

    def _encoder(self, name: str, field: str) -> Encoder:
        offered = self.encoders()
        if not name and offered:  # an ensemble leaves the choice to its members, which share one encoder here
            name = offered[0]
        if name not in offered:
            raise unusable(
                f"encoder {name!r} is not offered here; choose from: {', '.join(offered) or 'none'}",
                f"{field}.options.encoder",
            )
        with self._loading_of(f"encoder {name}"):
            if name not in self._encoders:
                try:
                    self._encoders[name] = self._load_encoder(name)
                except MongeError as error:
                    raise RefusalError(503, str(error)) from error
            return self._encoders[name]

    def _load_encoder(self, name: str) -> Encoder:
        """Return an encoder in the number format of the settings, with a memory; word vectors need neither."""
        kind = next((spec.kind for spec in ENCODER_MODELS if name in (spec.name, spec.title)), "")
        if kind == "word vectors":
            return load_encoder(name, environment=self._environment)
        encoder = load_encoder(name, dtype=self._settings.dtype, environment=self._environment)
        if not self._settings.memory_bytes or not isinstance(encoder, Identified):
            return encoder
        return RecentEncoder(encoder, most=self._settings.memory_bytes)

    def find_obstacle(self, spec: MetricSpec) -> str:
        """Return why a metric cannot run here by its defaults (no encoder, no WordNet), or nothing.

        A metric without encoder is loaded to find out, but nothing is fetched for that.
        """
        encoder = metric_options(spec.name).get("encoder")
        if encoder is not None:
            offered, name = self.encoders(), str(encoder.default)
            if not offered:
                return "no encoder is on this machine: fetch one with `monge models`"
            return "" if not name or name in offered else f"its encoder {name} is not on this machine: choose another"
        with self._loading_of(f"obstacle of {spec.name}"):
            if spec.name not in self._unobstructed:
                try:
                    self.load(spec.name, {}, fetch=False)
                except MongeError as error:
                    return str(error)  # asked again the next time: what is missing may have been fetched by then
                self._unobstructed.add(spec.name)
            return ""

    def metrics(self) -> list[tuple[MetricSpec, dict[str, inspect.Parameter]]]:
        """Return every metric with the options that requests may set."""
        return [(spec, offered_options(spec.name)) for spec in metric_specs().values()]


def offered_options(name: str) -> dict[str, inspect.Parameter]:
    """Return the options of a metric that any client may set: numbers, switches, named choices."""
    return {
        key: parameter
        for key, parameter in metric_options(name).items()
        if isinstance(parameter.default, bool | int | float) or key in TEXT_OPTIONS
    }


def _check_value(key: str, text: str, field: str) -> None:
    """Refuse values that would fetch a model or need too much time or memory."""
    if len(text) > LONGEST_OPTION:
        raise unusable(f"a value of {len(text):,} characters; at most {LONGEST_OPTION} are allowed", field)
    if key == "tokenize" and tokenizer_model(text) is not None:
        raise unusable(f"the tokenizer {text} needs a model, which is not offered here", field)
    try:
        number = float(text)
    except ValueError:
        return
    if number > LARGEST.get(key, math.inf):
        raise unusable(f"{text} is too large: at most {LARGEST[key]:g} is allowed here", field)
    if 0 < number < LEAST.get(key, 0.0):
        raise unusable(f"{text} is too small: 0, or at least {LEAST[key]:g}, is allowed here", field)


def _as_text(value: object) -> str:
    """Return a JSON scalar as the text that the registry reads by the option's own type."""
    return str(value).lower() if isinstance(value, bool) else str(value)
