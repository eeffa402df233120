"""Language models: how probable a text is, token by token."""

from monge.lm.base import Continuation, LanguageModel, TokenProbabilities
from monge.lm.registry import DEFAULT_LANGUAGE_MODEL, load_language_model

__all__ = ["DEFAULT_LANGUAGE_MODEL", "Continuation", "LanguageModel", "TokenProbabilities", "load_language_model"]
