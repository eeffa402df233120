"""Fitting re-mappings from files: what is reported, what is written, what is refused."""

import json
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import monge
from monge.cli import main
from monge.crosslingual import FittedRemap
from monge.crosslingual.criteria import measure_space
from monge.crosslingual.parallel import Parallel
from monge.crosslingual.vecmap import VecmapSettings
from monge.errors import InputError, OptionError
from monge.workflows import align_methods
from monge.workflows.align import AlignRequest, SpaceChoice, align_gold, read_dictionary_pairs, run_align, split_pairs

GERMAN = ["der Hund", "die Katze", "das Haus", "der Baum", "ein Buch", "eine Stadt", "das Wasser", "die Sonne"]
ENGLISH = ["the dog", "the cat", "the house", "the tree", "a book", "a city", "the water", "the sun"]
ENDS = [
    ("schläft heute.", "sleeps today."),
    ("ist alt.", "is old."),
    ("war schön.", "was beautiful."),
    ("fehlt.", "is missing."),
]
PAIRS = [(f"{g} {a}", f"{e} {b}") for g, e in zip(GERMAN, ENGLISH, strict=True) for a, b in ENDS]


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    for name, side in (("de", 0), ("en", 1)):
        (tmp_path / name).write_text("".join(pair[side] + "\n" for pair in PAIRS), encoding="utf-8")
    return str(tmp_path / "de"), str(tmp_path / "en")


def test_the_command_reports_and_writes(
    files: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made, picture = str(tmp_path / "map"), str(tmp_path / "cosines.svg")
    assert (
        main(["align", *files, "--method", "umd,clp", "--languages", "de-en", "--output", made, "--plot", picture]) == 0
    )
    shown = capsys.readouterr().out
    assert "umd then clp" in shown
    assert "translation found (P@1)" in shown
    assert Path(picture).read_text(encoding="utf-8").startswith("<?xml")
    facts = FittedRemap.load(made).facts
    assert (facts.source_language, facts.target_language, facts.methods) == ("de", "en", ("umd", "clp"))
    out = tmp_path / "out"
    out.write_text("the dog is old.\n", encoding="utf-8")
    src = tmp_path / "src"
    src.write_text("der Hund ist alt.\n", encoding="utf-8")
    assert main(["score", "-s", str(src), "-i", str(out), "-m", f"yisi2,remap={made}", "-f", "json"]) == 0
    assert FittedRemap.load(made).source.digest[:8] in capsys.readouterr().out


def test_json_holds_both_histograms(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["align", *files, "--unit", "sentence", "--method", "norm", "-f", "json", "--held-out", "8"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["held_out"] == 8
    assert sum(record["before"]["histogram"]["matched"]) == sum(record["after"]["histogram"]["random"]) == 8
    assert 0 <= record["after"]["precision_forward"] <= 1


def test_held_out_pairs_are_not_fitted_on() -> None:
    texts = Parallel(tuple(f"s{i}" for i in range(100)), tuple(f"t{i}" for i in range(100)))
    training, judged = split_pairs(texts, held_out=None)
    assert len(judged.source) == 20
    assert not set(training.source) & set(judged.source)
    assert len(split_pairs(texts, held_out=30, most=25)[0].source) == 25


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda left, right: (left, right[:-1]), "has 32 lines"),
        (lambda left, right: (left[:5], right[:5]), "too few"),
        (lambda left, right: (left, left), "identical"),
    ],
)
def test_texts_that_cannot_be_fitted_on_are_refused(change, said, tmp_path, capsys) -> None:  # type: ignore[no-untyped-def]
    sides = change([pair[0] for pair in PAIRS], [pair[1] for pair in PAIRS])
    for name, lines in zip(("de", "en"), sides, strict=True):
        (tmp_path / name).write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    assert main(["align", str(tmp_path / "de"), str(tmp_path / "en")]) == 2
    assert said in capsys.readouterr().err


def test_other_bad_requests() -> None:
    texts = Parallel(tuple(pair[0] for pair in PAIRS), tuple(pair[1] for pair in PAIRS))
    with pytest.raises(OptionError, match="no re-mapping 'clq'"):
        run_align(AlignRequest(texts, ("clq",)))
    with pytest.raises(OptionError, match="language"):
        AlignRequest(texts, source_language="xx1")
    with pytest.raises(OptionError, match="made of layer 4"):
        run_align(AlignRequest(texts, space=SpaceChoice(layers="emb", unit="sentence")))
    with pytest.raises(InputError, match="leave 2 to fit on"):
        run_align(AlignRequest(texts, held_out=30))


