"""Dictionary files of every kind, and how words are found in them."""

import gzip
from pathlib import Path

import pytest

from monge.crosslingual.catalog import known_languages, load_dictionary
from monge.crosslingual.dictionaries import BilingualDictionary, read_dictionary
from monge.crosslingual.glosses import Glosser
from monge.environment import Environment
from monge.errors import InputError, ModelError, OptionError

FILES = {
    "own.tsv": "# comment\nHaus\thouse; home\nKatze\tcat\tpussycat\n",
    "muse.txt": "haus house\nhaus home\nkatze cat\nkatze pussycat\n",
    "hunalign.dict": "house @ haus\nhome @ haus\ncat @ katze\npussycat @ katze\n",
    "ding": "# ding\nHaus {n}; Heim {n} [ugs.] | Häuser {pl} :: house; home (place) | houses\n"
    "Katze {f} :: cat; pussycat\n",
}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("packed", [False, True])
def test_text_files_are_recognised(name: str, packed: bool, tmp_path: Path) -> None:
    path = tmp_path / name
    content = FILES[name].encode()
    path.write_bytes(gzip.compress(content) if packed else content)
    found = read_dictionary(path)
    assert found.look_up("haus") == ("house", "home")
    assert found.look_up("katze") == ("cat", "pussycat")
    if name == "ding":
        assert found.look_up("häuser") == ("houses",)
        assert found.look_up("heim") == ("house", "home")


def test_cedict_has_both_scripts(tmp_path: Path) -> None:
    path = tmp_path / "cedict.u8"
    path.write_text(
        "# CC-CEDICT\n國家 国家 [guo2 jia1] /country/nation/CL:個|个[ge4]/\n貓 猫 [mao1] /cat (CL:隻|只[zhi1])/\n",
        encoding="utf-8",
    )
    found = read_dictionary(path)
    assert found.look_up("国家") == found.look_up("國家") == ("country", "nation")
    assert found.look_up("猫") == ("cat",)


def test_dictd_files_are_read_by_their_index(tmp_path: Path) -> None:
    """Offsets are base 64, most significant digit first (dictd's format); senses of an entry are numbered."""
    entries = {
        "auto": "auto /ˈauto/ <n>\ncar, automobile\nmoottoriajoneuvo\n",
        "ajella": "ajella <v>\n1. drive\nx\n2. mow, clip\n",
    }
    digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    data, index = b"", "00databaseinfo\tA\tA\n"
    for word, entry in entries.items():
        raw = entry.encode()
        index += (
            f"{word}\t{digits[len(data)]}\t{digits[len(raw) % 64] if len(raw) < 64 else 'B' + digits[len(raw) - 64]}\n"
        )
        data += raw
    (tmp_path / "fin.index").write_text(index, encoding="utf-8")
    (tmp_path / "fin.dict.dz").write_bytes(gzip.compress(data))
    for name in ("fin.index", "fin.dict.dz"):
        found = read_dictionary(tmp_path / name)
        assert found.look_up("auto") == ("car", "automobile")
        assert found.look_up("ajella") == ("drive", "mow", "clip")
    (tmp_path / "fin.index").unlink()
    with pytest.raises(InputError, match=r"needs fin\.index"):
        read_dictionary(tmp_path / "fin.dict.dz")


def test_bad_files_are_named(tmp_path: Path) -> None:
    path = tmp_path / "bad.tsv"
    for content, complaint in (
        (b"no dictionary at all here\n" * 3, "not a dictionary"),
        (b"a\tb\n\xff\tc\n", "line 2"),
    ):
        path.write_bytes(content)
        with pytest.raises(InputError, match=rf"bad\.tsv.*{complaint}"):
            read_dictionary(path)
    with pytest.raises(InputError, match=r"none\.tsv"):
        read_dictionary(tmp_path / "none.tsv")


def test_words_are_found_by_form_lemma_parts_and_stem() -> None:
    pairs = [("haus", "house"), ("regierung", "government"), ("chef", "chief"), ("kind", "child")]
    glosser = Glosser("de", BilingualDictionary.collect("mine", pairs))
    found = {
        word.text: (word.glosses, word.how)
        for word in glosser.gloss("Haus Häusern Regierungschef Kindlein 3,5 Xyz abc!")
    }
    assert found["Haus"] == (("house",), "form")
    assert found["Häusern"] == (("house",), "lemma")
    assert found["Regierungschef"] == (("government", "chief"), "parts")
    assert found["Kindlein"][0] == ("child",)
    assert found["3,5"] == (("3,5",), "same")
    assert found["Xyz"] == (("Xyz",), "same")  # taken for a name
    assert found["abc"] == ((), "")
    assert found["!"] == (("!",), "same")


def test_chinese_is_cut_into_words() -> None:
    glosser = Glosser("zh", BilingualDictionary.collect("mine", [("天气", "weather"), ("很", "very"), ("好", "good")]))
    words = glosser.gloss("天气很好。")
    assert [word.text for word in words] == ["天气", "很", "好", "。"]
    assert [(word.start, word.end) for word in words] == [(0, 2), (2, 3), (3, 4), (4, 5)]


def test_missing_dictionaries_name_the_command(tmp_path: Path) -> None:
    empty = Environment(cache_directory=tmp_path, offline=True)
    assert {"de", "ru", "zh"} <= set(known_languages(empty))
    with pytest.raises(ModelError, match="monge dictionaries fetch ru"):
        load_dictionary("ru", "", empty)
    with pytest.raises(OptionError, match="dictionary=FILE"):
        load_dictionary("sw", "", empty)
    own = tmp_path / "own.tsv"
    own.write_text("nyumba\thouse\n", encoding="utf-8")
    assert load_dictionary("sw", str(own), empty).look_up("nyumba") == ("house",)
