"""Segments and test sets, their readers and writers, and the words and sentences of a text."""

from monge.text.columnar import iter_columnar, write_columns
from monge.text.documents import iter_documents
from monge.text.language_guess import LanguageGuess, guess_language
from monge.text.languages import language_name, parse_language
from monge.text.readers import display_name, iter_lines, parse_json, read_lines, system_names
from monge.text.segment import Segment, list_references, make_segments
from monge.text.sentences import sentence_spans, split_sentences
from monge.text.tables import iter_table, read_table
from monge.text.testset import TestSet, iter_parallel, read_parallel
from monge.text.words import word_spans
from monge.text.writers import write_jsonl, write_lines, write_tsv

__all__ = [
    "LanguageGuess",
    "Segment",
    "TestSet",
    "display_name",
    "guess_language",
    "iter_columnar",
    "iter_documents",
    "iter_lines",
    "iter_parallel",
    "iter_table",
    "language_name",
    "list_references",
    "make_segments",
    "parse_json",
    "parse_language",
    "read_lines",
    "read_parallel",
    "read_table",
    "sentence_spans",
    "split_sentences",
    "system_names",
    "word_spans",
    "write_columns",
    "write_jsonl",
    "write_lines",
    "write_tsv",
]
