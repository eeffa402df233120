"""Vector files: each format against files its own tool wrote, and each kind of damage.

``data/`` was made once by the tools themselves: fasttext 0.9.2 (train_unsupervised on five sentences of ours, dim 4,
minn 2, maxn 4, 56 buckets; vectors by get_word_vector), gensim 4.4 (save_word2vec_format), pyarrow 26.
"""

from __future__ import annotations

import gzip
import json
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from monge.encoders.static.fasttext import Settings, fnv1a, ngram_buckets
from monge.encoders.static.files import VectorTable, load_vectors
from monge.encoders.static.parquet import read_strings
from monge.encoders.static.spacy import murmur_hash64
from monge.errors import ModelError, OptionError

DATA = Path(__file__).parent / "data"
WORDS = ["the", "Boy", "naïve", "猫"]


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MONGE_CACHE", str(tmp_path / "cache"))


def write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
    return path


def vector(table: VectorTable, word: str) -> list[float]:
    return [float(x) for x in table.matrix[table.rows[word]]]


def test_word2vec_text_and_binary_by_gensim_agree() -> None:
    text, binary = load_vectors(DATA / "word2vec.txt"), load_vectors(DATA / "word2vec.bin")
    assert set(text.rows) == set(binary.rows) == set(WORDS)
    for word in WORDS:
        assert vector(text, word) == vector(binary, word)
    assert vector(text, "猫") == pytest.approx([-1.2654215, -0.62327445, 0.04132598], abs=1e-7)
    assert text.dimension == 3


def test_binary_with_a_newline_after_each_vector(tmp_path: Path) -> None:
    """The original word2vec.c writes one; gensim does not."""
    rows = np.arange(6, dtype="<f4").reshape(2, 3)
    body = b"".join(word + b" " + row.tobytes() + b"\n" for word, row in zip([b"a", b"b"], rows, strict=True))
    table = load_vectors(write(tmp_path / "v.bin", b"2 3\n" + body))
    assert vector(table, "b") == [3.0, 4.0, 5.0]


def test_binary_larger_than_one_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("monge.encoders.static.text._READ", 40)
    monkeypatch.setattr("monge.encoders.static.text._BLOCK", 3)
    rows = np.random.default_rng(0).normal(size=(20, 5)).astype("<f4")
    body = b"".join(f"wörd{i} ".encode() + row.tobytes() for i, row in enumerate(rows))
    table = load_vectors(write(tmp_path / "v.bin", b"20 5\n" + body))
    assert [vector(table, f"wörd{i}") for i in range(20)] == rows.tolist()


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_glove_text(tmp_path: Path, pack: type[bytes]) -> None:
    lines = "the 0.1 -0.2\n. . . 1 2\nat\xa0name 3 4\nthe 9 9\n1/2 5e-1 6\n"
    table = load_vectors(write(tmp_path / "glove.txt", pack(lines.encode())))
    assert table.dimension == 2
    assert vector(table, "the") == pytest.approx([0.1, -0.2])  # the first of two counts
    assert vector(table, ". . .") == [1.0, 2.0]
    assert vector(table, "at\xa0name") == [3.0, 4.0]
    assert vector(table, "1/2") == [0.5, 6.0]


def test_fasttext_vec_with_trailing_spaces_tabs_and_crlf(tmp_path: Path) -> None:
    table = load_vectors(write(tmp_path / "v.vec", "3 2 \r\na 1 2 \r\nb\t3\t4\r\nc  5  6\r\n"))
    assert [vector(table, word) for word in "abc"] == [[1, 2], [3, 4], [5, 6]]


def test_many_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("monge.encoders.static.text._BLOCK", 3)
    path = write(tmp_path / "v.txt", "".join(f"w{i} {i} {-i}\n" for i in range(10)))
    assert [vector(load_vectors(path), f"w{i}") for i in range(10)] == [[i, -i] for i in range(10)]
    limited = load_vectors(path, limit=4)
    assert list(limited.rows) == ["w3", "w2", "w1", "w0"]
    assert limited.matrix.shape == (4, 2)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("a 1 2\nb 3\n", r"line 2: 1 numbers where the first line says 2"),
        ("2 2\na 1 2\nb 3 .5e-1 4\n", r"line 3: 3 numbers where the header says 2"),
        ("a 1 2\nb 3 4 5 6\n", r"line 2: 4 numbers where the first line says 2"),
        ("a 1 2\nb 3 x\n", r"line 2: 'x' is not a number"),
        ("2 2\na 1 2\nb 3\n", "line 3: 1 numbers where the header says 2"),
        ("a 1 2\nb 3 nan\n", "NaN or infinity in the vector of 'b'"),
        ("a 1 2\nb inf 3\n", "NaN or infinity in the vector of 'b'"),
        ("just words here\n", "line 1: neither a header nor a word with its vector"),
        ("5 2\na 1 2\n", "cut off: its header promises 5 words, it has 1"),
        (b"2 3\na \x00\x01\x02\x03", "ends in word 1 of 2: it is cut off"),
        (b"1 1\na " + struct.pack("<f", float("nan")) + b"\x00", "NaN or infinity in the vector of 'a'"),
        (b"PK\x03\x04rest", "zip archive"),
        (b"", "is empty"),
        (b"\x93NUMPY\x01\x00rubbish", "cannot be read"),
    ],
)
def test_damage_is_reported_with_file_and_place(tmp_path: Path, content: str | bytes, complaint: str) -> None:
    path = write(tmp_path / "bad.txt", content)
    with pytest.raises(ModelError, match=rf"bad\.txt.*{complaint}"):
        load_vectors(path)
    assert not list((tmp_path / "cache").glob("vectors/*"))


