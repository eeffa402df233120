"""Encoding one block of texts while the caller works on the one before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Event

from monge.encoders.base import EncodedText, Encoder
from monge.encoders.batching import reader_left
from monge.encoders.held import find_held

BLOCK = 1024  # texts: enough to fill batches of equal length, few enough to hold their vectors


def encode_in_background(encoder: Encoder, texts: Sequence[str], layers: Sequence[int]) -> Iterator[EncodedText]:
    """Yield the texts encoded, in order; at most two blocks of them are held at once.

    Texts that are held for several readers (:mod:`~monge.encoders.held`) come from memory. A reader who leaves before
    the end waits for a batch at most, not for the block under way.

    >>> from monge.encoders.static.hashed import HashedEncoder
    >>> [one.tokens for one in encode_in_background(HashedEncoder(), ["a b", "c"], [0])]
    [('a', 'b'), ('c',)]
    """
    held = find_held(encoder, texts, layers)
    if held is not None:
        yield from held
        return
    blocks = [texts[start : start + BLOCK] for start in range(0, len(texts), BLOCK)]
    if len(blocks) == 1:
        yield from encoder.encode(blocks[0], layers)
        return
    left = Event()
    with ThreadPoolExecutor(1, "monge-encode", initializer=reader_left.set, initargs=(left,)) as worker:
        try:
            waiting = [worker.submit(encoder.encode, block, layers) for block in blocks[:2]]
            for block in blocks[2:]:
                yield from waiting.pop(0).result()
                waiting.append(worker.submit(encoder.encode, block, layers))
            while waiting:
                yield from waiting.pop(0).result()
        finally:
            left.set()  # after Ctrl-C nobody wants to wait for the block under way
            worker.shutdown(cancel_futures=True)
