"""What counts as the same recipe."""

from __future__ import annotations

import pytest

from monge.errors import InputError
from monge.scores import Signature
from monge.scores.row_tables import check_recipes


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("weighting:idf(references=a2f4)", "weighting:idf(references=77c1)"),
        ("1.metric:yisi1|1.weighting:idf(references=a2f4)", "1.metric:yisi1|1.weighting:idf(references=77c1)"),
        ("lambda_c:0.23*0.41|lambda_r:0.31*0.41", "lambda_c:0.23*0.5|lambda_r:0.31*0.5"),
        ("2.lambda_c:0.23*0.41", "2.lambda_c:0.23*typical"),
    ],
)
def test_what_was_fitted_to_the_texts_may_differ(first: str, second: str) -> None:
    check_recipes(f"metric:x|{first}", f"metric:x|{second}", "here")


@pytest.mark.parametrize(
    ("first", "second", "key"),
    [
        ("lambda_c:0.23", "lambda_c:0.23*0.41", "lambda_c"),  # absolute and relative penalties
        ("weighting:idf(references=a)", "weighting:idf(sides=a)", "weighting"),
        ("1.weighting:idf(references=a)", "1.weighting:uniform", "1.weighting"),
        ("1.weight:1.0", "1.weight:0.5", "1.weight"),
        ("nrefs:1", "nrefs:2", "nrefs 2, other scores of it with 1"),
        ("nrefs:1", "nrefs:var", "nrefs"),
    ],
)
def test_scores_made_in_two_ways_are_refused(first: str, second: str, key: str) -> None:
    with pytest.raises(InputError, match=key):
        check_recipes(f"metric:x|{first}", f"metric:x|{second}", "here")


def test_other_texts_may_have_another_number_of_references() -> None:
    check_recipes("metric:x|nrefs:1|tok:13a", "metric:x|nrefs:2|tok:13a", "here", same_texts=False)
    check_recipes("metric:x|nrefs:1|tok:13a", "metric:x|tok:13a", "here")  # of an earlier version


def test_a_value_with_separators_comes_back_as_it_is_written() -> None:
    line = str(Signature({"metric": "x", "encoder": "a|b:c%\n"}))
    assert str(Signature(Signature.parse(line).fields | {"encoder": "a|b:c%\n"})) == line
