# %% [markdown]
# # Scores in a notebook
#
# Score outputs with one metric or several, see what a score consists of, how certain it is, and why one text scores as it does.

# %%
from pathlib import Path

import monge

DEMO = Path("../demo")


def read(name):
    return (DEMO / f"{name}.txt").read_text(encoding="utf-8").splitlines()


references = read("reference")
outputs = read("literal")

# %% [markdown]
# A result shows itself as a table: the score of the whole set, its 95 % interval, and its parts.

# %%
result = monge.score(outputs, references, metric="bertscore")
result

# %% [markdown]
# `score` is one number, `scores` an array with one number per text, `parts` what the score consists of.

# %%
result.score, result.scores[:3], result.parts

# %% [markdown]
# `to_frame()` gives a pandas DataFrame. The three lowest scores:

# %%
frame = result.to_frame()
frame.sort_values("score").head(3)[["id", "hypothesis", "reference", "score", "precision", "recall"]]

# %% [markdown]
# Several metrics at once; names may be written as other packages write them.

# %%
several = monge.score(outputs, references, metrics=["BLEU", "chrF++", "rougeL", "bertscore"])
several

# %%
several["BLEU"].parts

# %% [markdown]
# The signature says everything that can change the numbers; two scores are comparable if their signatures are equal.

# %%
print(several["BLEU"].signature)

# %% [markdown]
# Why is this score what it is? Every word carries a share of the text's mass; the picture shows where it moves, and at what cost.

# %%
worst = int(result.scores.argmin())
monge.explain(outputs[worst], references[worst], metric="emd")

# %% [markdown]
# In a training loop, `monge.Scorer` loads the metrics once, returns floats, and keeps nothing on disk.

# %%
scorer = monge.Scorer(["bleu", "chrf"], prefix="eval_")
scorer(outputs, references)
