"""Settings of a comparison are checked before any work."""

from typing import Any

import pytest
from sacrebleu.significance import PairedTest

from monge.comparison import CompareSettings
from monge.errors import OptionError


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"draws": 999_999_999_999}, "draws must be at least 1 and at most 1,000,000, not 999,999,999,999"),
        ({"draws": 0}, "draws must be at least 1 and at most 1,000,000, not 0"),
        ({"orders": 10**9}, "orders must be at least 1 and at most 1,000, not 1,000,000,000"),
        ({"orders": 0}, "orders must be at least 1 and at most 1,000, not 0"),
        ({"draws": 10}, "10 draws cannot show a level of 0.05; use 400"),
        ({"alpha": 0.001}, "1000 draws cannot show a level of 0.001; use 20000"),
        ({"alpha": 0.00001}, "1000 draws cannot show a level of 1e-05; use 1000000"),
        ({"alpha": 1e-9}, "alpha must be at least 2e-06, since at most 1,000,000 draws are possible"),
        ({"alpha": 0.0}, "alpha must lie between 0 and 1, not 0.0"),
        ({"alpha": 1.0}, "alpha must lie between 0 and 1, not 1.0"),
        ({"power": 0.0}, "power must lie between 0 and 1, not 0.0"),
        ({"seed": -1}, "seed must be at least 0, not -1"),
        ({"correction": "hom"}, "no correction 'hom'.*holm"),
        ({"decide_by": "sine"}, "no test 'sine'.*sign"),
    ],
)
def test_values_out_of_range_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        CompareSettings(**options)


def test_what_is_advised_is_accepted() -> None:
    CompareSettings(alpha=0.00001, draws=1_000_000)
    CompareSettings(alpha=0.001, draws=20_000)


def test_the_defaults_are_sacrebleus() -> None:
    settings = CompareSettings()
    assert {"bs": settings.resamples, "ar": settings.trials} == PairedTest._DEFAULT_SAMPLES
    assert CompareSettings(draws=500).resamples == CompareSettings(draws=500).trials == 500
