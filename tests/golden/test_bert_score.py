"""bertscore against the bert-score package, on the same weights and layer."""

from pathlib import Path

import numpy as np
import pytest

from monge.metrics import load_metric
from monge.text import make_segments

HYPOTHESES = [
    "The boy in a coat.",
    "Two of the three engines failed shortly after take-off, unbelievably.",
    "He learned to play the violin when he was fifteen.",
    "Nobody noticed.",
]
REFERENCES = [
    "The young man in a slicker.",
    "Two out of three engines broke down soon after the start.",
    "He learned to play the violin when he was already fifty.",
    "Nobody noticed that the lights had been on all night.",
]


@pytest.mark.torch
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("layer", [4, 6])
@pytest.mark.parametrize("idf", [False, True])
def test_within_1e_5_of_bert_score(minilm_directory: Path, layer: int, idf: bool) -> None:
    import bert_score  # bert-score 0.3.13

    theirs = bert_score.score(
        HYPOTHESES, REFERENCES, model_type=str(minilm_directory), num_layers=layer, idf=idf, device="cpu", nthreads=0
    )
    metric = load_metric("bertscore", layers=layer, weighting="idf" if idf else "uniform")
    segments = make_segments(HYPOTHESES, REFERENCES)
    scores = metric.bind(segments).score(segments)
    ours = [[score.parts[part] for score in scores] for part in ("precision", "recall", "f")]
    assert np.abs(np.array(ours) - np.array([t.numpy() for t in theirs])).max() < 1e-5


@pytest.mark.torch
@pytest.mark.filterwarnings("ignore")
def test_several_references_take_the_best_of_each_part(minilm_directory: Path) -> None:
    import bert_score

    several = [[reference, HYPOTHESES[0]] for reference in REFERENCES]
    theirs = bert_score.score(HYPOTHESES, several, model_type=str(minilm_directory), num_layers=4, device="cpu")
    scores = load_metric("bertscore").score(make_segments(HYPOTHESES, several))
    ours = [[score.parts[part] for score in scores] for part in ("precision", "recall", "f")]
    assert np.abs(np.array(ours) - np.array([t.numpy() for t in theirs])).max() < 1e-5
