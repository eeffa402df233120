"""Putting the vectors of two languages into one space: fit a re-mapping and say what it does to held-out pairs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np

from monge.crosslingual.criteria import SpaceQuality
from monge.crosslingual.dictionaries import read_dictionary
from monge.crosslingual.fit import LEAST_PAIRS
from monge.crosslingual.fitted import FittedRemap, RemapFacts
from monge.crosslingual.maps import Chain
from monge.crosslingual.parallel import HeldOut, Parallel, collect_sample
from monge.crosslingual.vectors import TOKENS, VectorSpace
from monge.crosslingual.words import AlignmentQuality, align_words, alignment_error_rate, read_gold
from monge.encoders import Encoder, load_encoder
from monge.environment import Environment
from monge.errors import InputError, OptionError
from monge.text import guess_language, parse_language, read_lines
from monge.wording import count_noun
from monge.workflows.align_methods import Fitting, fit_methods, parse_all_methods

DEFAULT_ENCODER = "use"
_MOST_HELD_OUT = 500
_GUESSED = 200  # texts that are looked at to guess a language
_SEED = 12345


@dataclass(frozen=True)
class SpaceChoice:
    """Which vectors are put into one space: those of an encoder's layers, of ``tokens`` or of a whole ``sentence``."""

    encoder: str | Encoder = DEFAULT_ENCODER
    layers: str = "last"
    aggregation: str = "single"
    unit: str = TOKENS

    def load(self, environment: Environment) -> VectorSpace:
        """Load the encoder."""
        encoder = load_encoder(self.encoder, cache=True, environment=environment)
        return VectorSpace.choose(encoder, self.layers, aggregation=self.aggregation, unit=self.unit)


@dataclass(frozen=True)
class AlignRequest:
    """Parallel texts, the space, and the methods in the order in which they are applied.

    ``held_out`` pairs are kept apart to judge the maps (None: a fifth, at most 500). ``most`` uses only so many of the
    other pairs. ``source_language`` and ``target_language`` are codes that the file records (empty: guessed).
    ``fitting`` says how methods are trained.
    """

    texts: Parallel
    methods: tuple[str, ...] = ("clp",)
    space: SpaceChoice = field(default_factory=SpaceChoice)
    held_out: int | None = None
    most: int | None = None
    source_language: str = ""
    target_language: str = ""
    fitting: Fitting = field(default_factory=Fitting)

    def __post_init__(self) -> None:
        for code in (self.source_language, self.target_language):
            if code:
                parse_language(code)
        if self.held_out is not None and self.held_out < 2:
            raise OptionError(f"held_out={self.held_out}: at least 2 pairs are needed to judge a map")
        if self.most is not None and self.most < LEAST_PAIRS:
            raise OptionError(f"most={self.most}: at least {LEAST_PAIRS} pairs are needed to fit a map")


@dataclass(frozen=True, eq=False)
class AlignResult:
    """The fitted maps, the quality of the space on held-out pairs ``before`` and ``after``, and notes on trainings."""

    fitted: FittedRemap
    before: SpaceQuality
    after: SpaceQuality
    sentences: int
    held_out: int
    notes: tuple[str, ...] = ()

    def record(self) -> dict[str, Any]:
        """Return everything as plain values, for JSON."""
        facts = self.fitted.facts
        return {
            "methods": list(facts.methods),
            "encoder": facts.encoder,
            "layers": list(facts.layers),
            "unit": facts.unit,
            "origin": facts.origin,
            "pairs": facts.pairs,
            "sentences": self.sentences,
            "held_out": self.held_out,
            "digest": self.fitted.digest,
            "training": facts.training,
            "notes": list(self.notes),
            **{name: _record(quality) for name, quality in (("before", self.before), ("after", self.after))},
        }


def _record(quality: SpaceQuality) -> dict[str, Any]:
    edges, matched, random = quality.histogram()
    return {
        "precision_forward": quality.forward,
        "precision_backward": quality.backward,
        "precision_csls": quality.csls,
        "cosine_matched": float(quality.matched.mean()),
        "cosine_random": float(quality.random.mean()),
        "separation": quality.separation,
        "histogram": {"edges": edges.tolist(), "matched": matched.tolist(), "random": random.tolist()},
    }


