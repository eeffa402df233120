"""Principled evaluation of generated text by optimal transport."""

from monge.version import __version__

__all__ = ["__version__"]
