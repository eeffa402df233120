"""What is wrong with a body, in plain words: one sentence for every way in which the validator can refuse a field."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Place = Sequence[str | int]

_KINDS = {  # the validator's name of a wrong type → what is expected
    "string_type": "a text", "string_unicode": "a text", "bool_type": "true or false", "int_type": "a whole number",
    "int_from_float": "a whole number", "float_type": "a number", "finite_number": "a finite number",
    "list_type": "a list", "dict_type": "an object", "model_type": "an object", "model_attributes_type": "an object",
}  # fmt: skip
_JSON = {str: "a text", bool: "true or false", int: "a number", float: "a number", list: "a list", dict: "an object"}


def describe_complaint(problem: Mapping[str, Any]) -> str:
    """Return one sentence for an error of the validator (an entry of ``RequestValidationError.errors()``).

    >>> describe_complaint({"type": "missing", "loc": ("body", "metrics"), "msg": "Field required", "input": {}})
    'metrics is missing'
    >>> describe_complaint({"type": "string_type", "loc": ("body", "segments", 0, "hypothesis"), "msg": "", "input": 5})
    'hypothesis must be a text, not a number'
    """
    kind, place, bounds = problem["type"], problem["loc"], problem.get("ctx", {})
    if kind == "json_invalid":
        where = f" (character {place[-1]})" if isinstance(place[-1], int) else ""
        return f"the body is not JSON: {bounds.get('error', 'it cannot be read')}{where}"
    name = _last_name(place)
    if kind in _KINDS:
        return f"{name} must be {_KINDS[kind]}, not {_JSON.get(type(problem.get('input')), 'null')}"
    sentences = {
        "missing": f"{name} is missing",
        "extra_forbidden": f"there is no field {name!r} here",
        "value_error": str(problem["msg"]).removeprefix("Value error, "),
        "too_short": f"{name} needs at least {bounds.get('min_length')}",
        "too_long": f"{name} has {bounds.get('actual_length')} entries; at most {bounds.get('max_length')} are allowed",
        "string_too_short": f"{name} must not be empty",
        "string_too_long": f"{name} is too long: at most {bounds.get('max_length')} characters are allowed",
        "greater_than_equal": f"{name} must be at least {bounds.get('ge')}",
        "less_than_equal": f"{name} must be at most {bounds.get('le')}",
    }
    return sentences.get(kind, f"{name} cannot be read")


def name_field(place: Place) -> str:
    """Return ``segments[0].hypothesis`` for ("body", "segments", 0, "hypothesis")."""
    name = ""
    for part in place[1:]:
        name += f"[{part}]" if isinstance(part, int) else f".{part}"
    return name.lstrip(".")


def _last_name(place: Place) -> str:
    """Return the name of the innermost field; an entry of a list is named by the list and its number."""
    names = [part for part in place[1:] if isinstance(part, str)]
    if not names:
        return "the body"
    return f"entry {place[-1] + 1} of {names[-1]}" if isinstance(place[-1], int) else names[-1]
