"""Encoding one block of texts while the caller works on the one before."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import TypeVar

from monge.encoders.base import EncodedText, Encoder
from monge.encoders.batching import reader_left
from monge.encoders.held import find_held, is_held, join_batch
from monge.encoders.joining import Joining, JoiningStore
from monge.encoders.ragged import BatchEncoder, EncodedBatch

BLOCK = 512  # texts: enough to fill batches of equal length, few enough to hold their vectors
S = TypeVar("S")
T = TypeVar("T")


def encode_in_background(encoder: Encoder, texts: Sequence[str], layers: Sequence[int]) -> Iterator[EncodedText]:
    """Yield the texts encoded, in order; at most two blocks of them are held at once.

    A reader who leaves before the end waits for a batch at most, not for the block under way.

    >>> from monge.encoders.static.hashed import HashedEncoder
    >>> [one.tokens for one in encode_in_background(HashedEncoder(), ["a b", "c"], [0])]
    [('a', 'b'), ('c',)]
    """
    for block in in_background(lambda block: encoder.encode(block, layers), _blocks(texts)):
        yield from block


def encode_batches(
    encoder: Encoder, texts: Sequence[str], layers: Sequence[int], kept: Collection[int] | None = None
) -> Iterator[EncodedBatch]:
    """Yield different texts as ``encode_in_background`` does, a block of them at a time, laid end to end.

    Texts that are held for several readers (:mod:`~monge.encoders.held`) come from memory, and those that are all
    stored come as one block. Of texts that are new, only the layers *kept* are stored (None: all of them).
    """
    held = find_held(encoder, texts, layers)
    if held is not None:
        yield from held
    elif isinstance(encoder, BatchEncoder):
        stored = encoder.read_batch(texts, layers) if len(layers) == 1 else None  # blocks bound the memory of several
        if stored is not None:
            yield stored
        else:
            yield from in_background(lambda block: encoder.encode_batch(block, layers, kept), _blocks(texts))
    else:
        yield from in_background(lambda block: EncodedBatch.of(encoder.encode(block, layers)), _blocks(texts))


def encode_joined(
    encoder: Encoder, texts: Sequence[str], layers: Sequence[int], joining: Joining
) -> Iterator[EncodedBatch]:
    """Yield different texts as ``encode_batches`` does, with the vectors that are *joined* of their layers."""
    held = find_held(encoder, texts, layers, joining)
    if held is None and isinstance(encoder, JoiningStore):
        stored = encoder.read_joined(texts, layers, joining)
        held = None if stored is None else [stored]
    if held is not None:
        yield from held
        return
    for batch in encode_batches(encoder, texts, layers, () if joining.per_text else None):
        yield join_batch(encoder, batch, layers, joining)


def may_be_stored(encoder: Encoder) -> bool:
    """Whether *encoder* keeps vectors that ``read_stored`` may find; not while this thread holds them in memory."""
    return isinstance(encoder, BatchEncoder) and isinstance(encoder, JoiningStore) and not is_held(encoder)


def read_stored(
    encoder: Encoder, texts: Sequence[str], layers: Sequence[int], joining: Joining | None
) -> EncodedBatch | None:
    """Return different texts with *layers*, or what is *joined* of them, if all of it is stored; else None."""
    if joining is not None:
        return encoder.read_joined(texts, layers, joining) if isinstance(encoder, JoiningStore) else None
    return encoder.read_batch(texts, layers) if isinstance(encoder, BatchEncoder) else None


def in_background(work: Callable[[S], T], blocks: Sequence[S], *, workers: int = 1) -> Iterator[T]:
    """Yield what *work* makes of each block, in order; other threads are at most *workers* + 1 blocks ahead.

    >>> list(in_background(sum, [(1, 2), (3, 4)]))
    [3, 7]
    """
    if len(blocks) == 1:
        yield work(blocks[0])
        return
    left = Event()
    with ThreadPoolExecutor(workers, "monge-encode", initializer=reader_left.set, initargs=(left,)) as pool:
        try:
            waiting = deque(pool.submit(work, block) for block in blocks[: workers + 1])
            for block in blocks[workers + 1 :]:
                yield waiting.popleft().result()
                waiting.append(pool.submit(work, block))
            while waiting:
                yield waiting.popleft().result()
        finally:
            left.set()  # after Ctrl-C nobody wants to wait for the block under way
            pool.shutdown(cancel_futures=True)


def _blocks(texts: Sequence[str]) -> list[Sequence[str]]:
    return [texts[start : start + BLOCK] for start in range(0, len(texts), BLOCK)]
