"""One vector per word, whatever its context: word2vec, GloVe, fastText, spaCy."""

from monge.encoders.static.encoder import StaticEncoder

__all__ = ["StaticEncoder"]
