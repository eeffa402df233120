"""Writes pairs of real outputs that an adapter can be trained on (docs/results-adapters.md compares it).

    git clone https://github.com/sheffieldnlp/mlqe-pe
    git clone https://github.com/google/wmt-mqm-human-evaluation
    git clone https://github.com/facebookresearch/LASER
    python docs/adapter_pairs_real.py wmt-mqm-human-evaluation/ted/zhen/mqm_ted_zhen.tsv \\
      mlqe-pe/data/post-editing/train LASER/data/tatoeba/v1 pairs.tsv

Real outputs of systems: TED talks, Chinese to English, of the MQM data of WMT21 (Apache-2.0), eight systems each
against both references; and 400 training sentences each of MLQE-PE (CC0), Estonian, Nepali, Romanian, Russian and
Sinhala to English, outputs against their post-edited versions. Judgments are not read. To these come damaged outputs,
and loosely related texts: a sentence before or after, another sentence, a part, a mixture of two; and
short sentences of Tatoeba (CC BY 2.0) with others that share words with them. So the adapter is not to be measured on
mqm/ted-zhen, mqm/ted-ende (whose English sources are among the texts) and MLQE test20 (si-en, ne-en: a few texts).
"""

from __future__ import annotations

import argparse
import random
import re
import tarfile
from pathlib import Path

import numpy as np

from monge.learned.corruption import damage, exchange_words

LANGUAGES = ("et", "ne", "ro", "ru", "si")
SENTENCES = 400  # of each language
SYSTEMS = 8  # of each segment of a talk, of 13
SHORTEST, LONGEST = 4, 60  # words
SHORT = 800  # sentences of Tatoeba
Row = tuple[str, str]  # hypothesis and reference


def read_talks(path: Path) -> list[list[dict[str, str]]]:
    """Return the segments of every talk: text by system, the references among them."""
    talks: dict[str, dict[int, dict[str, str]]] = {}
    for line in path.read_text(encoding="utf-8").split("\n")[1:]:
        cells = line.split("\t")
        if len(cells) >= 9 and (text := re.sub(r"</?v>", "", cells[6]).strip()):
            talks.setdefault(cells[1], {}).setdefault(int(cells[3]), {}).setdefault(cells[0], text)
    return [[talk[i] for i in sorted(talk) if "ref" in talk[i]] for _, talk in sorted(talks.items())]


def read_edited(folder: Path, language: str, rng: random.Random) -> list[Row]:
    """Return outputs with their post-edited versions, where the two differ."""
    name = f"{language}-en-train"
    with tarfile.open(folder / f"{name}.tar.gz") as archive:
        sides = [archive.extractfile(f"{name}/train.{kind}") for kind in ("mt", "pe")]
        lines = [side.read().decode("utf-8").split("\n") for side in sides if side is not None]
    pairs = [(" ".join(a.split()), " ".join(b.split())) for a, b in zip(*lines, strict=True)]
    return rng.sample([pair for pair in pairs if is_usable(*pair)], SENTENCES)


def is_usable(output: str, edited: str) -> bool:
    """Whether an output was really edited (post-editors wrote "Rejected" where they could not)."""
    lengths = [len(text.split()) for text in (output, edited)]
    return output != edited and "Rejected" not in edited and min(lengths) >= SHORTEST and max(lengths) <= LONGEST


