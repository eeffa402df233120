"""Flags that people know from sacrebleu and bert-score, and what to write here instead."""

from __future__ import annotations

import os
from collections.abc import Sequence

from monge.errors import OptionError

_COMMANDS = ("score", "compare", "explain", "correlate")  # those that people come to with such flags
_SMOOTHING = ("exp", "floor", "add-k", "none")  # sacrebleu's methods
_SEGMENTS = "use `monge score … --segments OUT.tsv`, or -f json"
_BOOTSTRAP = "use `monge compare REF -i BASE SYS -m bleu --test bootstrap`"
_RANDOMISATION = "use `monge compare REF -i BASE SYS -m bleu --test randomisation`"
_FILES = "write `monge score REF -i HYP -l en`: references first, outputs after -i"

# flag of another package → what to do instead; the commands above have none of them
FLAGS: dict[str, str] = {
    "-sl": _SEGMENTS,
    "--sentence-level": _SEGMENTS,
    "--seg_level": _SEGMENTS,
    "-tlc": "use -lc to ignore case, -tok TOKENIZER to choose a tokenizer",
    "--smooth-method": "use -o smooth_method=METHOD",
    "-sv": "leave it out: smoothing methods have sacrebleu's default value",
    "--smooth-value": "leave it out: smoothing methods have sacrebleu's default value",
    "-cc": "use -m chrf,char_order=N",
    "--chrf-char-order": "use -m chrf,char_order=N",
    "-cw": "use -m chrf,word_order=N",
    "--chrf-word-order": "use -m chrf,word_order=N",
    "--chrf-beta": "use -m chrf,beta=N",
    "--chrf-whitespace": "use -m chrf,whitespace=true",
    "--chrf-lowercase": "use -m chrf,lowercase=true",
    "--ter-case-sensitive": "use -m ter,case_sensitive=true",
    "--ter-asian-support": "use -m ter,asian_support=true",
    "--ter-no-punct": "use -m ter,no_punct=true",
    "--ter-normalized": "use -m ter,normalized=true",
    "-pbs": _BOOTSTRAP,
    "--paired-bs": _BOOTSTRAP,
    "-pbsn": "use `monge compare … --test bootstrap --draws N`",
    "--paired-bs-n": "use `monge compare … --test bootstrap --draws N`",
    "-par": _RANDOMISATION,
    "--paired-ar": _RANDOMISATION,
    "-parn": "use `monge compare … --test randomisation --draws N`",
    "--paired-ar-n": "use `monge compare … --test randomisation --draws N`",
    "-sh": "leave it out: signatures are always long",
    "--short": "leave it out: signatures are always long",
    "--force": "leave it out: texts are taken as they are",
    "--language-pair": "use -l",
    "-V": "use `monge --version`",
    "-r": _FILES,
    "--refs": _FILES,
    "-c": _FILES,
    "--cand": _FILES,
    "--cands": _FILES,
    "--rescale_with_baseline": "use --rescale",
    "--baseline_path": "use --rescale, or -m bertscore,baseline=FILE with a file of `monge calibrate`",
    "--model": "use --encoder",
    "--model_type": "use --encoder",
    "--num_layers": "use --layers",
    "--all_layers": "use --layers all -o aggregation=mean",
    "--batch_size": "leave it out: batch sizes are chosen automatically",
    "--nthreads": "set OMP_NUM_THREADS",
    "--use_fast_tokenizer": "leave it out: tokenizers are always fast ones",
    "-v": "use --progress",
    "--verbose": "use --progress",
}


def refuse_foreign_flags(command: str | None, arguments: Sequence[str]) -> None:
    """Raise OptionError for the first argument of *command* that is a flag of sacrebleu or bert-score, not of monge."""
    if command not in _COMMANDS:
        return
    for argument in arguments:
        if argument == "--":
            return
        flag = argument.partition("=")[0]
        if flag in FLAGS:
            raise OptionError(f"{flag} is not an argument of monge {command}: {FLAGS[flag]}")


def check_source(source: str | None) -> None:
    """Raise OptionError if the source file does not exist and is named like a way of smoothing (-s of sacrebleu)."""
    if source in _SMOOTHING and not os.path.exists(source):
        raise OptionError(f"-s names the source file, and there is no file {source}: use -o smooth_method={source}")
