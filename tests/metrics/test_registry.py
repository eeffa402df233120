"""Options as programs give them: values of the wrong kind are told, not met later."""

import pytest

from monge.errors import OptionError
from monge.metrics import load_metric


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("ribes", {"alpha": None}, "alpha=None: must be a number"),
        ("ribes", {"alpha": [1]}, r"alpha=\[1\]: must be a number"),
        ("bleu", {"language": None}, "language=None: must be given, or left out"),
        ("lazy_emd", {"lambda_c": None}, "lambda_c=None: must be a number"),
    ],
)
def test_values_of_the_wrong_kind_are_told(name: str, options: dict[str, object], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        load_metric(name, **options)
