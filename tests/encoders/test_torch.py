"""The built-in graphs against transformers on the same weights, and the models that only torch runs."""

import json

import numpy as np
import pytest

from monge.encoders import load_encoder
from monge.encoders.onnx.backend import OnnxBackend
from monge.encoders.plan import plan_transformer
from monge.encoders.processor import ProcessorFeatures
from monge.encoders.torch_backend import TorchBackend, choose_device, find_window
from monge.encoders.transformer import load_transformer
from monge.errors import ModelError, OptionError

torch = pytest.importorskip("torch", reason="the torch extra is not installed")
transformers = pytest.importorskip("transformers", reason="the torch extra is not installed")
pytestmark = pytest.mark.torch

TEXTS = [
    "The cat sat on the mat.",
    "",
    "Ünïcödé “quotes” — naïve 漢字, ﬁne 😀!",
    "Optimal transport moves the mass of one text to another at the least cost. " * 12,
    "antidisestablishmentarianism",
]
TOLERANCE = 1e-4


def reference_states(directory, texts):
    """Hidden states as transformers computes them, a text at a time, with its own tokenizer."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(directory)
    model = transformers.AutoModel.from_pretrained(directory).eval()
    with torch.inference_mode():
        for text in texts:
            inputs = tokenizer(text, return_tensors="pt")
            yield torch.stack(model(**inputs, output_hidden_states=True).hidden_states)[:, 0].numpy()


@pytest.mark.parametrize("name", ["minilm", pytest.param("mpnet", marks=pytest.mark.mpnet)])
def test_known_models_agree_with_transformers(name):
    from monge.encoders.models import find_model, require_model
    from monge.environment import Environment

    encoder = load_encoder(name)
    assert isinstance(encoder._backend, OnnxBackend)
    states = reference_states(require_model(find_model(name), Environment.read()), TEXTS)
    for ours, theirs in zip(encoder.encode(TEXTS), states, strict=True):
        np.testing.assert_allclose(ours.vectors, theirs, rtol=0, atol=TOLERANCE)


WORDS = ["the", "cat", "sat", "on", "mat", ".", "dog", "ran", "over", "hills", "and", "far", "away", ",", "once"]


def write_tokenizer(directory, *, first, second, padding):
    """A word tokenizer with the special tokens at their usual places."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    special = {first: 0, padding: 1, second: 2, "[UNK]": 3}
    vocabulary = special | {word: i + 4 for i, word in enumerate(WORDS)}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{first} $A {second}", special_tokens=[(first, 0), (second, 2)]
    )
    tokenizer.save(str(directory / "tokenizer.json"))
    fast = transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, cls_token=first, sep_token=second, pad_token=padding, unk_token="[UNK]"
    )
    fast.save_pretrained(directory)


SIZE = {"vocab_size": 40, "hidden_size": 24, "num_hidden_layers": 3, "num_attention_heads": 4, "intermediate_size": 40}
SENTENCES = ["the cat sat on the mat .", "dog ran", "", "the dog ran over hills and far away , once and once ."]


def make_model(directory, config, *, wrap=None, dtype=None):
    """A model with random weights, saved as a user would have it on disk."""
    torch.manual_seed(0)
    model = transformers.AutoModel.from_config(config) if wrap is None else wrap(config)
    for parameter in model.parameters():  # biases and norms are 0 and 1 at first: give every weight a say
        torch.nn.init.normal_(parameter, std=0.3)
    (model if dtype is None else model.to(dtype)).save_pretrained(directory)
    write_tokenizer(directory, first="<s>", second="</s>", padding="<pad>")
    return directory


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        ("BertConfig", {}),
        ("BertConfig", {"layer_norm_eps": 1e-2, "type_vocab_size": 1}),
        ("RobertaConfig", {"max_position_embeddings": 34, "pad_token_id": 1}),
        ("XLMRobertaConfig", {"max_position_embeddings": 34, "pad_token_id": 1}),
        ("CamembertConfig", {"max_position_embeddings": 34, "pad_token_id": 1}),
        ("MPNetConfig", {"max_position_embeddings": 34, "pad_token_id": 1}),
        ("DistilBertConfig", {"dim": 24, "n_layers": 3, "n_heads": 4, "hidden_dim": 40, "max_position_embeddings": 32}),
    ],
)
def test_graphs_agree_with_transformers_for_every_type(tmp_path, kind, settings):
    config = getattr(transformers, kind)(**{**SIZE, "pad_token_id": 1, **settings})
    encoder = load_encoder(make_model(tmp_path, config))
    assert isinstance(encoder._backend, OnnxBackend)
    for ours, theirs in zip(encoder.encode(SENTENCES), reference_states(tmp_path, SENTENCES), strict=True):
        np.testing.assert_allclose(ours.vectors, theirs, rtol=0, atol=TOLERANCE)


