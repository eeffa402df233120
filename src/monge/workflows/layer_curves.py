"""Agreement with people at every layer of an encoder, for any metric that reads one."""

from __future__ import annotations

from monge.encoders import load_encoder
from monge.environment import Environment
from monge.errors import OptionError
from monge.meta.agreement import average_agreement, measure_agreement
from monge.metrics import metric_options
from monge.metrics.variants import MetricVariant, parse_variants
from monge.workflows.correlate import CorrelateRequest
from monge.workflows.judged_data import read_judged_sets
from monge.workflows.judged_scores import ReportStep, make_scored_tasks

LayerCurves = dict[str, dict[float, float]]


def measure_layers(
    request: CorrelateRequest, *, environment: Environment | None = None, report_step: ReportStep | None = None
) -> LayerCurves:
    """Return, for every metric of *request* that has layers, its agreement by layer (0 = embeddings).

    Raises OptionError if no metric of the request reads layers of an encoder.
    """
    environment = environment or Environment.read()
    bases = [v for v in parse_variants(request.metrics, request.options) if "layers" in metric_options(v.name)]
    if not bases:
        raise OptionError("no metric with layers: curves are drawn for metrics such as bertscore, emd or moverscore")
    plan = request.agreement.plans(request.data)[0]
    sets = read_judged_sets(request.data, environment=environment, seed=request.agreement.seed)
    variants = {base.label: vary_layers(base, environment) for base in bases}
    everything = [
        MetricVariant(f"{label} {v.label}", v.name, v.options) for label, own in variants.items() for v in own
    ]
    tasks = make_scored_tasks(everything, sets, level=plan.level, environment=environment, report_step=report_step)
    measured = [measure_agreement(task, plan.statistic, level=plan.level) for task in tasks]
    return {
        label: {
            float(v.label): average_agreement([found[f"{label} {v.label}"] for found in measured]).value for v in own
        }
        for label, own in variants.items()
    }


def vary_layers(base: MetricVariant, environment: Environment) -> list[MetricVariant]:
    """Return the metric at each hidden state of its encoder, labelled by the layer."""
    encoder = base.options.get("encoder", metric_options(base.name)["encoder"].default)
    count = load_encoder(encoder, cache=True, environment=environment).layers
    own = {key: value for key, value in base.options.items() if key != "aggregation"}
    single = {"aggregation": "single"} if "aggregation" in metric_options(base.name) else {}
    return [MetricVariant(str(k), base.name, {**own, **single, "layers": str(k)}) for k in range(count)]
