"""Nearest texts, exactly."""
