"""monge as a Hugging Face evaluate module: ``evaluate.load("examples/evaluate_module", "moverscore")``.

The configuration name is the metric's name; options go to ``compute``::

    metric = evaluate.load("examples/evaluate_module", "lazy_emd")
    metric.compute(predictions=[...], references=[...], encoder="mpnet")["score"]
"""

import datasets
import evaluate

import monge

_DEFAULT = "bertscore"


class MongeModule(evaluate.Metric):
    """Passes predictions and references to a metric of monge."""

    def _info(self) -> evaluate.MetricInfo:
        one = {"predictions": datasets.Value("string"), "references": datasets.Value("string")}
        several = {**one, "references": datasets.Sequence(datasets.Value("string"))}
        return evaluate.MetricInfo(
            description="Metrics of generated text by optimal transport",
            citation="",
            inputs_description="predictions: texts; references: a text or a list of texts each",
            features=[datasets.Features(several), datasets.Features(one)],
        )

    def _compute(self, predictions, references, **options):  # type: ignore[no-untyped-def]
        name = _DEFAULT if self.config_name in (None, "default") else self.config_name
        return monge.load_metric(name, **options).compute(predictions=predictions, references=references)
