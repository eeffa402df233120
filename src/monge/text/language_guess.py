"""Which language texts are in, as far as their script and their most frequent words show it."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain

from monge.text.languages import language_name

_LEAST_LETTERS = 12  # of a script that few languages use
_LEAST_WORDS = 25  # of a script that many languages use
_LEAST_SHARE = 0.12  # of the words that must be among the frequent ones of a language
_NEAR = 0.5  # of the hits of the best language: one with so many may be the language, too

# first word of the Unicode name of a letter → languages that are written with it
_SCRIPTS: Mapping[str, tuple[str, ...]] = {
    "CJK": ("zh",), "HIRAGANA": ("ja",), "KATAKANA": ("ja",), "HANGUL": ("ko",), "GREEK": ("el",),
    "CYRILLIC": ("ru", "uk", "be", "bg", "mk", "sr", "kk", "ky", "mn", "tg", "tt", "ba", "cv", "os"),
    "ARABIC": ("ar", "fa", "ur", "ps", "ku", "ug", "sd"), "HEBREW": ("he", "yi"), "ARMENIAN": ("hy",),
    "GEORGIAN": ("ka",), "DEVANAGARI": ("hi", "mr", "ne", "sa"), "BENGALI": ("bn", "as"), "GURMUKHI": ("pa",),
    "GUJARATI": ("gu",), "ORIYA": ("or",), "TAMIL": ("ta",), "TELUGU": ("te",), "KANNADA": ("kn",),
    "MALAYALAM": ("ml",), "SINHALA": ("si",), "THAI": ("th",), "LAO": ("lo",), "MYANMAR": ("my",), "KHMER": ("km",),
    "TIBETAN": ("bo", "dz"), "ETHIOPIC": ("am", "ti"),
}  # fmt: skip

# the most frequent words of languages in Latin letters; own lists
_FREQUENT: Mapping[str, str] = {
    "en": "the of and to a in is that it was for on with as he are be at by this had have not from they his an or but",
    "de": "der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an wird aus er hat",
    "nl": "de van het een en in is dat op te zijn met voor niet aan er om ook als dan maar bij uit nog hij naar heeft",
    "fr": "de la le et les des en un du une que est pour qui dans a par plus pas au sur ne se ce il sont avec je nous",
    "es": "de la que el en y a los se del las un por con no una su para es al lo como más pero sus le ha está son",
    "pt": "de a o que e do da em um para com não uma os no se na por mais as dos como mas ao ele das à seu sua é está",
    "it": "di e il la che in un a per è una sono con non del si da come le dei più nel anche della ma gli i lo alla",
    "ro": "de și în a la cu pe o care nu din un să este pentru mai ca au se al sunt fi le lui după sau prin dar când",
    "ca": "de la i el que en a les els un per una amb no del es al és dels com més ha però són aquest també",
    "sv": "och i att det som en på är av för med till den har de inte om ett han men var jag sig från vi så kan man",
    "da": "og i at det er en til på som med for den af de ikke der var har et jeg men han sig fra vi om kan hun også",
    "nb": "og i det er på en til å som for med at av den de ikke har var et jeg men han seg fra vi om kan hun også",
    "fi": "ja on ei että se hän oli ovat mutta kun niin myös tai joka ole olla kuin mitä jos nyt sitä vain ollut minä",
    "et": "ja on ei et see ta oli ka kui mis aga oma või ning nad kes siis mida selle pole nii ma seda olid veel välja",
    "lv": "un ir ka no ar par uz tas bet to arī kas viņš nav vai tā kā bija man pie lai es šo viņa ja jau pēc tiek",
    "lt": "ir yra kad į iš tai su buvo ne kaip bet jis už apie o ar jo per po tik jau dar mes nuo aš ji man bus buvo",
    "cs": "a v se na je že to s z do o i k ve pro za by ale jsem si jako po tak od co jak byl už jeho které jsou nebo",
    "sk": "a v sa na je že to s z do o aj k vo pre za by ale som si ako po tak od čo bol už jeho ktoré sú alebo ktorý",
    "pl": "i w na z się nie do to że jest o jak a po od za ale co dla przez był tym są ich tak być jego już może które",
    "sl": "in je v na se da za so z ki ne bi tudi ni pa kot po iz s to od bil o če sem ali le ko še ga jih lahko",
    "hr": "i je u na se da su za od s a koji o ne to kao iz će bi što nije sam ali samo ili može te koja do još",
    "hu": "a az és hogy nem is egy van meg de csak ez ha már volt mint azt el még vagy ki le lesz kell én pedig aki",
    "tr": "ve bir bu da de için ile ne çok daha var olarak gibi olan kadar ama sonra her ben o mi en değil mı ya şey",
    "id": "yang dan di itu dengan untuk tidak ini dari dalam akan pada juga ke saya ada bisa karena mereka kami oleh",
    "vi": "và của là có không được cho trong một với các những người này đã để khi tôi đến về ở nhưng như cũng ra",
}
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True)
class LanguageGuess:
    """The languages that texts may be in, the likeliest first; ``script`` names the letters that several share.

    ``declared``: it was not guessed, but said.
    """

    languages: tuple[str, ...]
    script: str = ""
    declared: bool = False

    def describe(self) -> str:
        """Return what is known about the texts.

        >>> LanguageGuess(("cs", "sk")).describe(), LanguageGuess(("ru", "uk"), "Cyrillic").describe()
        ('look Czech or Slovak', 'are in Cyrillic letters')
        """
        if self.declared:
            return f"are in {language_name(self.languages[0])}"
        if self.script:
            return f"are in {self.script} letters"
        return f"look {' or '.join(language_name(code) for code in self.languages[:3])}"


def guess_language(texts: Iterable[str]) -> LanguageGuess | None:
    """Return the languages that *texts* taken together may be in, or None if they are too short or the guess is unsure.

    A script that few languages use decides by itself; in Latin letters the most frequent words do.

    >>> guess_language(["今天的天气非常好，我们去公园散步。"]).languages[0]
    'zh'
    >>> guess_language(["Guten Tag!"]) is None
    True
    """
    lowered = [text.lower() for text in texts]
    scripts = Counter(filter(None, map(_script_of, chain.from_iterable(lowered))))
    letters = scripts.total()
    if letters < _LEAST_LETTERS:
        return None
    kana = scripts["HIRAGANA"] + scripts["KATAKANA"]
    if kana > 0.1 * letters and kana + scripts["CJK"] > letters / 2:
        return LanguageGuess(("ja",))
    script, count = scripts.most_common(1)[0]
    if count <= letters / 2:
        return None
    if script == "LATIN":
        return _guess_by_words(lowered)
    languages = _SCRIPTS.get(script, ())
    shared = len(languages) > 1
    return LanguageGuess(languages, script.title() if shared else "") if languages else None


def _guess_by_words(texts: Iterable[str]) -> LanguageGuess | None:
    words = Counter(word for text in texts for word in _WORD.findall(text))
    total = words.total()
    if total < _LEAST_WORDS:
        return None
    hits = Counter(dict.fromkeys(_FREQUENT, 0))
    for word, count in words.items():
        for code in _languages_of().get(word, ()):
            hits[code] += count
    (_, best), *_ = ranked = hits.most_common()
    if best < _LEAST_SHARE * total:
        return None
    return LanguageGuess(tuple(code for code, count in ranked if count >= _NEAR * best))


@cache
def _languages_of() -> dict[str, list[str]]:
    """Return the languages that each frequent word belongs to."""
    found: dict[str, list[str]] = {}
    for code, known in _FREQUENT.items():
        for word in set(known.split()):
            found.setdefault(word, []).append(code)
    return found


@lru_cache(maxsize=50_000)
def _script_of(char: str) -> str:
    """Return the script of a letter by its Unicode name, and nothing for any other character."""
    return unicodedata.name(char, "").partition(" ")[0] if char.isalpha() else ""
