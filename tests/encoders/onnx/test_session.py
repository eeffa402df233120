"""Devices of onnxruntime; a GPU is not needed."""

import numpy as np
import pytest

from monge.encoders import load_encoder
from monge.encoders.onnx import session
from monge.encoders.onnx.graph import linear, make_graph
from monge.encoders.onnx.session import OnnxSession, choose_providers, move_to, split_device
from monge.encoders.plan import plan_transformer
from monge.errors import MongeError, OptionError

GPU = ["CUDAExecutionProvider", "CPUExecutionProvider"]


@pytest.fixture
def with_gpu(monkeypatch):
    """onnxruntime-gpu as it looks from outside."""
    monkeypatch.setattr(session.import_onnxruntime(), "get_available_providers", lambda: GPU)


def test_devices_choose_providers(with_gpu):
    assert choose_providers("cpu") == ["CPUExecutionProvider"]
    assert choose_providers("cuda") == [("CUDAExecutionProvider", {"device_id": 0}), "CPUExecutionProvider"]
    assert choose_providers("cuda:1")[0] == ("CUDAExecutionProvider", {"device_id": 1})


@pytest.mark.parametrize("device", ["tpu", "cuda:x", "cuda:", ""])
def test_unknown_devices_are_refused(device):
    with pytest.raises(OptionError, match="device must be"):
        split_device(device)


def test_a_gpu_that_is_not_there_is_refused(minilm_directory):
    if session.offers_cuda():
        pytest.skip("this onnxruntime has CUDA")
    with pytest.raises(OptionError, match="onnxruntime-gpu"):
        choose_providers("cuda")
    with pytest.raises(MongeError, match=r"cuda|torch"):
        load_encoder("minilm", device="cuda")


def test_onnxruntime_gpu_is_preferred_to_torch(with_gpu, minilm_directory):
    plan = plan_transformer(minilm_directory, device="cuda:1")
    assert (plan.backend, plan.device) == ("onnx", "cuda:1")
    assert "device=cuda;" in plan.identity
    assert plan_transformer(minilm_directory).device == "cpu"


@pytest.mark.filterwarnings("ignore::UserWarning")  # of onnxruntime, about the provider
def test_a_session_without_the_gpu_it_was_promised_is_an_error(with_gpu, minilm_directory):
    """onnxruntime itself would go on with the processor."""
    if _really_has_cuda():
        pytest.skip("this machine has a GPU")
    with pytest.raises(OptionError, match="'cuda' is not available on this machine"):
        load_encoder(minilm_directory, device="cuda").encode(["x"], [1])


def _really_has_cuda():
    import onnxruntime.capi._pybind_state as state

    return "CUDAExecutionProvider" in state.get_available_providers()


def test_values_stay_on_the_device_between_layers():
    """The path that a GPU takes, on the processor: same shape, dtype and numbers as arrays in and out."""
    graph = make_graph(
        [linear("state", "w", "hidden")], {"w": (3, 4)}, {"state": ("FLOAT", ["B", "S", 4])}, ["B", "S", 3]
    )
    rng = np.random.default_rng(0)
    made = OnnxSession(graph, {"w": rng.standard_normal((3, 4)).astype(np.float32)})
    state = rng.standard_normal((2, 5, 4)).astype(np.float32)
    there = made.run_there({"state": move_to("cpu", state)})
    assert there.device_name() == "cpu"
    assert there.shape() == [2, 5, 3]
    assert there.numpy().dtype == np.float32
    np.testing.assert_array_equal(there.numpy(), made.run({"state": state}))
