"""Writes src/monge/metrics/baselines.json: what unrelated texts and copies score by every metric as it is set.

python benchmarks/baselines.py
python benchmarks/baselines.py minilm-distilled   # only what has this encoder; the rest of the file stays

Metrics that have an encoder are measured with MiniLM, plain and adapted, and with MPNet. Run it again when the defaults of a metric, the
texts (src/monge/metrics/unrelated_texts.json) or an encoder change; tests/metrics/test_baseline.py notices.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from monge.metrics import load_metric, metric_options, metric_specs
from monge.metrics.baseline import measure_baseline
from monge.metrics.variants import parse_variant
from monge.storage.atomic import write_text

FILE = Path(__file__).parents[1] / "src" / "monge" / "metrics" / "baselines.json"
ENCODERS = ("minilm", "minilm-distilled", "mpnet")
MORE = ("moverscore,reading=literal", "bertscore,layers=middle,order=2.0,alpha=0.7")  # also parts of mongescore
DIGITS = 6


def list_variants() -> list[str]:
    """Return every metric that can be measured on pairs of English texts, once per encoder."""
    variants = []
    for name, spec in metric_specs().items():
        if spec.needs != ("references",) or (spec.family not in ("transport", "lexical") and name != "mongescore"):
            continue
        encoder = metric_options(name).get("encoder")
        static = encoder is None or encoder.default not in ENCODERS
        variants += [name] if static else [f"{name},encoder={chosen}" for chosen in ENCODERS]
    return variants + [f"{text},encoder={chosen}" for text in MORE for chosen in ENCODERS]


def main() -> None:
    """Measure and write."""
    only = sys.argv[1:]
    records = json.loads(FILE.read_text(encoding="utf-8")) if only else []
    for text in list_variants():
        if only and not any(text.endswith(f",encoder={encoder}") for encoder in only):
            continue
        variant = parse_variant(text)
        record = measure_baseline(load_metric(variant.name, **variant.options)).record()
        ends = {end: {name: round(x, DIGITS) + 0.0 for name, x in record[end].items()} for end in ("unrelated", "copy")}  # type: ignore[attr-defined]
        records = [old for old in records if old["signature"] != record["signature"]]
        records.append({**record, **ends})
        print(text, ends["unrelated"]["value"], ends["copy"]["value"])
    # members come first: mongescore is made of baselines that are in the file
    write_text(FILE, "[\n" + ",\n".join(json.dumps(record, ensure_ascii=False) for record in records) + "\n]\n")


if __name__ == "__main__":
    main()
