"""Score files of other tools, turned into the records of one table: system, id, metric, score.

Known are ``comet-score --to_json``, MetricX's JSON lines, lists of numbers (BLEURT), judgments of language models as
JSON lines, and the samples that lm-eval logs.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from monge.errors import InputError
from monge.scores.records import Record, parse_number
from monge.text.columns import HYPOTHESIS_NAMES, TEXT_ROLES, find_columns

SCORE_NAMES = ("score", "rating", "judgment", "judgement", "judge_score", "grade", "verdict", "overall")
_COMET = "COMET"
_LM_EVAL = frozenset({"doc_id", "filtered_resps"})
_LM_EVAL_KEYS = frozenset({"doc_id", "doc", "target", "arguments", "resps", "filter", "metrics", "idx", "index"})
_PLAIN_KEYS = frozenset({"turn", "index", "idx", "timestamp", "tstamp", "seed", "temperature", "created"})


def read_number_list(values: Iterable[Any], name: str) -> Iterator[Record]:
    """Yield one record per number of a list (BLEURT's output), numbered from 1."""
    for number, value in enumerate(values, start=1):
        place = f"{name}, line {number}"
        yield Record({"id": str(number), "metric": "", "score": parse_number(value, place)}, place)


def read_comet(value: Mapping[str, Any], name: str) -> Iterator[Record]:
    """Yield the records of ``comet-score --to_json``: by output file, objects with src, mt, ref and COMET."""
    for file, segments in value.items():
        for number, segment in enumerate(segments, start=1):
            place = f"{name}, {file}, segment {number}"
            fields = {"system": file, "id": str(number), "metric": _COMET.lower(), "score": segment[_COMET]}
            texts = {"hypothesis": segment["mt"]} if isinstance(segment.get("mt"), str) else {}
            yield Record({**fields, "higher_is_better": "true", **texts}, place)


def is_comet(value: Any) -> bool:
    """Whether a JSON value is what ``comet-score --to_json`` writes."""
    lists = list(value.values()) if isinstance(value, dict) else []
    return bool(lists) and all(
        isinstance(own, list) and all(isinstance(one, dict) and _COMET in one for one in own) for own in lists
    )


def read_json_value(value: Any, name: str) -> Iterator[Record]:
    """Yield the records of a whole JSON file that is neither a table nor a result of monge.

    Raises InputError if it is nothing that is known.
    """
    if is_comet(value):
        yield from read_comet(value, name)
    elif isinstance(value, list) and all(not isinstance(one, dict | list) for one in value):
        yield from read_number_list(value, name)
    elif isinstance(value, list) and all(isinstance(one, dict) for one in value):
        for number, one in enumerate(value, start=1):
            yield from normalise(Record(one, f"{name}, entry {number}"))
    elif isinstance(value, dict) and isinstance(value.get("scores"), list):
        yield from read_number_list(value["scores"], name)
    elif isinstance(value, dict):
        yield from normalise(Record(value, f"{name}, line 1"))
    else:
        raise InputError(f"{name}: no scores are found in this JSON (a list of numbers or of objects is expected)")


def normalise(record: Record) -> Iterator[Record]:
    """Yield an object of JSON lines as records of our own table; one of an unknown tool is left as it is."""
    fields = record.fields
    if fields.keys() >= _LM_EVAL:
        yield from _lm_eval(record)
    elif _is_number(fields.get("prediction")) and isinstance(fields.get("hypothesis"), str):
        yield Record(_metricx(fields), record.place)
    elif any(isinstance(fields.get(name), Mapping) for name in ("scores", "ratings", "judgments")):
        yield from _several(record)
    else:
        yield _judged(record)


def scored_text(record: Record) -> str | None:
    """Return the output that a record scores, if it holds one."""
    column = find_columns(record.fields, {"hypothesis": HYPOTHESIS_NAMES}).get("hypothesis")
    value = record.fields.get(column) if column else None
    return value if isinstance(value, str) else None


def _metricx(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return a line of MetricX, whose ``prediction`` is a number of errors: lower is better."""
    named = {key: fields[column] for key, column in find_columns(fields).items() if key in ("id", "system")}
    part = {"part": fields["lp"]} if "lp" in fields else {}
    score = {"metric": "metricx", "score": fields["prediction"], "higher_is_better": "false"}
    return {**named, **part, **score, "hypothesis": fields["hypothesis"]}


def _lm_eval(record: Record) -> Iterator[Record]:
    """Yield one record per metric of a sample of lm-eval; where it applies a filter, the metric carries its name."""
    fields = record.fields
    listed = fields.get("metrics")
    names = listed if isinstance(listed, list) else [key for key in fields if key not in _LM_EVAL_KEYS]
    answers = fields["filtered_resps"]
    text = {"hypothesis": answers[0]} if isinstance(answers, list) and answers and isinstance(answers[0], str) else {}
    suffix = f",{fields['filter']}" if fields.get("filter") not in (None, "", "none") else ""
    for name in names:
        if _is_number(fields.get(name)):
            own = {"id": str(fields["doc_id"]), "metric": f"{name}{suffix}", "score": fields[name]}
            yield Record({**own, **text}, record.place)


def _several(record: Record) -> Iterator[Record]:
    """Yield one record per aspect of a judgment that holds several, by name."""
    fields = dict(record.fields)
    key = next(name for name in ("scores", "ratings", "judgments") if isinstance(fields.get(name), Mapping))
    scores = fields.pop(key)
    kept = _keep_names(fields)
    for aspect, value in scores.items():
        yield Record({**kept, "metric": str(aspect), "score": value}, record.place)


def _judged(record: Record) -> Record:
    """Return a judgment with its score under that name; texts and settings beside it are left out."""
    fields = record.fields
    lowered = {name.lower(): name for name in reversed(list(fields))}
    column = next((lowered[name] for name in SCORE_NAMES if name in lowered), None)
    columns = find_columns(fields)
    texts = {"hypothesis", "reference", "source"} & columns.keys()
    if column is None or (column == "score" and not texts and not lowered.keys() & _PLAIN_KEYS):
        return record
    metric = {} if "metric" in fields else {"metric": str(fields.get("judge_name", "") or "")}
    return Record({**_keep_names(fields), **metric, "score": _plain_score(fields[column])}, record.place)


def _keep_names(fields: Mapping[str, Any]) -> dict[str, Any]:
    columns = find_columns(fields, {role: TEXT_ROLES[role] for role in ("id", "system", "hypothesis")})
    kept = {role: fields[name] for role, name in columns.items() if isinstance(fields[name], str | int)}
    also = ("metric", "part", "lp", "type", "higher_is_better", "signature", "level")
    return {**kept, **{name: fields[name] for name in also if name in fields}}


def _plain_score(value: Any) -> Any:
    """Return a score that may be written as MT-Bench's ``[[8]]`` or as the only entry of a list."""
    if isinstance(value, Sequence) and not isinstance(value, str) and len(value) == 1:
        return value[0]
    return value.strip("[] ") if isinstance(value, str) else value


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not (isinstance(value, float) and math.isinf(value))
