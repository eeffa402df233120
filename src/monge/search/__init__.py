"""Exact search for the texts nearest to a text."""
