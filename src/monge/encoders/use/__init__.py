"""USE-multilingual: a small sentence encoder for 16 languages that needs numpy alone."""

from monge.encoders.use.encoder import LAYER_NAMES, UseEncoder, load_use

__all__ = ["LAYER_NAMES", "UseEncoder", "load_use"]