@pytest.mark.parametrize("padding", ["left out", None, 0])
def test_an_mpnet_that_says_little_agrees(tmp_path, padding):
    make_model(tmp_path, transformers.MPNetConfig(**SIZE, pad_token_id=1))
    path = tmp_path / "config.json"
    config = json.loads(path.read_text())
    for left_out in ("relative_attention_num_buckets", "pad_token_id", "layer_norm_eps", "max_position_embeddings"):
        config.pop(left_out)
    path.write_text(json.dumps(config if padding == "left out" else config | {"pad_token_id": padding}))
    encoder = load_encoder(tmp_path)
    assert isinstance(encoder._backend, OnnxBackend)
    for ours, theirs in zip(encoder.encode(SENTENCES), reference_states(tmp_path, SENTENCES), strict=True):
        np.testing.assert_allclose(ours.vectors, theirs, rtol=0, atol=TOLERANCE)


def test_far_relative_positions_agree(tmp_path):
    config = transformers.MPNetConfig(**SIZE, max_position_embeddings=514, pad_token_id=1)
    encoder = load_encoder(make_model(tmp_path, config))
    texts = [" ".join(WORDS * 30)[:1500]]
    ours = encoder.encode(texts)[0].vectors
    assert ours.shape[1] > 300
    np.testing.assert_allclose(ours, next(reference_states(tmp_path, texts)), rtol=0, atol=TOLERANCE)


def test_task_heads_are_ignored(tmp_path):
    config = transformers.BertConfig(**SIZE, pad_token_id=1, num_labels=3)
    make_model(tmp_path, config, wrap=transformers.BertForSequenceClassification)
    encoder = load_encoder(tmp_path)
    for ours, theirs in zip(encoder.encode(SENTENCES), reference_states(tmp_path, SENTENCES), strict=True):
        np.testing.assert_allclose(ours.vectors, theirs, rtol=0, atol=TOLERANCE)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_checkpoints_are_read_exactly(tmp_path, dtype):
    config = transformers.BertConfig(**SIZE, pad_token_id=1)
    make_model(tmp_path, config, dtype=dtype)
    encoder = load_encoder(tmp_path)
    assert isinstance(encoder._backend, OnnxBackend)
    model = transformers.AutoModel.from_pretrained(tmp_path, dtype=torch.float32).eval()
    ids = torch.tensor([[0, 4, 5, 6, 2]])
    with torch.inference_mode():
        theirs = torch.stack(model(input_ids=ids, output_hidden_states=True).hidden_states)[:, 0].numpy()
    np.testing.assert_allclose(encoder.encode(["the cat sat"])[0].vectors, theirs, rtol=0, atol=TOLERANCE)


def test_old_names_of_norms_are_understood(tmp_path):
    from safetensors.numpy import load_file, save_file

    make_model(tmp_path, transformers.BertConfig(**SIZE, pad_token_id=1))
    expected = load_encoder(tmp_path).encode(SENTENCES)
    path = tmp_path / "model.safetensors"
    weights = load_file(path)
    path.unlink()
    renamed = {
        "bert."
        + name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta"): weight
        for name, weight in weights.items()
    }
    half = len(renamed) // 2
    save_file(dict(list(renamed.items())[:half]), tmp_path / "model-00001-of-00002.safetensors")
    save_file(dict(list(renamed.items())[half:]), tmp_path / "model-00002-of-00002.safetensors")
    for ours, before in zip(load_encoder(tmp_path).encode(SENTENCES), expected, strict=True):
        np.testing.assert_array_equal(ours.vectors, before.vectors)


def test_torch_and_graphs_are_one_encoder(tmp_path, minilm_directory):
    """The same texts through both backends: tokens, spans, windows and vectors."""
    graphs = load_encoder("minilm")
    through_torch = load_encoder("minilm", device="cpu", dtype="float64")
    assert isinstance(through_torch._backend, TorchBackend)
    assert through_torch.signature == "all-MiniLM-L6-v2@53aa5117.aea5/float64"
    texts = [*TEXTS, "word " * 700]
    for ours, theirs in zip(graphs.encode(texts), through_torch.encode(texts), strict=True):
        assert (ours.tokens, ours.notes) == (theirs.tokens, theirs.notes)
        assert np.array_equal(ours.spans, theirs.spans)
        assert theirs.vectors.dtype == np.float32
        np.testing.assert_allclose(ours.vectors, theirs.vectors, rtol=0, atol=TOLERANCE)


