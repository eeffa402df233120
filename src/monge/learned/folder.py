"""Writing a trained encoder as a folder that runs without torch."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from monge.encoders.checkpoint import config_files, tokenizer_files
from monge.errors import OptionError
from monge.storage.atomic import write_text

MANIFEST = "training.json"


def check_new_folder(target: Path) -> None:
    """Raise OptionError if *target* exists and is not an empty folder."""
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise OptionError(f"{target} exists already: give the name of a new folder")


def write_encoder(model: Any, base: Path, target: Path, manifest: Mapping[str, Any]) -> None:
    """Write the weights of *model*, the configuration and tokenizer of *base*, and a manifest.

    The folder appears in one step.
    """
    from safetensors.torch import save_file

    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{target.name}-", dir=target.parent) as scratch:
        made = Path(scratch) / "model"
        made.mkdir()
        weights = {name: tensor.cpu().contiguous() for name, tensor in model.state_dict().items()}
        save_file(weights, made / "model.safetensors")
        for path in {*config_files(base), *tokenizer_files(base), *base.glob("*token*.json")}:
            if not path.name.endswith(".index.json"):
                shutil.copy(path, made / path.name)
        write_text(made / MANIFEST, json.dumps(dict(manifest), indent=1, ensure_ascii=False) + "\n")
        if target.exists():
            target.rmdir()
        os.replace(made, target)
