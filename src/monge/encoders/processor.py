"""What the processor has for numbers of 8 and 16 bits."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_INT8 = ("avx512_vnni", "avx_vnni", "amx_int8", "asimddp", "i8mm")  # dot products of whole numbers of 8 bits
_BFLOAT16 = ("avx512_bf16", "amx_bf16", "bf16")


@dataclass(frozen=True)
class ProcessorFeatures:
    """The names of the instructions, as Linux gives them; empty where there are none."""

    int8: str
    bfloat16: str


@cache
def processor_features(cpuinfo: Path = Path("/proc/cpuinfo")) -> ProcessorFeatures | None:
    """Return the instructions of this processor, or None where the system does not say (it is not Linux)."""
    try:
        lines = cpuinfo.read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return None
    wanted = "flags" if platform.machine() in ("x86_64", "AMD64", "i686") else "Features"
    line = next((line for line in lines if line.startswith(wanted)), "")
    flags = set(line.partition(":")[2].split())
    return ProcessorFeatures(*(next((name for name in known if name in flags), "") for known in (_INT8, _BFLOAT16)))
