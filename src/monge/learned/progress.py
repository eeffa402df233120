"""How far a training is, and how long it will take, on stderr."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

from monge.wording import count_noun

_TIMED_STEPS = 5  # after which the time that is left is estimated

Report = Callable[[int, float, float | None], None]  # step, loss, last judgement


def progress_reporter(name: str, steps: int, show: bool | None = None) -> Report:
    """Return a reporter that says after some steps how long training will take, and shows a bar, both on stderr.

    The bar has loss and judgement. *show* None means: the time always, the bar on a terminal.
    """
    from tqdm import tqdm

    hidden = not ((sys.stderr is not None and sys.stderr.isatty()) if show is None else show)
    bar = tqdm(total=steps, desc=name, unit=" steps", disable=hidden, file=sys.stderr)
    began: tuple[int, float] | None = None
    told = show is False

    def report(step: int, loss: float, judged: float | None) -> None:
        nonlocal began, told
        now = time.monotonic()
        if began is None:
            began = step, now  # the first step is slower than others
        elif not told and step - began[0] >= _TIMED_STEPS:
            told = True
            left = (now - began[1]) / (step - began[0]) * (steps - step)
            bar.write(f"{name}: about {describe_time(left)} for {count_noun(steps - step, 'step')}", file=sys.stderr)
        bar.set_postfix_str(f"loss {loss:.4f}" + ("" if judged is None else f", held out {judged:.4f}"), refresh=False)
        bar.update(step - bar.n)
        if step >= steps:
            bar.close()

    return report


def describe_time(seconds: float) -> str:
    """Return a time as a person says it.

    >>> [describe_time(seconds) for seconds in (0.2, 59, 200, 9000)]
    ['1 second', '59 seconds', '3 minutes', '2.5 hours']
    """
    if seconds < 90:
        return count_noun(max(1, round(seconds)), "second")
    return f"{seconds / 60:.0f} minutes" if seconds < 5400 else f"{seconds / 3600:.1f} hours"
