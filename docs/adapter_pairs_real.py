"""Writes pairs of real outputs that an adapter can be trained on (docs/results-adapters.md compares them).

    git clone https://github.com/sheffieldnlp/mlqe-pe
    git clone https://github.com/google/wmt-mqm-human-evaluation
    git clone https://github.com/facebookresearch/LASER
    tar xzf wmt-mqm-human-evaluation/generalMT2023/zhen/sxs_mqm_generalMT2023_zhen.3ratingsPerSegment.tsv.tar.gz
    python docs/adapter_pairs_real.py open wmt-mqm-human-evaluation/ted/zhen/mqm_ted_zhen.tsv \\
      sxs_mqm_generalMT2023_zhen.3ratingsPerSegment.tsv mlqe-pe/data/post-editing/train LASER/data/tatoeba/v1 open.tsv
    git clone https://github.com/wmt-conference/wmt21-news-systems
    python docs/adapter_pairs_real.py news wmt21-news-systems/txt news.tsv

Judgments are not read. `open` takes outputs whose licences allow everything: TED talks and WMT23, Chinese to English,
of the MQM data (Apache-2.0; WMT23 without references: an output stands for one), and MLQE-PE (CC0), Estonian, Nepali,
Romanian, Russian and Sinhala to English, outputs against their post-edited versions; to these come damaged outputs, and
loosely related texts: a sentence before or after, another sentence, a part, a mixture of two; and short sentences of
Tatoeba (CC BY 2.0) with others that share words with them. So the adapter is not to be measured on mqm/ted-zhen,
mqm/ted-ende (whose English sources are among the texts) and MLQE test20 (si-en, ne-en: a few texts).

`news` takes the outputs of WMT21's news task to English, seven languages (free for research), in the same way.
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
SENTENCES = 500  # of each language
SYSTEMS = 6  # of each segment of a talk, of 13
STANDS_FOR_REFERENCE = ("GPT4-5shot", "ONLINE-B")  # of WMT23's systems
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


def read_outputs(path: Path) -> list[dict[str, str]]:
    """Return the outputs of all systems for every segment of side-by-side ratings."""
    segments: dict[tuple[str, str], dict[str, str]] = {}
    for line in path.read_text(encoding="utf-8").split("\n")[1:]:
        cells = line.split("\t")
        if len(cells) >= 9:
            text = " ".join(re.sub(r"</?v>", "", cells[6]).split())
            segments.setdefault((cells[1], cells[3]), {}).setdefault(cells[0], text)
    return list(segments.values())


def pair_outputs(segments: list[dict[str, str]], rng: random.Random) -> list[Row]:
    """Return outputs against the output of one system, with damage, and four of them against that of another."""
    first, second = STANDS_FOR_REFERENCE
    loose, rows = Loose([segment[first] for segment in segments], rng), list[Row]()
    for segment in segments:
        if not SHORTEST <= len(segment[first].split()) <= LONGEST:
            continue
        others = [text for name, text in segment.items() if name != first]
        rows += [(text, segment[first]) for text in [*others, loose.damaged(rng.choice(others))]]
        others = [text for name, text in segment.items() if name != second]
        rows += [(text, segment[second]) for text in rng.sample(others, 4)]
    return [row for row in rows if row[0] != row[1]]


def pair_news(folder: Path, rng: random.Random) -> list[Row]:
    """Return three outputs against each reference (two of Chinese), three of four times with a damaged or loose one."""
    rows: list[Row] = []
    for file in sorted((folder / "references").glob("newstest2021.*-en.ref.A.en")):
        language = file.name.split(".")[1]
        references = [" ".join(line.split()) for line in file.read_text(encoding="utf-8").split("\n")]
        files = sorted((folder / "system-outputs").glob(f"newstest2021.{language}.hyp.*"))
        systems = [one.read_text(encoding="utf-8").split("\n") for one in files]
        loose, count = Loose([text for text in references if text], rng), 2 if language == "zh-en" else 3
        for place, reference in enumerate(references):
            if not SHORTEST <= len(reference.split()) <= LONGEST:
                continue
            known = dict.fromkeys(" ".join(system[place].split()) for system in systems if system[place].strip())
            made = rng.sample(list(known), min(count, len(known)))
            kind = rng.random()
            if kind < 0.6:
                made.append(loose.damaged(rng.choice(made)))
            elif kind < 0.75:
                made.append(loose.related(reference, references[place - 1] or reference))
            rows += [(text, reference) for text in made if text != reference]
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


def make_open(args: argparse.Namespace) -> list[Row]:
    """Return the pairs whose licences allow everything."""
    rng = random.Random(22)
    rows = pair_talks(read_talks(args.ratings), rng)
    rows += pair_outputs(read_outputs(args.outputs), rng)
    rows += [row for name in LANGUAGES for row in pair_edited(read_edited(args.edited, name, rng), rng)]
    return rows + pair_short(read_short(args.short), rng)


def make_news(args: argparse.Namespace) -> list[Row]:
    """Return the pairs of WMT21's news."""
    return pair_news(args.folder, random.Random(5))


def main() -> None:
    """Read, damage, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    kinds = parser.add_subparsers(required=True)
    free = kinds.add_parser("open")
    free.add_argument("ratings", type=Path, help="mqm_ted_zhen.tsv")
    free.add_argument("outputs", type=Path, help="sxs_mqm_generalMT2023_zhen.3ratingsPerSegment.tsv")
    free.add_argument("edited", type=Path, help="folder with et-en-train.tar.gz and so on")
    free.add_argument("short", type=Path, help="folder with tatoeba.deu-eng.eng and so on")
    free.set_defaults(make=make_open)
    news = kinds.add_parser("news")
    news.add_argument("folder", type=Path, help="folder with references and system-outputs")
    news.set_defaults(make=make_news)
    for kind in (free, news):
        kind.add_argument("output", type=Path)
    args = parser.parse_args()
    rows = dict.fromkeys((" ".join(a.split()) or ".", " ".join(b.split())) for a, b in args.make(args))
    lines = ["hypothesis\treference", *(f"{hypothesis}\t{reference}" for hypothesis, reference in rows)]
    args.output.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
