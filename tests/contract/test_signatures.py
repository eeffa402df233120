"""Equal signatures mean comparable scores: whatever can change a number is in the signature of the scores.

A setup is everything besides the texts that goes into a score. Two setups that differ in one thing are drawn for every
metric; where their scores of the same texts differ, their signatures must differ too.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from monge.clouds import IdfModel
from monge.encoders.static.hashed import HashedEncoder
from monge.errors import InputError, OptionError
from monge.metrics import load_metric, metric_options, metric_specs
from monge.metrics.base import bind_to, sign_scores
from monge.text import Segment

# those that ask a language model or a dictionary take too long here, others need a file that was learned;
# test_metrics_contract tries their options
LEARNED_OR_GIVEN = {"lm", "dictionary", "context"}
NAMES = sorted(
    name for name in metric_specs() if name != "composite" and not LEARNED_OR_GIVEN & set(metric_options(name))
)
HYPOTHESES = ("The boy in a coat ran home.", "Rain, rain is expected ...", "two two Words words, xyzzy")
REFERENCES = (
    ("The young man in a slicker ran home.", "A boy ran home in his coat.", "Home ran the boy."),
    ("Heavy rain is expected in the north.", "Rain is likely.", "They expect rain, rain and rain"),
    ("words two", "Two words and two words", "the Words of two boys"),
)
SOURCES = ("Der Junge rannte heim.", "Rain is expected.", "zwei Wörter")
OTHER_TEXTS = [Segment("The rain in the north.", ("A boy in the rain.", "Two boys."), "x", "1")] * 2 + [
    Segment("A coat of words.", ("Words of a coat.",), "y", "3")
]
NUMBERS = (1, 2, 3, None)  # None: another number for every segment
ENCODER = HashedEncoder(dimension=8, layers=4, special=True)
OTHER_ENCODER = HashedEncoder(dimension=8, layers=4, seed=9)
# values of every option that is text; a new option must be listed
TEXTS: Mapping[str, tuple[object, ...]] = {
    "encoder": (ENCODER, OTHER_ENCODER, "vectors.txt"), "layers": ("0", "1", "last", "1-3"),
    "against": ("references", "source"), "against_layers": ("", "0"), "against_encoder": ("", OTHER_ENCODER),
    "aggregation": ("single", "mean", "pmeans:1,inf"), "drop": ("none", "special+punctuation", "stopwords"),
    "massless": ("none", "punctuation"), "pooling": ("mean", "sum"),
    "weighting": ("uniform", "idf", "idf_plus_one", "tfidf"), "idf_from": ("references", "sides"),
    "idf": ("", "idf.json"), "cost": ("euclidean", "sqeuclidean", "cosine", "position"),
    "lambda_unit": ("absolute", "relative"), "regulariser": ("entropy", "kl"),
    "readout": ("f", "distance", "one_minus", "inverse"), "references": ("max", "mean", "joint"), "baseline": ("",),
    "language": ("en", "zh", "de"), "remap": ("", "layer"), "truecase": ("",), "bag": ("all", "released"),
    "oov": ("skip", "zero", "hash"),
    "fold_case": ("auto", "never"), "split": ("lines", "sentences"),
    "tokenize": ("13a", "char", "none"), "smooth_method": ("exp", "floor", "add-k"),
    "members": ("bertscore + 0.5*cosine", "bertscore + chrf", "emd"), "constants": ("", "0.1/0.2 0.3/0.4"),
    "wordnet": ("none",), "long": ("window",), "device": ("auto",), "dtype": ("float32",),
    "form": ("text", "released", "union"), "average": ("precision", "recall", "f"), "pieces": ("last", "mean"),
    "focus": ("noun", "entity", "surface"), "align": ("pool", "greedy", "optimal"), "annotator": ("",),
    "vectors": ("vectors.txt", OTHER_ENCODER),
    "reading": ("average", "literal"),
}  # fmt: skip


@dataclass(frozen=True)
class Setup:
    """Options of a metric, the texts that it is bound to, and how many references it is given in which order."""

    options: tuple[tuple[str, object], ...]
    own_corpus: bool
    references: int | None
    order: tuple[int, ...]

    def segments(self) -> list[Segment]:
        numbers = (1, 2, 3) if self.references is None else (self.references,) * len(HYPOTHESES)
        return [
            Segment(hypothesis, tuple(references[k] for k in self.order if k < number), source, str(i))
            for i, (hypothesis, references, source, number) in enumerate(
                zip(HYPOTHESES, REFERENCES, SOURCES, numbers, strict=True)
            )
        ]

    def result(self, name: str, folder: Path) -> tuple[str, list[float]]:
        """Return the signature of the scores, the scores and the score of the set."""
        files = ("vectors.txt", "idf.json")
        options = {key: str(folder / value) if value in files else value for key, value in self.options}
        segments = self.segments()
        metric = bind_to(load_metric(name, **options), segments if self.own_corpus else OTHER_TEXTS)
        scores = metric.score(segments)
        values = [score.value for score in scores] + [metric.aggregate(segments, scores)]
        return str(sign_scores(metric, segments)), values


@cache
def pools(name: str) -> dict[str, tuple[object, ...]]:
    """Return the values that are tried for every option of a metric."""
    found: dict[str, tuple[object, ...]] = {}
    for option, parameter in metric_options(name).items():
        default = parameter.default
        if isinstance(default, bool):
            found[option] = (False, True)
        elif isinstance(default, int):
            found[option] = (default, default + 1)
        elif isinstance(default, float):
            found[option] = (default, 0.5, 0.25)
        elif option == "tokenize" and name.startswith("rouge"):
            found[option] = ("rouge", "words")
        else:
            found[option] = TEXTS[option]
    return found


def usual_options(name: str) -> dict[str, object]:
    """Return options by which a metric needs neither weights nor a database."""
    usual: dict[str, object] = {
        "encoder": ENCODER, "wordnet": "none", "vectors": OTHER_ENCODER, "against": "references",
    }  # fmt: skip
    return {option: value for option, value in usual.items() if option in pools(name)}


@st.composite
def setups(draw: Callable[..., object], name: str) -> tuple[Setup, Setup]:
    """Draw a setup with some options set, and another that differs from it in one thing."""
    pool = pools(name)
    chosen = draw(st.lists(st.sampled_from(sorted(pool)), max_size=4, unique=True))
    options = usual_options(name)
    options |= {option: draw(st.sampled_from(pool[option])) for option in chosen}  # type: ignore[attr-defined]
    orders = st.sampled_from(list(itertools.permutations(range(3))))
    first = Setup(tuple(options.items()), draw(st.booleans()), draw(st.sampled_from(NUMBERS)), draw(orders))  # type: ignore[arg-type]
    changed = draw(st.sampled_from(["own_corpus", "references", "order", "option", "option"]))
    if changed == "own_corpus":
        return first, replace(first, own_corpus=not first.own_corpus)
    if changed == "references":
        return first, replace(first, references=draw(st.sampled_from(NUMBERS)))
    if changed == "order":
        return first, replace(first, order=draw(orders))
    option = draw(st.sampled_from(sorted(pool)))
    other = options | {option: draw(st.sampled_from(pool[option]))}  # type: ignore[index]
    return first, replace(first, options=tuple(other.items()))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Word vectors, and idf statistics of the hashed encoder."""
    made = tmp_path_factory.mktemp("signatures")
    words = "boy 1 0 0\ncoat 0 1 0\nrain 0 0 1\nhome 1 1 0\nwords 1 0 1\ntwo 0 1 1\nWords 1 2 0\n"
    (made / "vectors.txt").write_text(words, encoding="utf-8")
    IdfModel.count(ENCODER.tokenize(["The boy ran home.", "Rain."]), encoder=ENCODER.signature).save(made / "idf.json")
    return made


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_equal_signatures_mean_comparable_scores(name: str, folder: Path) -> None:
    @settings(max_examples=60)
    @given(setups(name))
    def holds(pair: tuple[Setup, Setup]) -> None:
        try:
            (one, first), (two, second) = (setup.result(name, folder) for setup in pair)
        except (OptionError, InputError):  # options that exclude each other
            assume(False)
        if not np.allclose(first, second, rtol=1e-7, atol=1e-7, equal_nan=True):
            assert one != two

    holds()


