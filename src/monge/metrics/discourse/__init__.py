"""Metrics of whole documents: what they speak of and how their sentences hang together."""
