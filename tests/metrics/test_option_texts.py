"""Every option of every metric has a meaning and values that docs, cards and the page can show."""

from monge.metrics import metric_options, metric_specs
from monge.metrics.option_texts import OPTION_TEXTS, option_text


def test_every_option_is_explained() -> None:
    known = {(spec, option) for spec in metric_specs().values() for option in metric_options(spec.name)}
    usual = {(spec, option) for spec, option in known if spec.family in ("transport", "lexical")}
    missing = sorted({option for spec, option in usual if option_text(spec.name, option) is None})
    assert missing == [], "write one line for each in metrics/option_texts.py"
    unused = [key for key in OPTION_TEXTS if key.rpartition(".")[2] not in {option for _, option in known}]
    assert unused == []
