"""From sets and scores to tasks: what is resampled together, and what may be joined."""

from dataclasses import replace

import numpy as np
import pytest

from monge.errors import InputError
from monge.meta import Resampling
from monge.meta.data import JudgedSet
from monge.meta.study import AgreementPlan, study_agreement
from monge.meta.tasks import make_tasks
from monge.scores import ScoreTable
from monge.text import Segment

IDS = tuple(str(i) for i in range(30))


def judged(name, *, text="output", aspects=("da",), reference="r"):
    rng = np.random.default_rng(0)
    segments = tuple(Segment(f"{text} {i}", (reference,), id=i, system="s") for i in IDS)
    return JudgedSet(name, segments, {a: ScoreTable(("s",), IDS, rng.normal(size=(1, 30))) for a in aspects})


def scores():
    rng = np.random.default_rng(1)
    return {m: ScoreTable(("s",), IDS, rng.normal(size=(1, 30)), name=m) for m in ("a", "b")}


def test_other_outputs_are_drawn_independently_and_the_same_outputs_together():
    sets = [judged("de-en", aspects=("x", "y")), judged("cs-en", text="other"), judged("paraphrased", reference="q")]
    tasks = make_tasks([(one, scores()) for one in sets], level="segment")
    assert len({task.origin for task in tasks}) == 2
    assert [task.origin == tasks[0].origin for task in tasks] == [True, True, False, True]
    same = [replace(task, human=tasks[0].human) for task in tasks]  # so that only the draws can differ
    plan = AgreementPlan(resampling=Resampling(count=50), test="bootstrap")
    found = study_agreement(same, plan).agreements["a"]
    first, second, other, paraphrased = (found[task.name].draws for task in tasks)
    np.testing.assert_array_equal(first, second)
    np.testing.assert_array_equal(first, paraphrased)
    assert abs(np.corrcoef(first, other)[0, 1]) < 0.5


def test_tasks_made_by_hand_are_drawn_independently():
    (task,) = make_tasks([(judged("de-en"), scores())], level="segment")
    tasks = [replace(task, name=name, origin="") for name in ("first", "second")]
    plan = AgreementPlan(resampling=Resampling(count=50), test="bootstrap")
    study = study_agreement(tasks, plan)
    alone = study_agreement([task], plan)
    assert (study.agreements["a"]["first"].draws != study.agreements["a"]["second"].draws).any()
    assert study.averages["a"].high - study.averages["a"].low < alone.averages["a"].high - alone.averages["a"].low


def test_two_tasks_of_one_name_are_refused():
    (task,) = make_tasks([(judged("de-en"), scores())], level="segment")
    with pytest.raises(InputError, match="two tasks are called 'de-en'"):
        study_agreement([task, task], AgreementPlan())
