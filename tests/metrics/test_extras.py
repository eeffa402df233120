"""Metrics that need an extra say so before and when they are used."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

from monge.metrics.cards import render_card
from monge.metrics.registry import metric_specs

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
WITHOUT = """
import json, sys
blocked = set(json.loads(sys.argv[1]))

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in blocked:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing())
from monge.errors import ModelError
from monge.metrics.registry import load_metric, metric_options, metric_specs
from monge.text import Segment

found = {}
segments = [Segment("A cat sat. It slept.", ("A cat sat. It was old.",), "Eine Katze.", "1", document="d")]
for name in metric_specs():
    offered = metric_options(name)
    if "context" in offered:  # needs a file
        continue
    options = {"encoder": "hashed"} if "encoder" in offered else {}
    options |= {"wordnet": "none"} if "wordnet" in offered else {}  # files, no package: a machine may lack them
    options |= {"source_language": "de", "dictionary": sys.argv[2]} if "dictionary" in offered else {}
    try:
        metric = load_metric(name, **options).bind(segments)
        metric.score(segments)
        if any("pip install" in note for note in metric.binding_notes):  # it does with the rest
            found[name] = " ".join(metric.binding_notes)
    except ModelError as error:
        found[name] = str(error)
print(json.dumps(found))
"""


def test_the_extra_of_the_spec_is_the_one_that_is_missing(tmp_path: Path) -> None:
    """Without the packages of all extras, the metrics that have an extra name it; no other metric does."""
    dictionary = tmp_path / "de-en.tsv"  # so that no dictionary needs to be on this machine
    dictionary.write_text("eine\ta\nKatze\tcat\n", encoding="utf-8")
    wanted = {spec.extra for spec in metric_specs().values() if spec.extra}
    blocked = sorted({re.split(r"[>=<\[]", one)[0] for extra in wanted for one in EXTRAS[extra]} - {"setuptools"})
    run = subprocess.run(
        [sys.executable, "-c", WITHOUT, json.dumps(blocked), str(dictionary)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    found = json.loads(run.stdout)
    assert found.keys() == {name for name, spec in metric_specs().items() if spec.extra}
    for name, message in found.items():
        assert f"pip install 'monge[{metric_specs()[name].extra}]'" in message, name


def test_cards_name_the_extra() -> None:
    specs = metric_specs()
    assert "Needs an extra: `pip install 'monge[discourse]'`." in render_card(specs["lc"])
    assert "Needs an extra: `pip install 'monge[dictionary]'`." in render_card(specs["gloss_lm"])
    assert "Needs an extra" not in render_card(specs["bleu"])
