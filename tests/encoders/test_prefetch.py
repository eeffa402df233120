"""Encoding in the background changes nothing but the time."""

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from monge.encoders import EncodedText
from monge.encoders import prefetch as ahead_module
from monge.encoders.batching import run_batches
from monge.encoders.prefetch import encode_in_background
from monge.encoders.static.hashed import HashedEncoder


@dataclass(frozen=True)
class Watched(HashedEncoder):
    """Remembers the sizes of the blocks it was given; refuses one text."""

    sizes: list[int] = field(default_factory=list, compare=False)

    def encode(self, texts: Sequence[str], layers: Sequence[int] | None = None) -> list[EncodedText]:
        self.sizes.append(len(texts))
        if "bad" in texts:
            raise ValueError("refused")
        return super().encode(texts, layers)


@pytest.mark.parametrize("count", [0, 1, 4, 5, 8, 9, 23])
def test_order_and_content_are_kept(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ahead_module, "BLOCK", 4)
    encoder = Watched(dimension=4)
    texts = [f"text {n}" for n in range(count)]
    got = list(encode_in_background(encoder, texts, [1]))
    assert [one.text for one in got] == texts
    want = HashedEncoder(dimension=4).encode(texts, [1])
    assert all((a.vectors == b.vectors).all() for a, b in zip(got, want, strict=True))
    assert sum(encoder.sizes) == count
    assert max(encoder.sizes, default=0) <= 4


def test_not_much_is_encoded_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ahead_module, "BLOCK", 2)
    encoder = Watched(dimension=4)
    stream = encode_in_background(encoder, [str(n) for n in range(20)], [0])
    next(stream)
    stream.close()
    assert len(encoder.sizes) <= 2


def test_errors_come_through(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ahead_module, "BLOCK", 2)
    with pytest.raises(ValueError, match="refused"):
        list(encode_in_background(Watched(), ["a", "b", "c", "bad", "d", "e"], [0]))


def test_a_reader_who_leaves_does_not_wait_for_the_block_under_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ahead_module, "BLOCK", 2)
    begun, done = threading.Event(), list[int]()

    class Batched(HashedEncoder):
        def encode(self, texts: Sequence[str], layers: Sequence[int] | None = None) -> list[EncodedText]:
            def work(batch: list[int]) -> None:
                begun.set()
                time.sleep(0.01)
                done.extend(batch)

            if "c" in texts:
                run_batches(work, [[n] for n in range(400)], workers=2)
            return super().encode(texts, layers)

    stream = encode_in_background(Batched(dimension=4), ["a", "b", "c", "d"], [0])
    next(stream)
    assert begun.wait(60)
    stream.close()
    assert len(done) < 400
