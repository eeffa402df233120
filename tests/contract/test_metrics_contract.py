"""What every registered metric must do, whoever wrote it."""

import dataclasses
import math
import pickle
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from monge.annotate import AnnotatedText
from monge.clouds import IdfModel
from monge.encoders.static.hashed import HashedEncoder
from monge.errors import InputError, MongeError, UnboundMetricError
from monge.metrics import Metric, find_spec, load_metric, metric_options, metric_specs
from monge.metrics.baseline import Baseline
from monge.metrics.cards import read_prose, render_card
from monge.metrics.protocols import Aligning, Resamplable, WordSharing
from monge.metrics.registry import find_factory
from monge.metrics.variants import parse_variant
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


@pytest.fixture(params=NAMES)
def metric(request: pytest.FixtureRequest) -> Metric:
    loaded = load(request.param)
    return loaded if loaded.bound else loaded.bind(SEGMENTS)


def values(metric: Metric, segments: list[Segment]) -> list[float]:
    return [score.value for score in metric.score(segments)]


def test_it_follows_the_protocol(metric: Metric) -> None:
    assert isinstance(metric, Metric)
    assert metric.spec.name in NAMES
    assert metric.spec.against
    assert metric.spec.explains == isinstance(metric, Aligning | WordSharing), "what the spec declares, the metric does"


def test_options_of_the_compared_side_are_declared(metric: Metric) -> None:
    offered = "against" in metric_options(metric.spec.name)
    assert offered == (len(metric.spec.against) > 1)


def test_its_identity_tells_more_than_its_signature(metric: Metric) -> None:
    """Stored scores are keyed by it; the encoder of these tests says what computes its vectors."""
    assert metric.identity is not None
    assert str(metric.signature) in metric.identity


def test_scores_are_finite_and_within_bounds(metric: Metric) -> None:
    low, high = metric.spec.bounds
    for value in values(metric, segments_for(metric)):
        assert math.isfinite(value)
        assert low - 1e-6 <= value <= high + 1e-6  # points are single precision


def test_a_copy_is_better_than_unrelated_words(metric: Metric) -> None:
    """Features that describe texts are neither better nor worse."""
    if metric.spec.higher_is_better is None:
        return
    text = "The committee rejected the proposal because it was too expensive."
    copy, other = values(
        metric, [Segment(text, (text,), text), Segment("zebra quantum violet unrelated noise", (text,), text)]
    )
    assert copy > other if metric.spec.higher_is_better else copy < other


def test_saying_nothing_is_not_better_than_saying_something_else(metric: Metric) -> None:
    """ter counts edits and is let off; features that describe texts have no better."""
    if metric.spec.name == "ter" or metric.spec.higher_is_better is None:
        return
    text = "The committee rejected the proposal because it was too expensive."
    empty, other = values(metric, [Segment("", (text,), text), Segment("zebras paint violet noise", (text,), text)])
    if math.isnan(empty):
        return  # no score at all
    assert empty <= other + 1e-9 if metric.spec.higher_is_better else empty >= other - 1e-9


def test_batch_equals_one_by_one_in_any_order(metric: Metric) -> None:
    segments = segments_for(metric)
    together = values(metric, segments)
    alone = [values(metric, [segment])[0] for segment in segments]
    backwards = values(metric, segments[::-1])[::-1]
    assert np.allclose(together, alone, rtol=0, atol=1e-9)
    assert np.allclose(together, backwards, rtol=0, atol=1e-9)


def test_it_is_deterministic(metric: Metric) -> None:
    assert values(metric, segments_for(metric)) == values(metric, segments_for(metric))


def test_declared_symmetry_holds(metric: Metric) -> None:
    if not metric.spec.symmetric:
        return
    for segment in SEGMENTS:
        reference = segment.references[0]
        there = values(metric, [Segment(segment.hypothesis, (reference,))])[0]
        back = values(metric, [Segment(reference, (segment.hypothesis,))])[0]
        assert math.isclose(there, back, rel_tol=0, abs_tol=1e-9)


