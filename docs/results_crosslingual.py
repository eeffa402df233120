"""Measures metrics without reference, before and after re-mappings, and prints the tables of results-crosslingual.md.

python docs/results_crosslingual.py [remaps] [curve] [alignment] [mlqe]

reads the public sets from MONGE_DATA: rfeval (which holds WMT17), mlqe, tatoeba, multi30k, word_alignment_gold. Maps
are fitted on Tatoeba (800 sentences), where it has the language; nothing is chosen on the judgments reported. Every
number is kept in results_crosslingual.json in the cache as soon as it is known: a run that was interrupted goes on.
"""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from monge.crosslingual.parallel import Parallel
from monge.environment import Environment
from monge.metrics.variants import parse_variant
from monge.report.tables import markdown_table
from monge.storage.atomic import write_text
from monge.text import read_lines
from monge.workflows.align import AlignRequest, SpaceChoice, align_gold, read_parallel_texts, run_align
from monge.workflows.judged_data import JudgedData, read_judged_sets
from monge.workflows.judged_scores import score_sets

DATA = Path(os.environ.get("MONGE_DATA", "data"))
TATOEBA = {"de": "deu", "ru": "rus", "tr": "tur", "zh": "cmn", "es": "spa", "fr": "fra", "it": "ita", "ja": "jpn"}
WMT17 = ("de", "ru", "tr", "zh")
OTHERS = ("es", "fr", "it", "ja", "ko", "nl", "pt")
UNKNOWN = ("cs", "fi", "lv")
METHODS = ("clp", "umd", "norm", "umd,clp", "clp,umd", "norm,clp")
REMAPS = ("none", *METHODS, "layer", "batch8")
METRICS = {
    "cosine_xl": "sentence",
    "yisi2": "tokens",
    "xmoverscore": "tokens",
    "xmoverscore,ngram=2": "tokens",
    "xmoverscore_v1": "tokens",
    "xmoverscore_v2": "tokens",
}


def show(value: float) -> str:
    """Return a correlation with three digits and no leading zero."""
    return "–" if np.isnan(value) else f"{value:.3f}".replace("0.", ".", 1)


def keep(key: str, compute: Callable[[], list[float]]) -> list[float]:
    """Return what an earlier run found under *key*, or compute and store it."""
    path = Environment.read().cache_directory / "results_crosslingual.json"
    known: dict[str, list[float]] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    if key not in known:
        found = compute()
        known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        known[key] = found
        write_text(path, json.dumps(known, indent=0))
        print("done", key, file=sys.stderr, flush=True)
    return known[key]


def correlate(data: str, metrics: Sequence[str]) -> list[float]:
    """Return Pearson's r of every metric with the judgments of one part of a data set."""
    (judged,) = read_judged_sets(JudgedData(data), environment=Environment.read())[:1]
    tables = score_sets([parse_variant(metric) for metric in metrics], [judged], environment=Environment.read())[0]
    aspect = "da-z" if "da-z" in judged.judgments else judged.aspects[0]
    human = judged.judgments[aspect].values.ravel()
    found = []
    for table in tables:
        scores = table.values.ravel()
        both = np.isfinite(scores) & np.isfinite(human)
        found.append(float(np.corrcoef(scores[both], human[both])[0, 1]))
    return found


def tatoeba(language: str) -> Parallel:
    """Return the parallel sentences of a language and English."""
    stem = DATA / "tatoeba" / f"tatoeba.{TATOEBA[language]}-eng"
    return read_parallel_texts(f"{stem}.{TATOEBA[language]}", f"{stem}.eng")


def fit(language: str, unit: str, folder: Path) -> dict[str, str]:
    """Fit every method for tokens or sentences of ``use``; return the files by method."""
    files = {}
    for method in METHODS if language in TATOEBA else ():
        path = folder / f"{language}.{unit}.{method.replace(',', '-')}"
        if not path.exists():
            request = AlignRequest(tatoeba(language), tuple(method.split(",")), SpaceChoice(unit=unit))
            run_align(request).fitted.save(path)
        files[method] = str(path)
    return files


def measure_remaps(language: str, metric: str, unit: str, folder: Path) -> list[float]:
    """Return the correlation of a metric without map, with every fitted one, and with those that need no file."""
    files = fit(language, unit, folder)
    built_in = ["layer", "batch8"] if unit == "tokens" else ["layer"]
    known = {"none": "", **files, **dict(zip(built_in, built_in, strict=True))}
    variants = [f"{metric},remap={path}" if path else metric for path in known.values()]
    found = dict(zip(known, correlate(f"rfeval/{language}-en", variants), strict=True))
    return [found.get(name, np.nan) for name in REMAPS]


