"""What a service counts, in the text format that Prometheus reads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)


class RequestCounters:
    """Requests by path and status, and how long they took; paths are those of the service, so labels stay few."""

    def __init__(self) -> None:
        self.requests: Counter[tuple[str, int]] = Counter()
        self._seconds: Counter[tuple[str, str]] = Counter()
        self._total: dict[str, float] = {}

    def add(self, path: str, status: int, seconds: float) -> None:
        """Count one answered request."""
        self.requests[path, status] += 1
        self._total[path] = self._total.get(path, 0.0) + seconds
        for bound in BUCKETS:
            if seconds <= bound:
                self._seconds[path, f"{bound:g}"] += 1
        self._seconds[path, "+Inf"] += 1

    def render(self, gauges: Mapping[str, float]) -> str:
        """Return everything counted, and the *gauges* beside it.

        >>> counters = RequestCounters()
        >>> counters.add("/healthz", 200, 0.001)
        >>> "monge_requests_total" in counters.render({"monge_waiting": 0})
        True
        """
        return "\n".join([*self._lines(), *self._gauges(gauges)]) + "\n"

    def _lines(self) -> Iterator[str]:
        yield "# TYPE monge_requests_total counter"
        for (path, status), count in sorted(self.requests.items()):
            yield f'monge_requests_total{{path="{path}",status="{status}"}} {count}'
        yield "# TYPE monge_request_seconds histogram"
        for (path, bound), count in self._seconds.items():
            yield f'monge_request_seconds_bucket{{path="{path}",le="{bound}"}} {count}'
        for path, total in self._total.items():
            yield f'monge_request_seconds_sum{{path="{path}"}} {total:.6f}'
            yield f'monge_request_seconds_count{{path="{path}"}} {self._seconds[path, "+Inf"]}'

    @staticmethod
    def _gauges(gauges: Mapping[str, float]) -> Iterator[str]:
        for name, value in gauges.items():
            yield f"# TYPE {name} {'counter' if name.endswith('_total') else 'gauge'}"
            yield f"{name} {value:g}"
