"""Putting re-mappings into the recipes of the two sides that a metric compares."""

from __future__ import annotations

import dataclasses

from monge.clouds import Remapping
from monge.crosslingual.fitted import FittedRemap
from monge.crosslingual.maps import BatchNormalisation, LayerNormalisation
from monge.crosslingual.vectors import SENTENCE, TOKENS
from monge.errors import OptionError
from monge.metrics.transport.settings import TransportSettings
from monge.metrics.transport.side import Side


def remap_sides(settings: TransportSettings, hypothesis: Side, other: Side) -> tuple[Side, Side]:
    """Return the sides with the maps of ``settings.remap``: those of a file, or a built-in one.

    A fitted re-mapping has a map for the language of sources and one for that of translations; references are in the
    latter. Raises OptionError for one that was fitted for other vectors.
    """
    if settings.remap == "layer":
        return _on_both(hypothesis, other, LayerNormalisation())
    if settings.remap == "batch8":
        if settings.cloud.pooling == "sentence":
            raise OptionError("remap=batch8 normalises tokens: it cannot be combined with pooling=sentence")
        return _on_both(hypothesis, other, BatchNormalisation(8))
    fitted = FittedRemap.load(settings.remap)
    unit = SENTENCE if settings.cloud.pooling == "sentence" else TOKENS
    for side in dict.fromkeys((hypothesis, other)):
        fitted.check(
            encoder=side.encoder.signature, layers=side.layers, aggregation=str(settings.cloud.aggregation), unit=unit
        )
    if settings.against == "references":
        return _on_both(hypothesis, other, fitted.target)
    return _with_map(hypothesis, fitted.target), _with_map(other, fitted.source)


def _on_both(hypothesis: Side, other: Side, remap: Remapping) -> tuple[Side, Side]:
    mapped = _with_map(hypothesis, remap)
    return mapped, mapped if other is hypothesis else _with_map(other, remap)


def _with_map(side: Side, remap: Remapping) -> Side:
    return dataclasses.replace(side, recipe=dataclasses.replace(side.recipe, remap=remap))
