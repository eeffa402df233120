"""The German examples of Zhao et al. (2020), table 2: which translations metrics without references prefer.

The paper's finding is that cross-lingual encoders prefer a word-by-word translation to a human one, and that a language
model cures it.
"""

from pathlib import Path

import pytest

from monge.metrics import load_metric
from monge.metrics.base import bind_to
from monge.text import Segment

SLOW = (
    "Dieser von Langsamkeit geprägte Lebensstil scheint aber ein Patentrezept für ein hohes Alter zu sein.",
    {
        "human": "However, this slow pace of life seems to be the key to a long life.",
        "random": "To pace slow seems be the this life. life to a key however, of long",
        "reordered": "This slow pace of life seems however the key to a long life to be.",
        "dictionary": "This from slowness embossed lifestyle seems but on nostrum for on high older to his.",
        "expert": "This of slow pace characterized life style seems however a patent recipe for a high age to be.",
    },
)
PUTIN = (
    "Putin teilte aus und beschuldigte Ankara, Russland in den Rücken gefallen zu sein.",
    {
        "human": "Mr Putin lashed out, accusing Ankara of stabbing Moscow in the back.",
        "random": "Moscow accusing lashed Putin the in Ankara out, Mr of back. stabbing",
        "reordered": "Mr Putin lashed out, accusing Ankara of Moscow in the back stabbing.",
        "dictionary": "Putin divided out and accused Ankara Russia in the move like to his.",
        "expert": "Putin lashed out and accused Ankara, Russia in the back fallen to be.",
    },
)
DICTIONARY = """dieser\tthis
von\tof;from
langsamkeit\tslowness
geprägte\tembossed;characterised
lebensstil\tlifestyle
scheint\tseems
aber\tbut;however
ein\ta;an
patentrezept\tpanacea
für\tfor
hohes\thigh
alter\tage;old
zu\tto
sein\this;be
teilte\tshared;divided
aus\tfrom;out
und\tand
beschuldigte\taccused
russland\trussia
in\tin
den\tthe
rücken\tback;move
gefallen\tfallen;please
"""


@pytest.fixture(params=(SLOW, PUTIN), ids=("slow", "putin"))
def example(request: pytest.FixtureRequest) -> tuple[str, dict[str, str]]:
    return request.param


def values(name: str, example: tuple[str, dict[str, str]], **options: object) -> dict[str, float]:
    source, outputs = example
    segments = [Segment(text, (), source) for text in outputs.values()]
    scores = bind_to(load_metric(name, **options), segments).score(segments)
    return {kind: score.value for kind, score in zip(outputs, scores, strict=True)}


@pytest.mark.parametrize("name", ["cosine_xl", "yisi2", "xmoverscore_v1"])
def test_cross_lingual_encoders_prefer_word_by_word_translations(
    name: str, example: tuple[str, dict[str, str]]
) -> None:
    found = values(name, example)
    assert found["expert"] > found["human"]
    assert found["dictionary"] > found["human"]


def test_a_language_model_prefers_the_human_translation(example: tuple[str, dict[str, str]]) -> None:
    found = values("fluency", example, slor=True)
    assert max(found, key=found.__getitem__) == "human"


def test_mongescore_free_prefers_the_human_translation(example: tuple[str, dict[str, str]], tmp_path: Path) -> None:
    (tmp_path / "de-en.tsv").write_text(DICTIONARY, encoding="utf-8")
    found = values("mongescore_free", example, source_language="de", dictionary=str(tmp_path / "de-en.tsv"))
    assert max(found, key=found.__getitem__) == "human"
