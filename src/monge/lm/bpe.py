"""The tokenizer of a GGUF file, made from its vocabulary and merges."""

from __future__ import annotations

from typing import Any

from monge.errors import ModelError
from monge.lm.gguf import GgufFile

_CONTROL = 3  # token types that llama.cpp calls control
_USER = 4


def build_tokenizer(file: GgufFile) -> Any:
    """Return a fast byte-level BPE tokenizer with the file's vocabulary, merges and special tokens.

    Digits are single tokens, as in the models that call their rules ``smollm``. Special tokens written in a text are
    read as ordinary characters. Raises ModelError for any other kind of tokenizer.
    """
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    kind, rules = file.get("tokenizer.ggml.model"), file.metadata.get("tokenizer.ggml.pre", "")
    if kind != "gpt2" or rules not in ("smollm", "gpt-2"):
        raise ModelError(f"{file.path}: a {kind} tokenizer with the rules {rules!r} is not read (gpt2 with smollm is)")
    tokens = file.get("tokenizer.ggml.tokens")
    vocabulary = {token: number for number, token in enumerate(tokens)}
    merges = [tuple(merge.split(" ", 1)) for merge in file.get("tokenizer.ggml.merges")]
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=merges, fuse_unk=False))
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    digits = pre_tokenizers.Digits(individual_digits=True)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([digits, byte_level]) if rules == "smollm" else byte_level
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer
