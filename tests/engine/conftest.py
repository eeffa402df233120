"""A metric that fails on purpose, installed into a folder as another package would be."""

import importlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from monge.metrics import registry

MODULE = """
import os, signal, time
from pathlib import Path
from monge.metrics.base import MetricBase
from monge.metrics.protocols import MetricSpec
from monge.scores import Score, Signature

FOLDER = Path(__file__).parent
SPEC = MetricSpec("faulty", "faulty_metric:make", "Length of the hypothesis, with faults.", "lexical", bounds=(0, 1e9))


class Faulty(MetricBase):
    spec = SPEC
    signature = Signature({"metric": "faulty"})

    @property
    def identity(self):
        return "faulty"

    def score(self, segments):
        texts = [segment.hypothesis for segment in segments]
        with open(FOLDER / "scored.log", "a") as log:
            log.write("".join(f"{segment.id}\\n" for segment in segments))
        if any("die once" in text for text in texts):
            try:
                os.close(os.open(FOLDER / "died", os.O_CREAT | os.O_EXCL))
                os.kill(os.getpid(), signal.SIGKILL)
            except FileExistsError:
                pass
        if any("die always" in text for text in texts):
            os.kill(os.getpid(), signal.SIGKILL)
        if any("raise" in text for text in texts):
            raise RuntimeError("a fault in a library")
        if any("huge" in text for text in texts) and len(texts) > 3:
            raise MemoryError
        if any("hungry" in text for text in texts) and len(texts) > 4:
            block = bytearray(900 << 20)
            block[::4096] = bytes(len(block[::4096]))  # touches every page
            time.sleep(5.0)
        if any("sleepy" in text for text in texts):
            time.sleep(1.0)
        return [Score(len(text) / 7, {"length": len(text) / 7}) for text in texts]


def make():
    return Faulty()
"""


def install(folder: Path) -> Path:
    """Write the package into *folder*, which must then be on the path of Python."""
    (folder / "faulty_metric.py").write_text(MODULE, encoding="utf-8")
    information = folder / "faulty_metric-1.0.dist-info"
    information.mkdir()
    metadata = "Metadata-Version: 2.1\nName: faulty-metric\nVersion: 1.0\n"
    (information / "METADATA").write_text(metadata, encoding="utf-8")
    (information / "entry_points.txt").write_text("[monge.metrics]\nfaulty = faulty_metric:SPEC\n", encoding="utf-8")
    return folder


@pytest.fixture
def faulty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of a package with the metric ``faulty``, for this process and those it starts."""
    folder = tmp_path / "packages"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(install(folder)))
    path = [str(folder), *filter(None, [os.environ.get("PYTHONPATH")])]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(path))
    importlib.invalidate_caches()
    registry.metric_specs.cache_clear()
    yield folder
    sys.modules.pop("faulty_metric", None)
    registry.metric_specs.cache_clear()