def run_align(request: AlignRequest, *, environment: Environment | None = None) -> AlignResult:
    """Fit the maps of a request and judge them on the pairs that were held out.

    Raises InputError for texts that are not parallel, too few or identical, and OptionError for unknown methods, layers
    or languages.
    """
    request.texts.check()
    space = request.space.load(environment or Environment.read())
    training, judged = split_pairs(request.texts, held_out=request.held_out, most=request.most)
    sample = collect_sample(training, space)
    methods = parse_all_methods(",".join(request.methods))
    source, target, notes = fit_methods(sample, methods, request.fitting)
    held = HeldOut.read(judged, space)
    facts = RemapFacts(
        methods, space.encoder.signature, space.layers, space.aggregation, space.unit,
        pairs=len(sample.source), origin=training.origin, texts=training.digest,
        source_language=request.source_language or _guess(training.source),
        target_language=request.target_language or _guess(training.target),
        training=request.fitting.training.describe() if notes else "",
    )  # fmt: skip
    return AlignResult(
        FittedRemap(facts, source, target),
        held.measure(Chain(), Chain(), unit=space.unit),
        held.measure(source, target, unit=space.unit),
        len(training.source),
        len(judged.source),
        notes,
    )


def _guess(texts: Iterable[str]) -> str:
    """Return the code of the language that texts are in; empty if that is unsure."""
    guess = guess_language(islice(texts, _GUESSED))
    return "" if guess is None else guess.languages[0]


def align(
    source: Iterable[str],
    target: Iterable[str],
    *,
    method: str = "clp",
    pairs: str = "words",
    encoder: str | Encoder = DEFAULT_ENCODER,
    layers: str = "last",
    unit: str = TOKENS,
    held_out: int | None = None,
    fitting: Fitting | None = None,
    environment: Environment | None = None,
) -> AlignResult:
    """Fit a re-mapping that puts the vectors of two languages into one space.

    Parameters
    ----------
    source, target
        Texts that translate each other, one by one.
    method
        Methods in the order in which they are applied, with commas: ``clp``, ``umd,clp``, ``real-nvp``, as
        ``monge align`` lists.
    pairs
        What a pair of vectors is: aligned ``words`` in context, or means of whole ``sentences``.
    encoder, layers, unit
        The vectors: of which encoder and layer, of ``tokens`` or of a whole ``sentence`` (for ``cosine_xl``).
    held_out
        How many pairs are kept apart to judge the maps; None means a fifth, at most 500.
    fitting
        How methods with weights are trained: steps, seed, criterion, a file that keeps the state.

    Returns
    -------
    AlignResult with ``fitted`` (``fitted.save(path)`` writes the file that the option ``remap=path`` of metrics
    takes), and the quality of the space on held-out pairs ``before`` and ``after``.

    Raises
    ------
    MongeError
        For texts that are not parallel, too few or identical, and for unknown methods, layers or encoders.

    >>> german = [f"Das ist Satz {n}" for n in range(60)]
    >>> english = [f"This is sentence {n}" for n in range(60)]
    >>> align(german, english, method="umd", pairs="sentences", encoder="hashed").fitted.facts.methods
    ('umd',)
    """
    if isinstance(source, str) or isinstance(target, str):
        raise InputError("source and target are lists of texts, one per sentence, not one text each")
    texts = Parallel(tuple(source), tuple(target), pairs)
    space = SpaceChoice(encoder, layers, unit=unit)
    request = AlignRequest(texts, parse_all_methods(method), space, held_out, fitting=fitting or Fitting())
    return run_align(request, environment=environment)


