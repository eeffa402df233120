"""Measures metrics without reference, before and after re-mappings, and prints the tables of results-crosslingual.md.

python docs/results_crosslingual.py [remaps] [curve] [alignment] [mlqe]

reads the public sets from MONGE_DATA: rfeval (which holds WMT17), mlqe, tatoeba, multi30k, word_alignment_gold. Maps
are fitted on Tatoeba (800 sentences), where it has the language; nothing is chosen on the judgments reported.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from monge.crosslingual.parallel import Parallel
from monge.environment import Environment
from monge.metrics.variants import parse_variant
from monge.report.tables import markdown_table
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


def fit(language: str, folder: Path, texts: Parallel | None = None, **options: object) -> dict[tuple[str, str], str]:
    """Fit every method for tokens and sentences of ``use``; return the files by method and unit."""
    files = {}
    for unit in ("tokens", "sentence"):
        for method in METHODS:
            request = AlignRequest(
                texts or tatoeba(language),
                tuple(method.split(",")),
                SpaceChoice(unit=unit),
                **options,  # type: ignore[arg-type]
            )
            path = folder / f"{language}.{unit}.{method.replace(',', '-')}"
            run_align(request).fitted.save(path)
            files[method, unit] = str(path)
    return files


def print_remaps() -> None:
    """Print one table per metric: rows re-mappings, columns languages."""
    header = ["re-mapping", *WMT17, "average", *OTHERS]
    values: dict[str, dict[str, list[float]]] = {metric: {} for metric in METRICS}
    with tempfile.TemporaryDirectory() as scratch:
        for language in (*WMT17, *OTHERS):
            files = fit(language, Path(scratch)) if language in TATOEBA else {}
            for metric, unit in METRICS.items():
                built_in = {"layer": "layer", "batch8": "batch8"} if unit == "tokens" else {"layer": "layer"}
                maps = {"none": ""} | {m: files.get((m, unit), "-") for m in METHODS} | built_in
                known = {name: path for name, path in maps.items() if path != "-"}
                variants = [f"{metric},remap={path}" if path else metric for path in known.values()]
                found = dict(zip(known, correlate(f"rfeval/{language}-en", variants), strict=True))
                for name in maps:
                    values[metric].setdefault(name, []).append(found.get(name, np.nan))
            print("done", language, file=sys.stderr)
    for metric, rows in values.items():
        lines = [[n, *map(show, v[:4]), show(float(np.mean(v[:4]))), *map(show, v[4:])] for n, v in rows.items()]
        print(f"`{metric}`:\n\n{markdown_table(header, lines)}\n")
    unknown = [correlate(f"rfeval/{language}-en", list(METRICS)) for language in UNKNOWN]
    rows = [[metric, *(show(column[i]) for column in unknown)] for i, metric in enumerate(METRICS)]
    print(f"unknown to `use`:\n\n{markdown_table(['metric', *UNKNOWN], rows)}\n")


def print_curve() -> None:
    """Print how correlation grows with the number of parallel sentences (multi30k, German)."""
    texts = read_parallel_texts(DATA / "multi30k" / "train.de.gz", DATA / "multi30k" / "train.en.gz")
    rows = []
    for most in (200, 500, 1000, 2000, 5000, 10_000):
        cells = [str(most)]
        for origin in ("words", "sentences"):
            parallel = Parallel(texts.source, texts.target, origin)
            for method in (("clp",), ("umd",)):
                with tempfile.TemporaryDirectory() as scratch:
                    path = f"{scratch}/map"
                    run_align(AlignRequest(parallel, method, held_out=500, most=most)).fitted.save(path)
                    cells.append(show(correlate("rfeval/de-en", [f"xmoverscore,ngram=2,remap={path}"])[0]))
        rows.append(cells)
        print("done", most, file=sys.stderr)
    header = ["sentences", "CLP words", "UMD words", "CLP sentences", "UMD sentences"]
    print(markdown_table(header, rows))


def print_alignment() -> None:
    """Print the alignment error rate of mutual argmax for the layers of ``use``."""
    rows = []
    for layer in ("emb", "conv1", "conv2", "feats", "proj"):
        cells = [layer]
        for pair in ("enfr", "jaen", "roen", "zhen"):
            stem = DATA / "word_alignment_gold" / pair
            quality = align_gold(
                read_lines(f"{stem}.src-tgt"), read_lines(f"{stem}.gold"), space=SpaceChoice(layers=layer)
            )
            cells.append(f"{quality.error_rate:.3f} ({quality.precision:.2f}/{quality.recall:.2f})")
        rows.append(cells)
    print(markdown_table(["layer", "en-fr", "ja-en", "ro-en", "zh-en"], rows))


def print_mlqe() -> None:
    """Print MLQE-PE, all seven pairs."""
    pairs = ("en-de", "en-zh", "et-en", "ne-en", "ro-en", "ru-en", "si-en")
    found = [correlate(f"mlqe/{pair}", list(METRICS)) for pair in pairs]
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
