"""Measures maps between languages on four tasks and prints the tables of results-density.md.

python docs/results_density.py [--languages de fr zh] [--methods clp fcnn …]

reads the public sets from MONGE_DATA. Maps are fitted on the sentences of stsb (translations by machine of its English
test set), which are in none of the sets that are reported: tatoeba, word_alignment_gold, muse_dictionaries, rfeval.
Trained maps are kept in the cache, and every number in results_crosslingual.json there: a run that was interrupted
goes on.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import sys
from collections.abc import Sequence
from functools import partial

import numpy as np
from results_crosslingual import DATA, TATOEBA, correlate, keep, known_links, show

from monge.crosslingual.criteria import measure_space
from monge.crosslingual.fitted import FittedRemap
from monge.crosslingual.induction import csls_scores, semantic_criterion, structural_criterion
from monge.crosslingual.maps import Chain
from monge.crosslingual.parallel import Parallel
from monge.crosslingual.vectors import VectorSpace
from monge.crosslingual.words import align_words, alignment_error_rate, cosines, read_gold
from monge.environment import Environment
from monge.learned.density import ALGORITHM, TRAINED, DensitySettings
from monge.report.tables import markdown_table
from monge.text import read_lines
from monge.workflows.align import AlignRequest, SpaceChoice, run_align
from monge.workflows.align_methods import Fitting

LANGUAGES = ("fr", "zh")
LAYER = "emb"
GOLD = {"fr": ("enfr", True), "zh": ("zhen", False)}  # the file, and whether English stands first
STEPS = {"fcnn": 600, "real-nvp": 200, "gan-real-nvp": 200, "muse": 400}
LONGER: list[int] = []  # steps of all trainings, where another number is asked for
METHODS = (
    "identity", "clp", "fcnn", "real-nvp", "clp,real-nvp", "umd", "norm", "vecmap",
    "muse", "muse+cc", "muse+graph",
    "gan-real-nvp", "gan-real-nvp+cc", "gan-real-nvp+graph", "gan-real-nvp+procrustes",
)  # fmt: skip
TASKS = ("RFEval", "Tatoeba", "dictionary", "alignment")
WORDS = 3000  # entries of a dictionary, the most frequent, that are looked for among all


def stsb(language: str) -> Parallel:
    """Return the sentences of the STS benchmark's test set that differ from their English translation."""
    sides = []
    for code in (language, "en"):
        with open(DATA / "stsb" / f"stsb-{code}-test.csv", encoding="utf-8", newline="") as stream:
            sides.append([text for row in csv.reader(stream) for text in row[:2]])
    pairs = [pair for pair in dict.fromkeys(zip(*sides, strict=True)) if pair[0].strip() != pair[1].strip()]
    return Parallel(tuple(one for one, _ in pairs), tuple(two for _, two in pairs))


def fitted(language: str, method: str, layer: str) -> FittedRemap | None:
    """Return the map of a method, fitted once; None for the identity."""
    if method == "identity":
        return None
    folder = Environment.read().cache_directory / "density"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{language}.{layer}.{method}{_edition(method)}"
    if not path.exists():
        steps = LONGER[0] if LONGER else STEPS.get(method.split(",")[-1].split("+")[0], 0)
        fitting = Fitting(DensitySettings(steps=steps), checkpoint=f"{path}.training", words=1500)
        request = AlignRequest(
            stsb(language), tuple(method.split(",")), SpaceChoice(layers=layer), 200, fitting=fitting
        )
        result = run_align(request)
        result.fitted.save(path)
        fitting.discard_checkpoints()
        print(path.name, *result.notes, sep="\n  ", file=sys.stderr, flush=True)
    return FittedRemap.load(path)


def _edition(method: str) -> str:
    """Return what tells the maps of a method from those of its earlier editions."""
    if not any(one in (*TRAINED, "vecmap") for one in method.split(",")):
        return ""
    return f".{ALGORITHM}" + (f".{LONGER[0]}" if LONGER else "")


def measure(language: str, method: str, layer: str) -> list[float]:
    """Return the results of a method on the four tasks, and the two criteria on vectors of Tatoeba."""
    remap = fitted(language, method, layer)
    maps = (remap.source, remap.target) if remap else (Chain(), Chain())
    space = SpaceChoice(layers=layer).load(Environment.read())
    option = f",remap={remap.path}" if remap else ""
    human = correlate(f"rfeval/{language}-en", [f"xmoverscore,layers={layer}{option}"])[0]
    retrieval, criteria = _tatoeba(language, space, maps)
    return [human, retrieval, _dictionary(language, space, maps), _alignment(language, space, maps), *criteria]