def split_pairs(texts: Parallel, *, held_out: int | None, most: int | None = None) -> tuple[Parallel, Parallel]:
    """Return the pairs to fit on and those to judge by, drawn at random, always the same."""
    count = len(texts.source)
    apart = min(_MOST_HELD_OUT, count // 5) if held_out is None else held_out
    if count - apart < LEAST_PAIRS:
        raise InputError(
            f"{count} pairs with {apart} held out leave {max(count - apart, 0)} to fit on: at least {LEAST_PAIRS} are "
            "needed"
        )
    order = np.random.default_rng(_SEED).permutation(count)
    used = order[apart:] if most is None else order[apart : apart + most]
    return texts.part(sorted(used.tolist())), texts.part(sorted(order[:apart].tolist()))


def read_parallel_texts(
    source: str | os.PathLike[str], target: str | os.PathLike[str], *, origin: str = "words"
) -> Parallel:
    """Read two files, line by line translations of each other; pairs with an empty line are left out.

    Raises InputError if the numbers of lines differ.
    """
    left, right = read_lines(source), read_lines(target)
    if len(left) != len(right):
        raise InputError(
            f"{source} has {count_noun(len(left), 'line')} and {target} {len(right)}: they must be translations by line"
        )
    pairs = [(one, two) for one, two in zip(left, right, strict=True) if one.strip() and two.strip()]
    return Parallel(tuple(one for one, _ in pairs), tuple(two for _, two in pairs), origin)


def read_dictionary_pairs(path: str | os.PathLike[str]) -> Parallel:
    """Read a dictionary of any format that :func:`~monge.crosslingual.dictionaries.read_dictionary` knows.

    The first translation of a word counts; words that are spelt alike in both languages are left out. Raises
    InputError for a file that is not a dictionary.
    """
    first = {word: glosses[0] for word, glosses in read_dictionary(os.fspath(path)).glosses.items()}
    kept = {source: target for source, target in first.items() if source != target}
    return Parallel(tuple(kept), tuple(kept.values()), "dictionary")


def align_gold(
    texts: Sequence[str],
    gold: Sequence[str],
    *,
    space: SpaceChoice | None = None,
    remap: FittedRemap | None = None,
    name: str = "gold",
    environment: Environment | None = None,
) -> AlignmentQuality:
    """Align the words of texts ``source ||| target`` (words parted by blanks) and compare with links numbered from 1.

    Words are aligned if each is the nearest of the other by cosine, after the maps of *remap*. Raises InputError for
    lines without ``|||`` and for links to words that do not exist.
    """
    chosen = (space or SpaceChoice()).load(environment or Environment.read())
    if len(texts) != len(gold):
        raise InputError(f"{count_noun(len(texts), 'pair')} of texts and {count_noun(len(gold), 'line')} of links")
    sides = [_split_pair(line, number) for number, line in enumerate(texts, start=1)]
    links = read_gold(gold, name=name)
    source, target = (remap.source, remap.target) if remap else (Chain(), Chain())
    if remap:
        remap.check(
            encoder=chosen.encoder.signature, layers=chosen.layers, aggregation=chosen.aggregation, unit=chosen.unit
        )
    found = []
    lefts, rights = (chosen.read_words([side[k] for side in sides]) for k in (0, 1))
    for number, (one, two) in enumerate(zip(lefts, rights, strict=True)):
        _check_links(links[number][1], sides[number], f"{name}, line {number + 1}")
        own = align_words(source.transform(one.words), target.transform(two.words))
        found.append({(one.numbers[i], two.numbers[j]) for i, j in own})
    return alignment_error_rate(found, [sure for sure, _ in links], [possible for _, possible in links])


def _split_pair(line: str, number: int) -> tuple[list[str], list[str]]:
    left, mark, right = line.partition("|||")
    if not mark:
        raise InputError(f"line {number} has no ||| between source and target: {line[:60]!r}")
    return left.split(), right.split()


def _check_links(links: frozenset[tuple[int, int]], words: tuple[list[str], list[str]], place: str) -> None:
    for i, j in links:
        if i >= len(words[0]) or j >= len(words[1]):
            raise InputError(f"{place}: the link {i + 1}-{j + 1} names a word that the texts do not have")