def test_a_processor_without_bfloat16_is_reported(minilm_directory, monkeypatch, capsys):
    found = ProcessorFeatures("", "")
    monkeypatch.setattr("monge.encoders.torch_backend.processor_features", lambda: found)
    TorchBackend(minilm_directory, device="cpu", dtype="bfloat16")
    assert "this processor has no bfloat16 products" in capsys.readouterr().err
    TorchBackend(minilm_directory, device="cpu", dtype="float32")
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_precision_is_close_and_reported(minilm_directory, dtype):
    exact = load_encoder("minilm").encode(["A boy runs."], [6])[0].vectors
    half = load_encoder("minilm", dtype=dtype)
    assert half.signature.endswith(f"/{dtype}")
    error = np.abs(half.encode(["A boy runs."], [6])[0].vectors - exact).max()
    assert 1e-5 < error < 0.1


@pytest.mark.parametrize(
    ("config", "window"),
    [
        (transformers.ElectraConfig(**SIZE, embedding_size=24, max_position_embeddings=30, pad_token_id=1), 30),
        (transformers.BertConfig(**SIZE, hidden_act="relu", max_position_embeddings=30, pad_token_id=1), 30),
        (
            transformers.T5Config(
                vocab_size=40,
                d_model=24,
                d_kv=6,
                d_ff=40,
                num_layers=3,
                num_heads=4,
                pad_token_id=1,
                decoder_start_token_id=1,
            ),
            None,
        ),
        (transformers.GPT2Config(vocab_size=40, n_embd=24, n_layer=3, n_head=4, n_positions=30, pad_token_id=1), 30),
    ],
    ids=lambda value: getattr(value, "model_type", None),
)
def test_other_models_run_through_torch(tmp_path, config, window):
    make_model(tmp_path, config)
    encoder = load_encoder(tmp_path)
    assert isinstance(encoder._backend, TorchBackend)
    assert (encoder.layers, encoder.dimension) == (4, 24)
    assert encoder.signature.startswith(f"{tmp_path.name}@")
    together = encoder.encode(SENTENCES)
    for text, ours in zip(SENTENCES, together, strict=True):
        np.testing.assert_allclose(ours.vectors, encoder.encode([text])[0].vectors, rtol=0, atol=1e-4)
    assert encoder.tokenize([SENTENCES[0]])[0][0] == "<s>"
    assert find_window(json.loads((tmp_path / "config.json").read_text())) == window
    long = encoder.encode([" ".join(WORDS * 4)], [3])[0]
    assert bool(long.notes) == (window is not None)


def test_pickled_weights_are_refused(tmp_path):
    make_model(tmp_path, transformers.ElectraConfig(**SIZE, embedding_size=24, pad_token_id=1))
    (tmp_path / "model.safetensors").rename(tmp_path / "pytorch_model.bin")
    with pytest.raises(ModelError, match="pickled weights are not read"):
        load_encoder(tmp_path)


def test_unknown_architectures_are_reported(tmp_path):
    make_model(tmp_path, transformers.BertConfig(**SIZE, pad_token_id=1))
    config = json.loads((tmp_path / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps(config | {"model_type": "no_such_model"}))
    with pytest.raises(ModelError, match="transformers cannot load"):
        load_encoder(tmp_path)


def test_devices_are_checked():
    assert choose_device("cpu") == "cpu"
    assert choose_device("auto") in ("cuda", "mps", "cpu")
    with pytest.raises(OptionError, match="tpu"):
        choose_device("tpu")
    if not torch.cuda.is_available():
        with pytest.raises(OptionError, match="not available"):
            load_encoder("minilm", device="cuda:0")


def test_the_identity_names_what_torch_needs(minilm_directory):
    from importlib.metadata import version

    plan = plan_transformer(minilm_directory, device="cpu", dtype="float64")
    made, _, contents = plan.identity.partition("; ")
    libraries = [f"{name}={version(name)}" for name in ("torch", "transformers", "tokenizers")]
    assert made.split() == ["transformer=2", "torch-backend=1", *libraries, "device=cpu"]
    assert "dtype=float64" in contents.split()
    assert load_transformer(plan).identity == plan.identity
