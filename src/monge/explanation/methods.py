"""The local explanations by name: all of them leave words out."""

from __future__ import annotations

from collections.abc import Callable

from monge.explanation.lime import fit_lime
from monge.explanation.local import LocalExplanation, occlude_words, sample_shapley

LOCAL_METHODS: dict[str, Callable[..., LocalExplanation]] = {
    "occlusion": occlude_words,
    "shapley": sample_shapley,
    "lime": fit_lime,
}