def _tatoeba(language: str, space: VectorSpace, maps: tuple[Chain, Chain]) -> tuple[float, list[float]]:
    stem = DATA / "tatoeba" / f"tatoeba.{TATOEBA[language]}-eng"
    sides, tokens = [], []
    for code, chain in zip((TATOEBA[language], "eng"), maps, strict=True):
        found = list(space.read(read_lines(f"{stem}.{code}")))
        mapped = [chain.transform(one.tokens) for one in found]
        sides.append(np.array([rows.mean(axis=0) for rows in mapped]))
        tokens.append(np.concatenate(mapped)[:1500])
    quality = measure_space((sides[0], sides[1]))
    criteria = [semantic_criterion(*tokens), structural_criterion(*tokens)]
    return (quality.forward + quality.backward) / 2, criteria


def _dictionary(language: str, space: VectorSpace, maps: tuple[Chain, Chain]) -> float:
    """Return how often the nearest English word by CSLS is a translation (P@1), over words spelt differently."""
    senses: dict[str, set[str]] = {}
    with gzip.open(DATA / "muse_dictionaries" / f"{language}-en.dict.gz", "rt", encoding="utf-8") as stream:
        for line in stream:
            english, _, foreign = line.strip().partition(" @ ")
            if english != foreign and (foreign in senses or len(senses) < WORDS):
                senses.setdefault(foreign, set()).add(english)
    english = sorted(set().union(*senses.values()))
    vectors = [
        chain.transform(_words(space, words)) for chain, words in zip(maps, (list(senses), english), strict=True)
    ]
    nearest = csls_scores(cosines(*vectors)).argmax(axis=1)
    return float(np.mean([english[place] in own for place, own in zip(nearest, senses.values(), strict=True)]))


def _words(space: VectorSpace, words: list[str]) -> np.ndarray:
    return np.array([one.whole for one in space.read(words)])


def _alignment(language: str, space: VectorSpace, maps: tuple[Chain, Chain]) -> float:
    """Return F of words that are each other's nearest, against gold links; NaN without such links."""
    if language not in GOLD:
        return float("nan")
    name, english_first = GOLD[language]
    stem = DATA / "word_alignment_gold" / name
    texts = read_lines(f"{stem}.src-tgt")
    links = [known_links(*both) for both in zip(texts, read_lines(f"{stem}.gold"), strict=True)]
    gold = read_gold(links, name=name)
    sides = [[line.split("|||")[k].split() for line in texts] for k in (0, 1)]
    chains = maps[::-1] if english_first else maps
    found = []
    for one, two in zip(*(space.read_words(side) for side in sides), strict=True):
        pairs = align_words(chains[0].transform(one.words), chains[1].transform(two.words))
        found.append({(one.numbers[i], two.numbers[j]) for i, j in pairs})
    return alignment_error_rate(found, [sure for sure, _ in gold], [possible for _, possible in gold]).f


def results(language: str, methods: Sequence[str], layer: str = LAYER) -> dict[str, list[float]]:
    """Return what methods reach on a language."""
    return {
        method: keep(
            f"density {language} {layer} {method}{_edition(method)}", partial(measure, language, method, layer)
        )
        for method in methods
    }


def print_tasks(languages: Sequence[str], methods: Sequence[str]) -> None:
    """Print one row per method: four tasks for each language."""
    found = {language: results(language, methods) for language in languages}
    header = ["method", *(f"{task} {language}" for language in languages for task in TASKS)]
    rows = [
        [method, *(show(value) for language in languages for value in found[language][method][:4])]
        for method in methods
    ]
    print(markdown_table(header, rows))


def print_criteria(languages: Sequence[str], methods: Sequence[str]) -> None:
    """Print both criteria of every method, on the tokens of Tatoeba."""
    rows = []
    for language in languages:
        for method, values in results(language, methods).items():
            rows.append([language, method, *map(show, values[4:])])
    print(markdown_table(["language", "method", "semantic", "structural"], rows))


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--languages", nargs="+", default=LANGUAGES, choices=("de", "fr", "zh"))
    parser.add_argument("--methods", nargs="+", default=METHODS)
    parser.add_argument("--steps", type=int, help="steps of trainings, instead of those of the page")
    args = parser.parse_args()
    LONGER.extend([args.steps] if args.steps else [])
    print_tasks(args.languages, args.methods)
    print()
    print_criteria(args.languages, args.methods)


if __name__ == "__main__":
    main()
