"""Stored vectors are read in pieces, by threads: the scores are those of all texts at once, bit for bit."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from monge.encoders import EncodedText
from monge.encoders.cached import CachedEncoder
from monge.encoders.held import find_shared, hold_encodings
from monge.encoders.static.hashed import HashedEncoder
from monge.metrics import load_metric
from monge.metrics.transport import pairing
from monge.storage.store import Store
from monge.text import Segment

TEXTS = [
    "the boy ran",
    "",
    "a man, in a coat, ran .",
    "   ",
    "one",
    "quite another text !",
    "the of and",
    "the boy ran",
]
SEGMENTS = [Segment(one, (other, TEXTS[k % 3])) for k, (one, other) in enumerate(zip(TEXTS, TEXTS[::-1], strict=True))]
METRICS = [
    ("bertscore", {"layers": "0"}),
    ("emd", {"layers": "0"}),
    ("moverscore", {"layers": "all"}),
    ("bertscore", {"layers": "0", "references": "joint"}),
    ("cosine", {"layers": "0", "pooling": "mean"}),
]


@dataclass(frozen=True)
class CountingEncoder(HashedEncoder):
    """Remembers what it was asked for."""

    asked: list[str] = field(default_factory=list, compare=False)

    def encode(self, texts: Sequence[str], layers: Sequence[int] | None = None) -> list[EncodedText]:
        self.asked.extend(texts)
        return super().encode(texts, layers)


@pytest.fixture
def encoder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CachedEncoder:
    monkeypatch.setattr(pairing, "PIECE", 3)
    return CachedEncoder(CountingEncoder(dimension=8, special=True), Store(tmp_path / "embeddings"))


def score(name: str, options: dict[str, str], encoder: object, segments: Sequence[Segment]) -> list[str]:
    metric = load_metric(name, encoder=encoder, **options)  # type: ignore[arg-type]
    metric = metric if metric.bound else metric.bind(SEGMENTS)
    return [repr((one.value, one.parts, one.notes, one.reference_index)) for one in metric.score(segments)]


@pytest.mark.parametrize(("name", "options"), METRICS, ids=lambda part: str(part))
def test_pieces_give_the_scores_of_all_at_once(
    encoder: CachedEncoder, name: str, options: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = score(name, options, encoder.encoder, SEGMENTS)
    assert score(name, options, encoder, SEGMENTS) == plain  # new texts
    asked = len(encoder.encoder.asked)  # type: ignore[attr-defined]
    assert score(name, options, encoder, SEGMENTS) == plain  # stored texts, in three pieces
    assert len(encoder.encoder.asked) == asked  # type: ignore[attr-defined]


@pytest.mark.parametrize("known", [1, 3, 4, 6, 7])
def test_texts_that_are_stored_in_part(encoder: CachedEncoder, known: int) -> None:
    plain = score("emd", {"layers": "0"}, encoder.encoder, SEGMENTS)
    score("emd", {"layers": "0"}, encoder, SEGMENTS[:known])
    assert score("emd", {"layers": "0"}, encoder, SEGMENTS) == plain


def test_a_damaged_pack_is_noticed_and_made_again(encoder: CachedEncoder, capsys: pytest.CaptureFixture[str]) -> None:
    plain = score("emd", {"layers": "0"}, encoder, SEGMENTS)
    (pack,) = encoder.store.directory.glob("*.pack")
    content = bytearray(pack.read_bytes())
    content[len(content) // 2] ^= 1
    pack.write_bytes(content)
    encoder.encoder.asked.clear()  # type: ignore[attr-defined]
    assert score("emd", {"layers": "0"}, encoder, SEGMENTS) == plain
    assert len(encoder.encoder.asked) == 1  # type: ignore[attr-defined]  # the text whose vectors were damaged
    assert "damaged" in capsys.readouterr().err


def test_texts_held_in_memory_are_not_read_again(encoder: CachedEncoder, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = score("emd", {"layers": "0"}, encoder, SEGMENTS)
    texts = list(dict.fromkeys(text for one in SEGMENTS for text in (one.hypothesis, *one.references)))
    metric = load_metric("emd", encoder=encoder, layers="0")
    with hold_encodings(find_shared([*metric.encodings(), *metric.encodings()]), texts):
        monkeypatch.setattr(encoder.store, "gather", lambda keys: pytest.fail("read again"))
        held = [repr((one.value, one.parts, one.notes, one.reference_index)) for one in metric.score(SEGMENTS)]
    assert held == plain
