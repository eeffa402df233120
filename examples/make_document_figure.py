"""Draws docs/figures/document.svg: the foci of two documents and the links between their sentences.

python examples/make_document_figure.py
"""

from pathlib import Path

import monge
from monge.report.documents.picture import render_document

HYPOTHESIS = (
    "A ferry ran aground outside the harbour. The passengers of the ferry were brought ashore in boats. "
    "The harbour closed for an hour."
)
REFERENCE = (
    "A ferry ran aground near the harbour on Monday. All passengers left the ferry safely. "
    "The harbour was closed for an hour."
)
TARGET = Path(__file__).parent.parent / "docs" / "figures" / "document.svg"

if __name__ == "__main__":
    explanation = monge.explain(HYPOTHESIS, REFERENCE, metric="ds_focus")
    TARGET.write_text(render_document(explanation) + "\n", encoding="utf-8")
    print(f"wrote {TARGET}")
