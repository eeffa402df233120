"""Texts as words with sentences, lemmas and parts of speech."""

from monge.annotate.base import NOUNS, AnnotatedText, Annotator
from monge.annotate.registry import ANNOTATORS, load_annotator

__all__ = ["ANNOTATORS", "NOUNS", "AnnotatedText", "Annotator", "load_annotator"]
