"""Measures metrics without reference, before and after re-mappings, and prints the tables of results-crosslingual.md.

python docs/results_crosslingual.py [remaps] [zero] [curve] [layers] [truecase] [gap] [languages] [alignment] [mlqe]

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
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from monge.crosslingual.parallel import Parallel
from monge.encoders import load_encoder
from monge.encoders.base import pool_sentence, sentence_layer_of
from monge.environment import Environment
from monge.metrics.variants import parse_variant
from monge.report.correlate.plots import draw_curves
from monge.report.plots import figure_style, new_figure, save_figure
from monge.report.tables import markdown_table
from monge.storage.atomic import write_text
from monge.text import read_lines
from monge.workflows.align import AlignRequest, SpaceChoice, align_gold, read_parallel_texts, run_align
from monge.workflows.judged_data import JudgedData, read_judged_sets
from monge.workflows.judged_scores import score_sets

DATA = Path(os.environ.get("MONGE_DATA", "data"))
TATOEBA = {
    "de": "deu", "ru": "rus", "tr": "tur", "zh": "cmn", "es": "spa", "fr": "fra", "it": "ita", "ja": "jpn",
    "cs": "ces", "fi": "fin", "lv": "lvs",
}  # fmt: skip
WMT17 = ("de", "ru", "tr", "zh")
OTHERS = ("es", "fr", "it", "ja", "ko", "nl", "pt")
UNKNOWN = ("cs", "fi", "lv")
FIGURES = Path(__file__).parent / "figures"
LAYERS = ("emb", "conv1", "conv2", "feats", "proj")
SIZES = (200, 500, 1000, 2000, 5000, 10_000)
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


def print_zero() -> None:
    """Print languages that ``use`` does not know, with maps fitted on Tatoeba (Zhao et al. 2020, table 4)."""
    rows = []
    for metric in ("cosine_xl", "xmoverscore,ngram=2"):
        with tempfile.TemporaryDirectory() as scratch:
            columns = [
                keep(f"zero {code} {metric}", partial(measure_remaps, code, metric, METRICS[metric], Path(scratch)))
                for code in UNKNOWN
            ]
        for name, row in zip(REMAPS, np.array(columns).T.tolist(), strict=True):
            if np.isfinite(row).all() and name in ("none", "clp", "umd", "umd,clp", "norm"):
                rows.append([metric, name, *map(show, row)])
    print(markdown_table(["metric", "re-mapping", *UNKNOWN], rows))


def measure_curve(language: str, most: int, origin: str, method: str) -> list[float]:
    """Return the correlation of a metric with a map that was fitted on *most* sentences of multi30k.

    *origin* is what pairs are made of: ``words`` or ``sentences`` for xmoverscore, ``vectors`` for cosine_xl.
    """
    texts = read_parallel_texts(DATA / "multi30k" / f"train.{language}.gz", DATA / "multi30k" / "train.en.gz")
    whole = origin == "vectors"
    parallel = Parallel(texts.source, texts.target, "sentences" if whole else origin)
    space = SpaceChoice(unit="sentence" if whole else "tokens")
    with tempfile.TemporaryDirectory() as scratch:
        path = f"{scratch}/map"
        run_align(AlignRequest(parallel, (method,), space, held_out=500, most=most)).fitted.save(path)
        metric = "cosine_xl" if whole else "xmoverscore,ngram=2"
        return correlate(f"rfeval/{language}-en", [f"{metric},remap={path}"])


def print_curve() -> None:
    """Print and draw how correlation depends on the number of parallel sentences (multi30k)."""
    cases = [("de", "words", "clp"), ("de", "vectors", "clp")]
    found = {
        case: [keep(f"curve {case} {most}", partial(measure_curve, case[0], most, *case[1:]))[0] for most in SIZES]
        for case in cases
    }
    names = {"words": "words", "sentences": "sentence means", "vectors": "sentence vectors"}
    labels = [f"{code} {method.upper()} {names[origin]}" for code, origin, method in cases]
    rows = [[label, *map(show, found[case])] for label, case in zip(labels, cases, strict=True)]
    print(markdown_table(["map", *(f"{most:,}" for most in SIZES)], rows))
    curves = {
        label: dict(zip(map(float, SIZES), found[case], strict=True)) for label, case in zip(labels, cases, strict=True)
    }
    figure = draw_curves(curves, x_label="parallel sentences (multi30k)", y_label="Pearson r, de-en")
    figure.axes[0].set_xscale("log")
    figure.axes[0].set_xticks(SIZES, [f"{most:,}" for most in SIZES])
    figure.axes[0].set_xticks([], minor=True)
    save_figure(figure, FIGURES / "crosslingual-curve.svg")


def print_options(part: str, options: Mapping[str, str], metrics: Sequence[str]) -> None:
    """Print metrics with options (by the name of their row) on the pairs of WMT17 that ``use`` knows."""
    rows = []
    for metric in metrics:
        for name, option in options.items():
            found = [
                keep(f"{part} {code} {metric}{option}", partial(correlate, f"rfeval/{code}-en", [metric + option]))[0]
                for code in WMT17
            ]
            rows.append([metric, name, *map(show, found), show(float(np.mean(found)))])
    print(markdown_table(["metric", part, *WMT17, "average"], rows))


def print_layers() -> None:
    """Print token metrics by layer of ``use``."""
    print_options("layer", {layer: f",layers={layer}" for layer in LAYERS}, ("yisi2", "xmoverscore,ngram=2"))


def print_truecase() -> None:
    """Print metrics with the lower-cased translations as they are, and with capitals restored."""
    print_options("truecase", {"no": "", "yes": ",truecase=smollm2"}, list(METRICS))


def print_gap() -> None:
    """Print metrics against the reference and against the source: the transfer gap."""
    sides = {side: f",against={side}" for side in ("references", "source")}
    print_options("against", sides, ("cosine_xl", "yisi2", "xmoverscore,ngram=2"))


def measure_languages(language: str) -> list[float]:
    """Return the mean unit sentence vector of RFEval's sources, and after it the mean cosine with the references."""
    judged = read_judged_sets(JudgedData(f"rfeval/{language}-en"), environment=Environment.read())[0]
    encoder = load_encoder("use", cache=False)
    layer = (sentence_layer_of(encoder) or 0,)
    sides = []
    for texts in ([s.source or "" for s in judged.segments], [s.references[0] for s in judged.segments]):
        rows = np.array([pool_sentence(encoder, one.vectors[0]) for one in encoder.encode(texts, layer)])
        sides.append(rows / np.linalg.norm(rows, axis=1, keepdims=True))
    return [*sides[0].mean(axis=0).tolist(), float((sides[0] * sides[1]).sum(axis=1).mean())]