@pytest.mark.parametrize("name", NAMES)
def test_the_order_of_references_does_not_matter(name: str, folder: Path) -> None:
    options = usual_options(name)
    found = [Setup(tuple(options.items()), True, 3, order).result(name, folder) for order in ((0, 1, 2), (2, 0, 1))]
    assert found[0][0] == found[1][0]
    assert found[0][1] == pytest.approx(found[1][1], rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_the_number_of_references_is_in_the_signature_of_scores(name: str) -> None:
    metric = load_metric(name, **usual_options(name))
    if "references" not in metric.spec.needs:
        assert "nrefs" not in metric.compute(HYPOTHESES, REFERENCES)["signature"]
        return
    assert "nrefs" not in metric.signature.fields, "a metric that has seen no text does not know"
    shown = [metric.compute(HYPOTHESES, refs)["signature"] for refs in (REFERENCES, [r[:1] for r in REFERENCES])]
    assert [signature.split("|")[1] for signature in shown] == ["nrefs:3", "nrefs:1"]
    various = metric.compute(HYPOTHESES, [REFERENCES[0], REFERENCES[1][:2], REFERENCES[2]])["signature"]
    assert f"metric:{name}|nrefs:var|" in various


def test_a_metric_of_the_source_shows_no_number_of_references() -> None:
    metric = load_metric("emd", encoder=ENCODER, against="source")
    assert "nrefs" not in metric.compute(HYPOTHESES, REFERENCES, SOURCES)["signature"]
