"""RIBES, NIST and METEOR: nltk's documented values, and the cases nltk itself stumbles over."""

from __future__ import annotations

import math
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from nltk.translate.nist_score import corpus_nist

from monge.errors import ModelError, OptionError
from monge.metrics.lexical.nltk import make_meteor, make_nist, make_ribes
from monge.metrics.lexical.wordnet import _SYSTEM_DIRECTORIES, find_wordnet
from monge.text import Segment

# The sentences of Papineni et al. 2002 that nltk's documentation scores.
HYPOTHESIS_1 = "It is a guide to action which ensures that the military always obeys the commands of the party"
HYPOTHESIS_2 = "It is to insure the troops forever hearing the activity guidebook that party direct"
REFERENCES = (
    "It is a guide to action that ensures that the military will forever heed Party commands",
    "It is the guiding principle which guarantees the military forces always being under the command of the Party",
    "It is the practical guide for the army always to heed the directions of the party",
)
BOOK = "he read the book because he was interested in world history"
BOOK_REFERENCE = "he was interested in world history because he read the book"


def test_ribes_documented_value() -> None:
    result = make_ribes(tokenize="none").compute([HYPOTHESIS_1, BOOK], [list(REFERENCES), [BOOK_REFERENCE]])
    assert round(result["score"], 3) == 0.633


def test_ribes_of_the_paper() -> None:
    """Isozaki et al. 2010, section 3: Bob hit John yesterday has normalised tau 0.5, and no penalty."""
    assert make_ribes().compute(["Bob hit John yesterday"], ["John hit Bob yesterday"])["scores"] == [0.5]


def test_ribes_penalties_by_hand() -> None:
    score = make_ribes(alpha=1, beta=1).score([Segment("a b x", ("a b c d e",))])[0]
    assert score.value == pytest.approx(1.0 * (2 / 3) * math.exp(1 - 5 / 3))


def test_ribes_refuses_what_nltk_refuses() -> None:
    long = " ".join(f"w{i}" for i in range(2001))
    result = make_ribes().compute([long, "a b"], ["a b", "a b"])
    assert math.isnan(result["scores"][0])
    assert result["score"] == 1.0
    assert result["notes"] == {
        "1": ["no score: 2001 words are more than nltk's RIBES aligns"],
        "score": ["1 of 2 scores are missing and left out of the mean"],
    }


def test_nist_documented_values() -> None:
    metric = make_nist(tokenize="none", lowercase=False)
    values = [s.value for s in metric.score([Segment(h, REFERENCES) for h in (HYPOTHESIS_1, HYPOTHESIS_2)])]
    assert values == pytest.approx([3.37095, 1.46195], abs=5e-5)  # printed as 3.3709... and 1.4619...


def test_nist_of_a_set_is_nltks() -> None:
    metric = make_nist(tokenize="none", lowercase=False)
    hypotheses, references = [HYPOTHESIS_1, BOOK], [list(REFERENCES), [BOOK_REFERENCE]]
    split = [[r.split() for r in group] for group in references]
    assert metric.compute(hypotheses, references)["score"] == corpus_nist(split, [h.split() for h in hypotheses], n=5)


def test_nist_is_resampled_by_any_iterable_of_draws() -> None:
    metric = make_nist(tokenize="none")
    segments = [Segment(HYPOTHESIS_1, REFERENCES), Segment(HYPOTHESIS_2, REFERENCES), Segment(BOOK, (BOOK_REFERENCE,))]
    draws = [np.array([0, 1, 2]), np.array([2, 2, 0])]
    expected = [metric.aggregate([segments[i] for i in draw], []) for draw in draws]
    assert metric.resample(segments, iter(draws)) == expected
    assert metric.resample(segments, np.stack(draws)) == expected


def test_nist_of_short_texts() -> None:
    """nltk divides by zero when the hypothesis has fewer words than n; missing orders add nothing."""
    metric = make_nist(tokenize="none")
    assert metric.compute(["a b"], ["a b"])["score"] == pytest.approx(1.0)  # two words of one bit each; bigram: none
    assert metric.compute(["a", "a b c d e f"], ["a", "a b c d e f"])["score"] > 0


