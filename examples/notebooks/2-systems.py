# %% [markdown]
# # Which system is better?
#
# Compare systems on the same inputs, with tests and intervals, and let a build fail if a new system is worse.

# %%
from pathlib import Path

import monge

DEMO = Path("../demo")


def read(name):
    return (DEMO / f"{name}.txt").read_text(encoding="utf-8").splitlines()


references = read("reference")
systems = {name: read(name) for name in ("careful", "literal", "careless")}

# %%
result = monge.compare(systems, references, metrics=["bertscore", "chrf"])
result

# %% [markdown]
# Every pair in numbers: how often the first is better, the mean advantage, and the p-value of the deciding test.

# %%
comparison = result["chrf"]
for pair in comparison.pairs:
    print(
        f"{pair.first} vs {pair.second}: better on {pair.probability:.0%}, by {pair.advantage:+.1f} chrF, "
        f"p = {pair.adjusted['sign']:.3f}, winner: {pair.winner}"
    )

# %% [markdown]
# The inputs on which two systems differ most:

# %%
scores = {name: monge.score(outputs, references, metric="chrf").scores for name, outputs in systems.items()}
difference = scores["literal"] - scores["careless"]
for i in [int(difference.argmax()), int(difference.argmin())]:
    print(
        f"{difference[i]:+.1f}\n  reference  {references[i]}\n  literal    {systems['literal'][i]}\n"
        f"  careless   {systems['careless'][i]}\n"
    )

# %% [markdown]
# As a test: `assert_not_worse` passes silently, or fails with the sentence that `compare` prints.

# %%
from monge.testing import assert_not_worse

assert_not_worse(systems["careful"], systems["literal"], references, metrics="chrf")
try:
    assert_not_worse(systems["literal"], systems["careful"], references, metrics="chrf")
except AssertionError as error:
    print(error)

# %% [markdown]
# Scores of another tool stand beside ours: here a table of made-up ratings by a judge, one per output.

# %%
import json
import tempfile

with tempfile.TemporaryDirectory() as folder:
    ratings = Path(folder) / "judge.jsonl"
    ratings.write_text("\n".join(json.dumps({"id": i + 1, "rating": 3 + (i % 3)}) for i in range(16)), encoding="utf-8")
    beside = monge.score(systems["careful"], references, metrics=["chrf", f"external:{ratings}"])
beside.score