@pytest.mark.parametrize(
    ("hypothesis", "reference"),
    [("", "A reference."), ("A hypothesis.", ""), ("", ""), ("   ", "\u00a0"), ("...", "!?")],
)
def test_empty_and_odd_texts_score_and_tell(metric: Metric, hypothesis: str, reference: str) -> None:
    source = reference if "source" in metric.spec.needs else "quelle"
    score = metric.score([Segment(hypothesis, (reference,), source)])[0]
    low, high = metric.spec.bounds
    assert math.isnan(score.value) or low - 1e-6 <= score.value <= high + 1e-6
    degraded = not hypothesis.strip() or ("references" in metric.spec.needs and not reference.strip())
    if degraded or math.isnan(score.value):
        assert score.notes, "a degraded score must say so"


def test_very_long_text(metric: Metric) -> None:
    times = (
        5 if metric.spec.name in ("ter", "ribes") else 60
    )  # these two take minutes on long texts, as their cards say
    text = "The river was wide and the boat was small. " * times
    value = values(metric, [Segment(text, (text,), text)])[0]
    assert math.isfinite(value)


def test_missing_parts_are_named(metric: Metric) -> None:
    if "references" in metric.spec.needs:
        with pytest.raises(InputError, match="7"):
            metric.score([Segment("x", (), id="7")])


def test_no_segments_give_no_scores(metric: Metric) -> None:
    assert metric.score([]) == []


def test_compute_returns_plain_values(metric: Metric) -> None:
    result = metric.compute(
        predictions=["a coat c d", "the boat"], references=[["a coat c e", "coats"], "the boat"], sources=["x", "y"]
    )
    assert isinstance(result["score"], float)
    averages = not isinstance(metric, Resamplable)
    assert ("mean" in result) is averages  # a corpus score is not called a mean
    if averages:
        assert result["mean"] == result["score"] == pytest.approx(sum(result["scores"]) / 2)
    assert len(result["scores"]) == 2
    assert all(type(value) is float for value in result["scores"])
    assert result["signature"].startswith(f"metric:{metric.spec.name}|")


def test_signature_names_metric_and_version(metric: Metric) -> None:
    fields = metric.signature.fields
    assert fields["metric"] == metric.spec.name
    assert "version" in fields


@pytest.mark.parametrize("name", NAMES)
def test_every_metric_has_a_card(name: str) -> None:
    spec = find_spec(name)
    assert read_prose(name), f"write src/monge/metrics/card_texts/{name}.md"
    card = render_card(spec)
    assert spec.summary in card
    assert spec.citation
    for option in metric_options(name):
        assert f"`{option}`" in card


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


@pytest.mark.parametrize(("name", "option"), [(n, o) for n in NAMES for o in metric_options(n) if _has_a_say(n, o)])
def test_every_option_changes_signature_and_scores(name: str, option: str, tmp_path: Path) -> None:
    vectors = tmp_path / "vectors.txt"
    vectors.write_text(VECTORS, encoding="utf-8")
    (tmp_path / "nouns.txt").write_text(NOUN_VECTORS, encoding="utf-8")
    (tmp_path / "other_nouns.txt").write_text(OTHER_NOUN_VECTORS, encoding="utf-8")
    needed = _needed(name, option, vectors)
    before = load(name, **needed)
    other = _write(option, before, tmp_path / "file.json") if option in FILES else _other(name, option)
    if option == "vectors":
        other = str(tmp_path / "other_nouns.txt")
    after = load(name, **needed | {option: other})
    assert str(before.signature) != str(after.signature)
    texts = DOCUMENTS if before.spec.unit == "document" else VARIED
    one, two = (values(metric if metric.bound else metric.bind(texts), texts) for metric in (before, after))
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


@pytest.mark.parametrize("name", NAMES)
def test_unknown_option_is_an_error(name: str) -> None:
    with pytest.raises(MongeError, match="nonsense"):
        load_metric(name, nonsense=1)


def test_unbound_metric_says_so() -> None:
    with pytest.raises(UnboundMetricError, match="bind"):
        load("moverscore").score(SEGMENTS)


def test_segments_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        SEGMENTS[0].hypothesis = "x"  # type: ignore[misc]


@pytest.mark.parametrize("name", [name for name in NAMES if find_spec(name).family in ("transport", "discourse")])
def test_metrics_travel_between_processes(name: str) -> None:
    metric = load(name)
    bound = metric if metric.bound else metric.bind(SEGMENTS)
    copy = pickle.loads(pickle.dumps(bound))
    assert copy.identity == bound.identity
    assert values(copy, segments_for(bound)) == values(bound, segments_for(bound))
