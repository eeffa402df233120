"""Sentences: each conclusion and each warning appears when it should, and only then."""

import numpy as np
import pytest

from monge.comparison import CompareSettings, compare_systems, explain_comparison
from monge.comparison.diagnosis import key_pairs
from monge.comparison.significance import correct_fdr, correct_holm
from monge.comparison.wording import listed, p_value, percent
from monge.scores import ScoreTable
from monge.wording import count_noun

RNG = np.random.default_rng(9)
SHARED = RNG.normal(0.6, 0.1, size=200)


def explain(values: dict[str, np.ndarray], *, types: list[str] | None = None, higher: bool = True, **options):
    size = len(next(iter(values.values())))
    table = ScoreTable(tuple(values), tuple(f"s{k}" for k in range(size)), np.array(list(values.values())), "", higher)
    comparison = compare_systems(table, settings=CompareSettings(draws=400, orders=5, **options), types=types or ())
    return explain_comparison(comparison)


def noisy(shift: float, seed: int, spread: float = 0.05) -> np.ndarray:
    return SHARED + shift + np.random.default_rng(seed).normal(0, spread, size=200)


def test_a_clear_winner_gets_one_sentence_and_no_warning() -> None:
    findings = explain({"old": noisy(0.0, 1), "new": noisy(0.03, 2)})
    (sentence,) = findings.conclusions
    assert sentence.startswith("new beats old: better on 6")
    assert "sign test p < 0.001" in sentence
    assert "the mean agrees (by 0.03" in sentence
    assert findings.warnings == ()


def test_an_open_pair_tells_how_many_instances_are_missing() -> None:
    findings = explain({"old": noisy(0.0, 1), "new": noisy(0.005, 2)})
    (sentence,) = findings.conclusions
    assert "cannot be told apart" in sentence
    assert "more instances would settle a difference of this size" in sentence


def test_ties_are_not_counted_as_wins() -> None:
    base = np.zeros(60)
    few, many = base.copy(), base.copy()
    few[:10], few[10:15] = 1.0, -1.0
    many[:30] = 1.0
    (open_pair,) = explain({"old": base, "new": few}).conclusions
    assert "new is better on 17 %, worse on 8 % of 60 instances (P = 54 % [48–60] with ties counted half, " in open_pair
    (settled,) = explain({"old": base, "new": many}).conclusions
    assert settled.startswith("new beats old: better on 50 %, worse on 0 % of 60 instances (30 wins, 0 losses, 30 ties")


def test_what_differs_by_rounding_is_a_tie() -> None:
    findings = explain({"old": np.full(8, 0.1 + 0.2), "new": np.full(8, 0.3)})
    assert findings.conclusions == ("old and new have the same score on all 8 instances",)
    assert not any("disagree" in warning or "differ by" in warning for warning in findings.warnings)


def test_a_difference_of_the_margin_is_a_tie_however_it_is_rounded() -> None:
    findings = explain({"old": np.array([0.8, 0.3, 0.9]), "new": np.array([0.7, 0.2, 0.8])}, tie_margin=0.1)
    assert findings.conclusions == ("old and new differ by no more than 0.1 on all 3 instances",)


def test_outliers_that_carry_the_mean_are_named() -> None:
    new = noisy(0.03, 2)
    new[[7, 42]] -= 9.0
    findings = explain({"old": noisy(0.0, 1), "new": new})
    assert "the mean prefers old" in findings.conclusions[0]
    assert (
        "only because of 2 instances (s7 and s42)" in findings.conclusions[0]
        or "(s42 and s7)" in findings.conclusions[0]
    )
    assert any(
        w.startswith("mechanisms disagree on the winner: ") and "mean puts old first" in w for w in findings.warnings
    )


def test_lower_is_better_names_the_lower_system() -> None:
    findings = explain({"old": noisy(0.03, 1), "new": noisy(0.0, 2)}, higher=False)
    assert findings.conclusions[0].startswith("new beats old")


def test_a_cycle_is_shown() -> None:
    block = np.array([[1, 2, 3], [2, 3, 1], [3, 1, 2]], dtype=float)  # A > C > B > A
    findings = explain({name: np.tile(row, 30) for name, row in zip("ABC", block, strict=True)})
    assert any("no order fits all pairs" in w for w in findings.warnings)


def test_a_pair_that_bradley_terry_contradicts_is_shown() -> None:
    # A beats B on 11 of 20 instances, but the weak C loses to B always and to A only mostly: B ends up first
    a = np.array([1.0] * 11 + [0.0] * 9)
    b = np.full(20, 0.5)
    c = np.array([0.4] * 11 + [0.4] * 9)
    findings = explain({"A": np.tile(a, 5), "B": np.tile(b, 5), "C": np.tile(c, 5)})
    (warning,) = [w for w in findings.warnings if w.startswith("Bradley–Terry ranks")]
    assert warning.startswith("Bradley–Terry ranks B above A, yet A beats it 55 to 45")
    assert "mechanisms disagree" in " ".join(findings.warnings)


