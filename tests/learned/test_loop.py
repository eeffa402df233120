"""The training loop: it learns, resumes after a kill to the same weights, stops early, survives a loss that is NaN."""

import math
import os
import signal
import subprocess
import sys
import textwrap

import pytest

from monge.errors import InputError, OptionError
from monge.learned.checkpoint import load_checkpoint, pack_optimizer, save_checkpoint, unpack_optimizer
from monge.learned.loop import LoopSettings, run_loop

torch = pytest.importorskip("torch", reason="the torch extra is not installed")
pytestmark = pytest.mark.torch


class Regression:
    """y = 3x with noise and dropout: random numbers are drawn in every step."""

    def __init__(self, spoil_at=None):
        torch.manual_seed(0)
        self.model = torch.nn.Linear(4, 1)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=0.05)
        self.spoil_at = spoil_at

    def step(self, number):
        x = torch.randn(16, 4)
        loss = ((torch.nn.functional.dropout(self.model(x), 0.1) - 3 * x.sum(1, keepdim=True)) ** 2).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return math.nan if number == self.spoil_at else float(loss.detach())

    def judge(self):
        return -float(((self.model.weight.detach() - 3) ** 2).sum())

    def weights(self):
        return dict(self.model.named_parameters())

    def load_weights(self, tensors):
        self.model.load_state_dict(tensors)

    def state(self):
        return pack_optimizer(self.optimizer)

    def load_state(self, tensors):
        unpack_optimizer(self.optimizer, tensors)


def final_weights(training):
    return {name: tensor.detach().clone() for name, tensor in training.weights().items()}


def test_it_learns():
    training = Regression()
    result = run_loop(training, LoopSettings(steps=200, judge_every=20), recipe="r")
    assert result.judgements[200] > result.judgements[20]
    assert len(result.losses) == 200


def test_a_continued_training_ends_in_the_same_weights(tmp_path):
    whole, settings = Regression(), LoopSettings(steps=40, judge_every=10, save_every=0)
    run_loop(whole, settings, recipe="r")
    cut = Regression()

    def stop(step, loss, judged):
        if step == 17:
            raise RuntimeError("killed")

    with pytest.raises(RuntimeError, match="killed"):
        run_loop(cut, settings, recipe="r", checkpoint=tmp_path / "c", report=stop)
    again = Regression()
    result = run_loop(again, settings, recipe="r", checkpoint=tmp_path / "c")
    assert len(result.losses) == 40
    assert all(torch.equal(a, b) for a, b in zip(whole.weights().values(), again.weights().values(), strict=True))
    assert (tmp_path / "c").exists()
    unchanged = run_loop(Regression(), settings, recipe="r", checkpoint=tmp_path / "c")  # ended, but not yet saved
    assert unchanged.losses == result.losses
    unchanged.discard_checkpoint()
    assert not (tmp_path / "c").exists()


@pytest.mark.parametrize("where", ["step", "judge"])
def test_an_interrupt_within_a_step_is_not_half_kept(tmp_path, where):
    whole, settings = Regression(), LoopSettings(steps=30, judge_every=10, save_every=0)
    expected = run_loop(whole, settings, recipe="r")
    cut = Regression()
    inner, calls = getattr(cut, where), []

    def interrupted(*arguments):
        result = inner(*arguments)
        calls.append(result)
        if len(calls) == 2:
            raise KeyboardInterrupt  # the optimizer has moved, the loop does not know it yet
        return result

    setattr(cut, where, interrupted)
    with pytest.raises(KeyboardInterrupt):
        run_loop(cut, settings, recipe="r", checkpoint=tmp_path / "c")
    again = Regression()
    result = run_loop(again, settings, recipe="r", checkpoint=tmp_path / "c")
    assert result.losses == expected.losses
    assert result.judgements == expected.judgements
    assert all(torch.equal(a, b) for a, b in zip(whole.weights().values(), again.weights().values(), strict=True))


def test_kill_9(tmp_path):
    code = f"""
    import sys; sys.path.insert(0, {os.path.dirname(__file__)!r})
    from test_loop import *
    def stop(step, loss, judged):
        if step == 9 and sys.argv[1] == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
    training = Regression()
    settings = LoopSettings(steps=20, save_every=0)
    run_loop(training, settings, recipe="r", checkpoint={str(tmp_path / "c")!r}, report=stop)
    if sys.argv[2:]:
        os.remove({str(tmp_path / "c")!r})
    print([round(float(x), 12) for x in training.model.weight.detach().flatten()])
    """
    command = [sys.executable, "-c", textwrap.dedent(code)]
    assert subprocess.run([*command, "kill"], check=False).returncode == -signal.SIGKILL
    continued = subprocess.run([*command, "go", "discard"], check=True, capture_output=True, text=True).stdout
    assert subprocess.run([*command, "go"], check=True, capture_output=True, text=True).stdout == continued


def test_a_loss_that_is_not_a_number_keeps_the_last_good_weights():
    training, good = Regression(spoil_at=25), Regression()
    result = run_loop(training, LoopSettings(steps=40, judge_every=10), recipe="r")
    run_loop(good, LoopSettings(steps=20, judge_every=10), recipe="r")
    assert result.best_step == 20
    assert "step 26 is not a number" in result.notes[0]
    assert all(torch.equal(a, b) for a, b in zip(training.weights().values(), good.weights().values(), strict=True))


def test_patience_stops():
    training = Regression()
    training.judge = iter([3.0, 2.0, 1.0, 0.0]).__next__
    result = run_loop(training, LoopSettings(steps=100, judge_every=5, patience=2), recipe="r")
    assert len(result.losses) == 15
    assert result.best_step == 5


def test_a_checkpoint_of_another_training_is_refused(tmp_path):
    save_checkpoint(tmp_path / "c", {"x": torch.ones(1)}, {"recipe": "a"})
    with pytest.raises(OptionError, match="other data or settings"):
        load_checkpoint(tmp_path / "c", recipe="b")
    (tmp_path / "p").write_bytes(b"\x80\x04K\x01.")
    with pytest.raises(InputError, match="not a checkpoint"):
        load_checkpoint(tmp_path / "p", recipe="b")
