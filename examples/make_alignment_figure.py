"""Draw docs/figures/alignment.svg: which words move to which between two sentences, and at what cost."""

from pathlib import Path

from monge import Segment, load_metric
from monge.explanation import explain_segments
from monge.report.alignment.ribbons import render_ribbons
from monge.storage.atomic import write_text

HYPOTHESIS = "In the north, strong rain is expected until Thursday night."
REFERENCE = "Heavy rainfall is forecast for the northern coast until Thursday evening."


def main() -> None:
    metric = load_metric("emd", encoder="minilm")
    explanation = explain_segments(metric, [Segment(HYPOTHESIS, (REFERENCE,))])[0]
    target = Path(__file__).parent.parent / "docs" / "figures" / "alignment.svg"
    target.parent.mkdir(parents=True, exist_ok=True)
    write_text(target, render_ribbons(explanation) + "\n")
    print(f"{target.relative_to(Path.cwd()) if target.is_relative_to(Path.cwd()) else target}: {explanation.value:.4f}")


if __name__ == "__main__":
    main()
