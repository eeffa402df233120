"""The commands of docs/tutorial-reference-free.md, as they are written there."""

import shlex
from pathlib import Path

import pytest

from monge.cli import main

TUTORIAL = Path(__file__).parents[2] / "docs" / "tutorial-reference-free.md"
GERMAN = [
    "Der Hund schläft im Garten und die Katze sitzt auf dem Dach.",
    "Die Regierung hat gestern neue Gesetze für die Schulen angekündigt.",
    "Wir haben das Buch gelesen, und es war sehr gut geschrieben.",
    "Sie ist mit dem Zug nach Berlin gefahren und kommt morgen zurück.",
    "In der Stadt regnet es seit drei Tagen, aber niemand ist zu Hause geblieben.",
]
ENGLISH = [
    "The dog is sleeping in the garden and the cat is sitting on the roof.",
    "Yesterday the government announced new laws for the schools.",
    "We have read the book, and it was written very well.",
    "She went to Berlin by train and is coming back tomorrow.",
    "In the city it has been raining for three days, but nobody has stayed at home.",
]
FRENCH = ["la maison blanche."]
PARSE = (
    "1\tla\tle\tDET\t_\t_\t2\tdet\t_\t_\n2\tmaison\tmaison\tNOUN\t_\t_\t0\troot\t_\t_\n"
    "3\tblanche\tblanc\tADJ\t_\t_\t2\tamod\t_\tSpaceAfter=No\n4\t.\t.\tPUNCT\t_\t_\t2\tpunct\t_\t_\n"
)
# need a network, a package, torch or a model of the user
ELSEWHERE = ("monge models fetch", "monge dictionaries fetch", "xlmr", "mbert", "monge train", "fr_core_news_sm")
ORDER = [line.strip() for line in TUTORIAL.read_text(encoding="utf-8").splitlines() if line.startswith("    monge ")]
COMMANDS = [line for line in ORDER if not any(part in line for part in ELSEWHERE)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that the tutorial names."""
    path = tmp_path_factory.mktemp("tutorial")
    training = [[f"{one} {other}" for one in texts for other in texts] for texts in (GERMAN, ENGLISH)]
    files = {
        "source.de": GERMAN, "ref.de": GERMAN, "translation.de": GERMAN[:4] + GERMAN[:1],
        "ref.en": ENGLISH, "translation.en": ENGLISH, "train.de": training[0], "train.en": training[1],
        "source.fr": FRENCH, "source.fr.conllu": [PARSE],
        "pairs.txt": ["der Hund schläft ||| the dog sleeps"], "links.txt": ["1-1 2-2 3-3"],
    }  # fmt: skip
    for name, lines in files.items():
        (path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    (path / "muse_dictionaries").mkdir()
    words = "der the\nhund dog\nschläft sleeps\ngarten garden\nkatze cat\nund and\nbuch book\nzug train\nstadt city\n"
    (path / "muse_dictionaries" / "de-en.txt").write_text(words, encoding="utf-8")
    return path


def test_the_tutorial_has_commands() -> None:
    assert len(COMMANDS) >= 9


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_work_as_written(command: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("MONGE_DATA", str(folder))
    assert main(shlex.split(command)[1:]) == 0