@pytest.mark.parametrize("make", [make_ribes, make_nist, lambda: make_meteor(wordnet="none")])
def test_empty_texts_score_zero_with_a_note(make: Any) -> None:
    metric = make()
    result = metric.compute(["", "a b", "a b", " "], [["a b"], [""], ["", "a b"], [""]])
    assert result["scores"][:2] == [0.0, 0.0]
    assert result["scores"][2] > 0
    assert result["notes"] == {
        "1": ["empty hypothesis"],
        "2": ["empty reference"],
        "3": ["empty reference 1"],
        "4": ["empty hypothesis", "empty reference", "no score: both texts are empty"],
        "score": ["1 of 4 scores are missing and left out of the mean"],
    }
    assert math.isfinite(result["score"])
    assert math.isnan(metric.compute([""], [""])["scores"][0])


def test_options_change_the_signature() -> None:
    choices: list[tuple[Any, list[dict[str, Any]]]] = [
        (make_ribes, [{}, {"alpha": 0.5}, {"beta": 0.5}, {"tokenize": "char"}, {"lowercase": True}]),
        (make_nist, [{}, {"n": 4}, {"lowercase": False}, {"tokenize": "zh"}]),
        (partial(make_meteor, wordnet="none"), [{}, {"alpha": 0.8}, {"beta": 2.0}, {"gamma": 0.4}]),
    ]
    metrics = [make(**options) for make, group in choices for options in group]
    assert len({str(metric.signature) for metric in metrics}) == len(metrics)
    with pytest.raises(OptionError, match="n must be at least 1"):
        make_nist(n=0)
    with pytest.raises(OptionError, match="tokenize='x' is not one of"):
        make_ribes(tokenize="x")


@pytest.mark.parametrize("value", [math.nan, -0.5, math.inf])
@pytest.mark.parametrize(
    ("make", "option"),
    [
        (make_ribes, "alpha"),
        (make_ribes, "beta"),
        (make_meteor, "alpha"),
        (make_meteor, "beta"),
        (make_meteor, "gamma"),
    ],
)
def test_weights_are_numbers_from_0(make: Callable[..., object], option: str, value: float) -> None:
    with pytest.raises(OptionError, match=f"{option}={value}: must be a number of at least 0"):
        make(**{option: value})


def test_shares_of_meteor_are_at_most_1() -> None:
    with pytest.raises(OptionError, match=r"gamma=1.5: must be at most 1"):
        make_meteor(gamma=1.5)


def test_meteor_by_hand_without_synonyms() -> None:
    """cats (stem), sat, on and mat match: P = 4/5, R = 4/6, in 2 chunks."""
    score = make_meteor(wordnet="none").score([Segment("cats sat on a mat", ("the cat sat on the mat",))])[0]
    precision, recall = 4 / 5, 4 / 6
    f_mean = precision * recall / (0.9 * precision + 0.1 * recall)
    assert score.value == pytest.approx(f_mean * (1 - 0.5 * (2 / 4) ** 3))


@pytest.fixture
def wordnet(tmp_path: Path) -> Path:
    """A WordNet of our own in the format of wndb(5WN): car/auto, go/travel (went), fast/quick (quicker).

    It has the files of Debian's package: neither lexnames nor index.sense.
    """
    licence = "  1 This is a test database, WordNet 9.9 Copyright nobody\n"
    synsets = {
        "noun": [("car", "auto"), ("goose", "silly_bird")],
        "verb": [("go", "travel")],
        "adj": [("fast", "quick(p)")],
        "adv": [],
    }
    exceptions = {"noun": "geese goose\n", "verb": "went go\n", "adj": "", "adv": ""}
    for part, groups in synsets.items():
        data = licence
        places: dict[str, list[int]] = {}
        for group in groups:
            offset = len(data)
            words = " ".join(f"{word} 0" for word in group)
            data += f"{offset:08d} 03 {part[0]} {len(group):02x} {words} 000 | a gloss\n"
            for word in group:
                places.setdefault(word.split("(")[0], []).append(offset)
        lines = [
            f"{word} {part[0]} {len(offsets)} 0 {len(offsets)} 0 {' '.join(f'{o:08d}' for o in offsets)}\n"
            for word, offsets in sorted(places.items())
        ]
        (tmp_path / f"data.{part}").write_text(data)
        (tmp_path / f"index.{part}").write_text(licence + "".join(lines))
        (tmp_path / f"{part}.exc").write_text(exceptions[part])
    head = len(licence)
    satellite = (tmp_path / "data.adj").stat().st_size
    with (tmp_path / "data.adj").open("a") as data, (tmp_path / "index.adj").open("a") as index:
        data.write(f"{satellite:08d} 00 s 02 rapid 0 speedy 0 001 & {head:08d} a 0000 | a gloss\n")
        index.writelines(f"{word} a 1 0 1 0 {satellite:08d}\n" for word in ("rapid", "speedy"))
    return tmp_path


