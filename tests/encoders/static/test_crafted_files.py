"""Vector files that somebody made up, or that went through damage: one sentence, and no flood of memory."""

import gzip
import random
import struct
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from monge.encoders.static import StaticEncoder
from monge.encoders.static.files import load_vectors
from monge.errors import InputError, ModelError

from .test_files import DATA, make_spacy, write

# where the fields of fasttext.bin are: magic and version, then twelve settings, then the dictionary's header
SETTINGS = {"dim": 8, "bucket": 40, "minn": 44, "maxn": 48}
DICTIONARY = {"size": 64, "words": 68, "pruned": 84}
TEXTS = ["the boys ran", "naïve 犬 </s>", "x" * 30]


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MONGE_CACHE", str(tmp_path / "cache"))


def refuse(path: Path) -> str:
    """Load and use *path*, which must be refused, and return the one sentence; little memory may be taken."""
    tracemalloc.start()
    try:
        with pytest.raises(ModelError) as caught:
            StaticEncoder.load(path, oov="hash").encode(TEXTS)
        assert tracemalloc.get_traced_memory()[1] < 200e6
    finally:
        tracemalloc.stop()
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_the_fields_are_where_they_are_thought() -> None:
    data = (DATA / "fasttext.bin").read_bytes()
    found = {name: struct.unpack_from("<i", data, place)[0] for name, place in SETTINGS.items()}
    assert found == {"dim": 4, "bucket": 56, "minn": 2, "maxn": 4}
    assert struct.unpack_from("<q", data, DICTIONARY["pruned"])[0] == -1


@pytest.mark.parametrize(
    ("field", "value", "complaint"),
    [
        ("bucket", 0, "0 buckets of n-grams in 56 rows"),
        ("bucket", -3, "-3 buckets"),
        ("bucket", 2**31 - 1, "2147483647 buckets"),
        ("bucket", 57, "57 buckets of n-grams in 56 rows"),
        ("minn", -5, "n-grams of -5 to 4 characters"),
        ("maxn", -1, "n-grams of 2 to -1 characters"),
        ("dim", 0, "damaged"),
        ("dim", -4, "damaged"),
        ("size", 2**31 - 1, "dictionary of 2147483647"),
        ("size", -1, "dictionary of -1"),
        ("words", -7, "-7 words"),
        ("words", 2**31 - 1, "2147483647 words"),
        ("pruned", 2**60, f"{2**60} pruned n-grams"),
        ("pruned", -(2**60), f"-{2**60} pruned n-grams"),
    ],
)
def test_fasttext_with_impossible_numbers(tmp_path: Path, field: str, value: int, complaint: str) -> None:
    data = bytearray((DATA / "fasttext.bin").read_bytes())
    place = {**SETTINGS, **DICTIONARY}[field]
    struct.pack_into("<q" if field == "pruned" else "<i", data, place, value)
    message = refuse(write(tmp_path / "v.bin", bytes(data)))
    assert message.startswith(str(tmp_path / "v.bin"))
    assert complaint in message


@pytest.mark.parametrize("content", ["{", "[1]", '"name"', "\udcff"])
@pytest.mark.parametrize("name", ["meta.json", "vocab/vectors.cfg"])
def test_spacy_with_a_broken_description(tmp_path: Path, name: str, content: str) -> None:
    make_spacy(tmp_path / "p" / "vocab", ["a", "b", "c", "d"], np.ones((3, 2), dtype=np.float32))
    write(tmp_path / "p" / name, content.encode("utf-8", errors="surrogateescape"))
    assert name in refuse(tmp_path / "p")


def test_spacy_with_negative_hashes_or_whole_numbers(tmp_path: Path) -> None:
    make_spacy(tmp_path / "p" / "vocab", ["a", "b", "c", "d"], np.ones((3, 2), dtype=np.float32))
    write(tmp_path / "p" / "vocab" / "key2row", b"\x81\xff\x00")
    assert "key2row cannot be read" in refuse(tmp_path / "p")
    make_spacy(tmp_path / "q" / "vocab", ["a", "b", "c", "d"], np.ones((3, 2), dtype=np.int64))  # type: ignore[arg-type]
    assert "must hold a matrix of floats, not int64" in refuse(tmp_path / "q")


