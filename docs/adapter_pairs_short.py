"""Writes pairs of short texts, from near paraphrases to texts that share a subject, for training adapters.

    git clone https://github.com/facebookresearch/LASER
    apt-get -o Acquire::Languages=en update
    apt-get install wordnet-base lz4
    python docs/adapter_pairs_short.py LASER/data/tatoeba/v1 \\
      /var/lib/apt/lists/*bookworm_main_i18n_Translation-en.lz4 short.tsv

Sentences of Tatoeba (CC BY 2.0), glosses of WordNet (its licence) and summary lines of Debian packages (under the free
licences of the packages). Neighbours are found by the sentence cosine of plain MiniLM: for each text its nearest, one
of the next four, one of the next 45, one of the next 450, and any. No judgment is read. docs/results-adapters.md says
what these pairs are for.
"""

from __future__ import annotations

import argparse
import random
import re
import subprocess
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from monge.encoders import load_encoder

POOL = {"tatoeba": 60_000, "wordnet": 24_000, "debian": 24_000}  # texts among which neighbours are looked for
REFERENCES = {"tatoeba": 2000, "wordnet": 700, "debian": 500}
RANKS = ((0, 1), (1, 5), (5, 50), (50, 500))
SHORTEST, LONGEST = 4, 25  # words


def read_tatoeba(folder: Path) -> list[str]:
    """Return the English sentences of all languages' files."""
    return [line for path in sorted(folder.glob("tatoeba.*-eng.eng")) for line in path.read_text("utf-8").split("\n")]


def read_glosses(folder: Path) -> list[str]:
    """Return what WordNet says words mean, without examples."""
    found = []
    for part in ("noun", "verb", "adj", "adv"):
        lines = (folder / f"data.{part}").read_text("utf-8").split("\n")
        found += [re.split(r'[;"]', line.split("|", 1)[1])[0] for line in lines if line[:1].isdigit()]
    return found


def read_summaries(path: Path) -> list[str]:
    """Return the summary lines of Debian packages."""
    raw = subprocess.run(["lz4", "-dc", str(path)], capture_output=True, check=True).stdout.decode()
    return re.findall(r"^Description-en: (.*)$", raw, re.M)


def choose(texts: list[str], most: int, rng: random.Random) -> list[str]:
    """Return different texts of usual length, at most *most*."""
    clean = dict.fromkeys(" ".join(text.split()) for text in texts)
    good = [text for text in clean if SHORTEST <= len(text.split()) <= LONGEST]
    return rng.sample(good, min(most, len(good)))


def embed(texts: list[str]) -> NDArray[np.float32]:
    """Return unit sentence vectors of plain MiniLM: means of the last layer."""
    encoder = load_encoder("minilm")
    means = [encoded.vectors[0].mean(axis=0) for encoded in encoder.encode(texts, (encoder.layers - 1,))]
    vectors = np.array(means)
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))


def pair_near(texts: list[str], count: int, rng: random.Random) -> list[tuple[str, str]]:
    """Return *count* texts, each with others of every rank of nearness and with any other."""
    vectors, rows = embed(texts), []
    for place in rng.sample(range(len(texts)), min(count, len(texts))):
        nearest = np.argsort(-(vectors @ vectors[place]), kind="stable")[: RANKS[-1][1] + 1]
        order = [int(i) for i in nearest if i != place]
        chosen = [rng.choice(order[first:last]) for first, last in RANKS] + [rng.randrange(len(texts))]
        rows += [(texts[i], texts[place]) for i in dict.fromkeys(chosen) if i != place]
    return rows


def main() -> None:
    """Read, find neighbours, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tatoeba", type=Path, help="folder with tatoeba.deu-eng.eng and so on")
    parser.add_argument("descriptions", type=Path, help="Translation-en.lz4 of Debian 12")
    parser.add_argument("output", type=Path)
    parser.add_argument("--wordnet", type=Path, default=Path("/usr/share/wordnet"))
    args = parser.parse_args()
    rng = random.Random(31)
    sources = {
        "tatoeba": read_tatoeba(args.tatoeba),
        "wordnet": read_glosses(args.wordnet),
        "debian": read_summaries(args.descriptions),
    }
    chosen = {name: choose(texts, POOL[name], rng) for name, texts in sources.items()}
    rows = [row for name, texts in chosen.items() for row in pair_near(texts, REFERENCES[name], rng)]
    lines = ["hypothesis\treference", *(f"{hypothesis}\t{reference}" for hypothesis, reference in rows)]
    args.output.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
