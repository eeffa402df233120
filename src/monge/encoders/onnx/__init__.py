"""Transformers on onnxruntime, without torch."""
