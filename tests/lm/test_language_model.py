"""SmolLM2 without torch, against transformers' own numbers; cutting, caching and names of language models."""

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from monge.encoders.models import find_model, locate_model
from monge.environment import Environment
from monge.errors import ModelError, OptionError
from monge.lm import Continuation, LanguageModel, TokenProbabilities, load_language_model
from monge.lm import llama_model as llama_module
from monge.lm.cached import CachedLanguageModel
from monge.lm.llama_model import LlamaModel
from monge.storage.store import Store

# transformers 5 with gguf 0.19, float32 on torch 2.13: log softmax of AutoModelForCausalLM after <|endoftext|>
AUTHORITY = {
    "The cat sat on the mat.": [-5.1128, -9.0752, -3.0690, -0.8920, -0.3178, -1.1241, -1.3256],
    "mat the on sat cat The.": [-9.7696, -10.3641, -11.8101, -13.2675, -11.8370, -9.5357, -5.5834],
    "In 2017, 1,234 people visited the museum; it was closed.": [
        -5.8544, -2.4392, -0.7730, -0.1552, -0.9049, -2.0073, -0.1149, -3.1919, -1.3946, -3.8906, -1.8191, -2.2936,
        -1.1591, -3.3014, -6.2659, -1.2223, -3.6632, -6.0693, -4.2400, -1.5939, -6.3810, -5.6468,
    ],
}  # fmt: skip


@pytest.fixture(scope="module")
def model() -> LanguageModel:
    """SmolLM2 itself, without the cache."""
    return load_language_model(environment=_uncached())


def _uncached() -> Environment:
    import dataclasses

    return dataclasses.replace(Environment.read(), cache=False)


def test_it_agrees_with_transformers(model: LanguageModel) -> None:
    found = model.score([Continuation(text) for text in AUTHORITY])
    for one, wanted in zip(found, AUTHORITY.values(), strict=True):
        assert np.allclose(one.values, wanted, rtol=0, atol=2e-4)
        assert "".join(one.text[a:b] for a, b in one.spans) == one.text


def test_a_text_after_a_prompt_is_the_end_of_both(model: LanguageModel) -> None:
    """log p(text | prompt) is what the tokens of the text have in the whole; the blank goes to the text."""
    whole, part = model.score([Continuation("The cat sat on"), Continuation("on", "The cat sat ")])
    assert part.tokens == ("Ġon",)
    assert part.spans.tolist() == [[0, 2]]
    assert part.values == pytest.approx(whole.values[-1:], abs=1e-4)
    (empty,) = model.score([Continuation("", "Say: ")])
    assert empty.tokens == ()


def test_padding_batches_and_windows_change_nothing_they_should_not(
    model: LanguageModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "The river was wide and the boat was small."
    alone = model.score([Continuation(text)])[0]
    together = model.score([Continuation("Rain."), Continuation(text), Continuation(text * 3)])[1]
    assert np.allclose(alone.values, together.values, rtol=0, atol=1e-4)
    directory = locate_model(find_model("smollm2"), Environment.read())
    assert directory is not None
    monkeypatch.setattr(llama_module, "WINDOW", 16)
    narrow = LlamaModel(directory / "SmolLM2-135M-Instruct.Q4_1.gguf", signature="narrow", identity="narrow")
    windowed = narrow.score([Continuation(text * 3)])[0]
    assert len(windowed.values) == len(windowed.tokens) > 16
    assert windowed.notes == ("read by the language model in windows of 16 of 31 tokens",)
    assert np.allclose(windowed.values[:10], alone.values, rtol=0, atol=1e-4)  # the first window saw all before it


def test_case_is_restored_where_there_is_none(model: LanguageModel) -> None:
    text = 'i said: "the nato left." then john met the german team in paris.'
    restored = model.restore_case(text)
    assert restored == 'I said: "the NATO left." Then John met the German team in Paris.'
    assert model.restore_case("Berlin is big") == "Berlin is big"


class Counting:
    """Knows one probability, and how often it was asked."""

    signature, identity, languages = "counting@1", "counting; x=1", ("en",)

    def __init__(self) -> None:
        self.asked: list[Continuation] = []

    def restore_case(self, text: str) -> str:
        return text

    def score(self, texts: Sequence[Continuation]) -> list[TokenProbabilities]:
        self.asked += texts
        return [TokenProbabilities(t.text, ("a",), np.array([[0, 1]]), np.array([-0.5]), ("note",)) for t in texts]


def test_a_text_is_read_once(tmp_path: Path) -> None:
    counting, store = Counting(), Store(tmp_path / "store")
    model = CachedLanguageModel(counting, store)
    first = model.score([Continuation("x"), Continuation("x"), Continuation("x", "p")])
    again = CachedLanguageModel(counting, store).score([Continuation("x", "p"), Continuation("x")])
    store.close()
    assert len(counting.asked) == 2
    assert [one.notes for one in again] == [("note",)] * 2
    assert again[0].values.tolist() == first[0].values.tolist() == [-0.5]
    assert again[0].tokens == ("a",)


def test_missing_models_are_named(tmp_path: Path) -> None:
    offline = Environment(cache_directory=tmp_path, offline=True)
    with pytest.raises(ModelError, match="monge models fetch smollm2"):
        load_language_model("smollm2", environment=offline)
    with pytest.raises(ModelError, match="no language model 'smolm'"):
        load_language_model("smolm", environment=offline)
    with pytest.raises(ModelError, match="no such file"):
        load_language_model(str(tmp_path / "x.gguf"), environment=offline)
    with pytest.raises(OptionError, match="int is not a language model"):
        load_language_model(3)


@pytest.mark.torch
def test_against_transformers(model: LanguageModel, tmp_path: Path) -> None:
    """The same file read by transformers, and the same weights saved as safetensors and read through torch."""
    torch, transformers = pytest.importorskip("torch"), pytest.importorskip("transformers")
    pytest.importorskip("gguf")
    directory = locate_model(find_model("smollm2"), Environment.read())
    assert directory is not None
    name = "SmolLM2-135M-Instruct.Q4_1.gguf"
    theirs = transformers.AutoModelForCausalLM.from_pretrained(directory, gguf_file=name, dtype=torch.float32).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(directory, gguf_file=name)
    texts = [*AUTHORITY, "Ünïcödé — 日本語 🙂", "A  double  blank,\nand a line."]
    for text, own in zip(texts, model.score([Continuation(text) for text in texts]), strict=True):
        ids = [0, *tokenizer(text, add_special_tokens=False)["input_ids"]]
        with torch.inference_mode():
            logits = torch.log_softmax(theirs(torch.tensor([ids])).logits[0].double(), -1)
        wanted = [logits[i, ids[i + 1]].item() for i in range(len(ids) - 1)]
        assert np.allclose(own.values, wanted, rtol=0, atol=1e-4)
    theirs.config.bos_token_id = 0
    theirs.save_pretrained(tmp_path / "saved", safe_serialization=True)
    tokenizer.save_pretrained(tmp_path / "saved")
    through_torch = load_language_model(os.fspath(tmp_path / "saved"), device="cpu", environment=_uncached())
    for pair in (Continuation(texts[0]), Continuation(texts[2], "He said: ")):
        one, two = model.score([pair])[0], through_torch.score([pair])[0]
        assert one.tokens == two.tokens
        assert np.allclose(one.values, two.values, rtol=0, atol=1e-4)
