"""How another process makes the metric of a job: by name, options and corpus statistics; no model travels."""

from __future__ import annotations

import dataclasses
import importlib.metadata
import os
import pickle
import platform
import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from monge.environment import Environment
from monge.errors import ModelError, OptionError
from monge.metrics.protocols import Counting, Metric
from monge.metrics.variants import MetricVariant
from monge.storage.identity import stated_identity
from monge.version import __version__

_PLAIN = (str, bool, int, float, type(None), os.PathLike)
_KEPT = 16  # metrics in a worker; their encoders are shared
_COUNTED = ("numpy", "onnxruntime", "tokenizers")  # libraries whose version can change a number


class Work(NamedTuple):
    """A metric of a job: its label, the metric, and by what another process can load it (None: only this one can)."""

    label: str
    metric: Metric
    variant: MetricVariant | None = None

    def rebound(self, metric: Metric) -> Work:
        """Return this work with another state of the same metric."""
        return self._replace(metric=metric)


def describe_versions() -> dict[str, str]:
    """Return the versions that must be the same wherever parts of a job run."""
    found = {"monge": __version__, "Python": ".".join(platform.python_version_tuple()[:2])}
    for package in _COUNTED:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            found[package] = "absent"
    return found


def check_versions(here: Mapping[str, str], there: Mapping[str, str], where: str) -> None:
    """Raise OptionError with both versions if *there* differs from *here*."""
    for name, version in here.items():
        other = there.get(name, "absent")
        if other != version:
            raise OptionError(f"{where} has {name} {other}, but this job was started with {name} {version}")


@dataclass(frozen=True)
class MetricRecipe:
    """A metric as it travels.

    ``statistics`` are what a ``Counting`` metric was bound to; ``identity`` is compared with that of the metric that
    the other process makes. With ``local`` it uses the *environment* of the job, else its own MONGE_* variables, with
    the same choice of what is cached and how.
    """

    name: str
    options: Mapping[str, Any]
    statistics: Any
    identity: str | None
    versions: Mapping[str, str]
    environment: Environment
    local: bool

    def pack(self) -> bytes:
        return pickle.dumps(self)

    def make(self) -> Metric:
        """Return the metric; raise if what is installed here would make another."""
        check_versions(self.versions, describe_versions(), f"the worker on {platform.node() or 'this machine'}")
        metric = MetricVariant(self.name, self.name, self.options).load(self._find_environment())
        if self.statistics is not None:
            assert isinstance(metric, Counting)
            metric = metric.with_statistics(self.statistics)
        if stated_identity(metric) != self.identity:
            raise ModelError(
                f"{self.name} on {platform.node() or 'a worker'} is not the metric of this job (other weights, data or "
                f"versions): {_first_difference(self.identity, stated_identity(metric))}"
            )
        return metric

    def _find_environment(self) -> Environment:
        if self.local:
            return self.environment
        job = self.environment
        return dataclasses.replace(
            Environment.read(), cache=job.cache, cache_dtype=job.cache_dtype, offline=job.offline, token=""
        )


def make_recipe(work: Work, environment: Environment, *, local: bool) -> MetricRecipe | None:
    """Return the recipe of a metric, or None if another process could not make it."""
    variant, metric = work.variant, work.metric
    if variant is None or not all(isinstance(value, _PLAIN) for value in variant.options.values()):
        return None
    statistics = metric.statistics if isinstance(metric, Counting) else None
    return MetricRecipe(
        variant.name,
        dict(variant.options),
        statistics,
        stated_identity(metric),
        describe_versions(),
        dataclasses.replace(environment, token=""),
        local,
    )


_MADE: OrderedDict[bytes, Metric] = OrderedDict()
_MAKING = threading.Lock()


def load_recipe(packed: bytes) -> Metric:
    """Return the metric of a packed recipe; a process makes it once."""
    with _MAKING:
        metric = _MADE.get(packed)
        if metric is None:
            recipe: MetricRecipe = pickle.loads(packed)
            metric = _MADE[packed] = recipe.make()
            while len(_MADE) > _KEPT:
                _MADE.popitem(last=False)
        _MADE.move_to_end(packed)
        return metric


def _first_difference(here: str | None, there: str | None) -> str:
    pairs = zip((here or "none").split("|"), (there or "none").split("|"), strict=False)
    return next((f"{a!r:.200} against {b!r:.200}" for a, b in pairs if a != b), "one names more parts than the other")
