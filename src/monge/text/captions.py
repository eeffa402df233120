"""Captions as the COCO evaluation stores them: a file of results and a file of annotations."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from monge.errors import InputError
from monge.text.readers import display_name, iter_lines, parse_json, system_names
from monge.text.segment import Segment
from monge.text.testset import TestSet

Path = str | os.PathLike[str]


def read_coco(result_paths: Sequence[Path], annotation_path: Path) -> TestSet:
    """Read captions of one or several systems and the reference captions of their images.

    Parameters
    ----------
    result_paths
        One file per system: a list of ``{"image_id": …, "caption": …}``, one caption per image.
    annotation_path
        ``{"annotations": [{"image_id": …, "caption": …}, …]}``; all captions of an image are its references.

    Raises
    ------
    InputError
        Where a file has another shape, an image has two captions of one system, or no reference.
    """
    references: dict[str, list[str]] = {}
    place = display_name(annotation_path)
    content = _load(annotation_path)
    if not isinstance(content, dict) or not isinstance(content.get("annotations"), list):
        raise InputError(f"{place}: an object with a list 'annotations' is expected, as COCO's caption files have")
    for number, entry in enumerate(content["annotations"], start=1):
        image, caption = _entry(entry, f"{place}, annotation {number}")
        references.setdefault(image, []).append(caption)
    segments = []
    for path, system in zip(result_paths, system_names(tuple(result_paths)), strict=True):
        where = display_name(path)
        results = _load(path)
        if not isinstance(results, list) or not results:
            raise InputError(f"{where}: a list of captions is expected, as COCO's results files have")
        for number, entry in enumerate(results, start=1):
            image, caption = _entry(entry, f"{where}, caption {number}")
            if image not in references:
                raise InputError(f"{where}, caption {number}: image {image} has no caption in {place}")
            segments.append(Segment(caption, tuple(references[image]), id=image, system=system))
    return TestSet(tuple(segments))


def are_coco(result_paths: Sequence[Path], reference_paths: Sequence[Path]) -> bool:
    """Whether files are named as COCO's are: results and one file of annotations, all ``.json``."""
    named = [str(path).removesuffix(".gz").lower() for path in (*result_paths, *reference_paths)]
    return len(reference_paths) == 1 and bool(result_paths) and all(name.endswith(".json") for name in named)


def _load(path: Path) -> Any:
    return parse_json("\n".join(iter_lines(path)), display_name(path))


def _entry(entry: Any, place: str) -> tuple[str, str]:
    if not isinstance(entry, dict) or "image_id" not in entry or not isinstance(entry.get("caption"), str):
        raise InputError(f"{place}: an object with image_id and caption is expected")
    return str(entry["image_id"]), " ".join(entry["caption"].split())
