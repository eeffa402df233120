"""How long a training will take is printed once, and not at all where nothing is to be shown."""

from monge.learned.progress import progress_reporter


def test_the_time_is_printed_once_after_some_steps(capsys, monkeypatch):
    clock = iter(range(0, 1000, 10))
    monkeypatch.setattr("monge.learned.progress.time.monotonic", lambda: next(clock))
    report = progress_reporter("net", 100)
    for step in range(1, 20):
        report(step, 0.5, None)
    assert capsys.readouterr().err.strip() == "net: about 16 minutes for 94 steps"
    report = progress_reporter("net", 100, show=False)
    for step in range(1, 20):
        report(step, 0.5, None)
    assert not capsys.readouterr().err
