"""Trains words in context on test sets, scores them, and prints the tables of tutorial-context.md.

python docs/results_context.py [wmt17] [wmt17-300] [wmt17-300:cs-en,de-en] [mqm]

reads the public sets from MONGE_DATA: wmt17 (to English) and mqm (TED talks, English to German). Networks are trained
on references and sources alone and kept in the cache; correlations too, so that a run that was interrupted goes on.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from monge.encoders.context import KIND
from monge.environment import Environment
from monge.learned.context import ContextSettings
from monge.meta.data import JudgedSet
from monge.metrics.variants import parse_variant
from monge.report.tables import markdown_table
from monge.storage.artifact import Artifact
from monge.storage.atomic import write_text
from monge.workflows.judged_data import JudgedData, read_judged_sets
from monge.workflows.judged_scores import score_sets
from monge.workflows.train_context import TrainContextRequest, run_train_context

PAIRS = ("cs-en", "de-en", "fi-en", "lv-en", "ru-en", "tr-en", "zh-en")
NETWORKS = {
    "50": ContextSettings(dimension=50, epochs=20),
    "300": ContextSettings(dimension=300, epochs=10, seeds=(1, 2, 3)),
}
CONTEXTS = ("we_wpi_context,context={}", "we_wpi_attention,context={}")
ALONE = ("we_wpi_context,encoder=none,context={}", "we_wpi_attention,encoder=none,context={}")


def folder() -> Path:
    """Return where networks and figures are kept."""
    path = Environment.read().cache_directory / "results_context"
    path.mkdir(parents=True, exist_ok=True)
    return path


def keep(key: str, compute: Callable[[], list[float]]) -> list[float]:
    """Return what an earlier run found under *key*, or compute and store it."""
    path = folder() / "figures.json"
    known: dict[str, list[float]] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    if key not in known:
        found = compute()
        known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}  # another run may have added some
        known[key] = found
        write_text(path, json.dumps(known, indent=0))
        print("done", key, known[key], file=sys.stderr, flush=True)
    return known[key]


def train(judged: JudgedSet, network: str) -> str:
    """Train on the references and sources of a set, each pair once, and return the file."""
    stem = folder() / f"{judged.name.replace('/', '-')}.{network}"
    output = f"{stem}.safetensors"
    if Path(output).exists():
        return output
    texts = list(dict.fromkeys((s.references[0], s.source or "") for s in judged.segments))
    for name, column in (("ref", 0), ("src", 1)):
        write_text(f"{stem}.{name}", "".join(" ".join(pair[column].split()) + "\n" for pair in texts))
    request = TrainContextRequest(f"{stem}.ref", f"{stem}.src", output, NETWORKS[network])
    print(run_train_context(request, show=False).record(), file=sys.stderr, flush=True)
    return output


def correlate(judged: JudgedSet, metrics: Sequence[str]) -> list[float]:
    """Return |Pearson's r| and Kendall's τ of every metric with the judgments of one part of a data set."""
    from scipy.stats import kendalltau

    tables = score_sets([parse_variant(metric) for metric in metrics], [judged], environment=Environment.read())[0]
    human = judged.judgments[judged.aspects[0]].values.ravel()
    found = []
    for table in tables:
        scores = table.values.ravel()
        both = np.isfinite(scores) & np.isfinite(human)
        found.append(float(np.corrcoef(scores[both], human[both])[0, 1]))
        found.append(float(kendalltau(scores[both], human[both]).statistic))
    return found


def measure(judged: JudgedSet, network: str, metrics: Sequence[str]) -> list[float]:
    """Train and correlate."""
    path = train(judged, network)
    return correlate(judged, [metric.format(path) for metric in metrics])


def take_seed(path: str, seed: int) -> str:
    """Write the network of one seed of a file that has several, and return its file."""
    whole = Artifact.load(path, kind=KIND)
    arrays = {name: array for name, array in whole.arrays.items() if name.startswith(f"{seed}.")}
    output = path.replace(".safetensors", f".{seed}.safetensors")
    Artifact(KIND, arrays, whole.settings | {"seeds": [seed]}, whole.history).save(output)
    return output


def measure_seeds(judged: JudgedSet, network: str) -> list[float]:
    """Train, and correlate with all seeds together and with each alone."""
    path = train(judged, network)
    files = [path, *(take_seed(path, seed) for seed in NETWORKS[network].seeds)]
    return correlate(judged, [metric.format(file) for metric in (*CONTEXTS, *ALONE) for file in files])


def show(value: float) -> str:
    """Return a correlation with three digits and no leading zero."""
    return f"{value:.3f}".replace("0.", ".", 1)


def print_wmt17(network: str) -> None:
    """Print Pearson's r by pair for WE_WPI, and for both contextual metrics with and without vectors."""
    sets = {judged.name: judged for judged in read_judged_sets(JudgedData("wmt17"), environment=Environment.read())}
    names = ["we_wpi", "we_wpi,oov=zero"]
    columns = [keep(f"{pair} plain", partial(correlate, sets[pair], names))[::2] for pair in PAIRS]
    for pair, column in zip(PAIRS, columns, strict=True):
        column += keep(f"{pair} {network}", partial(measure, sets[pair], network, (*CONTEXTS, *ALONE)))[::2]
    names += [metric.partition(",context")[0] for metric in (*CONTEXTS, *ALONE)]
    rows = [
        [name, *map(show, row), show(float(np.mean(row)))]
        for name, row in zip(names, np.array(columns).T.tolist(), strict=True)
    ]
    print(markdown_table(["metric", *PAIRS, "average"], rows))


