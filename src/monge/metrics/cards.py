"""The card of a metric: facts from its spec and options, prose from a file."""

from __future__ import annotations

from importlib.resources import files

from monge.metrics.protocols import MetricSpec
from monge.metrics.registry import find_factory, metric_options
from monge.scores.direction import describe_direction

_GROWTHS = {
    "linear": "",
    "quadratic": " Its time grows with the square of a text's length.",
    "cubic": " Its time grows faster than the square of a text's length: long texts may take minutes.",
}

_UNKNOWN = (
    "Words that the encoder does not know: a text without a known word is as far from the other as an empty one, and "
    "two texts of both of which more than half of the words are unknown have no score. Beyond 20 % the score is marked "
    "with `!`."
)


_EMPTY = "Two empty texts have no score (NaN), which is noted; they are left out of the mean."


def read_prose(name: str) -> str | None:
    """Return what was written about a metric (formula, cost, caveats), or None."""
    path = files("monge.metrics").joinpath("card_texts", f"{name}.md")
    return path.read_text(encoding="utf-8").strip() if path.is_file() else None


def render_card(spec: MetricSpec) -> str:
    """Return the card as Markdown: title, facts, prose, options, citation."""
    low, high = spec.bounds
    lines = [
        f"# {spec.name} — {spec.summary}",
        "",
        f"Range: {low:g} to {high:g}. {describe_direction(spec.higher_is_better).capitalize()}. "
        f"{'Symmetric' if spec.symmetric else 'Not symmetric'} in hypothesis and reference. "
        f"Needs: hypothesis, {', '.join(spec.needs) or 'nothing else'}."
        + (" Compares with references, or with the source (`against=source`)." if len(spec.against) > 1 else "")
        + (" One score per document." if spec.unit == "document" else "")
        + (" `monge explain` takes its scores apart exactly." if spec.explains else "")
        + _GROWTHS[spec.growth]
        + (f" Needs an extra: `pip install 'monge[{spec.extra}]'`." if spec.extra else ""),
        "",
        read_prose(spec.name) or "No card has been written for this metric.",
        "",
        _EMPTY,
        "",
        *([_UNKNOWN, ""] if "encoder" in metric_options(spec.name) else []),
        "Options (`-m NAME,option=value`) and defaults:",
        "",
        *(
            f"- `{name}` = {_show(spec, name, parameter.default)}"
            for name, parameter in metric_options(spec.name).items()
        ),
    ]
    if spec.citation:
        lines += ["", f"Citation: {spec.citation}"]
    return "\n".join(lines)


def _show(spec: MetricSpec, name: str, default: object) -> str:
    presets = getattr(find_factory(spec), "by_language", {})
    by_language = [f"`{values[name]}` ({language})" for language, values in presets.items() if name in values]
    if by_language:
        return ", ".join(by_language)
    return "(none)" if default in ("", None) else f"`{default}`"
