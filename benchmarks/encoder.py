"""Encoder throughput: monge's graphs against torch on the same weights, texts and batches, in one process.

  python benchmarks/encoder.py [--model minilm] [--texts 600] [--rounds 5] [--output FILE.json]

Needs the torch extra. The candidates take turns, round by round, so that other load on the machine affects all of them;
medians are printed. `transformers` is torch with monge's batches (sorted by length, cut at a token budget),
`arrival order` is torch as most scripts use it: batches of 64 texts as they come, padded. The physical limit is this
machine's own matrix product in float32, timed in the same rounds; the operations counted are the products of
real tokens only, so padding counts as waste. Texts are WMT17 sentences where the judgment data is present (MONGE_DATA,
or shared/data beside the checkout), otherwise made up from words of the examples.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import random
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from shared import report_target

from monge.encoders import load_encoder
from monge.encoders.models import find_model, require_model
from monge.encoders.torch_backend import TorchBackend, load_tokenizer
from monge.encoders.transformer import TransformerEncoder
from monge.environment import Environment

ROOT = Path(__file__).parent.parent
PRODUCT = 1536  # rows and columns of the matrices that measure the limit


def find_texts(count: int) -> tuple[list[str], str]:
    """Return *count* different texts in random order, and where they are from."""
    data = Path(os.environ.get("MONGE_DATA", ROOT.parent / "shared" / "data"))
    table = data / "wmt17_da_toen" / "wmt17_da_seglevel_full560.tsv"
    rng = random.Random(0)
    if table.is_file():
        with table.open(encoding="utf-8", newline="") as stream:
            rows = list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))
        sentences = {
            value for row in rows for value in row.values() if value and 30 < len(value) < 400 and " " in value
        }
        return rng.sample(sorted(sentences), count), "WMT17 to-English sentences"
    words = (ROOT / "examples" / "demo" / "reference.txt").read_text(encoding="utf-8").split()
    return [" ".join(rng.choices(words, k=rng.randint(5, 45))) for _ in range(count)], "made-up sentences"


def count_operations(encoder: Any, texts: list[str]) -> tuple[int, float]:
    """Return the tokens of *texts* and the floating point operations of their matrix products in the model."""
    shape = encoder._backend.checkpoint.architecture
    lengths = np.array([len(tokens) for tokens in encoder.tokenize(texts)])
    inner = 4 * shape.hidden
    a_token = 2 * (4 * shape.hidden**2 + 2 * shape.hidden * inner)
    return int(lengths.sum()), float(shape.layers * (a_token * lengths + 4 * shape.hidden * lengths**2).sum())


def encode_in_arrival_order(directory: Path, texts: list[str]) -> Callable[[], None]:
    """Return torch as most scripts use it: padded batches of 64."""
    import torch
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(directory)
    model = transformers.AutoModel.from_pretrained(directory).eval()

    def run() -> None:
        with torch.inference_mode():
            for start in range(0, len(texts), 64):
                inputs = tokenizer(texts[start : start + 64], padding=True, truncation=True, return_tensors="pt")
                model(**inputs)

    return run


def multiply() -> None:
    """Compute one large matrix product in float32 on all cores, which measures the limit of the machine."""
    np.matmul(multiply.matrix, multiply.matrix)  # type: ignore[attr-defined]


multiply.matrix = np.random.default_rng(0).random((PRODUCT, PRODUCT), dtype=np.float32)  # type: ignore[attr-defined]


def measure(rivals: dict[str, Callable[[], object]], rounds: int) -> dict[str, tuple[list[float], list[float]]]:
    """Run the candidates in turns; return wall and processor seconds of each round after a warm-up."""
    times: dict[str, tuple[list[float], list[float]]] = {name: ([], []) for name in rivals}
    for number in range(rounds + 1):
        for name, run in rivals.items():
            wall, used = time.perf_counter(), time.process_time()
            run()
            if number:
                times[name][0].append(time.perf_counter() - wall)
                times[name][1].append(time.process_time() - used)
    return times


def report(name: str, seconds: dict[str, tuple[list[float], list[float]]], tokens: int, operations: float) -> list[Any]:
    """Print the table and return its rows."""
    limit = statistics.median(2 * PRODUCT**3 / wall for wall in seconds["matrix product"][0])
    ours = statistics.median(seconds["monge"][0])
    print(f"{name}: {tokens:,} tokens, {operations / 1e9:.0f} GFLOP; limit of this machine {limit / 1e9:.0f} GFLOP/s\n")
    print(f"{'':<15}{'seconds':>9}{'tokens/s':>10}{'GFLOP/s':>9}{'of limit':>10}{'monge is':>11}{'processor s':>13}")
    rows = []
    for rival, (walls, used) in seconds.items():
        if rival == "matrix product":
            continue
        wall, rate = statistics.median(walls), operations / statistics.median(walls)
        ratio = statistics.median(wall / mine for wall, mine in zip(walls, seconds["monge"][0], strict=True))
        speed = f"{ratio:.2f} ×" if rival != "monge" else ""
        print(
            f"{rival:<15}{wall:>9.2f}{tokens / wall:>10.0f}{rate / 1e9:>9.1f}{rate / limit:>10.0%}{speed:>11}"
            f"{statistics.median(used):>13.2f}"
        )
        rows.append({"rival": rival, "seconds": wall, "ratio": ratio, "share_of_limit": rate / limit})
    assert ours > 0
    return rows


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", choices=("minilm", "mpnet"), default="minilm")
    parser.add_argument("--texts", type=int, default=600)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--output", type=Path, help="write the table as JSON")
    args = parser.parse_args()
    texts, origin = find_texts(args.texts)
    directory = require_model(find_model(args.model), Environment.read())
    ours: Any = load_encoder(args.model)
    torch_encoder = TransformerEncoder(
        load_tokenizer(directory), TorchBackend(directory, device="cpu"), signature="torch", identity="torch"
    )
    last = [ours.layers - 1]
    rivals: dict[str, Callable[[], object]] = {
        "matrix product": multiply,
        "monge": lambda: ours.encode(texts, last),
        "transformers": lambda: torch_encoder.encode(texts, last),
        "arrival order": encode_in_arrival_order(directory, texts),
    }
    print(f"{len(texts)} {origin}, last layer, median of {args.rounds} rounds")
    rows = report(args.model, measure(rivals, args.rounds), *count_operations(ours, texts))
    same = next(row for row in rows if row["rival"] == "transformers")
    report_target(f"encoder {args.model} against torch with the same batches", same["ratio"], 1)
    if args.output:
        args.output.write_text(json.dumps({"model": args.model, "texts": len(texts), "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
