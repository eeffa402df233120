"""moverscore_v1 and moverscore_v2 against a reading of the released code, step by step, with transformers and POT."""

import string
from math import log
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

pytestmark = [pytest.mark.torch, pytest.mark.filterwarnings("ignore")]


class Released:
    """Tokens, hidden states and idf as the release computes them."""

    def __init__(self, directory: Path) -> None:
        import torch
        from transformers import AutoModel, AutoTokenizer

        self.torch = torch
        self.tokenizer = AutoTokenizer.from_pretrained(directory)
        self.model = AutoModel.from_pretrained(directory).eval()

    def tokens(self, text: str) -> list[str]:
        return ["[CLS]", *self.tokenizer.tokenize(text), "[SEP]"]

    def layers(self, text: str) -> np.ndarray:
        ids = self.torch.tensor([self.tokenizer.convert_tokens_to_ids(self.tokens(text))])
        with self.torch.no_grad():
            states = self.model(ids, output_hidden_states=True).hidden_states
        return np.stack([state[0].double().numpy() for state in states])

    def idf(self, texts: list[str]) -> dict[str, float]:
        sets = [set(self.tokens(text)) for text in texts]
        count = {token: sum(token in one for one in sets) for token in set().union(*sets)}
        return {token: log((len(texts) + 1) / (c + 1)) for token, c in count.items()}


def _emd(a: np.ndarray, b: np.ndarray, cost: np.ndarray) -> float:
    import ot

    return float(ot.emd2(a / a.sum(), b / b.sum(), cost))


def _muted(token: str) -> bool:
    return "##" in token or token in set(string.punctuation)


def test_v2_within_1e_4(minilm_directory: Path) -> None:
    released = Released(minilm_directory)
    idf = {"h": released.idf(HYPOTHESES), "r": released.idf(REFERENCES)}
    expected = []
    for hypothesis, reference in zip(HYPOTHESES, REFERENCES, strict=True):
        sides = []
        for side, text in (("h", hypothesis), ("r", reference)):
            tokens, vectors = released.tokens(text), released.layers(text)[-1]
            mass = np.array([0.0 if _muted(t) else idf[side][t] for t in tokens])
            sides.append((vectors / np.linalg.norm(vectors, axis=1, keepdims=True), mass))
        (x, a), (y, b) = sides
        cost = np.sqrt(np.maximum(((x[:, None] - y[None]) ** 2).sum(2), 1e-30))
        expected.append(1 / (1 + _emd(a, b, cost)))
    ours = load_metric("moverscore_v2").compute(HYPOTHESES, REFERENCES)["scores"]
    assert np.abs(np.array(ours) - expected).max() < 1e-4


@pytest.mark.parametrize("n", [1, 2])
def test_v1_within_1e_4(minilm_directory: Path, n: int) -> None:
    released = Released(minilm_directory)
    idf = {"h": released.idf(HYPOTHESES), "r": released.idf(REFERENCES)}
    expected = []
    for hypothesis, reference in zip(HYPOTHESES, REFERENCES, strict=True):
        sides = []
        for side, text in (("h", hypothesis), ("r", reference)):
            tokens, layers = released.tokens(text), released.layers(text)[1:]  # the release had no embedding layer
            layers = layers / np.linalg.norm(layers, axis=2, keepdims=True)
            last = layers[-5:]
            vectors = np.concatenate([last.min(0), last.mean(0), last.max(0)], axis=1)
            kept = [i for i, token in enumerate(tokens) if not _muted(token)]
            weights = np.array([idf[side][tokens[i]] for i in kept])
            windows = list(zip(*(range(k, len(kept)) for k in range(n)), strict=False))
            mass = np.array([weights[list(w)].sum() for w in windows])
            pooled = np.stack(
                [(weights[list(w)] / (weights[list(w)].sum() + 1e-5)) @ vectors[[kept[i] for i in w]] for w in windows]
            )
            sides.append((pooled / (np.linalg.norm(pooled, axis=1, keepdims=True) + 1e-6), mass))
        (x, a), (y, b) = sides
        expected.append(1 - _emd(a, b, ((x[:, None] - y[None]) ** 2).sum(2)))
    segments = make_segments(HYPOTHESES, REFERENCES)
    ours = [s.value for s in load_metric("moverscore_v1", ngram=n).bind(segments).score(segments)]
    assert np.abs(np.array(ours) - expected).max() < 1e-4
