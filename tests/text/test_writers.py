"""Writers: whole files or none."""

from __future__ import annotations

import gzip
import io
import json
import math
import os
import stat
import sys
from pathlib import Path

import numpy as np
import pytest

from monge.errors import InputError
from monge.storage.atomic import open_atomic, write_text
from monge.text import read_lines, write_jsonl, write_lines, write_tsv


def test_text_lines_and_gzip(tmp_path: Path) -> None:
    write_text(tmp_path / "a.txt", "ä\n")
    assert (tmp_path / "a.txt").read_bytes() == "ä\n".encode()
    write_lines(tmp_path / "b.gz", ["x", "", "z"])
    assert (tmp_path / "b.gz").read_bytes()[:2] == b"\x1f\x8b"
    assert gzip.decompress((tmp_path / "b.gz").read_bytes()) == b"x\n\nz\n"
    assert read_lines(tmp_path / "b.gz") == ["x", "", "z"]


def test_failure_leaves_the_old_file_and_no_scraps(tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    path.write_text("old")

    def fail() -> None:
        with open_atomic(path) as stream:
            stream.write(b"half")
            raise RuntimeError("power cut")

    with pytest.raises(RuntimeError, match="power cut"):
        fail()
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["out.txt"]


def test_mode_and_links_survive(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to(target)
    write_text(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


def test_new_file_has_the_usual_mode(tmp_path: Path) -> None:
    write_text(tmp_path / "new", "x")
    (tmp_path / "plain").write_text("x")
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_devices_are_not_replaced() -> None:
    write_text(os.devnull, "gone")
    assert not Path(os.devnull).is_file()


def test_what_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot write .*No such file"):
        write_text(tmp_path / "absent" / "f", "x")
    with pytest.raises(InputError, match=r"cannot write .*it is a directory"):
        write_text(tmp_path, "x")


def test_dash_is_standard_output(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    write_text("-", "ä\n")
    assert capsysbinary.readouterr().out == "ä\n".encode()


def test_standard_output_keeps_order_with_print(monkeypatch: pytest.MonkeyPatch) -> None:
    buffer = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(buffer, encoding="utf-8"))
    print("first")
    write_text("-", "second\n")
    assert buffer.getvalue() == b"first\nsecond\n"


def test_half_a_character_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"lone surrogate \(U\+D800\)"):
        write_text(tmp_path / "f", "a\ud800")


def test_tsv_cells(tmp_path: Path) -> None:
    write_tsv(tmp_path / "t.tsv", ["a", "b", "c"], [[1, 0.1 + 0.2, "x y"], [None, math.nan, ""]])
    assert (tmp_path / "t.tsv").read_text() == "a\tb\tc\n1\t0.30000000000000004\tx y\n\t\t\n"


@pytest.mark.parametrize(("text", "kind"), [("a\tb", "tab"), ("a\nb", "line break"), ("a\rb", "line break")])
def test_tsv_refuses_what_it_cannot_carry(tmp_path: Path, text: str, kind: str) -> None:
    with pytest.raises(InputError, match=rf"row 2, column 'two': .* contains a {kind}.*JSONL"):
        write_tsv(tmp_path / "t.tsv", ["one", "two"], [["x", "y"], ["x", text]])
    assert not list(tmp_path.iterdir())


def test_tsv_refuses_ragged_rows(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="row 1 has 1 cell where 2 columns"):
        write_tsv(tmp_path / "t.tsv", ["a", "b"], [["x"]])


def test_lines_refuse_line_breaks(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"line 2: .* contains a line break"):
        write_lines(tmp_path / "f", ["fine", "a\nb"])


def test_jsonl_is_strict_json(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "f", [{"ä": [1.5, math.nan, {"x": math.nan}], "t": ("a",)}])
    line = (tmp_path / "f").read_text(encoding="utf-8")
    assert json.loads(line) == {"ä": [1.5, None, {"x": None}], "t": ["a"]}
    assert "ä" in line
    with pytest.raises(InputError, match="record 1 cannot be written"):
        write_jsonl(tmp_path / "g", [{"x": math.inf}])
    with pytest.raises(InputError, match="record 1 cannot be written"):
        write_jsonl(tmp_path / "g", [{"x": object()}])
    assert not (tmp_path / "g").exists()


def test_numbers_of_numpy_are_written_as_numbers(tmp_path: Path) -> None:
    write_tsv(tmp_path / "t.tsv", ["a", "b", "c"], [[np.float64(0.1), np.float64("nan"), 0.1]])
    assert (tmp_path / "t.tsv").read_text(encoding="utf-8") == "a\tb\tc\n0.1\t\t0.1\n"


def test_a_name_as_long_as_the_file_system_allows_can_be_written(tmp_path: Path) -> None:
    write_lines(tmp_path / ("語" * 84), ["x"])  # 252 bytes of at most 255
    assert [path.name for path in tmp_path.iterdir()] == ["語" * 84]
