"""Instructions of the processor."""

import platform

import pytest

from monge.encoders.processor import ProcessorFeatures, processor_features


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        ("fpu avx2 avx512f", ProcessorFeatures("", "")),
        ("fpu avx512_vnni avx512_bf16", ProcessorFeatures("avx512_vnni", "avx512_bf16")),
        ("avx_vnni", ProcessorFeatures("avx_vnni", "")),
    ],
)
def test_flags_are_read(tmp_path, monkeypatch, flags, expected):
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")
    file = tmp_path / "cpuinfo"
    file.write_text(f"processor\t: 0\nflags\t\t: {flags}\n", encoding="ascii")
    assert processor_features(file) == expected


def test_a_system_that_does_not_say(tmp_path):
    assert processor_features(tmp_path / "absent") is None
