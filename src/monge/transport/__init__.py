"""Optimal transport between weighted points; knows nothing of text."""
