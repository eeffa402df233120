"""Texts to token vectors."""
