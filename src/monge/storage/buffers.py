"""Large blocks of memory that are used again: the system zeroes new ones, which takes as long as filling them."""

from __future__ import annotations

import threading
import weakref

import numpy as np
from numpy.typing import NDArray

_WORTH_KEEPING = 4 << 20  # bytes: below that the allocator keeps memory itself
_MOST_IDLE = 256 << 20  # bytes kept for later


class Buffers:
    """Arrays of bytes whose memory is kept, up to *most* bytes, once neither they nor views of them are in use.

    >>> buffers = Buffers()
    >>> data = buffers.take(5 << 20)
    >>> place = data.ctypes.data
    >>> del data
    >>> buffers.take(5 << 20).ctypes.data == place
    True
    """

    def __init__(self, *, most: int = _MOST_IDLE) -> None:
        self._most = most
        self._lock = threading.RLock()  # memory may come back while this thread takes some
        self._idle: list[memoryview] = []

    def take(self, size: int) -> NDArray[np.uint8]:
        """Return an array of *size* bytes, which hold anything."""
        if size < _WORTH_KEEPING:
            return np.empty(size, dtype=np.uint8)
        with self._lock:
            fitting = [memory for memory in self._idle if size <= len(memory) <= 2 * size]
            memory = min(fitting, key=len, default=None)
            if memory is not None:
                self._idle = [other for other in self._idle if other is not memory]
        if memory is None:
            memory = np.empty(size, dtype=np.uint8).data
        array = np.frombuffer(memory, dtype=np.uint8, count=size)  # views of it hold it, not the memory alone
        weakref.finalize(array, self._give_back, memory).atexit = False
        return array

    def _give_back(self, memory: memoryview) -> None:
        with self._lock:
            if len(memory) + sum(map(len, self._idle)) <= self._most:
                self._idle = [*self._idle, memory]
