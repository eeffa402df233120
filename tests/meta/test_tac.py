"""TAC's judged summaries: shape, people among the systems, per-topic agreement."""

import json
from pathlib import Path

import numpy as np
import pytest

from monge.errors import InputError
from monge.meta.data.tac import read_tac
from monge.workflows.correlate import correlate

WORDS = "flood river town people rescue night water boats houses storm".split()  # noqa: SIM905


def make_topics() -> dict[str, object]:
    rng = np.random.default_rng(0)
    topics = {}
    for t in range(4):
        people = {"A": " ".join(rng.permutation(WORDS)), "B": " ".join(rng.permutation(WORDS))}
        annotations = []
        for system in range(6):
            kept = [w for w in WORDS if rng.random() < 0.2 + 0.12 * system]
            text = [" ".join(kept) or "nothing", "the end"]
            annotations.append({"summ_id": str(system), "text": text, "responsiveness": len(kept), "pyr_score": "0.5"})
        for name, text in people.items():
            annotations.append({"summ_id": name, "text": text, "responsiveness": 10.0, "pyr_score": 1.0})
        references = [{"id": f"T{t}.{name}", "text": [text]} for name, text in people.items()]
        topics[f"T{t}"] = {"references": references, "annotations": annotations}
    return topics


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "tac.08.mds.gen.resp-pyr"
    path.write_text(json.dumps(make_topics()), encoding="utf-8")
    return path


def test_people_are_left_out_of_the_first_set(path: Path) -> None:
    without, everything = read_tac(path)
    assert (without.name, everything.name) == ("tac.08", "tac.08-with-humans")
    assert len(without.judged_segments()) == 24
    assert len(everything.judged_segments()) == 32
    assert without.aspects == ("responsiveness", "pyramid")
    segment = without.segments[0]
    assert segment.hypothesis.endswith(" the end")
    assert len(segment.references) == 2
    assert segment.document == segment.id == "T0"


def test_people_inflate_agreement(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "tac"
    folder.mkdir()
    path.rename(folder / path.name)
    monkeypatch.setenv("MONGE_DATA", str(tmp_path))
    found = {
        part: correlate(f"tac-texts/{part}", metrics="rouge2", aspects=["responsiveness"], draws=0).study.averages[
            "rouge2"
        ]
        for part in ("tac.08", "tac.08-with-humans")
    }
    assert found["tac.08-with-humans"].value > found["tac.08"].value


def test_a_file_can_be_named(path: Path) -> None:
    result = correlate(path, metrics="rouge1", level="item", draws=0)
    assert result.study.tasks == ("responsiveness", "pyramid")


def test_another_shape_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text('{"a": []}', encoding="utf-8")
    with pytest.raises(InputError, match="topics with references"):
        read_tac(path)
