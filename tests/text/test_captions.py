"""COCO's files of captions."""

import json
from pathlib import Path

import pytest

from monge.cli import main
from monge.errors import InputError
from monge.text.captions import are_coco, read_coco

ANNOTATIONS = {
    "images": [{"id": 7}, {"id": 8}],
    "annotations": [
        {"id": 1, "image_id": 7, "caption": "A dog runs."},
        {"id": 2, "image_id": 7, "caption": "A dog on\nthe grass."},
        {"id": 3, "image_id": 8, "caption": "Two cats."},
    ],
}
RESULTS = [{"image_id": 7, "caption": "a dog runs on grass"}, {"image_id": 8, "caption": "two cats sleep"}]


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    results, annotations = tmp_path / "mine.json", tmp_path / "annotations.json"
    results.write_text(json.dumps(RESULTS), encoding="utf-8")
    annotations.write_text(json.dumps(ANNOTATIONS), encoding="utf-8")
    return results, annotations


def test_all_captions_of_an_image_are_its_references(files: tuple[Path, Path]) -> None:
    results, annotations = files
    first, second = read_coco([results], annotations).segments
    assert first.references == ("A dog runs.", "A dog on the grass.")
    assert (first.id, first.system) == ("7", "mine")
    assert second.hypothesis == "two cats sleep"
    assert are_coco([results], [annotations])
    assert not are_coco(["a.txt"], [annotations])


def test_the_command_scores_them(files: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    results, annotations = files
    assert main(["score", str(annotations), "-i", str(results), "-m", "cider", "bleu,n=1", "-f", "json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert "mine" in json.dumps(record)


@pytest.mark.parametrize(
    ("results", "message"),
    [
        ([{"image_id": 9, "caption": "x"}], "image 9 has no caption"),
        ([{"image": 7}], "caption 1: an object with image_id and caption"),
        ({}, "a list of captions"),
        ([RESULTS[0], RESULTS[0]], "appears twice"),
    ],
)
def test_mistakes_are_named(files: tuple[Path, Path], results: object, message: str) -> None:
    path, annotations = files
    path.write_text(json.dumps(results), encoding="utf-8")
    with pytest.raises(InputError, match=message):
        read_coco([path], annotations)
