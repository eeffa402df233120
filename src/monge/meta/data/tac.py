"""Judged summaries of TAC, as JSON by topic: references, system summaries, responsiveness and pyramid scores."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from monge.errors import InputError
from monge.meta.data.judged_set import JudgedSet, make_judged_set
from monge.scores.records import PathLike, parse_number, read_json
from monge.text import Segment

# field of an annotation → what reports call it
ASPECTS = {"responsiveness": "responsiveness", "pyr_score": "pyramid"}
WITH_HUMANS = "with-humans"
_ENDINGS = (".json", ".resp-pyr")


def read_tac(path: PathLike, *, name: str = "") -> list[JudgedSet]:
    """Read one year: ``{topic: {"references": [{"id", "text"}], "annotations": [{"summ_id", "text", scores}]}}``.

    Two sets are returned. The first holds the systems' summaries; the second, called ``…-with-humans``, also those of
    people, which are themselves among the references, so that every metric gives them a perfect score and looks better
    than it is. Texts are lists of sentences or one text; a topic is an input and a document, so that the level ``item``
    is the per-topic protocol. Raises InputError where the file has another shape.
    """
    content = read_json(path)
    if not is_tac(content):
        raise InputError(f"{path}: topics with references and annotations are expected, as in TAC's judged summaries")
    segments: list[Segment] = []
    human: dict[str, list[float]] = {aspect: [] for aspect in ASPECTS.values()}
    people: list[bool] = []
    for topic, own in content.items():
        references = tuple(_text(reference.get("text"), f"{path}, {topic}") for reference in own["references"])
        for number, one in enumerate(own["annotations"], start=1):
            place = f"{path}, {topic}, annotation {number}"
            text = _text(one.get("text"), place)
            system = str(one.get("summ_id", one.get("id", number)))
            segments.append(Segment(text, references, id=topic, system=system, document=topic))
            people.append(not system.isdigit() or text in references)
            for field, aspect in ASPECTS.items():
                known = one.get(field) not in (None, "")
                human[aspect].append(parse_number(one[field], f"{place}, {field}") if known else math.nan)
    label = name or Path(path).name.partition(".mds")[0]
    kept = {aspect: values for aspect, values in human.items() if not all(map(math.isnan, values))}
    without = {a: [math.nan if p else v for v, p in zip(own, people, strict=True)] for a, own in kept.items()}
    return [_make(label, segments, without, path), _make(f"{label}-{WITH_HUMANS}", segments, kept, path)]


def read_tac_texts(folder: PathLike) -> list[JudgedSet]:
    """Read every year of a folder (``tac.08.mds.gen.resp-pyr``, ``….json``)."""
    paths = sorted(path for path in Path(folder).iterdir() if path.name.endswith(_ENDINGS))
    if not paths:
        raise InputError(f"{folder}: no file that ends in {' or '.join(_ENDINGS)}")
    return [judged for path in paths for judged in read_tac(path)]


def is_tac(content: Any) -> bool:
    """Whether a JSON value holds topics with references and annotations."""
    return (
        isinstance(content, dict)
        and bool(content)
        and all(
            isinstance(own, dict)
            and isinstance(own.get("references"), list)
            and isinstance(own.get("annotations"), list)
            for own in content.values()
        )
    )


def is_tac_file(path: Path) -> bool:
    """Whether a file is named as TAC's are."""
    return path.name.removesuffix(".gz").endswith(_ENDINGS)


def _make(name: str, segments: Sequence[Segment], human: Mapping[str, Sequence[float]], path: PathLike) -> JudgedSet:
    return make_judged_set(name, segments, human, place=str(path))


def _text(value: Any, place: str) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(sentence, str) for sentence in value):
        return " ".join(sentence.strip() for sentence in value)
    raise InputError(f"{place}: a text or a list of sentences is expected")
