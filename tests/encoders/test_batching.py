"""Batches and windows: everything once, within bounds, in order."""

import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from monge.encoders.batching import available_cores, cut_batches, run_batches
from monge.encoders.windows import plan_windows


@settings(deadline=None)
@given(st.lists(st.integers(1, 300)), st.integers(1, 500))
def test_batches_hold_every_item_once_within_the_budget(lengths, budget):
    batches = cut_batches(lengths, budget=budget)
    assert sorted(i for batch in batches for i in batch) == list(range(len(lengths)))
    for batch in batches:
        assert len(batch) == 1 or len(batch) * max(lengths[i] for i in batch) <= budget
    longest = [max(lengths[i] for i in batch) for batch in batches]
    assert longest == sorted(longest, reverse=True)


@settings(deadline=None)
@given(st.integers(0, 4000), st.integers(1, 510))
def test_windows_keep_every_token_once(count, size):
    windows = plan_windows(count, size)
    assert [i for w in windows for i in range(w.keep_start, w.keep_stop)] == list(range(count))
    for window in windows:
        assert window.stop - window.start <= size
        assert window.start <= window.keep_start <= window.keep_stop <= window.stop


@settings(deadline=None)
@given(st.integers(0, 3000), st.integers(8, 510))
def test_tokens_come_from_the_window_where_they_are_most_central(count, size):
    windows = plan_windows(count, size)
    for k, window in enumerate(windows):
        for i in (window.keep_start, window.keep_stop - 1) if count else ():
            margins = [min(i - w.start, w.stop - 1 - i) for w in windows]
            assert margins[k] >= max(margins) - 1
    if len(windows) > 1:
        edges = [min(w.keep_start - w.start, w.stop - w.keep_stop) for w in windows[1:-1]]
        assert all(edge >= size // 8 for edge in edges)


def test_workers_share_the_batches_and_errors_come_through():
    seen, lock = [], threading.Lock()

    def work(batch):
        with lock:
            seen.extend(batch)
        if batch == [7]:
            raise ValueError("batch 7")

    run_batches(work, [[i] for i in range(7)], workers=2)
    assert sorted(seen) == list(range(7))
    with pytest.raises(ValueError, match="batch 7"):
        run_batches(work, [[7], *([i] for i in range(100, 200))], workers=2)


def test_cores_can_be_limited(monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    assert available_cores() >= 1
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert available_cores() == 1
    monkeypatch.setenv("OMP_NUM_THREADS", "nonsense")
    assert available_cores() >= 1
    assert np.isfinite(available_cores())
