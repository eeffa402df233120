"""Writes src/monge/metrics/baselines.json: what unrelated texts and copies score by every metric as it is set.

python benchmarks/baselines.py [--missing]

Metrics that have an encoder are measured with MiniLM and MPNet, plain and adapted, also in int8. Run it again when the
defaults of a metric, the texts (src/monge/metrics/unrelated_texts.json) or an encoder change;
tests/metrics/test_baseline.py notices. `--missing` keeps what is in the file and measures the rest.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from monge.encoders.adapter import SHIPPED
from monge.errors import OptionError
from monge.metrics import load_metric, metric_options, metric_specs
from monge.metrics.baseline import find_baseline, measure_baseline
from monge.metrics.variants import parse_variant
from monge.storage.atomic import write_text

FILE = Path(__file__).parents[1] / "src" / "monge" / "metrics" / "baselines.json"
ENCODERS = ("minilm", "mpnet", *(shipped.name for shipped in SHIPPED))
MORE = ("moverscore,reading=literal", "bertscore,layers=middle,order=3.0,alpha=0.5")  # parts of mongescore too
# the parts of mongescore for texts that are not in English
MULTILINGUAL = ("bertscore,encoder=use,layers=last,order=3.0,alpha=0.5", "cosine,encoder=use")
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
    variants += [f"{text},encoder={chosen}" for text in MORE for chosen in ENCODERS]
    reading = [text for text in variants if ",encoder=" in text and "dtype" in metric_options(parse_variant(text).name)]
    smaller = [f"{text},dtype=int8" for text in reading]
    return [*variants, *MULTILINGUAL, *sorted(smaller, key=lambda text: text.startswith("mongescore"))]


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--missing", action="store_true", help="keep what is in the file, measure the rest")
    records = json.loads(FILE.read_text(encoding="utf-8")) if parser.parse_args().missing else []
    for text in list_variants():
        variant = parse_variant(text)
        try:
            metric = load_metric(variant.name, **variant.options)
        except OptionError as error:  # such as a file that a metric is trained to
            print(f"skipped {text}: {error}")
            continue
        if records and find_baseline(metric) is not None:
            continue
        record = measure_baseline(metric).record()
        ends = {end: {name: round(x, DIGITS) + 0.0 for name, x in record[end].items()} for end in ("unrelated", "copy")}  # type: ignore[attr-defined]
        records.append({**record, **ends})
        print(text, ends["unrelated"]["value"], ends["copy"]["value"])
    # members come first: mongescore is made of baselines that are in the file
    write_text(FILE, "[\n" + ",\n".join(json.dumps(record, ensure_ascii=False) for record in records) + "\n]\n")


if __name__ == "__main__":
    main()
