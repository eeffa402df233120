"""Metrics that need no reference: language models and bilingual dictionaries."""