def test_fasttext_vectors_equal_fasttext() -> None:
    table = load_vectors(DATA / "fasttext.bin")
    assert table.compose is not None
    expected = json.loads((DATA / "fasttext.json").read_text(encoding="utf-8"))
    assert {"the", "boys", "naïf", "犬", "</s>"} <= set(expected)  # known and unknown, ASCII and not
    for word, values in expected.items():
        composed = table.compose(word)
        assert composed is not None
        assert composed == pytest.approx(values, abs=1e-7), word


def test_fasttext_hash_reads_signed_characters() -> None:
    assert fnv1a(b"abc") == 0x1A47E90B  # the published FNV-1a value: ASCII is not affected
    assert ngram_buckets("ab", Settings(minn=1, maxn=2, bucket=2**32)) == [
        fnv1a(gram) for gram in (b"<a", b"a", b"ab", b"b", b"b>")
    ]


def test_fasttext_limit_keeps_the_ngrams() -> None:
    limited, whole = load_vectors(DATA / "fasttext.bin", limit=2), load_vectors(DATA / "fasttext.bin")
    assert set(limited.rows) == {"the", "</s>"}
    assert limited.compose is not None
    assert whole.compose is not None
    assert np.array_equal(np.asarray(limited.compose("boys")), np.asarray(whole.compose("boys")))


def test_quantised_fasttext_is_refused() -> None:
    with pytest.raises(ModelError, match="is a quantised fastText model"):
        load_vectors(DATA / "fasttext_quantised.ftz")


@pytest.mark.parametrize("size", [5, 40, 120, 500, 1200])
def test_cut_off_fasttext_is_reported(tmp_path: Path, size: int) -> None:
    path = write(tmp_path / "cut.bin", (DATA / "fasttext.bin").read_bytes()[:size])
    with pytest.raises(ModelError, match=r"cut\.bin: cut off"):
        load_vectors(path)


def test_unknown_fasttext_version_is_reported(tmp_path: Path) -> None:
    data = bytearray((DATA / "fasttext.bin").read_bytes())
    data[4] = 99
    with pytest.raises(ModelError, match="version 99 is unknown"):
        load_vectors(write(tmp_path / "v.bin", bytes(data)))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("m.txt", "a\nb\n"),
        ("vocab.txt", "a\nb\n"),
        ("m.json", '["a", "b"]'),
        ("m.json", '{"b": 1, "a": 0}'),
    ],
)
def test_npy_with_vocabulary(tmp_path: Path, name: str, content: str) -> None:
    np.save(tmp_path / "m.npy", np.array([[1, 2], [3, 4]], dtype=np.float64))
    write(tmp_path / name, content)
    for path in (tmp_path / "m.npy", tmp_path):
        assert vector(load_vectors(path), "b") == [3.0, 4.0]
    assert dict(load_vectors(tmp_path / "m.npy", limit=1).rows) == {"a": 0}


@pytest.mark.parametrize(
    ("vocabulary", "complaint"),
    [
        ({}, "no vocabulary beside"),
        ({"m.txt": "a\n"}, "has 1 words but m.npy has 2 rows"),
        ({"m.txt": "a\nb\nc\n"}, "numbers 3 words but m.npy has 2 rows"),
        ({"m.json": "[1]"}, "must be a list of words"),
        ({"m.json": "{"}, "not JSON"),
        ({"m.json": '{"a": 7}'}, "numbers 8 words but m.npy has 2 rows"),
    ],
)
def test_npy_with_wrong_vocabulary(tmp_path: Path, vocabulary: dict[str, str], complaint: str) -> None:
    np.save(tmp_path / "m.npy", np.ones((2, 2), dtype=np.float32))
    for name, content in vocabulary.items():
        write(tmp_path / name, content)
    with pytest.raises(ModelError, match=complaint):
        load_vectors(tmp_path / "m.npy")


def test_npy_of_something_else(tmp_path: Path) -> None:
    np.save(tmp_path / "m.npy", np.ones(3, dtype=np.int64))
    write(tmp_path / "m.txt", "a\n")
    with pytest.raises(ModelError, match="must hold a matrix of floats, not int64"):
        load_vectors(tmp_path / "m.npy")