def print_remaps() -> None:
    """Print one table per metric: rows re-mappings, columns languages."""
    header = ["re-mapping", *WMT17, "average", *OTHERS]
    columns: dict[str, list[list[float]]] = {metric: [] for metric in METRICS}
    with tempfile.TemporaryDirectory() as scratch:
        for language in (*WMT17, *OTHERS):
            for metric, unit in METRICS.items():
                found = keep(
                    f"remaps {language} {metric}", partial(measure_remaps, language, metric, unit, Path(scratch))
                )
                columns[metric].append(found)
    for metric, own in columns.items():
        lines = []
        for name, row in zip(REMAPS, np.array(own).T.tolist(), strict=True):
            if np.isfinite(row).any():
                lines.append([name, *map(show, row[:4]), show(float(np.mean(row[:4]))), *map(show, row[4:])])
        print(f"`{metric}`:\n\n{markdown_table(header, lines)}\n")
    unknown = [
        keep(f"unknown {language}", partial(correlate, f"rfeval/{language}-en", list(METRICS))) for language in UNKNOWN
    ]
    rows = [[metric, *(show(column[i]) for column in unknown)] for i, metric in enumerate(METRICS)]
    print(f"unknown to `use`:\n\n{markdown_table(['metric', *UNKNOWN], rows)}\n")


def measure_curve(texts: Parallel, most: int, origin: str, method: str) -> list[float]:
    """Return the correlation of xmoverscore on de-en with a map that was fitted on *most* sentences."""
    parallel = Parallel(texts.source, texts.target, origin)
    with tempfile.TemporaryDirectory() as scratch:
        path = f"{scratch}/map"
        run_align(AlignRequest(parallel, (method,), held_out=500, most=most)).fitted.save(path)
        return correlate("rfeval/de-en", [f"xmoverscore,ngram=2,remap={path}"])


def print_curve() -> None:
    """Print how correlation grows with the number of parallel sentences (multi30k, German)."""
    texts = read_parallel_texts(DATA / "multi30k" / "train.de.gz", DATA / "multi30k" / "train.en.gz")
    rows = []
    for most in (200, 500, 1000, 2000, 5000, 10_000):
        found = [
            keep(f"curve {most} {origin} {method}", partial(measure_curve, texts, most, origin, method))[0]
            for origin in ("words", "sentences")
            for method in ("clp", "umd")
        ]
        rows.append([f"{most:,}", *map(show, found)])
    header = ["sentences", "CLP words", "UMD words", "CLP sentences", "UMD sentences"]
    print(markdown_table(header, rows))


def measure_alignment(layer: str, pair: str) -> list[float]:
    """Return error rate, precision and recall of words aligned in a layer of ``use``."""
    stem = DATA / "word_alignment_gold" / pair
    texts = read_lines(f"{stem}.src-tgt")
    gold = [known_links(*both) for both in zip(texts, read_lines(f"{stem}.gold"), strict=True)]
    quality = align_gold(texts, gold, space=SpaceChoice(layers=layer))
    return [quality.error_rate, quality.precision, quality.recall]


def print_alignment() -> None:
    """Print the alignment error rate of mutual argmax for the layers of ``use``."""
    rows = []
    for layer in ("emb", "conv1", "conv2", "feats", "proj"):
        cells = [layer]
        for pair in ("enfr", "jaen", "roen", "zhen"):
            error, precision, recall = keep(f"alignment {layer} {pair}", partial(measure_alignment, layer, pair))
            cells.append(f"{error:.3f} ({precision:.2f}/{recall:.2f})")
        rows.append(cells)
    print(markdown_table(["layer", "en-fr", "ja-en", "ro-en", "zh-en"], rows))


def known_links(text: str, links: str) -> str:
    """Leave out links to words that a text does not have: the Japanese set has some."""
    sizes = [len(side.split()) for side in text.split("|||")]
    kept = [
        link for link in links.split() if all(int(n) <= m for n, m in zip(re.split("[-p]", link), sizes, strict=True))
    ]
    return " ".join(kept)


def print_mlqe() -> None:
    """Print MLQE-PE, all seven pairs."""
    pairs = ("en-de", "en-zh", "et-en", "ne-en", "ro-en", "ru-en", "si-en")
    found = [keep(f"mlqe {pair}", partial(correlate, f"mlqe/{pair}", list(METRICS))) for pair in pairs]
    rows = [[metric, *(show(column[i]) for column in found)] for i, metric in enumerate(METRICS)]
    print(markdown_table(["metric", *pairs], rows))


PARTS = {"remaps": print_remaps, "curve": print_curve, "alignment": print_alignment, "mlqe": print_mlqe}


def main(names: Iterable[str]) -> None:
    """Print the parts that are named, or all."""
    for name in names or PARTS:
        print(f"## {name}\n")
        PARTS[name]()


if __name__ == "__main__":
    main(sys.argv[1:])