def test_types_that_pull_apart_are_shown() -> None:
    kind = np.arange(200) % 4 == 0
    new = noisy(0.0, 2) + np.where(kind, -0.08, 0.06)
    types = ["hard" if k else "easy" for k in kind]
    findings = explain({"old": noisy(0.0, 1), "new": new}, types=types)
    (warning,) = [w for w in findings.warnings if w.startswith("instance types disagree")]
    assert "'easy'" in warning
    assert "'hard'" in warning
    calm = explain({"old": noisy(0.0, 1), "new": noisy(0.03, 2)}, types=types)
    assert not [w for w in calm.warnings if "types disagree" in w]


def test_easy_and_hard_halves_are_found_without_types() -> None:
    hard = np.median(SHARED) > SHARED
    findings = explain({"old": noisy(0.0, 1), "new": noisy(0.0, 2) + np.where(hard, -0.08, 0.08)})
    assert any(w.startswith("easy and hard instances disagree") for w in findings.warnings)


def test_an_outcome_that_hangs_on_few_instances_is_called_fragile() -> None:
    values = np.zeros(12)
    wins = np.array([1.0] * 10 + [-1.0] * 2)  # p = 0.039: one win less and it is gone
    findings = explain({"old": values, "new": wins})
    assert any("new over old depends on 1 instance of 12" in w for w in findings.warnings)
    solid = explain({"old": noisy(0.0, 1), "new": noisy(0.05, 2)})
    assert not any("over old depends on" in w for w in solid.warnings)


def one_of_ten_pairs() -> dict[str, np.ndarray]:
    """Return five systems of which new beats old 44 to 20 (p = 0.0037) and all other pairs stand 32 to 32."""
    even = np.array([1.0, -1.0] * 32)
    return {"old": np.zeros(64), "new": np.array([1.0] * 44 + [-1.0] * 20)} | {f"x{k}": even * k for k in (2, 3, 4)}


@pytest.mark.parametrize("correction", ["holm", "fdr"])
def test_fragility_counts_with_the_correction(correction: str) -> None:
    findings = explain(one_of_ten_pairs(), correction=correction)  # 10 x 0.0037 = 0.037, one win less 0.0515
    assert any("new over old depends on 1 instance of 64" in w for w in findings.warnings)
    bare = explain(one_of_ten_pairs(), correction="none")
    assert not any("over old depends on" in w for w in bare.warnings)


@pytest.mark.parametrize("test", ["wilcoxon", "mood", "bootstrap", "randomisation"])
def test_fragility_is_reported_only_for_tests_it_was_computed_for(test: str) -> None:
    findings = explain({"old": np.zeros(12), "new": np.array([1.0] * 10 + [-1.0] * 2)}, decide_by=test)
    assert not any("over old depends on" in w for w in findings.warnings)


def test_wilcoxon_does_not_claim_a_majority() -> None:
    sizes = np.random.default_rng(3).uniform(0.5, 1.0, size=100)
    new = np.where(np.arange(100) < 42, 10 * sizes, -0.1 * sizes)
    findings = explain({"old": np.zeros(100), "new": new}, decide_by="wilcoxon")
    assert findings.conclusions[0].startswith(
        "new beats old: ranked by size, its wins outweigh its losses over 100 inst"
    )
    assert findings.conclusions[0].endswith("; but old wins more instances (58 to 42)")


def test_fdr_asks_in_the_hardest_case_what_holm_asks() -> None:
    levels = {name: CompareSettings(correction=name).level(45) for name in ("holm", "fdr", "none")}
    assert levels == pytest.approx({"holm": 0.05 / 45, "fdr": 0.05 / 45, "none": 0.05})
    for correct in (correct_holm, correct_fdr):
        assert correct(np.array([0.05 / 45] + [1.0] * 44))[0] == pytest.approx(0.05)
    values = {name: noisy(0.05 * k, k) for k, name in enumerate("ABCDEFG")}
    findings = explain(values, decide_by="bootstrap", correction="fdr")
    assert any("400 draws cannot show significance over 21 pairs" in w for w in findings.warnings)


def test_one_instance_that_decides_the_mean_is_named() -> None:
    old, new = noisy(0.0, 1), noisy(0.0, 1)
    new = new + 1e-6
    new[3] -= 1.0
    findings = explain({"old": old, "new": new})
    assert any(w == "leaving out this one instance changes the winner by mean: s3" for w in findings.warnings)


def test_more_ties_than_wins_is_said() -> None:
    new = noisy(0.0, 1)
    new[:60] += 0.1
    findings = explain({"old": noisy(0.0, 1), "new": new})
    assert any(
        "old and new tie on 70 % of instances: the sign test rests on the other 60" in w for w in findings.warnings
    )
    assert any(note.startswith("ties (equal scores") for note in findings.notes)