def print_languages() -> None:
    """Print how near sources in other languages are to their English references, and draw centroids by PCA."""
    codes = sorted(path.name[8:10] for path in (DATA / "rfeval").glob("testset_*-en.tsv.gz"))
    found = {code: keep(f"languages {code}", partial(measure_languages, code)) for code in codes}
    same = [code for code in codes if code not in (*UNKNOWN, "ru", "tr", "zh")]  # translations of one German text
    agreement = {
        code: keep(f"nearness {code}", partial(correlate, f"rfeval/{code}-en", ["cosine_xl"]))[0] for code in same
    }
    order = sorted(same, key=lambda code: -found[code][-1])
    print(markdown_table(["", *order], [
        ["cosine with the reference", *(show(found[code][-1]) for code in order)],
        ["r of cosine_xl", *(show(agreement[code]) for code in order)],
    ]))  # fmt: skip
    near, r = [found[code][-1] for code in same], list(agreement.values())
    print(f"\ncorrelation of the two rows: {show(float(np.corrcoef(near, r)[0, 1]))}")
    centroids = np.array([found[code][:-1] for code in same])
    left, size, _ = np.linalg.svd(centroids - centroids.mean(axis=0), full_matrices=False)
    places = left[:, :2] * size[:2]
    with figure_style():
        figure = new_figure(5.2, 3.6)
        axes = figure.subplots()
        axes.scatter(*places.T, s=12)
        for code, place in zip(same, places, strict=True):
            axes.annotate(code, place, textcoords="offset points", xytext=(4, 3), fontsize=8)
        axes.set_xlabel("first direction")
        axes.set_ylabel("second direction")
    save_figure(figure, FIGURES / "crosslingual-languages.svg")


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
    for layer in LAYERS:
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


PARTS = {
    "remaps": print_remaps, "zero": print_zero, "curve": print_curve, "layers": print_layers,
    "truecase": print_truecase, "gap": print_gap, "languages": print_languages, "alignment": print_alignment,
    "mlqe": print_mlqe,
}  # fmt: skip


def main(names: Iterable[str]) -> None:
    """Print the parts that are named, or all."""
    for name in names or PARTS:
        print(f"## {name}\n")
        PARTS[name]()


if __name__ == "__main__":
    main(sys.argv[1:])
