"""A small BERT with random weights, as transformers writes it, and texts to train it on."""

import random

import pytest

_TEXT = """the a cat dog fox hare bird tree house river stone road sat ran flew stood saw chased under over near behind
green old quick small red two three never soon slowly"""
WORDS = _TEXT.split()


def write_encoder(directory, seed=0):
    torch = pytest.importorskip("torch", reason="the torch extra is not installed")
    import transformers
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    special = {"[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3}
    tokenizer = Tokenizer(models.WordLevel(special | {w: i + 4 for i, w in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    torch.manual_seed(seed)
    config = transformers.BertConfig(
        vocab_size=len(special) + len(WORDS),
        hidden_size=24,
        num_hidden_layers=3,
        num_attention_heads=3,
        intermediate_size=40,
        max_position_embeddings=64,
        initializer_range=0.3,
    )
    transformers.BertModel(config).save_pretrained(directory)
    tokenizer.save(str(directory / "tokenizer.json"))
    return directory


@pytest.fixture(scope="session")
def tiny(tmp_path_factory):
    return write_encoder(tmp_path_factory.mktemp("tiny"))


@pytest.fixture(scope="session")
def teacher(tmp_path_factory):
    return write_encoder(tmp_path_factory.mktemp("teacher"), seed=7)


def make_pairs(count, seed=0):
    """References with a paraphrase each (one word replaced) and an unrelated text."""
    rng = random.Random(seed)
    rows = []
    for _ in range(count):
        reference = rng.choices(WORDS, k=rng.randint(6, 10))
        near = list(reference)
        near[rng.randrange(len(near))] = rng.choice(WORDS)
        rows += [(" ".join(near), " ".join(reference)), (" ".join(rng.choices(WORDS, k=7)), " ".join(reference))]
    return rows


@pytest.fixture
def pairs_file(tmp_path):
    path = tmp_path / "pairs.tsv"
    lines = ["hypothesis\treference", *("\t".join(row) for row in make_pairs(60))]
    path.write_text("\n".join(lines) + "\n")
    return path
