"""Texts that every metric can score, and metrics that need no weights where that is possible."""

import tempfile
from pathlib import Path

import numpy as np

from monge.encoders.static.hashed import HashedEncoder
from monge.metrics import Metric, load_metric, metric_options, metric_specs
from monge.storage.artifact import Artifact
from monge.text import Segment, word_spans

NAMES = sorted(metric_specs())

SEGMENTS = [
    Segment(
        "The boy in a coat ran home.",
        ("The young man in a slicker ran home.", "A boy in his coat ran home."),
        "Der Junge.",
        "1",
    ),
    Segment("Rain is expected.", ("Heavy rain is expected in the north.",), "Regen.", "2"),
    Segment("two two words words", ("words two",), "zwei", "3"),
    Segment("Ünïcödé — 日本語 🙂 e\u0301", ("日本語 🙂 text",), "x", "4"),
    Segment("a", ("a",), "a", "5"),
]


DOCUMENTS = [  # for metrics of documents, which have no score for texts without nouns
    Segment(
        "The boy lost his coat. The coat was in the house. His house is old.",
        ("The young man lost a slicker. The slicker was in the house.", "A boy had lost his coat. He found it."),
        "Der Junge.",
        "1",
    ),
    Segment("Rain is expected. The rain comes.", ("Heavy rain is expected in the north. Rain falls.",), "Regen.", "2"),
    Segment(
        "The boat hit the ship. The crew saw it. The boat and the ship sank. A vessel came.",
        ("A ship hit the boat. The boat sank. The crew of the ship saw the vessel and a boat.",),
        "Boote",
        "3",
    ),
    Segment("A ship came. The boat sank. The vessel left.", ("The boat came. A boat sank. The ship left.",), "S", "5"),
    Segment("Ünïcödé — 日本語 🙂 e\u0301 and the coat", ("日本語 🙂 text of the coat",), "x", "4"),
]


def segments_for(metric: Metric) -> list[Segment]:
    """Return texts that the metric can score."""
    return DOCUMENTS if metric.spec.unit == "document" else SEGMENTS


def write_dictionary(path: Path, extra: str = "") -> str:
    """Write a German dictionary of the words that the segments use; "der" has more senses than are read."""
    senses = ";".join(["the", "him", "that", "who", "whom", "which", "it", "he", "boats", "one", "man"])
    words = "junge\tboy;youth\nregen\train\nzwei\ttwo\nquelle\tspring\nx\tletter\ny\tletter\na\ta\n"
    path.write_text(f"{extra}der\t{senses}\n{words}", encoding="utf-8")
    return str(path)


FOLDER = Path(tempfile.mkdtemp(prefix="monge-contract-"))
DICTIONARY = write_dictionary(FOLDER / "de-en.tsv")


def write_context(path: Path, seed: int = 0) -> str:
    """Write a context network with random weights that knows the words of the segments and of the tests below."""
    texts = [t for s in (*SEGMENTS, *DOCUMENTS) for t in (s.hypothesis, *s.references)]
    texts += ["The committee rejected the proposal because it was too expensive. The river was wide and small."]
    words = sorted({text[a:b].lower() for text in texts for a, b in word_spans(text)})
    random, size = np.random.default_rng(seed), 16
    shapes = {"embedding": (len(words) + 1, size), "input": (64, size), "recurrent": (64, size), "bias": (64,)}
    arrays = {f"1.{part}": random.standard_normal(shape).astype(np.float32) for part, shape in shapes.items()}
    Artifact("context", arrays, {"dimension": size, "seeds": [1], "vocabulary": words}).save(path)
    return str(path)


CONTEXT = write_context(FOLDER / "context.safetensors")


def load(name: str, **options: object) -> Metric:
    """Load a metric with an encoder that needs no weights, where it takes one, and a small dictionary."""
    if "vectors" in metric_options(name):
        options = {"vectors": HashedEncoder(dimension=16, layers=1), **options}
    if "dictionary" in metric_options(name):
        options = {"source_language": "de", "dictionary": DICTIONARY, **options}
    if "encoder" in metric_options(name):
        options = {"encoder": HashedEncoder(dimension=16, layers=6, special=True), **options}
    if "context" in metric_options(name):
        options = {"context": CONTEXT, **options}
    if name == "meteor":  # synonyms need a database that a machine may lack; tests/metrics covers them
        options = {"wordnet": "none", **options}
    return load_metric(name, **options)


def values(metric: Metric, segments: list[Segment]) -> list[float]:
    return [score.value for score in metric.score(segments)]