def test_identical_systems_are_said() -> None:
    findings = explain({"old": SHARED, "new": SHARED.copy()})
    assert findings.conclusions == ("old and new have the same score on all 200 instances",)


def test_too_few_instances_are_said() -> None:
    findings = explain({"old": np.zeros(4), "new": np.ones(4)})
    assert any("4 instances cannot decide anything: a sign test needs at least 6" in w for w in findings.warnings)


def test_too_few_draws_for_many_pairs_are_said() -> None:
    values = {name: noisy(0.05 * k, k) for k, name in enumerate("ABCDEFG")}
    findings = explain(values, decide_by="bootstrap")
    assert any("400 draws cannot show significance over 21 pairs: use at least 840" in w for w in findings.warnings)


def test_missing_scores_are_counted() -> None:
    new = noisy(0.02, 2)
    new[:15] = np.nan
    findings = explain({"old": noisy(0.0, 1), "new": new})
    assert any(
        "15 scores missing (15 of new): each pair uses the instances both have, at least 185 of 200" in n
        for n in findings.notes
    )


def test_a_system_that_never_wins_is_reported_in_the_notes() -> None:
    findings = explain({"old": noisy(0.0, 1), "new": noisy(0.02, 2), "bad": SHARED - 5})
    assert any("no finite maximum here" in n and "0.5 virtual wins" in n for n in findings.notes)


@pytest.mark.parametrize("test", ["t", "randomisation", "bootstrap"])
def test_a_mean_test_speaks_of_the_mean(test: str) -> None:
    findings = explain({"old": noisy(0.0, 1), "new": noisy(0.03, 2)}, decide_by=test)
    assert findings.conclusions[0].startswith("new beats old: its mean is better by 0.03")
    assert "it also wins more instances" in findings.conclusions[0]


def test_several_systems_begin_with_the_leader() -> None:
    findings = explain({"a": noisy(0.0, 1), "b": noisy(0.03, 2), "c": noisy(0.08, 3)})
    assert findings.conclusions[0].startswith("c is the best of 3 systems")
    assert len(findings.conclusions) == 4
    equal = explain({"a": noisy(0.0, 1), "b": noisy(0.0, 2), "c": noisy(0.0, 3)})
    assert equal.conclusions[0].startswith("no group of the 3 systems")


def test_many_systems_are_described_by_neighbours() -> None:
    values = {f"system{k}": noisy(0.02 * k, k) for k in range(20)}
    table = ScoreTable(tuple(values), tuple(map(str, range(200))), np.array(list(values.values())))
    comparison = compare_systems(table, settings=CompareSettings(draws=100, orders=2))
    assert len(key_pairs(comparison)) == 12
    top, leader, rival = explain_comparison(comparison).conclusions
    assert "of the 20 systems" in top or "of 20 systems" in top or "lead the 20" in top
    assert leader.startswith("system19 is first by Bradley–Terry and beats ")
    assert leader.endswith("of all 190 pairs are settled")
    assert "system19" in rival


def test_wording() -> None:
    assert percent(0.5) == "50 %"
    assert percent(1.0) == "100 %"
    assert p_value(0.05) == "p = 0.050"
    assert count_noun(0, "win") == "0 wins"
    assert listed(["A"]) == "A"


@pytest.mark.parametrize("test", ["sign", "t", "bootstrap"])
def test_scores_that_differ_by_a_constant_are_said(test: str) -> None:
    findings = explain({"old": SHARED[:6], "new": SHARED[:6] + 0.1}, decide_by=test)
    assert "p = 0.031" in findings.conclusions[0]
    assert any("differ by 0.1 on every instance" in warning for warning in findings.warnings)
    assert not any("mean advantages from" in note for note in findings.notes)


@pytest.mark.parametrize("test", ["sign", "t", "bootstrap"])
def test_one_instance_decides_nothing(test: str) -> None:
    findings = explain({"old": SHARED[:1], "new": SHARED[:1] + 0.1}, decide_by=test)
    assert "cannot be told apart" in findings.conclusions[0]
    assert "p = 1.00" in findings.conclusions[0]
    assert any(note.startswith("so few decided instances cannot show any difference") for note in findings.notes)
    assert findings.warnings == ("1 instance cannot decide anything: a sign test needs at least 6",)


def test_a_test_and_an_interval_that_disagree_are_not_left_unsaid() -> None:
    """The interval is widened for small samples; the bootstrap test is not."""
    rng = np.random.default_rng(3)
    for _ in range(200):
        base = rng.normal(size=7)
        findings = explain({"old": base, "new": base + rng.normal(0.8, 1.0, size=7)}, decide_by="bootstrap")
        (sentence,) = findings.conclusions
        if "beats" in sentence:
            low = float(sentence.split("[")[1].split(",")[0].replace("−", "-"))
            assert ("the interval, widened for so few instances, includes 0" in sentence) == (low <= 0)
            if low <= 0:
                return
    raise AssertionError("no draw has the case that is tested")
