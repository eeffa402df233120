"""MoverScore and BERTScore, without any cache, against the packages of their authors on the same weights and pairs.

  python benchmarks/metrics.py [--pairs 1000] [--rounds 3]

Needs the torch extra, `bert-score`, and `pip install --no-deps moverscore pyemd`. All run on the processor with the
MiniLM weights in one process and take turns. Loading models is not timed, computing idf is. moverscore_v2 is the
released file of version 1.0.3 with the changes listed below, which it needs to run without a GPU and with current
versions of transformers and numpy; none of them makes it slower (a fast tokenizer replaces a slow one, attentions are
not returned). The largest difference of scores shows that both compute the same.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
import types
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

os.environ["MONGE_NO_CACHE"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"  # the released code forks

import numpy as np
from shared import find_pairs, median_ratio, report_target, run_in_turns

from monge.encoders.models import find_model, require_model
from monge.environment import Environment
from monge.metrics import load_metric
from monge.report.tables import text_table

CHANGES = (
    ("from transformers import *", "from transformers import AutoModel, AutoTokenizer"),
    ("model_name = 'distilbert-base-uncased'", "model_name = DIRECTORY"),
    ("config = DistilBertConfig.from_pretrained(model_name, output_hidden_states=True, output_attentions=True)\n", ""),
    ("DistilBertTokenizer.from_pretrained(model_name, do_lower_case=True)",
     "AutoTokenizer.from_pretrained(model_name)"),
    ("DistilBertModel.from_pretrained(model_name, config=config)", "AutoModel.from_pretrained(model_name)"),
    ("output, x_encoded_layers, _ = model(input_ids = x, attention_mask = attention_mask)",
     "x_encoded_layers = model(input_ids=x, attention_mask=attention_mask, output_hidden_states=True).hidden_states"),
    ("tokenizer.max_len", "512"),
    ("np.float)", "float)"),
    ("'cuda:0'", "'cpu'"),
)  # fmt: skip


def load_released(directory: Path) -> Any:
    """Return the released moverscore_v2, changed so that it runs here on the weights in *directory*."""
    found = importlib.util.find_spec("moverscore_v2")
    if found is None or found.origin is None:
        raise SystemExit("moverscore is not installed: pip install --no-deps moverscore pyemd")
    source = Path(found.origin).read_text(encoding="utf-8")
    for old, new in CHANGES:
        if old not in source:
            raise SystemExit(f"moverscore_v2 is not the file of version 1.0.3: it lacks {old!r}")
        source = source.replace(old, new)
    module = types.ModuleType("moverscore_v2")
    module.__dict__["DIRECTORY"] = str(directory)
    sys.modules["moverscore_v2"] = module
    exec(compile(source, found.origin, "exec"), module.__dict__)
    return module


class Race(NamedTuple):
    """Two implementations of a metric, and the encoder of the first alone, on the same texts."""

    rivals: dict[str, Callable[[], Any]]
    encode: Callable[[], Any]


def encode_alone(metric: Any, texts: list[str]) -> Callable[[], Any]:
    """Return a function that runs the encoder of *metric* over the different *texts*."""
    reading, different = metric.encodings()[0], list(dict.fromkeys(texts))
    return lambda: reading.encoder.encode(different, reading.layers)


def movers(hypotheses: list[str], references: list[str], directory: Path) -> Race:
    """Return both MoverScores as functions that return distances."""
    released = load_released(directory)
    ours = load_metric("moverscore_v2", encoder=str(directory))
    ours.compute(hypotheses[:8], references[:8])

    def run_released() -> Any:
        idf_references, idf_hypotheses = released.get_idf_dict(references), released.get_idf_dict(hypotheses)
        scores = released.word_mover_score(
            references, hypotheses, idf_references, idf_hypotheses, stop_words=[], n_gram=1, remove_subwords=True
        )
        return 1 - np.array(scores)

    def run_ours() -> Any:
        return 1 / np.array(ours.compute(hypotheses, references)["scores"]) - 1

    return Race({"monge": run_ours, "moverscore_v2": run_released}, encode_alone(ours, hypotheses + references))


def berts(hypotheses: list[str], references: list[str], directory: Path) -> Race:
    """Return both BERTScores as functions that return F."""
    import bert_score

    layer = 4
    ours = load_metric("bertscore", encoder=str(directory), layers=str(layer))
    ours.compute(hypotheses[:8], references[:8])
    theirs = bert_score.BERTScorer(model_type=str(directory), num_layers=layer, device="cpu")
    rivals = {
        "monge": lambda: np.array(ours.compute(hypotheses, references)["scores"]),
        "bert-score": lambda: theirs.score(hypotheses, references, batch_size=64)[2].numpy(),
    }
    return Race(rivals, encode_alone(ours, hypotheses + references))


def compare(name: str, race: Race, rounds: int, pairs: int, wanted: float) -> None:
    """Time two implementations in turns; print their times and the largest difference of their results."""
    results: dict[str, Any] = {}
    rivals = race.rivals

    def remembering(rival: str) -> Callable[[], None]:
        return lambda: results.__setitem__(rival, rivals[rival]())

    seconds = run_in_turns({rival: remembering(rival) for rival in rivals}, rounds)
    peer = next(rival for rival in rivals if rival != "monge")
    rows = [[rival, f"{np.median(taken):.2f}", f"{pairs / np.median(taken):.0f}"] for rival, taken in seconds.items()]
    print(f"\n{name}, {pairs} pairs, median of {rounds} rounds")
    print(text_table(["", "seconds", "pairs/s"], rows))
    print(f"largest difference {np.abs(results['monge'] - results[peer]).max():.1e}")
    alone = run_in_turns({"encoder": race.encode}, 1)["encoder"][0]
    print(f"the encoder of monge alone takes {alone:.2f} seconds")
    ours, theirs = (np.median(seconds[rival]) for rival in ("monge", peer))
    why = f"{alone:.1f} of {ours:.1f} s are the encoder, and {peer} took {theirs:.1f} s"
    report_target(f"{name} cold against {peer}", median_ratio(seconds[peer], seconds["monge"]), wanted, why=why)


def main() -> None:
    """Compare both metrics with their peers."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    warnings.filterwarnings("ignore")
    hypotheses, references, origin = find_pairs(args.pairs)
    print(origin)
    directory = require_model(find_model("minilm"), Environment.read())
    compare("MoverScore", movers(hypotheses, references, directory), args.rounds, len(hypotheses), 4)
    compare("BERTScore", berts(hypotheses, references, directory), args.rounds, len(hypotheses), 1.5)


if __name__ == "__main__":
    main()
