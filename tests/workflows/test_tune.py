"""Choosing settings and running suites from Python."""

import json
from pathlib import Path

import numpy as np
import pytest

from monge.environment import Environment
from monge.errors import OptionError
from monge.report.correlate.tune import tune_text
from monge.workflows.agreement_options import AgreementOptions
from monge.workflows.benchmark import BenchmarkRequest, run_benchmark
from monge.workflows.judged_data import JudgedData
from monge.workflows.suites import Suite, SuiteData
from monge.workflows.tune import TuneRequest, TuneResult, run_tune, tune

GRID = {"char_order": ["1", "3"], "word_order": ["0", "2"]}


def test_settings_are_chosen_on_some_rows_and_reported_on_others(
    rows: list[dict[str, object]], other_rows: list[dict[str, object]], tmp_path: Path
) -> None:
    result = tune(
        rows, metric="chrf", grid=GRID, report=[other_rows], environment=Environment(cache_directory=tmp_path)
    )
    ((_, choice),) = result.choices
    assert len(choice.averages) == 4
    best = max(choice.averages.values(), key=lambda a: a.value)
    assert next(iter(result.totals)) == best.metric
    assert " ".join(f"{key}={value}" for key, value in result.chosen.options.items()) == best.metric
    ((name, study),) = result.reports
    assert name == "rows"
    assert set(study.averages) == {"chosen", "as it was"}
    json.dumps(result.record(), allow_nan=False)


def test_settings_are_not_reported_on_the_data_of_the_choice(rows: list[dict[str, object]], tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="outputs of rows are among those of rows"):
        tune(rows, metric="chrf", grid=GRID, report=[rows[:30]], environment=Environment(cache_directory=tmp_path))
    with pytest.raises(OptionError, match="must name other sets"):
        tune(rows, metric="chrf", grid=GRID, report=[], environment=Environment(cache_directory=tmp_path))


def test_settings_above_another_metric_are_preferred(
    rows: list[dict[str, object]], other_rows: list[dict[str, object]], tmp_path: Path
) -> None:
    def run(above: str) -> TuneResult:
        data = (JudgedData(rows[:30]), JudgedData(rows[30:]))
        options = AgreementOptions(draws=20)
        request = TuneRequest(data, (JudgedData(other_rows),), "chrf", GRID, options, above=above)
        return run_tune(request, environment=Environment(cache_directory=tmp_path))

    free = run("")
    values = {s: [study.averages[s].value for _, study in free.choices] for s in free.totals}
    for rival in values:
        result = run("rival:=chrf," + rival.replace(" ", ","))
        above = [s for s in free.totals if np.greater(values[s], values[rival]).all()]
        assert list(result.totals) == above + [s for s in free.totals if s not in above]
        assert set(result.above) == set(above)
        assert [result.totals[s].value for s in values] == [free.totals[s].value for s in values]
        assert "rival" in tune_text(result)
        json.dumps(result.record(), allow_nan=False)
    assert any(np.greater(a, b).all() for a in values.values() for b in values.values())


def test_a_suite_of_ones_own(rows: list[dict[str, object]], tmp_path: Path) -> None:
    path = tmp_path / "rated.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    encoded = ("bertscore,encoder=hashed", "yisi1,encoder=hashed")
    data = (SuiteData(str(path)), SuiteData(str(path), level="item", statistics=("kendall", "pearson")))
    suite = Suite("mine", "My metrics", data, ("chrf", "ter"), ablations=(encoded,))
    request = BenchmarkRequest(suite, AgreementOptions(draws=20))
    environment = Environment(cache_directory=tmp_path)
    result = run_benchmark(request, environment=environment)
    assert [(part.level, [s.statistic.name for s in part.studies]) for part in result.parts] == [
        ("segment", ["pearson"]),
        ("item", ["kendall", "pearson"]),
    ]
    (ablation,) = result.parts[0].ablations
    assert (ablation.start, ablation.end) == encoded
    assert next(iter(ablation.steps)) == encoded[0]
    assert run_benchmark(request, environment=environment).record() == result.record()
