"""What a service counts, for Prometheus."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)


class RequestCounters:
    """Requests by path and status, and their durations; paths are those of the service, so labels stay few.

    *gauges* returns values that are read when Prometheus asks; a name that ends in ``_total`` only grows. Each service
    has a registry of its own, so two in one process do not mix.

    >>> counters = RequestCounters(lambda: {"monge_waiting": 0})
    >>> counters.add("/healthz", 200, 0.001)
    >>> 'monge_requests_total{path="/healthz",status="200"} 1.0' in counters.render().decode()
    True
    """

    def __init__(self, gauges: Callable[[], Mapping[str, float]]) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "monge_requests", "Requests by path and status.", ("path", "status"), registry=self._registry
        )
        self._seconds = Histogram(
            "monge_request_seconds", "Seconds per request.", ("path",), buckets=BUCKETS, registry=self._registry
        )
        self._registry.register(_Gauges(gauges))

    def add(self, path: str, status: int, seconds: float) -> None:
        """Count one answered request."""
        self._requests.labels(path, str(status)).inc()
        self._seconds.labels(path).observe(seconds)

    def render(self) -> bytes:
        """Return everything counted, in the text format of Prometheus."""
        return generate_latest(self._registry)


class _Gauges(Collector):
    def __init__(self, read: Callable[[], Mapping[str, float]]) -> None:
        self._read = read

    def collect(self) -> Iterator[Metric]:
        for name, value in self._read().items():
            family = CounterMetricFamily if name.endswith("_total") else GaugeMetricFamily
            yield family(name, "Read from the workers.", value=value)
