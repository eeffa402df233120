"""Every option of every metric is in its signature and changes its scores."""

from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path

import numpy as np
import pytest

from monge.annotate import AnnotatedText
from monge.clouds import IdfModel
from monge.encoders.static.hashed import HashedEncoder
from monge.errors import MongeError
from monge.metrics import Metric, baseline, find_spec, load_metric, metric_options
from monge.metrics.baseline import Baseline
from monge.metrics.registry import find_factory
from monge.metrics.variants import parse_variant
from monge.text import Segment, word_spans

from .conftest import DOCUMENTS, FOLDER, NAMES, SEGMENTS, load, values, write_context, write_dictionary


@pytest.fixture(autouse=True)
def _few_unrelated_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    """rescale measures what unrelated texts score: here on a few pairs, on all in tests/metrics/test_baseline.py."""
    texts = [*baseline.read_unrelated_texts()[:9], *(one.references[0] for one in DOCUMENTS[:3])]
    monkeypatch.setattr(baseline, "measure_baseline", partial(baseline.measure_baseline, texts=texts, pairs=20))


class EveryWordIsANoun:
    """An annotator of the user's own."""

    signature = "every-word"

    def annotate(self, texts: Sequence[str]) -> list[AnnotatedText]:
        return [self._annotate(text) for text in texts]

    def _annotate(self, text: str) -> AnnotatedText:
        spans = word_spans(text)
        words = tuple(text[a:b] for a, b in spans)
        sentences = np.array([i // 3 for i in range(len(spans))], dtype=np.int64)
        lemmas = tuple(word.lower() for word in words)
        places = np.array(spans, dtype=np.int64).reshape(-1, 2)
        return AnnotatedText(text, words, lemmas, ("NOUN",) * len(words), places, sentences)


# values of every option that is text: the first that is not the default is tried; FILES are written for the test
OTHER_VALUES: dict[str, tuple[object, ...]] = {
    "layers": ("0", "1"), "against": ("source", "references"), "against_layers": ("0", "1"),
    "against_encoder": (HashedEncoder(dimension=16, layers=6, seed=9),),
    "aggregation": ("mean", "concat"), "drop": ("none", "punctuation"),
    "massless": ("none", "punctuation"), "pooling": ("mean", "sum"), "weighting": ("idf_plus_one", "uniform"),
    "idf_from": ("sides", "references"), "cost": ("euclidean", "cosine"), "lambda_unit": ("relative",),
    "regulariser": ("kl",), "readout": ("inverse", "one_minus"), "references": ("max", "mean"), "language": ("zh",),
    "remap": ("layer",), "bag": ("released",), "oov": ("hash", "skip"),
    "fold_case": ("never",), "split": ("sentences",), "tokenize": ("char",), "smooth_method": ("floor",),
    "dictionary": (write_dictionary(FOLDER / "other.tsv", "regen\tboats;home\n"),),
    "source_language": ("tr",), "terms": ("cosine + 0.2*fluency",),
    "context": (write_context(FOLDER / "other.safetensors", 1),), "join": ("direct",),
    "constants": ("0.1/0.2 0.3/0.4",), "members": ("bertscore + 2*cosine",),
    "form": ("text",), "average": ("recall",), "pieces": ("mean",), "focus": ("entity",), "align": ("greedy",),
    "vectors": ("other_nouns.txt",), "annotator": (EveryWordIsANoun(),),
    "encoder": (HashedEncoder(dimension=16, layers=6, seed=9),), "reading": ("literal",),
}  # fmt: skip
FILES = ("idf", "baseline")
# long and dtype are tried below; the others need torch, WordNet's files or another language model
OF_MODELS = ("long", "device", "dtype", "wordnet", "lm", "truecase")
WITHOUT_REFERENCE = tuple(name for name in NAMES if "references" not in find_spec(name).needs)
SAME_SCORES = {  # one point on each side leaves nothing to choose
    "noun_recall": ("rescale",),  # few unrelated texts have no noun in common, so that 0 and 1 are the ends already
    "cosine": ("order", "lambda_c", "lambda_r", "regulariser", "alpha", "lean", "drop_flows"),
    "smd": ("order", "lambda_c", "lambda_r", "regulariser", "alpha", "lean", "drop_flows"),
    "cosine_xl": (
        "order",
        "lambda_c",
        "lambda_r",
        "regulariser",
        "alpha",
        "lean",
        "pooling",
        "drop_flows",
    ),  # hashed: the mean is its own
    "gloss_lm": ("source_language",),  # the first gloss of these words is the same by the rules of any language
}
VECTORS = (  # of fewer than all words, but of more than half: scores of texts that cannot be read are missing
    "boy 1 0 0\ncoat 0 1 0\nrain 0 0 1\nMan 1 1 0\nboat 1 0 1\nthe 1 1 1\na 2 0 1\nin 0 2 1\nran 1 2 0\nhome 1 0 2\n"
    "is 0 1 2\nof 3 1 0\nwas 0 3 1\nexpected 1 3 0\ntwo 1 0 3\n"
)
NOUN_VECTORS = "boat 1 0 0 0\nship 0.9 0.436 0 0\nvessel 0.45 0.42 0 0.787\ncrew 0 0 1 0\ncoat 0 1 1 0\nhouse 1 0 1 0\n"
OTHER_NOUN_VECTORS = "boat 1 0 0\nship 0 1 0\nvessel 1 0.1 0\ncrew 0 0 1\ncoat 0 1 1\nhouse 1 0 1\n"
VARIED = [
    *SEGMENTS,
    Segment("Xyzzy, the boats were running.", ("The boat of a man was run by 日本 men.",), "Der xyzzy Regenjunge", "6"),
    Segment("The man ran. The boat was home.", ("The boat was home. A man ran.",), "x y", "7"),
]


def _other(name: str, option: str) -> object:
    """Return a value of an option other than its default."""
    default = metric_options(name)[option].default
    if isinstance(default, bool):
        return not default
    if isinstance(default, int):
        return default + 1
    if isinstance(default, float):
        return 0.5 if default != 0.5 else 0.25
    if option == "tokenize" and name.startswith("rouge"):
        return "words"
    return next(value for value in OTHER_VALUES[option] if value != default)  # a new option of text must be listed


def _needed(name: str, option: str, vectors: Path) -> dict[str, object]:
    """Return what must be set for an option to have a say."""
    readout = metric_options(name)["readout"].default if "readout" in metric_options(name) else ""
    entity = {"focus": "entity"} if "focus" in metric_options(name) else {}
    needed: dict[str, object] = {
        "lambda_unit": {"lambda_c": 0.5, "lambda_r": 0.5},
        "epsilon": {"lambda_c": 0.5, "lambda_r": 0.5},
        "regulariser": {"lambda_c": 0.5, "lambda_r": 0.5, "epsilon": 0.1},
        "aggregation": {"layers": "1-3", "aggregation": "pmeans:1,inf"},
        "normalise_layers": {"layers": "1-3", "aggregation": "mean"},
        "normalise_points": {"cost": "euclidean"},  # cosine does not see lengths
        "pooling": {"ngram": 2, "cost": "euclidean", "normalise_points": False},
        "massless": {"drop": "none"},
        "drop_flows": {"drop": "none", "epsilon": 0.0},  # smoothed plans have flows of next to nothing
        "idf": {"weighting": "idf_plus_one"},
        "idf_from": {"weighting": "idf_plus_one"},
        "oov": {"encoder": str(vectors), "layers": "last"},
        "fold_case": {"encoder": str(vectors), "layers": "last"},
        "asian_support": {"normalized": True},
        "focus": {"vectors": str(vectors.with_name("nouns.txt"))},
        "threshold": {"vectors": str(vectors.with_name("nouns.txt")), **entity}
        if "vectors" in metric_options(name)
        else {},
        "vectors": {"vectors": str(vectors.with_name("nouns.txt")), **entity},
    }.get(option, {})  # type: ignore[assignment]
    if option in ("lambda_c", "lambda_r", "lambda_unit", "epsilon", "regulariser", "drop_flows") and readout == "f":
        needed = needed | {"readout": "distance"}
    if option == "lean":
        needed = {"readout": "f"} if readout else {}
    if option == "alpha":
        needed = {"readout": "f"} if readout else {"encoder": str(vectors)} if name == "wmdo" else {}
    if name == "cosine_xl":
        needed |= {"ngram": {"pooling": "mean"}, "pooling": {"ngram": 0}}.get(option, {})
    if name == "xmoverscore" and option == "normalise_points":
        needed |= {"normalise_layers": False}  # of one layer, which makes them points of length 1
    if name == "xmoverscore_v2" and option == "order":
        needed = {"drop_flows": 0.0}
    if name in WITHOUT_REFERENCE and option != "against" and "against" in metric_options(name):
        needed = {"against": "references", **needed}
    return needed


def _write(option: str, metric: Metric, path: Path) -> str:
    """Write a file of corpus statistics or of a baseline for a metric."""
    if option == "baseline":
        parts = dict.fromkeys(("value", "precision", "recall", "f", "score", "distance"), 0.25)
        Baseline(str(metric.bind(VARIED).signature), parts, dict.fromkeys(parts, 1.0), 7).save(path)
    else:
        encoder = metric.encoder  # type: ignore[attr-defined]
        IdfModel.count(encoder.tokenize(["The boy ran home.", "Rain."]), encoder=encoder.signature).save(path)
    return str(path)


def _has_a_say(name: str, option: str) -> bool:
    """Languages choose presets or tokenizers; other metrics take them so that one may be named for all."""
    chooses = "tokenize" in metric_options(name) or getattr(find_factory(find_spec(name)), "by_language", {})
    if name == "mongescore_free" and option == "encoder" and "cosine_xl" not in NAMES:
        return False
    return option not in OF_MODELS and (option != "language" or bool(chooses))


@cache
def _load_and_score(name: str, *needed: tuple[str, object]) -> tuple[Metric, list[float]]:
    """Return a metric and its scores; most options of a metric are tried against the same."""
    metric = load(name, **dict(needed))
    return metric, _score(metric)


def _score(metric: Metric) -> list[float]:
    texts = DOCUMENTS if metric.spec.unit == "document" else VARIED
    return values(metric if metric.bound else metric.bind(texts), texts)


@pytest.fixture(scope="module")
def vectors(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of word vectors, with those of nouns beside it."""
    folder = tmp_path_factory.mktemp("vectors")
    for file, content in (("vectors", VECTORS), ("nouns", NOUN_VECTORS), ("other_nouns", OTHER_NOUN_VECTORS)):
        (folder / f"{file}.txt").write_text(content, encoding="utf-8")
    return folder / "vectors.txt"


@pytest.mark.parametrize(("name", "option"), [(n, o) for n in NAMES for o in metric_options(n) if _has_a_say(n, o)])
def test_every_option_changes_signature_and_scores(name: str, option: str, vectors: Path) -> None:
    needed = _needed(name, option, vectors)
    before, one = _load_and_score(name, *needed.items())
    other = (
        _write(option, before, vectors.with_name(f"{name}-{option}.json")) if option in FILES else _other(name, option)
    )
    if option == "vectors":
        other = str(vectors.with_name("other_nouns.txt"))
    after = load(name, **needed | {option: other})
    assert str(before.signature) != str(after.signature)
    two = _score(after)
    same = np.allclose(one, two, rtol=0, atol=1e-6, equal_nan=True)
    assert same == (option in SAME_SCORES.get(name, ())), "scores follow the signature"


@pytest.mark.parametrize("name", [name for name in NAMES if "dtype" in metric_options(name)])
def test_options_of_models_reach_them(name: str, minilm_directory: Path) -> None:
    if "long" in metric_options(name):
        metric = load_metric(name, encoder=str(minilm_directory), long="truncate")
        assert "long-truncate" in metric.signature["encoder"]
    with pytest.raises(MongeError, match="float8"):
        load_metric(name, encoder=str(minilm_directory), dtype="float8")


def test_settings_of_routing_stay_with_it() -> None:
    text = "bertscore,encoder=hashed,layers=0-2,aggregation=routing:gaussian:alpha=0.1:epsilon=0.01,alpha=0.75"
    fields = parse_variant(text).load().signature
    assert fields["aggregation"] == "routing(gaussian,alpha=0.1,epsilon=0.01)"
    assert fields["readout"] == "f(alpha=0.75)"
