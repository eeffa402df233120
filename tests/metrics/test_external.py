"""Scores of other tools: their files, as a metric, and packages that are called where they are installed."""

import json
import math
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import monge
from monge.cli import main
from monge.errors import MongeError
from monge.meta.data import read_scores
from monge.metrics import load_metric, metric_specs
from monge.metrics.variants import parse_variant

A, B = ["a b c d", "a b c"], ["a b x", "a"]
REFERENCES = ["a b c d", "a b c d"]


def lines(records: list[dict[str, object]]) -> str:
    return "\n".join(map(json.dumps, records)) + "\n"


COMET = json.dumps(
    {
        f"out/{name}.txt": [
            {"src": "x", "mt": text, "ref": "a b c d", "COMET": score}
            for text, score in zip(texts, scores, strict=True)
        ]
        for name, texts, scores in (("A", A, [0.9, 0.5]), ("B", B, [0.4, 0.3]))
    },
    indent=4,
)
METRICX = lines(
    [
        {"id": i, "source": "s", "hypothesis": text, "reference": "r", "prediction": score}
        for i, (text, score) in enumerate(zip(A, [2.5, 1.5], strict=True), start=1)
    ]
)
JUDGE = lines(
    [
        {"question_id": i, "model": model, "judge": ["j", "single"], "user_prompt": "p", "score": 9 - i, "turn": 1}
        for model in "AB"
        for i in (1, 2)
    ]
)
ASPECTS = lines([{"id": i, "system": "A", "ratings": {"fluency": i, "adequacy": 5 - i}} for i in (1, 2)])
SAMPLES = lines(
    [
        {"doc_id": i, "doc": {}, "target": "5", "resps": [[t]], "filtered_resps": [t], "filter": "none",
         "metrics": ["exact_match"], "exact_match": float(i), "doc_hash": "x"}
        for i, t in enumerate(A)
    ]
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (COMET, {"comet": (True, ["out/A.txt", "out/B.txt"], [[0.9, 0.5], [0.4, 0.3]])}),
        (METRICX, {"metricx": (False, [""], [[2.5, 1.5]])}),
        ("0.5\n0.25\n", {"": (None, [""], [[0.5, 0.25]])}),
        ("[0.5, 0.25]\n", {"": (None, [""], [[0.5, 0.25]])}),
        ('{"scores": [0.5, 0.25]}\n', {"": (None, [""], [[0.5, 0.25]])}),
        (JUDGE, {"": (None, ["A", "B"], [[8, 7], [8, 7]])}),
        (ASPECTS, {"fluency": (None, ["A"], [[1, 2]]), "adequacy": (None, ["A"], [[4, 3]])}),
        (SAMPLES, {"exact_match": (None, [""], [[0, 1]])}),
    ],
    ids=["comet", "metricx", "bleurt", "list", "evaluate", "judge", "aspects", "lm-eval"],
)
def test_files_of_other_tools(
    tmp_path: Path, text: str, expected: dict[str, tuple[bool | None, list[str], object]]
) -> None:
    path = tmp_path / "scores"
    path.write_text(text, encoding="utf-8")
    found = {item.name: item for item in read_scores(path)}
    assert set(found) == set(expected)
    for name, (direction, systems, values) in expected.items():
        assert list(found[name].table.systems) == systems
        assert np.array_equal(found[name].table.values, values)
        assert (found[name].table.higher_is_better if found[name].directed else None) is direction


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    files = {"A.txt": "\n".join(A), "B.txt": "\n".join(B), "ref": "\n".join(REFERENCES), "comet.json": COMET,
             "mx.jsonl": METRICX, "A.bleurt": "0.5\n0.25\n", "B.bleurt": "0.1\n0.2\n", "aspects.jsonl": ASPECTS,
             "samples.jsonl": SAMPLES, "short.txt": "1\n2\n3\n"}  # fmt: skip
    for name, text in files.items():
        (tmp_path / name).write_text(text + ("" if text.endswith("\n") else "\n"), encoding="utf-8")
    return tmp_path