class Loose:
    """Makes texts that have something, or little, to do with a reference."""

    def __init__(self, texts: list[str], rng: random.Random) -> None:
        self.texts, self.rng = texts, rng
        self.vocabulary = sorted({word for text in texts for word in text.split()})
        self.numbers = np.random.default_rng(rng.randrange(2**32))

    def damaged(self, text: str) -> str:
        """Return *text* with two words exchanged, or after one to eight edits."""
        if self.rng.random() < 0.25:
            return exchange_words(text, self.numbers) or text
        return damage(text, self.rng.randint(1, 8), self.vocabulary, self.numbers)

    def part(self, text: str) -> str:
        """Return a run of a third to two thirds of the words."""
        words = text.split()
        count = self.rng.randint(max(1, len(words) // 3), max(1, 2 * len(words) // 3))
        start = self.rng.randint(0, len(words) - count)
        return " ".join(words[start : start + count])

    def related(self, text: str, near: str) -> str:
        """Return a text near *text*, another, a part, or a part joined to a part of another."""
        kind, other = self.rng.random(), self.rng.choice(self.texts)
        if kind < 0.5:
            return near if kind < 0.25 else other
        return self.part(text) if kind < 0.75 else f"{self.part(text)} {self.part(other)}"


def pair_talks(talks: list[list[dict[str, str]]], rng: random.Random) -> list[Row]:
    """Return systems and the other reference against each reference, with one damaged and one loose text."""
    loose = Loose([segment["ref"] for talk in talks for segment in talk], rng)
    rows: list[Row] = []
    for talk in talks:
        for place, segment in enumerate(talk):
            near = talk[place - 1 if place else 1]
            systems = rng.sample(sorted(segment.keys() - {"ref", "refB"}), SYSTEMS)
            for name, second in (("ref", "refB"), ("refB", "ref")):
                if reference := segment.get(name):
                    others = dict.fromkeys(segment[system] for system in (*systems, second) if system in segment)
                    made = [*others, loose.damaged(rng.choice(list(others))), loose.related(reference, near["ref"])]
                    rows += [(text, reference) for text in made if text != reference]
    return rows


def pair_edited(pairs: list[Row], rng: random.Random) -> list[Row]:
    """Return outputs against their post-edited versions, damaged, and every second time with a loose text."""
    loose = Loose([edited for _, edited in pairs], rng)
    rows: list[Row] = []
    for number, (output, edited) in enumerate(pairs):
        made = [output, loose.damaged(rng.choice((output, edited)))]
        if number % 2:
            made.append(loose.related(rng.choice((output, edited)), rng.choice(pairs)[0]))
        rows += [(text, edited) for text in made if text != edited]
    return rows


def read_short(folder: Path) -> list[str]:
    """Return the English sentences of Tatoeba of five words and more, each once."""
    files = sorted(folder.glob("tatoeba.*-eng.eng"))
    lines = [line.strip() for file in files for line in file.read_text(encoding="utf-8").split("\n")]
    return [line for line in dict.fromkeys(lines) if len(line.split()) > SHORTEST]


def pair_short(texts: list[str], rng: random.Random) -> list[Row]:
    """Return sentences with those that share most words with them, one that shares some, another, and damage."""
    loose = Loose(texts, rng)
    words = [set(re.findall(r"[a-z]{3,}", text.lower())) for text in texts]
    rows: list[Row] = []
    for place in rng.sample(range(len(texts)), SHORT):
        shared = [len(words[place] & other) / (len(words[place] | other) or 1) for other in words]
        nearest = sorted((i for i in range(len(texts)) if i != place), key=lambda i: -shared[i])[:30]
        chosen = [*nearest[:2], rng.choice(nearest[2:]), rng.randrange(len(texts))]
        made = [*(texts[i] for i in chosen), loose.damaged(texts[place])]
        rows += [(text, texts[place]) for text in made if text != texts[place]]
    return rows


def main() -> None:
    """Read, damage, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ratings", type=Path, help="mqm_ted_zhen.tsv")
    parser.add_argument("edited", type=Path, help="folder with et-en-train.tar.gz and so on")
    parser.add_argument("short", type=Path, help="folder with tatoeba.deu-eng.eng and so on")
    parser.add_argument("output", type=Path)
    args, rng = parser.parse_args(), random.Random(22)
    rows = pair_talks(read_talks(args.ratings), rng)
    rows += [row for name in LANGUAGES for row in pair_edited(read_edited(args.edited, name, rng), rng)]
    rows += pair_short(read_short(args.short), rng)
    lines = ["hypothesis\treference", *(f"{hypothesis.strip() or '.'}\t{reference}" for hypothesis, reference in rows)]
    args.output.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
