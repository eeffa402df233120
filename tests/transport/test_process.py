"""The native core inside a process: Ctrl-C, forks, exit at any moment, and a machine that grants no threads."""

import signal
import subprocess
import sys
import textwrap
import time

import pytest

START = """
    import os, resource, signal, sys
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs start with Ctrl-C ignored
    import numpy as np
    from monge.transport import RaggedClouds, TransportSetting, solve_pairs

    def solve(pairs, threads):
        rng = np.random.default_rng(0)
        clouds = RaggedClouds.from_clouds([rng.normal(size=(60, 64)) for _ in range(8)], [np.full(60, 1 / 60)] * 8)
        return solve_pairs(clouds, clouds, rng.integers(0, 8, (pairs, 2)), TransportSetting(), threads=threads).costs
"""
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="this machine has no signals and forks of this kind")


def start(code: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", textwrap.dedent(START) + textwrap.dedent(code)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_ctrl_c_stops_a_long_batch():
    with start("print('go', flush=True); solve(5_000_000, 2)") as running:  # an hour's work
        assert running.stdout is not None
        running.stdout.readline()
        time.sleep(1.0)
        assert running.poll() is None
        running.send_signal(signal.SIGINT)
        try:
            _, errors = running.communicate(timeout=60)
        finally:
            running.kill()
    assert running.returncode == -signal.SIGINT
    assert errors.strip().endswith("KeyboardInterrupt")


def test_a_fork_solves_as_its_parent_does():
    code = """
        before = solve(50, 2)
        child = os.fork()
        if child == 0:
            os._exit(0 if np.array_equal(solve(50, 2), before) else 3)
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    """
    running = start(code)
    _, errors = running.communicate(timeout=60)
    assert (running.returncode, errors) == (0, "")


@pytest.mark.parametrize(
    "call",
    [
        "solve_pairs(clouds, clouds, pairs, TransportSetting(), threads=1)",
        "solve_pairs(clouds, clouds, pairs, TransportSetting(), threads=2)",
        "_native.solve_problem(cost, masses, masses, np.inf, np.inf, 0.0, False, 1e-10, 0)",
        "_native.cost_matrix(points, points, 'cosine', None, None)",
    ],
)
def test_a_process_ends_while_a_daemon_thread_is_solving(call):
    code = f"""
        import threading, time
        from monge.transport import _native

        rng = np.random.default_rng(0)
        clouds = RaggedClouds.from_clouds([rng.normal(size=(60, 64)) for _ in range(8)], [np.full(60, 1 / 60)] * 8)
        pairs = rng.integers(0, 8, (200_000, 2))  # seconds of work
        points = rng.normal(size=(1000, 384)).astype(np.float32)
        cost, masses = rng.random((400, 400)), rng.dirichlet(np.ones(400))
        started = threading.Event()

        class Late:
            def __del__(self, sleep=time.sleep):
                sleep(1.0)  # the interpreter is shutting down, and meanwhile the thread asks for the GIL

        def work():
            while True:
                started.set()
                {call}

        sys.modules["late"] = Late()  # not a global: those live as long as the thread does
        threading.Thread(target=work, daemon=True).start()
        started.wait()
        time.sleep(0.5)
    """
    running = start(code)
    _, errors = running.communicate(timeout=60)
    assert (running.returncode, errors) == (0, "")


def test_a_machine_that_grants_no_more_memory_for_threads():
    code = """
        before = solve(50, 1)
        used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + (3 << 20), used + (3 << 20)))  # a thread wants 8 MB of stack
        print(np.array_equal(solve(50, 40), before))
    """
    if not sys.platform.startswith("linux"):
        pytest.skip("this machine does not report how much memory is in use")
    running = start(code)
    output, errors = running.communicate(timeout=60)
    assert (running.returncode, output.strip(), errors) == (0, "True", "")
