"""The GGUF reader on a file written here by the published layout."""

import struct
from pathlib import Path

import numpy as np
import pytest

from monge.errors import ModelError
from monge.lm.gguf import GgufFile


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value.encode())) + value.encode()


def write(path: Path, tensors: dict[str, tuple[int, int, bytes]]) -> Path:
    """Write metadata of three kinds and *tensors*: name → (type, length, data), each aligned to 32 bytes."""
    pairs = text("a.name") + struct.pack("<I", 8) + text("dünn")
    pairs += text("a.count") + struct.pack("<II", 4, 7)
    pairs += text("a.list") + struct.pack("<IIQ", 9, 8, 2) + text("x") + text("y")
    header, data = b"", b""
    for name, (kind, length, raw) in tensors.items():
        header += text(name) + struct.pack("<IQIQ", 1, length, kind, len(data))
        data += raw + bytes(-len(raw) % 32)
    start = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), 3) + pairs + header
    path.write_bytes(start + bytes(-len(start) % 32) + data)
    return path


def test_blocks_are_read_as_llama_cpp_writes_them(tmp_path: Path) -> None:
    """Q4_1: w = d·q + m, Q4_0: d·(q − 8), Q8_0: d·q; 16 bytes hold numbers 0–15 below and 16–31 above."""
    packed = bytes(low | (15 - low) << 4 for low in range(16))
    half = lambda x: np.float16(x).tobytes()  # noqa: E731
    whole = np.arange(-16, 16, dtype=np.int8).tobytes()
    path = write(
        tmp_path / "tiny.gguf",
        {
            "q41": (3, 32, half(0.5) + half(-1.0) + packed),
            "q40": (2, 32, half(2.0) + packed),
            "q80": (8, 32, half(0.25) + whole),
            "f16": (1, 2, half(1.5) + half(-2.0)),
            "f32": (0, 2, struct.pack("<ff", 3.25, -4.5)),
        },
    )
    file = GgufFile(path)
    numbers = np.concatenate([np.arange(16), 15 - np.arange(16)])
    assert file.get("a.name") == "dünn"
    assert (file.get("a.count"), file.get("a.list")) == (7, ["x", "y"])
    assert np.array_equal(file.read("q41"), 0.5 * numbers - 1.0)
    assert np.array_equal(file.read("q40"), 2.0 * (numbers - 8.0))
    assert np.array_equal(file.read("q80"), 0.25 * np.arange(-16, 16))
    assert file.read("f16").tolist() == [1.5, -2.0]
    assert file.read("f32").tolist() == [3.25, -4.5]


def test_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    path = write(tmp_path / "odd.gguf", {"k": (12, 256, bytes(144)), "cut": (0, 99, b"")})
    file = GgufFile(path)
    with pytest.raises(ModelError, match="type 12"):
        file.read("k")
    with pytest.raises(ModelError, match="ends before the weight cut"):
        file.read("cut")
    with pytest.raises(ModelError, match=r"does not say b\.name"):
        file.get("b.name")
    other = tmp_path / "other.gguf"
    for content in (b"PK\x03\x04", path.read_bytes()[:40]):
        other.write_bytes(content)
        with pytest.raises(ModelError, match=r"other\.gguf"):
            GgufFile(other)