@pytest.mark.parametrize(
    ("word", "synonyms"),
    [
        ("car", {"car", "auto"}),
        ("Cars", {"car", "auto"}),
        ("geese", {"goose", "silly_bird"}),
        ("went", {"go", "travel"}),
        ("travelling", set()),
        ("going", {"go", "travel"}),
        ("quicker", {"fast", "quick"}),
        ("speedy", {"rapid", "speedy"}),
        ("unknown", set()),
    ],
)
def test_wordnet_files(wordnet: Path, word: str, synonyms: set[str]) -> None:
    synsets = find_wordnet(str(wordnet)).synsets(word)
    assert {lemma.name() for synset in synsets for lemma in synset.lemmas()} == synonyms


def test_meteor_with_synonyms(wordnet: Path) -> None:
    segment = [Segment("he went by auto", ("he travel by car",))]
    with_synonyms, without = make_meteor(wordnet=str(wordnet)), make_meteor(wordnet="none")
    assert with_synonyms.score(segment)[0].value == pytest.approx(1 - 0.5 * (1 / 4) ** 3)
    assert without.score(segment)[0].value == pytest.approx(0.5 * (1 - 0.5 * (2 / 2) ** 3))
    assert with_synonyms.signature["synonyms"] == "wordnet-9.9"
    assert without.signature["synonyms"] == "none"


def test_wordnet_is_found_or_the_error_says_how_to_get_it(
    wordnet: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nltk.data.path", [])
    monkeypatch.setattr("monge.metrics.lexical.wordnet._SYSTEM_DIRECTORIES", ())
    monkeypatch.delenv("WNSEARCHDIR", raising=False)
    with pytest.raises(ModelError, match=r"METEOR needs WordNet: .*nltk\.downloader.*wordnet-base.*wordnet=none"):
        make_meteor()
    monkeypatch.setenv("WNSEARCHDIR", str(wordnet))
    assert find_wordnet("auto").name == "wordnet-9.9"
    (wordnet / "verb.exc").unlink()
    with pytest.raises(ModelError, match=r"holds no WordNet: verb\.exc is missing"):
        find_wordnet("auto")
    with pytest.raises(ModelError, match=r"holds no WordNet: index\.noun is missing"):
        make_meteor(wordnet=str(tmp_path_factory.mktemp("nothing")))


def test_a_damaged_wordnet_is_named(wordnet: Path) -> None:
    (wordnet / "index.noun").write_text("car n many 0 1 0 00000000\n")
    with pytest.raises(ModelError, match=r"holds no WordNet that nltk can read: file index\.noun, line 1"):
        make_meteor(wordnet=str(wordnet))


def test_wordnet_of_nltks_downloader_is_found(wordnet: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """As ``python -m nltk.downloader wordnet`` leaves it, zipped; in a process of its own, since nltk keeps readers."""
    data = tmp_path_factory.mktemp("nltk_data")
    (data / "corpora").mkdir()
    with zipfile.ZipFile(data / "corpora" / "wordnet.zip", "w") as archive:
        for file in wordnet.iterdir():
            archive.write(file, f"wordnet/{file.name}")
        archive.writestr("wordnet/lexnames", "".join(f"{n:02d}\tname{n}\t1\n" for n in range(45)))
        archive.writestr("wordnet/index.sense", "")
    code = "from monge.metrics import load_metric; print(load_metric('meteor').signature['synonyms'])"
    result = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "NLTK_DATA": str(data)}, capture_output=True, text=True
    )
    assert (result.stdout, result.returncode) == ("wordnet-9.9\n", 0), result.stderr


def test_stored_scores_of_another_wordnet_are_not_used(tmp_path: Path) -> None:
    """Two folders may call themselves WordNet 3.0 and hold different synonyms."""
    folder = next((Path(place) for place in _SYSTEM_DIRECTORIES if (Path(place) / "index.noun").exists()), None)
    if folder is None:
        pytest.skip("this machine has no WordNet (apt install wordnet-base)")
    copy = tmp_path / "wordnet"
    shutil.copytree(folder, copy)
    before = make_meteor(wordnet=str(copy))
    with (copy / "verb.exc").open("a", encoding="ascii") as stream:
        stream.write("zzzzed zzzz\n")
    after = make_meteor(wordnet=str(copy))
    assert before.signature == after.signature
    assert before.identity != after.identity