def test_a_nameless_pipeline_is_called_after_its_folder(tmp_path: Path) -> None:
    make_spacy(tmp_path / "p" / "vocab", ["a", "b", "c", "d"], np.ones((3, 2), dtype=np.float32))
    write(tmp_path / "p" / "meta.json", "{}")
    assert load_vectors(tmp_path / "p").name == "p"


@pytest.mark.parametrize(
    "content",
    [
        b"2000000000 1000000\na \x00\x01\x02\x03",
        b"2 99999999999999999\na \x00\x01\x02\x03",
        b"9" * 80 + b" " + b"9" * 80 + b"\na \x00\x01",
        b"1 0\na \x00\x01",
        b"0 3\n\x00\x01",
        b"5 99999999999999999\na 1 2\n",
        b"9" * 5000 + b" 3\na 1 2 3\n",
        b"3 0\na\nb\nc\n",
        b"0 2\n",
        gzip.compress(b"a 1 2\nb 3 4\n" * 1000)[:-20],
        gzip.compress(b"a 1 2\nb 3 4\n" * 1000)[:20] + b"?" * 50,
    ],
    ids=range(11),
)
def test_word2vec_and_glove_with_impossible_numbers(tmp_path: Path, content: bytes) -> None:
    assert refuse(write(tmp_path / "v.txt", content)).startswith(str(tmp_path / "v.txt"))


@pytest.mark.parametrize(
    "header",
    [
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000, 1000000), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-1, -2), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 0), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': 'two', }",
        "{'descr': '|O', 'fortran_order': False, 'shape': (2, 2), }",
        "{'descr': '<f4', 'fortran_order': 3, 'shape': (2, 2), }",
        "[[[[",
    ],
)
def test_npy_with_an_impossible_header(tmp_path: Path, header: str) -> None:
    data = header.encode().ljust(117) + b"\n"
    write(tmp_path / "m.npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(data)) + data + bytes(16))
    write(tmp_path / "m.txt", "a\nb\n")
    assert "m.npy" in refuse(tmp_path / "m.npy")


def damage(content: bytes, chance: random.Random) -> bytes:
    changed = bytearray(content)
    for _ in range(chance.choice([1, 1, 2, 6])):
        changed[chance.randrange(min(len(changed), chance.choice([100, 10_000])))] = chance.choice([0, 1, 127, 255])
    return bytes(changed[: chance.randrange(len(changed))] if chance.random() < 0.2 else changed)


def _file(name: str) -> Callable[[Path], Path]:
    return lambda folder: write(folder / name, (DATA / name).read_bytes())


def _npy(folder: Path) -> Path:
    np.save(folder / "m.npy", np.ones((3, 2), dtype=np.float32))
    write(folder / "m.txt", "the\nboys\nran\n")
    return folder / "m.npy"


def _key2row(folder: Path) -> Path:
    make_spacy(folder / "vocab", ["the", "boys", "ran", "d"], np.ones((3, 2), dtype=np.float32))
    return folder / "vocab" / "key2row"


MAKERS = [_file("fasttext.bin"), _file("word2vec.bin"), _file("word2vec.txt"), _npy, _key2row]


@pytest.mark.parametrize("make", MAKERS, ids=["fasttext", "word2vec-binary", "word2vec-text", "npy", "spacy"])
def test_random_damage_is_refused_or_read(tmp_path: Path, make: Callable[[Path], Path]) -> None:
    whole = make(tmp_path)
    content = whole.read_bytes()
    refused = 0
    for seed in range(120):
        whole.write_bytes(damage(content, random.Random(seed)))
        path = whole.parent if whole.name == "key2row" else whole
        try:
            encoded = StaticEncoder.load(path, oov="hash").encode(TEXTS)
        except (ModelError, InputError):
            refused += 1
        else:
            assert all(np.isfinite(one.vectors).all() for one in encoded), seed
    assert refused
