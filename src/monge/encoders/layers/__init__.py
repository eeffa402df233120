"""Choosing hidden states and joining them into one vector per token."""

from monge.encoders.layers.aggregate import (
    LayerAggregation,
    aggregate_layers,
    choose_layers,
    parse_aggregation,
    parse_layers,
)

__all__ = ["LayerAggregation", "aggregate_layers", "choose_layers", "parse_aggregation", "parse_layers"]
