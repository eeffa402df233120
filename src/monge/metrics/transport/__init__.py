"""The word-mover family: settings of one transport metric."""
