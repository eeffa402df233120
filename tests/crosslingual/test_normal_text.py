"""Contractions and word order."""

from pathlib import Path

import pytest

from monge.cli import main
from monge.crosslingual.normal_text import (
    contraction_languages,
    expand_contractions,
    join_words,
    read_conllu,
    reorder_words,
)
from monge.crosslingual.parsing import read_parse
from monge.errors import InputError, OptionError

FRENCH = """# text = la maison blanche
1\tla\tle\tDET\t_\t_\t2\tdet\t_\t_
2\tmaison\tmaison\tNOUN\t_\t_\t0\troot\t_\t_
3\tblanche\tblanc\tADJ\t_\t_\t2\tamod\t_\tSpaceAfter=No
4\t.\t.\tPUNCT\t_\t_\t2\tpunct\t_\t_
"""
GERMAN = """1\tich\tich\tPRON\t_\t_\t4\tnsubj\t_\t_
2\tdas\tder\tDET\t_\t_\t3\tdet\t_\t_
3\tBuch\tBuch\tNOUN\t_\t_\t4\tobj\t_\t_
4\tlese\tlesen\tVERB\t_\t_\t0\troot\t_\t_
"""


@pytest.mark.parametrize(
    ("language", "text", "full"),
    [
        ("de", "Er geht zum Arzt, im März.", "Er geht zu dem Arzt, in dem März."),
        ("it", "nell’aria della città", "in l'aria di la città"),
        ("es", "Del mar al cielo.", "De el mar a el cielo."),
        ("pt", "pelo menos na rua", "por o menos em a rua"),
        ("fr", "AU revoir, Auditorium", "AU revoir, Auditorium"),  # an acronym, and a longer word
    ],
)
def test_contractions_are_written_in_full(language: str, text: str, full: str) -> None:
    assert expand_contractions(text, language) == full


def test_languages_without_a_table_are_refused() -> None:
    assert set(contraction_languages()) == {"de", "es", "fr", "it", "pt"}
    with pytest.raises(OptionError, match="there are de"):
        expand_contractions("a", "fi")


def test_adjectives_and_verbs_move_where_the_language_needs_it() -> None:
    (french,) = read_conllu(FRENCH.splitlines(), name="fr")
    assert join_words(reorder_words(french, "fr")) == "la blanche maison."
    assert [word.form for word in reorder_words(french, "fr")] == ["la", "blanche", "maison", "."]
    assert [word.form for word in reorder_words(french, "de")] == ["la", "maison", "blanche", "."]
    (german,) = read_conllu(GERMAN.splitlines(), name="de")
    assert [word.form for word in reorder_words(german, "de")] == ["ich", "lese", "das", "Buch"]


def test_the_command_writes_texts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "fr").write_text("la maison blanche.\n", encoding="utf-8")
    (tmp_path / "fr.conllu").write_text(FRENCH, encoding="utf-8")
    assert main(["normalise", str(tmp_path / "fr"), "-l", "fr", "--parses", str(tmp_path / "fr.conllu")]) == 0
    assert capsys.readouterr().out == "la blanche maison.\n"
    (tmp_path / "fr").write_text("un\ndeux\n", encoding="utf-8")
    assert main(["normalise", str(tmp_path / "fr"), "-l", "fr", "--parses", str(tmp_path / "fr.conllu")]) == 2
    assert "1 sentence and" in capsys.readouterr().err


def test_broken_parses_are_named() -> None:
    with pytest.raises(InputError, match="parse, line 1: 2 columns"):
        list(read_conllu(["1\tla"], name="parse"))
    with pytest.raises(InputError, match="not a number"):
        list(read_conllu(["\t".join(["1", "a", "_", "X", "_", "_", "x", "_", "_", "_"])], name="parse"))


def test_an_installed_parser_makes_the_parses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """GiNZA's Japanese: the verb comes before its object, "book read" → "read book"."""
    pytest.importorskip("ja_ginza", reason="GiNZA is not installed")
    (tmp_path / "ja").write_text("私は本を読んだ。\n", encoding="utf-8")
    assert main(["normalise", str(tmp_path / "ja"), "-l", "ja", "--parser", "ja_ginza"]) == 0
    assert capsys.readouterr().out.startswith("私は読ん本を")
    assert main(["normalise", str(tmp_path / "ja"), "-l", "ja", "--parser", "no_such_parser"]) == 2
    assert "no_such_parser cannot be loaded" in capsys.readouterr().err


def test_parses_of_spacy_have_the_relations_of_universal_dependencies() -> None:
    tokens = pytest.importorskip("spacy.tokens", reason="spaCy is not installed")
    vocab = pytest.importorskip("spacy.vocab", reason="spaCy is not installed")
    document = tokens.Doc(
        vocab.Vocab(),
        words=["Er", "hat", "das", "Buch", "gelesen", "."],
        heads=[1, 1, 3, 4, 1, 1],
        deps=["sb", "ROOT", "nk", "oa", "oc", "punct"],
        pos=["PRON", "AUX", "DET", "NOUN", "VERB", "PUNCT"],
        spaces=[True, True, True, True, False, False],
    )
    words = read_parse(document)
    assert [(word.number, word.head, word.relation) for word in words][:4] == [
        (1, 2, "sb"), (2, 0, "root"), (3, 4, "nk"), (4, 5, "obj"),
    ]  # fmt: skip
    assert [word.form for word in reorder_words(words, "de")] == ["Er", "hat", "gelesen", "das", "Buch", "."]