def test_parquet_index(tmp_path: Path) -> None:
    words = [f"word{i % 700}" for i in range(2000)] + ["naïve", "猫", ""]
    assert read_strings(DATA / "snappy_dictionary.parquet") == words
    np.save(tmp_path / "m.npy", np.arange(2003 * 2, dtype=np.float32).reshape(-1, 2))
    write(tmp_path / "index.parquet", (DATA / "snappy_dictionary.parquet").read_bytes())
    for _ in range(2):  # read, then from the cache
        assert vector(load_vectors(tmp_path), "猫") == [2001 * 2, 2001 * 2 + 1]


def test_damaged_parquet_is_reported(tmp_path: Path) -> None:
    whole = (DATA / "snappy_dictionary.parquet").read_bytes()
    for content in (b"PAR2....", b"", whole[:100] + whole[-8:], whole[:-1]):
        with pytest.raises(ModelError, match=r"x\.parquet cannot be read as Parquet"):
            read_strings(write(tmp_path / "x.parquet", content))


def test_parquet_without_text_or_with_gaps_is_reported(tmp_path: Path) -> None:
    import pyarrow
    from pyarrow import parquet

    parquet.write_table(pyarrow.table({"row": [0, 1]}), tmp_path / "numbers.parquet")
    with pytest.raises(ModelError, match=r"numbers\.parquet has no column of text"):
        read_strings(tmp_path / "numbers.parquet")
    parquet.write_table(pyarrow.table({"word": ["a", None]}), tmp_path / "gaps.parquet")
    with pytest.raises(ModelError, match=r"gaps\.parquet: word 2 is missing"):
        read_strings(tmp_path / "gaps.parquet")


def test_without_pyarrow_the_extra_is_named() -> None:
    code = (
        "import sys; sys.modules['pyarrow'] = None\n"
        "from pathlib import Path\nfrom monge.encoders.static.parquet import read_strings\n"
        "from monge.errors import ModelError\n"
        "try: read_strings(Path('x.parquet'))\nexcept ModelError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "reading x.parquet needs pyarrow: pip install 'monge[parquet]'\n"


def make_spacy(vocab: Path, words: list[str], matrix: NDArray[np.float32]) -> None:
    vocab.mkdir(parents=True)
    with (vocab / "vectors").open("wb") as stream:
        np.save(stream, matrix)
    pairs = b"".join(
        b"\xcf" + murmur_hash64(word.encode(), seed=1).to_bytes(8, "big") + packed
        for word, packed in zip(words, [b"\x00", b"\xcc\x01", b"\xcd\x00\x02", b"\xff"], strict=True)
    )
    write(vocab / "key2row", b"\xde\x00\x04" + pairs)


def test_spacy_directory(tmp_path: Path) -> None:
    matrix = np.arange(9, dtype=np.float32).reshape(3, 3)
    make_spacy(tmp_path / "pkg" / "en_x-1.0" / "vocab", ["the", "naïve", "coffee", "unseen"], matrix)
    write(tmp_path / "pkg" / "en_x-1.0" / "meta.json", '{"lang": "en", "name": "x", "version": "1.0"}')
    for path in (tmp_path / "pkg", tmp_path / "pkg" / "en_x-1.0", tmp_path / "pkg" / "en_x-1.0" / "vocab"):
        table = load_vectors(path)
        assert vector(table, "naïve") == [3.0, 4.0, 5.0]
        assert vector(table, "coffee") == [6.0, 7.0, 8.0]
        assert "unseen" not in table.rows  # row -1
        assert "other" not in table.rows
        assert (len(table.rows), table.name) == (3, "en-x-1.0")
    assert "coffee" not in load_vectors(tmp_path / "pkg", limit=2).rows


def test_spacy_without_vectors_or_of_another_mode(tmp_path: Path) -> None:
    make_spacy(tmp_path / "a" / "vocab", ["a", "b", "c", "d"], np.zeros((0, 0), dtype=np.float32))
    with pytest.raises(ModelError, match="has no vectors"):
        load_vectors(tmp_path / "a")
    make_spacy(tmp_path / "b" / "vocab", ["a", "b", "c", "d"], np.zeros((3, 2), dtype=np.float32))
    write(tmp_path / "b" / "vocab" / "vectors.cfg", '{"mode": "floret"}')
    with pytest.raises(ModelError, match="mode 'floret'"):
        load_vectors(tmp_path / "b")


def test_murmur_equals_spacys_documented_hashes() -> None:
    assert murmur_hash64(b"coffee", seed=1) == 3197928453018144401  # spacy.io/usage/spacy-101#vocab
    assert murmur_hash64(b"", seed=1) != murmur_hash64(b"", seed=2)


def test_nothing_there(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="neither a file, nor a directory, nor an installed package"):
        load_vectors("no_such_package_of_vectors")
    with pytest.raises(ModelError, match=r"holds neither spaCy vectors nor an \.npy file"):
        load_vectors(tmp_path)
    with pytest.raises(OptionError, match="limit must be at least 1"):
        load_vectors(DATA / "word2vec.txt", limit=0)
