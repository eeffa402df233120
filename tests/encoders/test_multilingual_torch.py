"""A user's multilingual model with a SentencePiece tokenizer: our graph against transformers' own hidden states."""

from pathlib import Path

import numpy as np
import pytest

from monge.cli import main
from monge.encoders import load_encoder
from monge.encoders.onnx.backend import OnnxBackend
from monge.encoders.transformer import TransformerEncoder
from monge.environment import Environment
from monge.metrics import load_metric
from monge.text import Segment

torch = pytest.importorskip("torch", reason="the torch extra is not installed")
transformers = pytest.importorskip("transformers", reason="the torch extra is not installed")
pytestmark = pytest.mark.torch

PIECES = [
    "▁the",
    "▁dog",
    "▁runs",
    "▁home",
    "▁der",
    "▁Hund",
    "▁läuft",
    "▁heim",
    "▁",
    "s",
    "n",
    "狗",
    "跑",
    ".",
    "e",
    "r",
]
SPECIAL = ["<s>", "<pad>", "</s>", "<unk>"]
TEXTS = ["der Hund läuft heim.", "the dog runs home.", "狗跑", "the dogs 猫 run", "", "der Hund läuft heim. " * 20]
SIZE = {"hidden_size": 24, "num_hidden_layers": 3, "num_attention_heads": 4, "intermediate_size": 40}
# the position of the first token is 0 for BERT, and one more than the padding index (1) for RoBERTa and XLM-R
CONFIGS = {"bert": ("BertConfig", 128), "roberta": ("RobertaConfig", 130), "xlm-roberta": ("XLMRobertaConfig", 130)}


@pytest.fixture(scope="module", params=CONFIGS)
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small model with random weights and a SentencePiece tokenizer, saved by transformers."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    path = tmp_path_factory.mktemp(request.param)
    vocabulary = [(name, 0.0) for name in SPECIAL] + [(piece, -2.0 - i / 10) for i, piece in enumerate(PIECES)]
    tokenizer = Tokenizer(models.Unigram(vocabulary, unk_id=3))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>", pad_token="<pad>", unk_token="<unk>"
    ).save_pretrained(path)
    name, positions = CONFIGS[request.param]
    config = getattr(transformers, name)(
        vocab_size=len(vocabulary), max_position_embeddings=positions, pad_token_id=1, **SIZE
    )
    torch.manual_seed(0)
    model = transformers.AutoModel.from_config(config)
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    model.save_pretrained(path)
    return path


def test_hidden_states_are_those_of_transformers(folder: Path) -> None:
    encoder = load_encoder(folder)
    assert isinstance(encoder, TransformerEncoder)
    assert isinstance(encoder._backend, OnnxBackend)  # no torch
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModel.from_pretrained(folder).eval()
    for text, ours in zip(TEXTS, encoder.encode(TEXTS), strict=True):
        inputs = tokenizer(text, return_tensors="pt", return_token_type_ids=False)
        with torch.inference_mode():
            theirs = torch.stack(model(**inputs, output_hidden_states=True).hidden_states)[:, 0].numpy()
        np.testing.assert_allclose(ours.vectors, theirs, rtol=0, atol=1e-4)


def test_pieces_have_spans_words_and_unknown_characters(folder: Path) -> None:
    text = "the dogs 猫 run."
    (encoded,) = load_encoder(folder).encode([text])
    pieces = [text[slice(*span)] for span, special in zip(encoded.spans, encoded.special, strict=True) if not special]
    assert "".join(pieces) == text.replace(" ", "")
    assert encoded.words[encoded.tokens.index("s")] == encoded.words[encoded.tokens.index("▁dog")]
    assert encoded.unknown > 0


def test_metrics_and_maps_work_with_it(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    german, english = ["der Hund", "läuft heim", "Hund heim"], ["the dog", "runs home", "dog home"]
    source.write_text("".join(f"{german[i % 3]} {german[i // 3 % 3]}\n" for i in range(40)), encoding="utf-8")
    target.write_text("".join(f"{english[i % 3]} {english[i // 3 % 3]}\n" for i in range(40)), encoding="utf-8")
    made = str(tmp_path / "map")
    options = ["--encoder", str(folder), "--layers", "2", "--output", made]
    assert main(["align", str(source), str(target), "--method", "umd,clp", *options]) == 0
    assert "translation found" in capsys.readouterr().out
    segment = [Segment("the dog runs home", source="der Hund läuft heim")]
    plain = load_metric("xmoverscore_v1", encoder=str(folder), layers="2").score(segment)[0].value
    mapped = load_metric("xmoverscore_v1", encoder=str(folder), layers="2", remap=made).score(segment)[0].value
    assert np.isfinite([plain, mapped]).all()
    assert plain != mapped
    assert (
        main(["score", "-s", str(source), "-i", str(target), "-m", f"yisi2,encoder={folder},layers=3,remap={made}"])
        == 2
    )
    assert "was fitted for layer 2" in capsys.readouterr().err


def test_it_can_be_given_a_name(folder: Path, tmp_path: Path) -> None:
    from monge.encoders.added import check_added, describe_encoder, read_added, record_model
    from monge.errors import ModelError

    environment = Environment(cache_directory=tmp_path)
    encoder = load_encoder(folder, environment=environment)
    record_model(describe_encoder("mine", str(folder), encoder, languages="de en", layers="2"), environment)
    assert load_encoder("mine", environment=environment).signature == encoder.signature
    entry = read_added(environment)["mine"]
    assert entry.languages == ("de", "en")
    with pytest.raises(ModelError, match="records them again"):
        check_added(entry, load_encoder("hashed"))
