"""Principled evaluation of generated text by optimal transport.

``score``, ``compare``, ``explain``, ``correlate`` and ``align`` do what the commands of the same name do.

>>> import monge
>>> monge.score(["The boy ran."], ["The boy ran."], metric="chrf").score
100.0
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from monge.version import __version__

if TYPE_CHECKING:
    from monge.encoders import load_encoder
    from monge.environment import Environment
    from monge.errors import MongeError
    from monge.metrics import load_metric
    from monge.scores import Score, ScoreTable
    from monge.text import Segment
    from monge.workflows.align import align
    from monge.workflows.compare import compare
    from monge.workflows.confidence import confidence
    from monge.workflows.correlate import correlate
    from monge.workflows.explain import explain
    from monge.workflows.explain_global import explain_global
    from monge.workflows.frame import score_frame
    from monge.workflows.score import score
    from monge.workflows.scored import ScoredMetrics, ScoredTexts
    from monge.workflows.scorer import Scorer

# name → module; loaded on first use, so that `import monge` costs nothing
_LAZY = {
    "Environment": "monge.environment",
    "MongeError": "monge.errors",
    "Score": "monge.scores",
    "ScoreTable": "monge.scores",
    "ScoredMetrics": "monge.workflows.scored",
    "ScoredTexts": "monge.workflows.scored",
    "Scorer": "monge.workflows.scorer",
    "Segment": "monge.text",
    "align": "monge.workflows.align",
    "compare": "monge.workflows.compare",
    "confidence": "monge.workflows.confidence",
    "correlate": "monge.workflows.correlate",
    "explain": "monge.workflows.explain",
    "explain_global": "monge.workflows.explain_global",
    "load_encoder": "monge.encoders",
    "load_metric": "monge.metrics",
    "score": "monge.workflows.score",
    "score_frame": "monge.workflows.frame",
}

__all__ = [
    "Environment",
    "MongeError",
    "Score",
    "ScoreTable",
    "ScoredMetrics",
    "ScoredTexts",
    "Scorer",
    "Segment",
    "__version__",
    "align",
    "compare",
    "confidence",
    "correlate",
    "explain",
    "explain_global",
    "load_encoder",
    "load_metric",
    "render_html",
    "score",
    "score_frame",
]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        import importlib

        found = globals()[name] = getattr(importlib.import_module(_LAZY[name]), name)
        return found
    raise AttributeError(f"module 'monge' has no attribute {name!r}")


def render_html(result: object) -> str:
    """Return a result of ``score``, ``compare``, ``explain`` or ``correlate`` as HTML, as notebooks show it."""
    from monge.report.notebook import render

    return render(result)


def __dir__() -> list[str]:
    return __all__
