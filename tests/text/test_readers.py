"""Lines: what ends them, what is refused, and what the errors say."""

from __future__ import annotations

import gzip
import io
import os
import re
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monge.errors import InputError
from monge.text import iter_lines, read_lines, system_names
from monge.text.readers import display_name

ODD_SPACES = "a\u2028b\u2029c\x85d\x0be\x0cf\x1cg\rh"


def write(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"a\nb\n", ["a", "b"]),
        (b"a\nb", ["a", "b"]),
        (b"a\r\nb\r\n", ["a", "b"]),
        (b"\n", [""]),
        (b"a\n\n\nb\n", ["a", "", "", "b"]),
        (b"\xef\xbb\xbfa\n", ["a"]),
        (b"a\n\xef\xbb\xbfb\n", ["a", "\ufeffb"]),
        (ODD_SPACES.encode() + b"\nz", [ODD_SPACES, "z"]),
    ],
)
def test_lines_end_at_newline_only(tmp_path: Path, data: bytes, lines: list[str]) -> None:
    assert read_lines(write(tmp_path / "f", data)) == lines


@given(st.lists(st.text().map(lambda text: text.replace("\n", " ").rstrip("\r")), min_size=1))
def test_any_text_survives(tmp_path_factory: pytest.TempPathFactory, lines: list[str]) -> None:
    path = tmp_path_factory.mktemp("lines") / "f"
    encoded = "".join(line + "\n" for line in lines).encode("utf-8")
    write(path, b"\xef\xbb\xbf" + encoded)
    assert read_lines(path) == lines


@given(st.lists(st.sampled_from([b"\n", b"\r", b"\xef\xbb\xbf", b"a", "\u2028".encode()]), min_size=1).map(b"".join))
def test_all_at_once_is_what_comes_line_by_line(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = write(tmp_path_factory.mktemp("lines") / "f", data)
    if data != b"\xef\xbb\xbf":  # empty
        assert read_lines(path) == list(iter_lines(path))


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_pipe_is_read_once(pack: type[bytes]) -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading), os.fdopen(writing, "wb") as stream:
        stream.write(pack(b"a\nb\n"))
        stream.close()
        assert read_lines(f"/dev/fd/{reading}") == ["a", "b"]


def test_gzip_is_known_by_its_content(tmp_path: Path) -> None:
    assert read_lines(write(tmp_path / "no-suffix", gzip.compress(b"a\nb\n"))) == ["a", "b"]
    assert read_lines(write(tmp_path / "plain.gz", b"a\n")) == ["a"]


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_standard_input(monkeypatch: pytest.MonkeyPatch, pack: type[bytes]) -> None:
    stream = io.BytesIO(pack(b"a\r\nb"))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(stream))
    assert read_lines("-") == ["a", "b"]
    assert not stream.closed


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-32"])
def test_other_encodings_are_known_by_their_mark(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, encoding: str, pack: type[bytes]
) -> None:
    mark = "\ufeff" if encoding.endswith("be") else ""
    data = pack(f"{mark}a ü\r\nU+010A: Ċ\u2028日本\n\nlast".encode(encoding))
    path = write(tmp_path / "wide", data)
    assert read_lines(path) == ["a ü", "U+010A: Ċ\u2028日本", "", "last"]
    assert next(iter_lines(path)) == "a ü"
    stream = io.BytesIO(data)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(stream))
    assert len(read_lines("-")) == 4
    assert not stream.closed


def test_what_only_begins_like_another_encoding_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="begins like UTF-16, but is not"):
        read_lines(write(tmp_path / "odd", b"\xff\xfea\x00b"))


def test_undecodable_byte_names_line_and_column(tmp_path: Path) -> None:
    path = write(tmp_path / "latin1.txt", "gut\nschön\n".encode("latin-1"))
    with pytest.raises(InputError, match=rf"^{re.escape(str(path))}, line 2: not UTF-8 \(byte 0xf6 at column 4\)$"):
        read_lines(path)


def test_column_counts_characters(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="byte 0xff at column 3"):
        read_lines(write(tmp_path / "f", "äö".encode() + b"\xff\n"))


@pytest.mark.parametrize("data", [b"", gzip.compress(b"", mtime=0), b"\xef\xbb\xbf"])
def test_nothing_to_read_is_told(tmp_path: Path, data: bytes) -> None:
    path = write(tmp_path / "nothing.txt", data)
    with pytest.raises(InputError, match=r"nothing\.txt is empty"):
        read_lines(path)


def test_missing_file_and_directory_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot read .*absent\.txt: No such file"):
        read_lines(tmp_path / "absent.txt")
    with pytest.raises(InputError, match=r"cannot read .*[Dd]irectory"):
        read_lines(tmp_path)


@pytest.mark.parametrize("cut", [12, -4])
def test_damaged_gzip_is_told(tmp_path: Path, cut: int) -> None:
    whole = gzip.compress(bytes(range(32, 127)) * 50 + b"\n")
    path = write(tmp_path / "cut.gz", whole[:cut])
    with pytest.raises(InputError, match=r"cut\.gz: damaged gzip data"):
        read_lines(path)


def test_iter_lines_streams(tmp_path: Path) -> None:
    path = write(tmp_path / "f", b"good\n\xff\n")
    lines = iter_lines(path)
    assert next(lines) == "good"
    with pytest.raises(InputError, match="line 2"):
        next(lines)


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (["out/a.txt", "out/b.txt"], ("a", "b")),
        (["a.de.gz", "b.de.gz"], ("a", "b")),
        (["a/out.txt", "b/out.txt"], ("a/out", "b/out")),
        (["a/out.txt", "out.txt"], ("a/out", "here/out")),
        (["out.txt", "../out.txt"], ("here/out", "up/out")),
        (["a.txt", "a.txt.gz"], ("a.txt", "a.txt.gz")),
        (["news.A", "news.B"], ("news.A", "news.B")),
        (["same.txt", "./same.txt"], ("same", "same-2")),
        (["-", "x"], ("stdin", "x")),
        ([".hidden", "b"], (".hidden", "b")),
    ],
)
def test_system_names_are_short_and_unique(
    paths: list[str], names: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "up" / "here").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "up" / "here")
    assert system_names(list(paths)) == names


@given(st.lists(st.sampled_from(["a.x", "a.y", "d/a.x", "e/a.x", "a", "a.x-2", "-"]), min_size=1))
def test_system_names_never_clash(paths: list[str]) -> None:
    names = system_names(list(paths))
    assert len(set(names)) == len(paths)


def test_display_name() -> None:
    assert display_name(Path("x/y")) == "x/y"
