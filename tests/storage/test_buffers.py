"""Memory is used again when nobody holds it any more, and never before."""

import gc
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from monge.storage.buffers import Buffers

LARGE = 5 << 20


def place(array: np.ndarray) -> int:
    return int(array.ctypes.data)


def test_any_view_keeps_the_memory() -> None:
    buffers = Buffers()
    for make in (
        lambda data: data[4:].view(np.float32),
        lambda data: data[: 1 << 20].view(np.float32).reshape(2, -1, 64)[1],
        lambda data: data.view(np.float16).astype(np.float16, copy=False)[::2],
        lambda data: memoryview(data)[10:20],
        lambda data: np.asarray(data.data)[5:],
    ):
        data = buffers.take(LARGE)
        data[:] = 7
        where, view = place(data), make(data)
        del data
        gc.collect()
        other = buffers.take(LARGE)
        assert place(other) != where
        other[:] = 9
        assert set(bytes(view)) == {7}
        del view, other
        gc.collect()


def test_memory_is_used_again() -> None:
    buffers = Buffers()
    data = buffers.take(LARGE)
    where = place(data)
    del data
    assert place(buffers.take(LARGE - 1000)) == where


def test_no_more_is_kept_than_allowed() -> None:
    buffers = Buffers(most=2 * LARGE)
    held = [buffers.take(LARGE) for _ in range(4)]
    del held
    assert sum(map(len, buffers._idle)) == 2 * LARGE
    assert len(buffers.take(10 * LARGE)) == 10 * LARGE  # larger than what is kept


def test_small_and_empty() -> None:
    assert len(Buffers().take(0)) == 0
    assert len(Buffers().take(10)) == 10


def test_threads_never_share_memory() -> None:
    buffers = Buffers()

    def work(number: int) -> bool:
        good = True
        for _ in range(5):
            data = buffers.take(LARGE)
            data[:] = number
            view = data[1000:]
            del data
            good &= bool((view == number).all())
        return good

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(8)))
