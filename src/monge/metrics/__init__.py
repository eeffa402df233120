"""Metrics and their registry."""
