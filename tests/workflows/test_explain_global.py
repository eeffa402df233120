"""What metrics respond to: coefficients that are known by construction, tables, commands."""

import json
from pathlib import Path

import numpy as np
import pytest

from monge.cli import main
from monge.errors import InputError, OptionError
from monge.explanation.response import respond_to_table
from monge.report.factors import draw_coefficients, factor_sentences, factor_table
from monge.workflows.explain_global import GlobalRequest, explain_global, run_explain_global
from monge.workflows.judged_data import JudgedData

ROWS = [
    {"hypothesis": h, "reference": r, "source": s, "human": q}
    for h, r, s, q in [
        ("the cat sat on the mat", "a cat was sitting on the mat", "die Katze sass auf der Matte", 4),
        ("dogs bark at night", "at night dogs bark", "nachts bellen Hunde", 5),
        ("he sold the house", "he bought a house", "er kaufte ein Haus", 1),
        ("they walk to school daily", "every day they walk to school", "sie gehen jeden Tag zur Schule", 5),
        ("rain fell over town", "the sun shone over the town", "die Sonne schien auf die Stadt", 1),
        ("we met him in may", "we met in may", "wir trafen uns im Mai", 3),
        ("the train is late again", "once more the train is late", "der Zug ist wieder zu spät", 5),
        ("birds can swim", "fish can swim well", "Fische schwimmen gut", 2),
        ("i like tea", "i prefer tea to coffee", "ich mag lieber Tee als Kaffee", 3),
        ("she reads a long book", "she is reading a long book", "sie liest ein langes Buch", 5),
    ]
]


def make_columns(size: int = 400) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    sem, lex, bias = rng.normal(size=(3, size))
    return {"SEM": sem, "lex": lex, "a": 0.6 * sem + 0.8 * lex, "b": 0.5 * sem + 2 * bias, "CLB:b": bias}


def test_coefficients_known_by_construction() -> None:
    first, second = respond_to_table(make_columns())
    assert first.metric == "a"
    assert first.plain is None
    assert first.regression.coefficients["SEM"] == pytest.approx(0.6, abs=0.05)
    assert first.regression.coefficients["LEX"] == pytest.approx(0.8, abs=0.05)
    assert first.regression.r_squared == pytest.approx(1)
    assert second.regression.coefficients["CLB"] > 0.9  # its own bias explains nearly all of b
    assert second.regression.r_squared == pytest.approx(1)
    assert second.plain is not None
    assert second.plain.r_squared < 0.2


def test_table_sentences_and_bars() -> None:
    responses = respond_to_table(make_columns())
    header, rows = factor_table(responses)
    assert header == ["metric", "SEM", "LEX", "CLB", "R²", "R² without CLB", "pairs"]
    assert rows[0][3] == "–"
    assert factor_sentences(responses)[0].startswith("a responds most to shared words (.7")
    assert len(draw_coefficients(responses).axes) == 1


def test_a_table_without_factors_or_scores_is_refused() -> None:
    with pytest.raises(InputError, match="no factor"):
        respond_to_table({"a": [1.0, 2.0]})
    with pytest.raises(InputError, match="no scores"):
        respond_to_table({"SEM": [1.0, 2.0], "LEX": [2.0, 1.0]})


def test_computed_factors_of_references_and_of_sources() -> None:
    factors = ("SEM", "LEX")  # SYN and MOR need a parser; tests/explanation covers them
    result = explain_global(ROWS, ["chrf", "emd,encoder=hashed,against=source"], factors=factors)
    chrf, source = result.responses
    assert chrf.regression.coefficients["LEX"] > 0.3  # chrF counts shared characters
    assert set(source.regression.coefficients) == {"SEM", "LEX"}
    whole = explain_global(ROWS, ["emd,encoder=hashed,against=source"])
    assert set(whole.responses[0].regression.coefficients) == {"SEM", "LEX", "CLB"}
    assert whole.responses[0].plain is not None
    assert "LEX and CLB take the first reference as the translation of the source" in whole.notes


def test_syntax_and_morphology_are_measured() -> None:
    result = run_explain_global(GlobalRequest(JudgedData(ROWS), ("chrf",)))
    assert set(result.responses[0].regression.coefficients) == {"SEM", "SYN", "LEX", "MOR"}


def test_metrics_or_a_table_are_needed() -> None:
    with pytest.raises(OptionError, match="name some with -m"):
        explain_global(ROWS)


def test_the_command_reads_a_table_without_a_header(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    columns = make_columns(60)
    lines = ["\t".join(["a text", *(f"{column[i]:.6f}" for column in columns.values())]) for i in range(60)]
    lines[3] = '"two\tcells"' + lines[3].removeprefix("a text")  # quoted, as csv writers do
    path = tmp_path / "scored.tsv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    names = ["--names", "-", "SEM", "LEX", "a", "b", "CLB:b"]
    figure = tmp_path / "bars.svg"
    assert main(["explain", "--global", str(path), *names, "-f", "json", "--plot", str(figure)]) == 0
    record = json.loads(capsys.readouterr().out)
    assert [one["metric"] for one in record["metrics"]] == ["a", "b"]
    assert figure.read_text(encoding="utf-8").startswith("<?xml")
    assert main(["explain", "--global", str(path), *names]) == 0
    assert "a responds most to shared words" in capsys.readouterr().out
    assert main(["explain", "--global", str(path), *names, "-f", "html"]) == 2
