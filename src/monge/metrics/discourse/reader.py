"""Reading documents: annotation, foci and, where a metric needs them, token vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from monge import annotate, discourse
from monge.annotate import AnnotatedText, Annotator, load_annotator
from monge.discourse import EntityFinder, Foci, FocusFinder, find_lemma_surfaces, find_nouns
from monge.encoders import EncodedText, Encoder, load_encoder
from monge.encoders.layers import aggregate_layers, parse_layers
from monge.environment import Environment
from monge.errors import OptionError, suggest
from monge.storage.identity import stated_identity

T = TypeVar("T")
Array = NDArray[np.float64]

BLOCK = 128  # documents that are annotated while the next are encoded
FOCI = ("noun", "entity", "surface")


@dataclass(frozen=True)
class ReadDocument:
    """A document with its foci and, if the reader has an encoder, its tokens."""

    annotated: AnnotatedText
    foci: Foci
    encoded: EncodedText | None

    @property
    def unknown(self) -> float:
        """The share of the words that the encoder does not know."""
        return self.encoded.unknown if self.encoded else 0.0

    @property
    def notes(self) -> tuple[str, ...]:
        """What was degraded when the document was annotated or encoded."""
        return (*self.annotated.notes, *(self.encoded.notes if self.encoded else ()))


@dataclass(frozen=True, eq=False)
class DocumentReader:
    """An annotator, a way to find foci, and maybe an encoder with the layers it is asked for.

    ``focus`` is how the options name the finder; ``language`` is that of the texts.
    """

    annotator: Annotator
    find: FocusFinder
    focus: str
    language: str = "en"
    encoder: Encoder | None = None
    layers: tuple[int, ...] = ()

    def read(self, texts: Iterable[str], reduce: Callable[[ReadDocument], T]) -> dict[str, T]:
        """Return what *reduce* makes of every text; a block of texts is encoded while another is annotated."""
        distinct = list(dict.fromkeys(texts))
        blocks = [distinct[start : start + BLOCK] for start in range(0, len(distinct), BLOCK)]
        found: dict[str, T] = {}
        with ThreadPoolExecutor(1, "monge-encode") as worker:
            waiting = [worker.submit(self._encode, block) for block in blocks[:1]]
            for number, block in enumerate(blocks):
                annotated = self.annotator.annotate(block)
                encoded = waiting.pop().result()
                if number + 1 < len(blocks):
                    waiting.append(worker.submit(self._encode, blocks[number + 1]))
                for text, words, tokens in zip(block, annotated, encoded, strict=True):
                    found[text] = reduce(ReadDocument(words, self.find(words), tokens))
        return found

    def _encode(self, texts: Sequence[str]) -> Sequence[EncodedText | None]:
        return [None] * len(texts) if self.encoder is None else self.encoder.encode(texts, self.layers)

    def join_layers(self, encoded: EncodedText) -> Array:
        """Return one vector per token: the mean over the layers."""
        return aggregate_layers(encoded.vectors, "mean").astype(np.float64)

    def sign(self) -> dict[str, str]:
        """Return the fields of a signature that say how documents are read."""
        fields = {}
        if self.encoder is not None:
            fields = {"encoder": self.encoder.signature, "layers": ",".join(map(str, self.layers))}
        return {**fields, "annotator": self.annotator.signature, "focus": self._sign_focus()}

    def _sign_focus(self) -> str:
        if isinstance(self.find, EntityFinder):
            return f"{self.focus}({self.find.vectors.signature},{self.find.threshold!r})"
        return self.focus

    def identity(self) -> str | None:
        """Return what computes annotations, foci and vectors, with full digests; None if any of it is unknown."""
        makers: list[object] = [self.annotator]
        if self.encoder is not None:
            makers.append(self.encoder)
        if isinstance(self.find, EntityFinder):
            makers.append(self.find.vectors)
        stated = [stated_identity(maker) for maker in makers]
        if None in stated or self.focus not in FOCI:
            return None
        numbers = f"annotate={annotate.base.ALGORITHM},discourse={discourse.ALGORITHM}"
        return "|".join([*(identity or "" for identity in stated), numbers])


@dataclass(frozen=True)
class ReaderOptions:
    """How documents are read: what the options of every discourse metric have in common."""

    annotator: object = ""
    language: str = "en"
    focus: object = "noun"
    threshold: float = 0.8
    vectors: object = "glove"

    def make(
        self,
        *,
        encoder: object | None = None,
        layers: str = "",
        environment: Environment | None = None,
    ) -> DocumentReader:
        """Load what is needed and return the reader; raises OptionError for an unknown focus, language or layer."""
        annotator = load_annotator(self.annotator, language=self.language, environment=environment)
        name, find = self._choose_focus(environment)
        if encoder is None:
            return DocumentReader(annotator, find, name, self.language)
        loaded = load_encoder(encoder, cache=True, environment=environment)
        return DocumentReader(annotator, find, name, self.language, loaded, parse_layers(layers, loaded.layers))

    def _choose_focus(self, environment: Environment | None) -> tuple[str, FocusFinder]:
        if callable(self.focus):
            kind = getattr(self.focus, "__qualname__", type(self.focus).__qualname__)
            return f"{getattr(self.focus, '__module__', '')}.{kind}", self.focus
        if self.focus not in FOCI:
            near = suggest(str(self.focus), FOCI)
            raise OptionError(f"focus={self.focus!r}{near}: must be one of {', '.join(FOCI)}, or a function")
        if self.focus == "entity":
            if not -1 <= self.threshold <= 1:
                raise OptionError(f"threshold={self.threshold!r}: a cosine is between -1 and 1")
            return "entity", EntityFinder(load_encoder(self.vectors, environment=environment), self.threshold)
        finders: Mapping[str, FocusFinder] = {"noun": find_nouns, "surface": find_lemma_surfaces}
        return str(self.focus), finders[str(self.focus)]
