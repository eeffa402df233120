"""Dependency parses by an installed parser, for texts that come without any."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from monge.annotate.spacy import load_pipeline
from monge.crosslingual.normal_text import ParsedWord
from monge.errors import ModelError

# what models that are not of Universal Dependencies call the relations that matter here (German: TIGER)
_RELATIONS = {"oa": "obj", "dobj": "obj"}


def parse_texts(texts: Iterable[str], parser: str) -> list[list[ParsedWord]]:
    """Parse *texts* by the spaCy pipeline of the installed package *parser* (``fr_core_news_sm``, ``ja_ginza``).

    Raises ModelError if spaCy or the package is missing, or has no dependency parser.
    """
    pipeline = load_pipeline(parser)
    if "parser" not in pipeline.pipe_names:
        raise ModelError(f"{parser} has no dependency parser: its parts are {', '.join(pipeline.pipe_names)}")
    return [read_parse(document) for document in pipeline.pipe(texts)]


def read_parse(document: Any) -> list[ParsedWord]:
    """Return the words of a document of spaCy with their heads, numbered from 1."""
    return [
        ParsedWord(
            word.i + 1,
            word.text,
            word.pos_,
            0 if word.head.i == word.i else word.head.i + 1,
            _relation(word),
            bool(word.whitespace_),
        )
        for word in document
        if not word.is_space
    ]


def _relation(word: Any) -> str:
    """Return the relation as Universal Dependencies name it; TIGER calls every modifier of a noun ``nk``."""
    name = word.dep_.lower().removesuffix("_bunsetu")  # which a part of GiNZA that is not loaded would do
    if name == "nk" and word.pos_ == "ADJ":
        return "amod"
    return str(_RELATIONS.get(name, name))
