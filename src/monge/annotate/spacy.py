"""Annotation by a spaCy pipeline: English, Japanese (GiNZA), or any model that is installed."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from monge.annotate.base import ALGORITHM, MARKUP_NOTE, AnnotatedText, blank_markup, line_spans, lower_in_place
from monge.errors import ModelError

# of no use here; the last two belong to GiNZA and do not load with every version of spaCy
_EXCLUDED = ("ner", "textcat", "compound_splitter", "bunsetu_recognizer")
_PIECE = 100_000  # characters that are parsed at once: memory grows with the length
_BATCH = 64


def load_pipeline(model: str, install: str = "") -> Any:
    """Return the pipeline of an installed package, without the parts that only name things; ModelError without it."""
    try:
        importlib.import_module("spacy")
        module = importlib.import_module(model.replace("-", "_"))
        return module.load(exclude=list(_EXCLUDED))
    except (ImportError, AttributeError) as error:
        raise ModelError(f"{model} cannot be loaded ({error}): {install or f'pip install {model}'}") from None


class SpacyAnnotator:
    """A spaCy pipeline by the name of its package; it is loaded when it is first needed.

    Sentences are those of the dependency parser, and a line break always ends one. With *lowercase* texts are
    lower-cased first, as Zhao et al. (2022) do: systems differ in whether they write capitals, and a tagger that sees
    them would find other nouns in the output of one system than in that of another. Lemmas are always lower-case.
    """

    def __init__(self, models: Sequence[str], *, lowercase: bool = True, install: str = "") -> None:
        self._models = tuple(models)
        self._lowercase = lowercase
        self._install = install or f"pip install {self._models[0]}"

    @cached_property
    def _model(self) -> str:
        """The first of the models that is installed."""
        for name in self._models:
            try:
                version(name)
            except PackageNotFoundError:
                continue
            return name
        raise ModelError(f"no model {' or '.join(self._models)} for spaCy is installed: {self._install}")

    @cached_property
    def _pipeline(self) -> Any:
        pipeline = load_pipeline(self._model, self._install)
        pipeline.max_length = 1 << 40  # texts are cut at line breaks and sentences below
        return pipeline

    def __getstate__(self) -> dict[str, Any]:  # another process loads the model itself
        return {name: value for name, value in self.__dict__.items() if name not in ("_pipeline",)}

    @property
    def signature(self) -> str:
        return f"{self._model}-{version(self._model)}" + ("" if self._lowercase else ",cased")

    @property
    def identity(self) -> str:
        return f"annotate={ALGORITHM} spacy={_version_of('spacy')}; {self.signature}"

    def annotate(self, texts: Sequence[str]) -> list[AnnotatedText]:
        """Return one AnnotatedText per text, in order."""
        prepared = [blank_markup(text) for text in texts]
        pieces = [[(start, text[start:end]) for start, end in _cut(text)] for text in prepared]
        parsed = self._parse([piece for own in pieces for _, piece in own])
        return [
            _join(text, [(start, next(parsed)) for start, _ in own], marked=text != clean)
            for text, clean, own in zip(texts, prepared, pieces, strict=True)
        ]

    def _parse(self, pieces: Sequence[str]) -> Iterator[Any]:
        if pieces:
            shown = [lower_in_place(piece) for piece in pieces] if self._lowercase else pieces
            yield from self._pipeline.pipe(shown, batch_size=_BATCH)


def _cut(text: str) -> Iterator[tuple[int, int]]:
    """Yield the lines of a text; one that is very long is cut at blanks."""
    for start, end in line_spans(text):
        while end - start > _PIECE:
            blank = text.rfind(" ", start + 1, start + _PIECE)
            cut = blank if blank > start else start + _PIECE
            yield start, cut
            start = cut
        yield start, end


def _join(text: str, pieces: Sequence[tuple[int, Any]], *, marked: bool) -> AnnotatedText:
    words: list[str] = []
    lemmas: list[str] = []
    tags: list[str] = []
    spans: list[tuple[int, int]] = []
    sentences: list[int] = []
    for start, doc in pieces:
        for sentence in doc.sents:
            own = [token for token in sentence if not token.is_space]
            number = sentences[-1] + 1 if sentences else 0
            for token in own:
                place = (start + token.idx, start + token.idx + len(token.text))
                words.append(text[place[0] : place[1]])
                lemmas.append((token.lemma_ or token.text).lower())
                tags.append(token.pos_)
                spans.append(place)
                sentences.append(number)
    return AnnotatedText(
        text,
        tuple(words),
        tuple(lemmas),
        tuple(tags),
        np.array(spans, dtype=np.int64).reshape(-1, 2),
        np.array(sentences, dtype=np.int64),
        (MARKUP_NOTE,) if marked else (),
    )


def _version_of(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        raise ModelError(f"{package} is not installed: pip install 'monge[discourse]'") from None
