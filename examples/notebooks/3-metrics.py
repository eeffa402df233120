# %% [markdown]
# # Which metric should I trust?
#
# Forty outputs of five systems were rated from 1 to 5. Which metric agrees with the ratings?

# %%
import pandas as pd

import monge

rated = pd.read_csv("../correlate/rated.tsv", sep="\t")
rated.head()

# %%
result = monge.correlate(rated, metrics=["bertscore", "cosine", "chrf", "bleu", "rougeL"])
result

# %% [markdown]
# The values behind the table, and the same by system instead of by output:

# %%
{name: (round(own.value, 3), round(own.low, 3), round(own.high, 3)) for name, own in result.study.averages.items()}

# %%
monge.correlate(rated, metrics=["bertscore", "chrf", "bleu"], level="system", statistic="kendall")

# %% [markdown]
# Scores beside ratings, as a figure:

# %%
import matplotlib.pyplot as plt

scores = monge.score(rated["hypothesis"], rated["reference"], metric="bertscore").scores
figure, axes = plt.subplots(figsize=(6, 3.2))
for system, own in rated.assign(score=scores).groupby("system"):
    axes.scatter(own["human"], own["score"], label=system, s=22)
axes.set_xlabel("rating")
axes.set_ylabel("bertscore")
axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
axes.spines[["top", "right"]].set_visible(False)
figure.tight_layout()

# %% [markdown]
# Pairs of texts of which one was preferred are judgments too: the statistic counts how many pairs a metric orders as people do.

# %%
pairs = [
    {"reference": "The boy ran home.", "chosen": "The boy ran to his house.", "rejected": "The boy did not run home."},
    {"reference": "Rain fell on the town.", "chosen": "It rained in the town.", "rejected": "Rain, town, fall."},
    {"reference": "She read the book.", "chosen": "She has read the book.", "rejected": "She wrote the book."},
]
monge.correlate(pairs, metrics=["bertscore", "chrf"], draws=0)
