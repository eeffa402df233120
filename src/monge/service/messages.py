"""The fields of requests and answers, and with them the OpenAPI schema of the service."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    FailFast,
    Field,
    GetJsonSchemaHandler,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from monge.errors import MongeError
from monge.metrics.variants import parse_variant

MOST_FIELDS = 1_000  # of one object; pydantic lists every wrong field, and a body has room for a million
T = TypeVar("T")


def _check_unicode(text: str) -> str:
    """Refuse half of a surrogate pair, which JSON can spell but no encoding can carry."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("the text holds half of a surrogate pair") from None
    return text


def _check_fields(value: object) -> object:
    """Refuse an object with more fields than any request needs."""
    if isinstance(value, dict) and len(value) > MOST_FIELDS:
        raise ValueError(f"an object of {len(value):,} fields; at most {MOST_FIELDS:,} are allowed")
    return value


def _check_option(value: object) -> object:
    """Return an allowed option, or say what is allowed; pydantic's own message names only one type of the union."""
    if isinstance(value, bool | int | str) or (isinstance(value, float) and math.isfinite(value)):
        return value
    raise ValueError("an option must be a text, a finite number, true or false")


Text = Annotated[str, AfterValidator(_check_unicode)]
OptionValue = Annotated[bool | int | float | Text, BeforeValidator(_check_option)]
Items = Annotated[list[T], FailFast()]  # only the first wrong item is reported
Fields = Annotated[dict[Text, T], BeforeValidator(_check_fields)]


class Strict(BaseModel):
    """Unknown fields are an error: a misspelt option must not be ignored."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)

    _few = model_validator(mode="before")(_check_fields)


def _read_metric_text(value: object) -> object:
    """Read a metric that is written as on the command line."""
    if not isinstance(value, str):
        return value
    try:
        variant = parse_variant(value)
    except MongeError as error:
        raise ValueError(str(error)) from error
    return {"name": variant.name, "options": dict(variant.options), "label": variant.label}


class MetricChoice(Strict):
    """A metric by name, with options as `GET /api/metrics` lists them; `label` is what results call it.

    Also one text, as on the command line: `NAME,option=value` or `LABEL:=NAME,option=value`.
    """

    name: Annotated[Text, Field(min_length=1, max_length=100, examples=["bertscore"])]
    options: Annotated[Fields[OptionValue], Field(max_length=40, examples=[{"encoder": "minilm"}])] = {}
    label: Annotated[Text, Field(max_length=200)] = ""

    _text = model_validator(mode="before")(_read_metric_text)

    @model_validator(mode="after")
    def _label(self) -> Self:
        self.label = self.label or self.name
        return self

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        text = {"type": "string", "description": "as on the command line: NAME,option=value"}
        return {"anyOf": [handler(schema), text]}


class SegmentText(Strict):
    """A hypothesis with what it is compared to."""

    hypothesis: Annotated[Text, Field(examples=["The boy ran home."])]
    references: Annotated[Items[Text], Field(examples=[["The young man hurried home."]])] = []
    source: Text | None = None


class ScoreBody(Strict):
    """Score segments with one or several metrics."""

    metrics: Annotated[Items[MetricChoice], Field(min_length=1)]
    segments: Annotated[Items[SegmentText], Field(min_length=1)]


class ExplainBody(Strict):
    """Explain the score of one segment. Pictures are drawn for a space of `width` pixels: rows of words wrap there."""

    metric: MetricChoice
    segment: SegmentText
    pictures: bool = True
    width: Annotated[int, Field(ge=200, le=4000, description="of the pictures, in pixels")] = 1080


class CompareBody(Strict):
    """Compare systems: each is a list of outputs, line by line with the references."""

    metrics: Annotated[Items[MetricChoice], Field(min_length=1)]
    systems: Annotated[Fields[Items[Text]], Field(min_length=2)]
    references: Annotated[Items[Items[Text]], Field(description="one list of lines per reference file")] = []
    sources: Annotated[list[Text] | None, FailFast()] = None
    report: Annotated[bool, Field(description="also return the report as an HTML page")] = True
    show: Annotated[int, Field(ge=0, le=50, description="instances per direction on which a pair differs most")] = 3


class SegmentScore(BaseModel):
    """A score, its parts, the reference that decided it, and notes on problems; null is a missing score.

    `unknown` is the share of words that the encoder does not know, in the text that has more of them; `marked` says
    that it is so large that the score must be shown with a warning.
    """

    value: float | None
    parts: dict[str, float | None] = {}
    reference: int | None = None
    notes: list[str] = []
    unknown: float = 0.0
    marked: bool = False


class MetricResult(BaseModel):
    """The scores of one metric, or the error because of which there are none."""

    metric: str
    score: Annotated[float | None, Field(description="of the whole set: the mean, or the metric's own corpus score")]
    higher_is_better: bool
    segments: list[SegmentScore]
    notes: list[str] = []
    signature: str
    error: Annotated[str | None, Field(description="why this metric failed; the other metrics are not affected")] = None


class ScoreAnswer(BaseModel):
    """One result per metric, in the order of the request."""

    results: list[MetricResult]


class PairPictures(BaseModel):
    """The pictures (SVG) of one pair: words in rows, in columns, and as a heat map (not of very long texts)."""

    ribbons: str
    columns: str = ""
    heatmap: str = ""


class ExplainAnswer(BaseModel):
    """The explanation, and pictures of each pair of texts.

    `additive`: words, base and terms sum to the value, with the flows behind them. `occlusion`, for metrics without
    transport: the change in the score when a word is left out; these numbers do not sum to the value.
    """

    kind: Literal["additive", "occlusion"]
    sentence: Annotated[str, Field(description="where the score was lost, in words")]
    explanation: dict[str, Any]
    pictures: list[PairPictures] = []


class CompareAnswer(BaseModel):
    """One comparison per metric (as in `monge compare -f json`), verdicts over all of them, and the report."""

    comparisons: dict[str, dict[str, Any]]
    errors: Annotated[dict[str, str], Field(description="the metrics that failed, and why; they are left out")] = {}
    verdicts: list[str] = []
    instances: Annotated[
        dict[str, list[dict[str, Any]]], Field(description="by metric: where the leading pairs of systems differ most")
    ] = {}
    report: str = ""


class MetricOption(BaseModel):
    """An option, what it means, and its default."""

    name: str
    default: OptionValue | None
    choices: list[str] = []
    meaning: str = ""


class MetricCard(BaseModel):
    """A metric: what it needs, how to read its scores, and its options."""

    name: str
    family: str
    summary: str
    needs: list[str]
    bounds: list[float | None]
    higher_is_better: bool
    symmetric: bool
    citation: str
    encoder: str | None
    available: bool
    reason: Annotated[str, Field(description="why it cannot be used here, if it cannot")] = ""
    alignment: Annotated[bool, Field(description="whether its explanation shows an alignment")]
    options: list[MetricOption]


class MetricsAnswer(BaseModel):
    """The metrics, the encoders that may be chosen, and the limits of this service."""

    version: str
    metrics: list[MetricCard]
    encoders: list[str]
    limits: dict[str, int | float]


class Health(BaseModel):
    """Whether the service works, and how many tasks wait."""

    status: str
    version: str
    waiting: int


class Refused(BaseModel):
    """Why a request was not served, and the field that caused it."""

    error: str
    field: str = ""
