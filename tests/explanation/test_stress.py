"""Attacks damage what they say they damage, and rates count what they say they count."""

import gzip
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from monge.errors import InputError, OptionError
from monge.explanation.attacks import ATTACKS, find_names, make_victim
from monge.explanation.paraphrases import ParaphraseTrial, find_trials, separate_paraphrases
from monge.explanation.stress import Rate, fooled_by, own_pairs, run_stress, weak_spots
from monge.explanation.triples import keep_least_shared, read_triples, score_triples
from monge.metrics import load_metric
from monge.report.stress import stress_report
from monge.report.triples import draw_triples
from monge.scores import Score
from monge.text import Segment

ignore_spacy = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::UserWarning")
SIMPLE = [name for name in ATTACKS if name != "nouns"]


def damage(attack: str, text: str, source: str | None = None, others: Sequence[str] = ()) -> str | None:
    return ATTACKS[attack].damage(make_victim(text, source, others, attack=attack, seed=1))


@pytest.mark.parametrize(
    ("text", "damaged"),
    [
        ("The shop is open.", "The shop is not open."),
        ("The shop is not open.", "The shop is open."),
        ("No shop opened.", "Shop opened."),
        ("Maria sleeps.", "It is not true that Maria sleeps."),
        ("The cat sleeps.", "It is not true that the cat sleeps."),
    ],
)
def test_negation(text: str, damaged: str) -> None:
    assert damage("negation", text) == damaged


def test_numbers_all_change_and_nothing_else() -> None:
    damaged = damage("numbers", "In 1999, 12 men bought two boats.")
    assert damaged is not None
    words, before = damaged.rstrip(".").split(), ["In", "1999,", "12", "men", "bought", "two", "boats"]
    changed = [i for i, (a, b) in enumerate(zip(words, before, strict=True)) if a != b]
    assert changed == [1, 2, 5]
    assert damage("numbers", "No figures here.") is None


def test_names_change_places() -> None:
    assert damage("names", "Yesterday Maria met Jean Paul in Rome.") is not None
    assert damage("names", "In May, Ann saw Bob.") == "In Ann, Bob saw May."
    assert damage("names", "the cat sleeps") is None
    alone = damage("names", "They went to Rome.")
    assert alone is not None
    assert "Rome" not in alone
    assert find_names("It rained. The dog saw New York.") == ["New York"]


def test_words_are_kept_where_they_should_be() -> None:
    text = "The old man saw the sea again."
    shuffled = damage("word order", text)
    assert shuffled is not None
    assert sorted(shuffled.rstrip(".").split()) == sorted(text.rstrip(".").split())
    assert shuffled != text
    assert damage("truncation", text) == "The old man."
    repeated = damage("repetition", text)
    assert repeated is not None
    assert len(repeated.split()) > len(text.split())


def test_attacks_that_need_something_else() -> None:
    assert damage("copied source", "x") is None
    assert damage("copied source", "x", source="quelle") == "quelle"
    assert damage("empty", "x") == ""
    assert damage("unrelated", "x", others=["x", "y"]) == "y"
    assert damage("unrelated", "x", others=["x"]) is None


@ignore_spacy
def test_nouns_change_places() -> None:
    damaged = damage("nouns", "The dog bit the man in the garden.")
    assert damaged is not None
    assert all(damaged.count(noun) == 1 for noun in ("dog", "man", "garden"))
    assert damaged != "The dog bit the man in the garden."


@pytest.mark.parametrize("attack", SIMPLE)
@pytest.mark.parametrize("text", ["", " ", "word", "日本語。", "<b>\x00</b> 12", "A. B. C.", "😀 😀 😀 😀"])
def test_odd_texts_are_no_trouble(attack: str, text: str) -> None:
    damaged = damage(attack, text, source="s", others=["other text"])
    assert damaged is None or isinstance(damaged, str)
    assert damaged == damage(attack, text, source="s", others=["other text"])


def test_interval_of_wilson() -> None:
    """Against scipy's own."""
    from scipy.stats import binomtest

    expected = binomtest(37, 40).proportion_ci(method="wilson")
    assert Rate(37, 0, 40).interval == pytest.approx((expected.low, expected.high), abs=1e-9)
    assert Rate(1, 2, 4).share == 0.5


class Constant:
    """A metric that sees nothing."""

    def __init__(self) -> None:
        inner = load_metric("chrf")
        self.spec, self.signature, self.bound = inner.spec, inner.signature, True
        self.binding_notes: tuple[str, ...] = ()

    def bind(self, corpus: Sequence[Segment]) -> "Constant":
        return self

    def score(self, segments: Sequence[Segment]) -> list[Score]:
        return [Score(1.0) for _ in segments]


def test_a_constant_metric_gets_one_half_and_is_reported() -> None:
    result = run_stress(Constant(), own_pairs(), SIMPLE)
    assert all(attack.notices.share == 0.5 for attack in result.attacks)
    assert set(weak_spots(result)) == {attack.attack for attack in result.attacks}
    assert "often misses" in stress_report([result])


