"""Codes of languages, and the languages that texts look like."""

import pytest

from monge.errors import OptionError
from monge.text import guess_language, language_name, parse_language

GERMAN = [
    "Der Junge in dem Mantel ist nach Hause gelaufen, und es hat die ganze Nacht geregnet.",
    "Die Regierung hat mitgeteilt, dass sie die Steuern für Unternehmen im nächsten Jahr nicht erhöhen wird.",
]
ENGLISH = [
    "The boy in the coat ran home, and it was raining all through the night.",
    "The government said that it would not raise the taxes for companies in the next year, but nobody is sure.",
]


@pytest.mark.parametrize(
    ("code", "language"),
    [
        ("en", "en"),
        ("EN", "en"),
        ("deu", "de"),
        ("cmn", "zh"),
        ("hsb", "hsb"),
        ("zh-TW", "zh"),
        ("zh_TW", "zh"),
        ("zh-tw", "zh"),  # Twi is a language, but nobody means it
        ("de-AT", "de"),
        ("de-at", "de"),
        ("es-AR", "es"),
        ("es-ar", "ar"),
        ("es-419", "es"),
        ("zh-Hant-TW", "zh"),
        ("sr-Latn", "sr"),
        ("en-zh", "zh"),
        ("EN-ZH", "zh"),
        ("en_de", "de"),
        ("eng-deu", "de"),
        ("zh-en", "en"),
    ],
)
def test_a_code_names_the_language_of_the_target(code: str, language: str) -> None:
    assert parse_language(code) == language


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("xx", r"language='xx': must be a code such as [\w, -]+$"),
        ("zz", "must be a code"),
        ("chinese", r"did you mean 'zh'"),
        ("", "must be a code"),
        ("en-xx", "'xx' is neither a language nor a region"),
        ("en-", "'' is neither"),
        ("13a", "must be a code"),
    ],
)
def test_other_codes_are_refused_with_the_nearest(code: str, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        parse_language(code)


def test_names() -> None:
    assert [language_name(code) for code in ("de", "el", "zh")] == ["German", "Greek", "Chinese"]


@pytest.mark.parametrize(
    ("texts", "language", "described"),
    [
        (GERMAN, "de", "look German"),
        (ENGLISH, "en", "look English"),
        (["今天的天气非常好，我们去公园散步。"], "zh", "look Chinese"),
        (["今日はとても天気が良いので、公園を散歩します。"], "ja", "look Japanese"),
        (["오늘은 날씨가 아주 좋아서 공원을 산책합니다."], "ko", "look Korean"),
        (["Сегодня очень хорошая погода."], "ru", "are in Cyrillic letters"),
        (["วันนี้อากาศดีมากเราไปเดินเล่นที่สวนสาธารณะ"], "th", "look Thai"),
    ],
)
def test_script_and_frequent_words_show_the_language(texts: list[str], language: str, described: str) -> None:
    guess = guess_language(texts)
    assert guess is not None
    assert guess.languages[0] == language
    assert guess.describe() == described


@pytest.mark.parametrize(
    "texts",
    [
        [],
        ["", "  ", "12.5 % !"],
        ["Der Junge ist nach Hause gelaufen."],  # too short
        ["Zürich Basel Genf Bern " * 20],  # names only
        ["今天天气"],
        [ENGLISH[0], "Сегодня очень хорошая погода и мы идём гулять в парк у реки, а завтра"],  # half and half
    ],
)
def test_an_unsure_guess_is_none(texts: list[str]) -> None:
    assert guess_language(texts) is None
