"""Word vectors of two languages in one space, one file each, as MUSE and RCSLS publish them."""

from pathlib import Path

import numpy as np
import pytest

from monge.errors import OptionError
from monge.metrics import load_metric
from monge.metrics.base import bind_to
from monge.text import Segment

WORDS = {"der": "the", "hund": "dog", "katze": "cat", "schläft": "sleeps", "läuft": "runs", "garten": "garden"}
SEGMENTS = [
    Segment("The dog sleeps", (), "Der Hund schläft"),
    Segment("The cat runs", (), "Der Hund schläft"),
    Segment("The garden", (), "Der Garten"),
]


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    """Write both files with the head ``COUNT DIMENSION``; a word and its translation have the same vector."""
    vectors = np.random.default_rng(0).standard_normal((len(WORDS), 8))
    for name, words in (("wiki.de.vec", WORDS.keys()), ("wiki.en.vec", WORDS.values())):
        lines = [f"{word} {' '.join(f'{x:.6f}' for x in row)}" for word, row in zip(words, vectors, strict=True)]
        (tmp_path / name).write_text("\n".join([f"{len(WORDS)} 8", *lines, ""]), encoding="utf-8")
    return str(tmp_path / "wiki.en.vec"), str(tmp_path / "wiki.de.vec")


@pytest.mark.parametrize(
    ("name", "perfect"), [("yisi2", 1.0), ("xmoverscore", 1.0), ("xmoverscore_v1", 1.0), ("wmd", 0.0)]
)
def test_translations_word_by_word_are_perfect(name: str, perfect: float, files: tuple[str, str]) -> None:
    english, german = files
    options = {"drop": "special+punctuation"} if name == "wmd" else {}  # its stop words are English
    loaded = load_metric(name, against="source", encoder=english, against_encoder=german, **options)
    metric = bind_to(loaded, SEGMENTS)
    values = [score.value for score in metric.score(SEGMENTS)]
    assert values[0] == pytest.approx(perfect, abs=1e-6)
    assert values[2] == pytest.approx(perfect, abs=1e-6)
    assert abs(values[1] - perfect) > 0.1
    assert "wiki.de.vec@" in metric.signature.fields["against_encoder"]


def test_vectors_of_other_lengths_are_refused(files: tuple[str, str], tmp_path: Path) -> None:
    (tmp_path / "short.vec").write_text("1 3\nhund 1 0 0\n", encoding="utf-8")
    with pytest.raises(OptionError, match=r"8 dimensions.*3"):
        load_metric("wmd", against="source", encoder=files[0], against_encoder=str(tmp_path / "short.vec"))