def scores(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[tuple[str, str], object]:
    assert main(["score", "ref", *arguments, "-f", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    return {(r["system"], r["metric"]): [s["score"] for s in r["segments"]] for r in found}


def test_external_scores_stand_beside_computed_ones(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = ["-i", "A.txt", "B.txt"]
    found = scores(capsys, *files, "-m", "external:comet.json", "chrf", "bleurt:=external:{system}.bleurt")
    assert found["A", "comet"] == [0.9, 0.5]
    assert found["B", "comet"] == [0.4, 0.3]
    assert found["B", "bleurt"] == [0.1, 0.2]
    assert scores(capsys, "-i", "A.txt", "-m", "external:aspects.jsonl,column=fluency") == {("A", "fluency"): [1, 2]}
    assert scores(capsys, "-i", "A.txt", "-m", "external:samples.jsonl") == {("A", "samples"): [0, 1]}
    assert main(["compare", "ref", *files, "-m", "external:comet.json", "-q"]) == 0
    assert "comet: 2 systems" in capsys.readouterr().out
    result = monge.score(A, REFERENCES, metrics=["external:mx.jsonl", "chrf"])
    assert result["mx"].scores.tolist() == [2.5, 1.5]
    assert not result["mx"].higher_is_better
    assert "mx.jsonl@" in result["mx"].signature


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["A.txt", "B.txt", "-m", "external:A.bleurt"], "names no system, but several are scored"),
        (["B.txt", "-m", "external:mx.jsonl"], "the score belongs to another output than segment '1'"),
        (["A.txt", "-m", "external:short.txt"], "3 scores for 2 segments"),
        (["A.txt", "-m", "external:aspects.jsonl"], "choose one, as in external:aspects.jsonl,column=fluency"),
        (["A.txt", "-m", "external:aspects.jsonl,column=x"], "no scores called 'x'"),
        (["ref", "-m", "external:comet.json"], "no scores of system 'ref'"),
        (["A.txt", "-m", "external:none.json"], "none.json"),
        (["A.txt", "-m", "external:"], "name the file"),
        (["A.txt", "-m", "external:mx.jsonl,higher_is_better=x"], "must be one of"),
    ],
)
def test_scores_that_do_not_fit(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    if message.startswith("3 scores"):
        (folder / "short.txt").write_text("id,score\nx,1\ny,2\nz,3\n", encoding="utf-8")
    assert main(["score", "ref", "-i", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_a_missing_score_is_noted(folder: Path) -> None:
    (folder / "part.tsv").write_text("id\tmine\n1\t0.5\n2\t\n", encoding="utf-8")
    result = monge.score(A, REFERENCES, metric="external:part.tsv,higher_is_better=false")
    assert math.isnan(result.scores[1])
    assert result.notes["2"] == ["no score in part.tsv"]
    assert result.score == 0.5
    assert parse_variant("external:part.tsv").label == "part"


FAKE_COMET = """
class Model:
    def __init__(self, path):
        self.path = path
    def requires_references(self):
        return "kiwi" not in self.path
    def predict(self, samples, batch_size=16, gpus=1, progress_bar=True, num_workers=None):
        print("a progress bar that must not reach stdout")
        assert (gpus, progress_bar) == (0, False)
        assert all(("ref" in sample) == self.requires_references() for sample in samples)
        return {"scores": [len(sample["mt"]) / 10 for sample in samples], "system_score": 0.0}
def download_model(model, saving_directory=None, local_files_only=False):
    if "absent" in model:
        raise KeyError(f"Model '{model}' not supported by COMET.")
    return f"/cache/{model}"
def load_from_checkpoint(path, reload_hparams=False, strict=False, local_files_only=False):
    return Model(path)
"""
FAKE_BLEURT = """
class BleurtScorer:
    def __init__(self, checkpoint=None):
        self.checkpoint = checkpoint
    def score(self, *args, references=[], candidates=[], batch_size=None):
        assert not args
        return [float(len(set(r.split()) & set(c.split()))) for r, c in zip(references, candidates)]
"""


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Packages with the interface of unbabel-comet 2.2 and bleurt 0.0.2, whose weights no registry carries."""
    for module, text in (
        ("comet/__init__.py", FAKE_COMET),
        ("bleurt/__init__.py", ""),
        ("bleurt/score.py", FAKE_BLEURT),
    ):
        (tmp_path / module).parent.mkdir(exist_ok=True)
        (tmp_path / module).write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    metric_specs.cache_clear()
    yield tmp_path
    metric_specs.cache_clear()
    for name in ("comet", "bleurt", "bleurt.score"):
        sys.modules.pop(name, None)


def test_installed_packages_are_offered(packages: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert {"comet", "bleurt"} <= set(metric_specs())
    result = monge.score(A, [["x", "y"], ["z"]], metric="comet", sources=["s", "t"])
    assert result.scores.tolist() == [0.7, 0.5]
    assert result.notes == {"1": ["only the first reference is used"]}
    assert "model:wmt22-comet-da" in result.signature
    assert capsys.readouterr().out == ""
    kiwi = monge.score(A, metric="comet,model=Unbabel/wmt22-cometkiwi-da", sources=["s", "t"])
    assert kiwi.scores.tolist() == [0.7, 0.5]
    with pytest.raises(MongeError, match="has no source, which comet needs"):
        monge.score(A, REFERENCES, metric="comet")
    with pytest.raises(MongeError, match="cannot be loaded"):
        load_metric("comet", model="absent")
    (packages / "ckpt").mkdir()
    bleurt = monge.score(A, [["a", "a b"], ["z"]], metric="bleurt", checkpoint=str(packages / "ckpt"))
    assert bleurt.scores.tolist() == [2.0, 0.0]
    assert "checkpoint:ckpt" in bleurt.signature
    with pytest.raises(MongeError, match="no folder 'BLEURT-20'"):
        load_metric("bleurt")


def test_absent_packages_are_explained() -> None:
    if "comet" in metric_specs():
        pytest.skip("unbabel-comet is installed here")
    with pytest.raises(MongeError, match="install the package unbabel-comet"):
        load_metric("comet")