def test_bag_of_words_misses_order_and_is_fooled_by_overlap() -> None:
    result = run_stress(load_metric("rouge1"), own_pairs(), SIMPLE)
    by_name = {attack.attack: attack for attack in result.attacks}
    assert by_name["word order"].notices.share == 0.5
    assert by_name["word order"].notices.ties == 40
    assert by_name["empty"].notices.share == 1.0
    assert "numbers" in fooled_by(result)
    assert by_name["copied source"].resists.trials == 0


def test_it_is_deterministic() -> None:
    first, second = (run_stress(load_metric("chrf"), own_pairs(), SIMPLE).record() for _ in range(2))
    assert first == second


def test_triples() -> None:
    triples = [("a b c d", "a b c e", "x y z w"), ("a b", "q", "a b")]
    found = score_triples(load_metric("rouge1"), triples)
    assert (found.rate.wins, found.rate.trials) == (1, 2)
    assert found.paraphrases.tolist() == [0.75, 0.0]
    assert found.others.tolist() == [0.0, 1.0]
    distance = score_triples(load_metric("ter"), triples)
    assert (distance.rate.wins, distance.higher_is_better) == (1, False)


def test_triples_are_read_as_texts_or_with_labels(tmp_path: Path) -> None:
    plain, labelled, wrong = (tmp_path / name for name in ("plain.tsv", "labelled.tsv", "wrong.tsv"))
    plain.write_text("a b\tc\ta d\n", encoding="utf-8")
    labelled.write_text("0\ta b\ta d\n1\ta b\tc\n1\talone\tonly\n", encoding="utf-8")
    wrong.write_text("a\tb\n", encoding="utf-8")
    assert read_triples(plain) == read_triples(labelled) == [("a b", "c", "a d")]
    with pytest.raises(InputError, match="line 1: three texts"):
        read_triples(wrong)


def test_the_hardest_triples_and_the_figure() -> None:
    triples = [("a b c d", "a b c x", "d c b a"), ("a b c d", "w x y z", "b a c d"), ("a b c d", "a x y z", "a c b d")]
    assert keep_least_shared(triples, 2) == triples[1:]
    scores = {
        "mine": [score_triples(load_metric(name), triples) for name in ("rouge1", "ter", "chrf", "bleu", "rougel")]
    }
    figure = draw_triples(scores)
    assert [axes.get_title(loc="left") for axes in figure.axes][:2] == [
        "rouge1: 0% prefer B",
        "ter (distance): 33% prefer B",
    ]


def test_mistakes() -> None:
    with pytest.raises(OptionError, match="negation"):
        run_stress(load_metric("chrf"), own_pairs(), ["negatio"])
    with pytest.raises(InputError, match="good texts"):
        run_stress(load_metric("chrf"), [Segment("a")])


def test_the_own_pairs_are_what_they_should_be() -> None:
    pairs = own_pairs()
    assert len(pairs) == 40
    assert len({pair.hypothesis for pair in pairs} | {pair.references[0] for pair in pairs}) == 80
    assert all(pair.source for pair in pairs)


def test_public_sets_are_found(tmp_path: Path) -> None:
    (tmp_path / "paws_qqp").mkdir()
    (tmp_path / "paws_qqp" / "dev_and_test.tsv").write_text(
        "id\tsentence1\tsentence2\tlabel\n1\tb'red boat'\tb'red boat'\t1\n2\tb\"it's red\"\tx y\t0\n", encoding="utf-8"
    )
    folder = tmp_path / "global_explanation" / "adversarial"
    folder.mkdir(parents=True)
    for name in ("freitag", "paws"):
        with gzip.open(folder / f"{name}.tsv.gz", "wt", encoding="utf-8") as stream:
            stream.write("0\tdog bites man\tman bites dog\n1\tdog bites man\ta person is bitten\n")
    trials = {trial.name: trial for trial in find_trials([tmp_path, tmp_path / "none"])}
    assert list(trials) == ["paws", "paws-wiki", "freitag"]
    assert trials["paws"].pairs == [("red boat", "red boat", True), ("it's red", "x y", False)]
    assert trials["paws"].run(load_metric("chrf")).share == 1.0
    assert trials["freitag"].triples == [("dog bites man", "a person is bitten", "man bites dog")]
    assert trials["freitag"].run(load_metric("chrf")).share == 0.0
    report = stress_report(
        [run_stress(load_metric("chrf"), own_pairs(), ["empty"])],
        {name: [trial.run(load_metric("chrf"))] for name, trial in trials.items()},
    )
    assert "Public sets" in report
    assert "prefers the same words to the same meaning on" not in report  # one triple is too few to say so
    many = ParaphraseTrial("mine", "x", trials["freitag"].triples * 20)
    misled = stress_report(
        [run_stress(load_metric("chrf"), own_pairs(), ["empty"])], {"mine": [many.run(load_metric("chrf"))]}
    )
    assert "It prefers the same words to the same meaning on mine (100%)." in misled


def test_the_interval_of_separating_paraphrases_covers_chance() -> None:
    rng = np.random.default_rng(1)
    pairs = [("a b c", "a b c" if rng.random() < 0.5 else "x y z", bool(rng.random() < 0.5)) for _ in range(200)]
    found = separate_paraphrases(load_metric("rouge1"), pairs)
    assert found.low < 0.5 < found.high  # labels have nothing to do with the texts
    assert 0.1 < found.high - found.low < 0.2