def test_dictionaries_of_the_usual_forms(tmp_path: Path) -> None:
    lines = ("Haus\thouse;home", "Haus house", "house @ Haus", "Haus {n} | Häuser {pl} :: house; home | houses")
    for line in lines:
        (tmp_path / "dict").write_text(f"{line}\n", encoding="utf-8")
        assert read_dictionary_pairs(tmp_path / "dict").source[0] == "haus"
        assert read_dictionary_pairs(tmp_path / "dict").target[0] == "house"
    (tmp_path / "dict").write_text("Haus\n", encoding="utf-8")
    with pytest.raises(InputError, match="not a dictionary"):
        read_dictionary_pairs(tmp_path / "dict")


def test_words_of_close_texts_are_aligned() -> None:
    quality = align_gold(["der Hund schläft ||| the dog sleeps"], ["1-1 2-2 3-3"])
    assert quality.error_rate == 0
    with pytest.raises(InputError, match="no \\|\\|\\|"):
        align_gold(["der Hund"], ["1-1"])
    with pytest.raises(InputError, match="do not have"):
        align_gold(["der ||| the"], ["2-1"])


def test_gold_alignments_of_public_data(judgments: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Measured once: French–English by mutual argmax in the static vectors of USE (docs/results-crosslingual.md)."""
    folder = judgments / "word_alignment_gold"
    if not folder.is_dir():
        pytest.skip("no gold alignments on this machine")
    stem = str(folder / "enfr")
    assert main(["align", "--gold", f"{stem}.gold", f"{stem}.src-tgt", "--layers", "emb", "-f", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["aer"] < 0.35


def test_retrieval_and_cosines_of_a_worked_example() -> None:
    eye = np.eye(4)
    perfect = measure_space((eye, eye))
    assert (perfect.forward, perfect.backward, perfect.separation) == (1, 1, 1)
    assert perfect.gap == pytest.approx(1)
    turned = measure_space((eye, eye[[1, 0, 2, 3]]))
    assert turned.forward == 0.5


def test_the_library_aligns_lists_of_texts() -> None:
    german, english = [f"Das ist Satz {n}" for n in range(40)], [f"This is sentence {n}" for n in range(40)]
    found = monge.align(german, english, method="norm,umd", encoder="hashed", held_out=10)
    request = AlignRequest(Parallel(tuple(german), tuple(english)), ("norm", "umd"), SpaceChoice("hashed"), held_out=10)
    assert found.fitted.digest == run_align(request).fitted.digest
    with pytest.raises(InputError, match="40 source texts and 39 target texts are not parallel"):
        monge.align(german, english[1:], encoder="hashed")
    with pytest.raises(InputError, match="lists of texts"):
        monge.align("Das ist ein Satz.", english, encoder="hashed")


def test_methods_of_chapter_ten_by_name(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["align", *files, "--method", "rotation", "-f", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["methods"] == ["clp"]
    assert main(["align", *files, "--method", "real-nvq"]) == 2
    assert "real-nvp" in capsys.readouterr().err
    assert main(["align", *files, "--method", "muse", "--rounds", "0"]) == 2
    assert "rounds=0" in capsys.readouterr().err


def test_vecmap_needs_neither_torch_nor_translations(
    files: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(align_methods, "VecmapSettings", partial(VecmapSettings, patience=1))
    made = str(tmp_path / "map")
    assert main(["align", *files, "--method", "vecmap", "--encoder", "hashed", "--words", "40", "--output", made]) == 0
    fitted = FittedRemap.load(made)
    assert fitted.facts.methods == ("vecmap",)
    assert [one.kind for one in fitted.target.maps] == ["unit", "shift", "unit", "linear"]


@pytest.mark.torch
def test_trained_maps_from_the_command_line(
    files: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["align", *files, "--method", "real-nvp"]) == 2
    assert "fewer than the 512 dimensions" in capsys.readouterr().err
    sides = [str(tmp_path / name) for name in ("de", "en")]
    for path, side in zip(sides, (0, 1), strict=True):
        lines = [f"{pair[side]} {pair[side]} {number}" for number in range(8) for pair in PAIRS]
        Path(path).write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    made = str(tmp_path / "map")
    command = ["align", *sides, "--method", "real-nvp", "--layers", "emb", "--steps", "2", "--seed", "3"]
    assert main([*command, "--output", made]) == 0
    shown = capsys.readouterr().out
    assert "real-nvp: 2 steps" in shown
    assert "semantic criterion" in shown
    fitted = FittedRemap.load(made)
    assert "seed=3" in fitted.facts.training
    assert [one.kind for one in fitted.source.maps] == ["flow-to-latent", "flow-from-latent"]
    assert not list(tmp_path.glob("*.training*"))
    again = str(tmp_path / "again")
    assert main([*command, "--output", again]) == 0
    assert FittedRemap.load(again).digest == fitted.digest
    other = ["align", "--gold", sides[0], sides[1], "--remap", made, "--layers", "proj"]
    assert main(other) == 2  # fitted for another layer


def test_without_torch_the_extra_is_named(
    files: tuple[str, str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "torch", None)
    assert main(["align", *files, "--method", "gan-real-nvp"]) == 2
    assert "pip install 'monge[torch]'" in capsys.readouterr().err
