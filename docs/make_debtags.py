"""Makes a multi-label set from Debian's package lists: descriptions of packages with their debtags.

apt-get update -o Acquire::Languages=en   (once, as root: package lists with long descriptions)
python docs/make_debtags.py FOLDER [--lists DIR]

writes FOLDER/train.tsv and FOLDER/test.tsv with lines `description TAB tag tag …`, and answers-train.tsv and
answers-test.tsv with lines `short description TAB long description TAB 0|1`, one right of ten. Packages of one source
are all in one of the two, so that descriptions that differ in a word are not in both. Tags that fewer than 100 training
packages have, and tags for maintenance (special::…), are left out. Debian's descriptions are free, under the licences
of the packages; they are not part of monge.
"""

from __future__ import annotations

import argparse
import hashlib
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from monge.storage.atomic import write_text

LEAST, TEST_SHARE, CANDIDATES = 100, 0.2, 10


def read_list(path: Path) -> Iterator[dict[str, str]]:
    """Yield the records of a list of apt, however it is compressed."""
    text = subprocess.run(["/usr/lib/apt/apt-helper", "cat-file", str(path)], check=True, capture_output=True).stdout
    for block in text.decode(errors="replace").split("\n\n"):
        record: dict[str, str] = {}
        name = ""
        for line in block.split("\n"):
            if line.startswith(" ") and name:
                record[name] += "\n" + line.strip()
            elif ":" in line:
                name, _, value = line.partition(":")
                record[name] = value.strip()
        if "Package" in record:
            yield record


def read_packages(lists: Path) -> list[tuple[str, str, str, list[str]]]:
    """Return source, short and long description and tags of every package that has them; equal descriptions once."""
    long = {}
    for path in sorted(lists.glob("*_main_i18n_Translation-en*")):
        for record in read_list(path):
            long[record.get("Description-md5", "")] = record.get("Description-en", "")
    found = {}
    for path in sorted(lists.glob("*_dists_*_main_binary-*_Packages*")):
        for record in read_list(path):
            described = long.get(record.get("Description-md5", ""), "")
            short, _, rest = described.partition("\n")
            rest = " ".join(line for line in rest.split("\n") if line != ".")
            tags = [tag.strip() for tag in record.get("Tag", "").replace("\n", " ").split(",") if tag.strip()]
            tags = [tag for tag in tags if not tag.startswith("special::")]
            if rest and tags:
                source = record.get("Source", record["Package"]).split()[0]
                found.setdefault((short, rest), (source, short, rest, tags))
    return list(found.values())


def is_test(source: str) -> bool:
    """Whether the packages of a source are for testing: decided by a hash of its name."""
    return int(hashlib.sha256(source.encode()).hexdigest()[:8], 16) < TEST_SHARE * 2**32


def clean(text: str) -> str:
    """Return a text as one cell of a table."""
    return " ".join(text.split())


def main() -> None:
    """Write the four files."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--lists", type=Path, default=Path("/var/lib/apt/lists"))
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    packages = sorted(read_packages(args.lists))
    counts = Counter(tag for source, _, _, tags in packages if not is_test(source) for tag in tags)
    kept = {tag for tag, count in counts.items() if count >= LEAST}
    order = np.random.default_rng(1).permutation(len(packages))
    random = np.random.default_rng(2)
    for name, wanted in (("train", False), ("test", True)):
        own = [packages[i] for i in order if is_test(packages[i][0]) == wanted]
        lines = [(f"{short}. {rest}", [tag for tag in tags if tag in kept]) for _, short, rest, tags in own]
        rows = [f"{clean(text)}\t{' '.join(tags)}\n" for text, tags in lines if tags]
        write_text(args.folder / f"{name}.tsv", "".join(rows))
        pairs = []
        for i, (_, short, rest, _) in enumerate(own):
            others = random.choice(len(own), CANDIDATES - 1, replace=False)
            answers = [(rest, 1)] + [(own[j][2], 0) for j in others if own[j][2] != rest and j != i]
            pairs += [f"{clean(short)}\t{clean(answer)}\t{right}\n" for answer, right in answers]
        write_text(args.folder / f"answers-{name}.tsv", "".join(pairs))
        print(f"{name}: {len(rows)} packages, {len(kept)} tags, {len(pairs)} pairs of short and long descriptions")


if __name__ == "__main__":
    main()
