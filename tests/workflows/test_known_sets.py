"""sacrebleu's test sets by name, and judged data in other forms."""

import json
import math
from pathlib import Path

import pytest
import sacrebleu.utils
from sacrebleu.dataset import DATASETS

import monge
from monge.cli import main

PREFERENCES = [
    {"prompt": "x", "reference": "the boy ran home", "chosen": "the boy ran home", "rejected": "a cat sat"},
    {"prompt": "y", "reference": "rain fell", "chosen": "rain fell down", "rejected": "the rainfall"},
    {"prompt": "z", "reference": "she read it", "chosen": "it was read", "rejected": "she read"},
    {"prompt": "z", "reference": "she read it", "chosen": "she read it", "rejected": "nobody"},
]


def test_a_named_test_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(DATASETS["wmt17"], "_outdir", str(tmp_path))
    texts = {"src": "Hallo Welt\nEin Hund ist hier\n", "ref": "Hello world\nA dog is here\n"}
    for field, text in texts.items():
        (tmp_path / f"wmt17.de-en.{field}").write_text(text, encoding="utf-8")
    output = tmp_path / "out.txt"
    output.write_text("Hello world\nThe dog is here\n", encoding="utf-8")
    chosen = ["score", "-t", "wmt17", "-i", str(output), "-m", "chrf", "--offline"]
    assert main([*chosen, "-l", "de-en", "-b"]) == 0
    expected = sacrebleu.corpus_chrf(["Hello world", "The dog is here"], [["Hello world", "A dog is here"]]).score
    assert float(capsys.readouterr().out) == pytest.approx(expected, abs=0.005)
    for wrong, message in (
        ([*chosen], "needs a language pair"),
        ([*chosen, "-l", "de-ja"], "no language pair 'de-ja'"),
        ([*chosen, "-l", "de-en", "-s", "x"], "leave out REF"),
        (["score", "-t", "wmt170", "-l", "de-en", "-i", str(output)], "no such test set"),
        ([*chosen, "-l", "cs-en"], "not on this machine, and this is offline"),
    ):
        assert main(wrong) == 2
        assert message in capsys.readouterr().err


def test_preferences_between_texts(tmp_path: Path) -> None:
    path = tmp_path / "preferences.jsonl"
    path.write_text("\n".join(map(json.dumps, PREFERENCES)), encoding="utf-8")
    for source in (path, PREFERENCES):
        result = monge.correlate(source, metrics=["chrf"], draws=0)
        study = result.study
        assert study.plan.level == "item"
        assert study.averages["chrf"].value == pytest.approx(0.5)  # three of four pairs as people have them


def test_nested_judgments(tmp_path: Path) -> None:
    released = [
        {"id": doc, "model_id": system, "decoded": text, "text": "long", "references": ["the boy ran home"],
         "expert_annotations": [{"coherence": value, "fluency": 5}, {"coherence": value - 2, "fluency": value}]}
        for doc, system, text, value in (
            ("1", "M", "the boy ran", 5), ("1", "N", "a cat", 2), ("2", "M", "the boy ran home", 6), ("2", "N", "x", 3),
        )
    ]  # fmt: skip
    by_document: dict[str, dict[str, object]] = {}
    for row in released:
        entry = by_document.setdefault(
            str(row["id"]), {"id": row["id"], "references": row["references"], "systems": {}}
        )
        means = {"coherence": row["expert_annotations"][0]["coherence"] - 1}  # type: ignore[index]
        entry["systems"][row["model_id"]] = {"summary": row["decoded"], "scores": means}  # type: ignore[index]
    found = []
    for name, rows in (("released", released), ("nested", list(by_document.values()))):
        path = tmp_path / f"{name}.jsonl"
        path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
        result = monge.correlate(path, metrics="chrf", aspects=["coherence"], draws=0)
        found.append(result.study.averages["chrf"].value)
        assert result.tasks[0].systems == ("M", "N")
    assert found[0] == pytest.approx(found[1])
    assert math.isfinite(found[0])


def test_external_scores_beside_judgments(tmp_path: Path) -> None:
    rows = [
        {"id": str(n), "system": "A", "hypothesis": "a b c"[:n], "reference": "a b c", "human": n} for n in (1, 3, 5)
    ]
    scores = tmp_path / "mine.tsv"
    scores.write_text("id\tsystem\tmetric\tscore\thigher_is_better\n" + "".join(
        f"{n}\tA\tx\t{n * 2}\ttrue\n" for n in (1, 3, 5)), encoding="utf-8")  # fmt: skip
    study = monge.correlate(rows, metrics=["chrf", f"external:{scores}"], draws=0).study
    assert study.averages["mine"].value == pytest.approx(1.0)