def print_seeds(network: str, pairs: Sequence[str] = PAIRS) -> None:
    """Print Pearson's r by pair: of all seeds together, the mean of the seeds alone, and their standard deviation."""
    sets = {judged.name: judged for judged in read_judged_sets(JudgedData("wmt17"), environment=Environment.read())}
    names = ["we_wpi", "we_wpi,oov=zero"]
    plain = [keep(f"{pair} plain", partial(correlate, sets[pair], names))[::2] for pair in pairs]
    rows = [
        [name, *map(show, own), show(float(np.mean(own)))]
        for name, own in zip(names, np.array(plain).T.tolist(), strict=True)
    ]
    metrics, count = (*CONTEXTS, *ALONE), 1 + len(NETWORKS[network].seeds)
    found = [
        np.reshape(keep(f"{pair} {network} seeds", partial(measure_seeds, sets[pair], network))[::2], (-1, count))
        for pair in pairs
    ]
    for place, metric in enumerate(metrics):
        together = [float(own[place, 0]) for own in found]
        alone = [f"{show(float(own[place, 1:].mean()))} ± {show(float(own[place, 1:].std(ddof=1)))}" for own in found]
        name = metric.partition(",context")[0]
        rows.append([name, *map(show, together), show(float(np.mean(together)))])
        rows.append([f"{name}, one seed", *alone, show(float(np.mean([own[place, 1:].mean() for own in found])))])
    print(markdown_table(["metric", *pairs, "average"], rows))


def print_mqm() -> None:
    """Print Kendall's τ with MQM on TED talks from English to German, for which no vectors are loaded."""
    (judged,) = read_judged_sets(JudgedData("mqm/ted-ende"), environment=Environment.read())[:1]
    plain = ("chrf", "bleu")
    rows = []
    found = keep("mqm plain", partial(correlate, judged, plain))
    rows += [[name, *map(show, found[2 * i : 2 * i + 2])] for i, name in enumerate(plain)]
    found = keep("mqm 50", partial(measure, judged, "50", ALONE))
    rows += [[m.partition(",context")[0], *map(show, found[2 * i : 2 * i + 2])] for i, m in enumerate(ALONE)]
    print(markdown_table(["metric", "Pearson", "Kendall"], rows))


PARTS: dict[str, Callable[..., None]] = {
    "wmt17": partial(print_wmt17, "50"),
    "wmt17-300": partial(print_seeds, "300"),
    "mqm": print_mqm,
}


def main(names: Iterable[str]) -> None:
    """Print the parts that are named, or all."""
    for name in list(names) or PARTS:
        part, _, pairs = name.partition(":")
        PARTS[part](*([pairs.split(",")] if pairs else []))
        print()


if __name__ == "__main__":
    main(sys.argv[1:])
