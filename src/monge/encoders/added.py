"""Encoders that a user added under a name, and the layers that are known to agree best with people."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from pathlib import Path

from monge.encoders.base import Encoder
from monge.encoders.models import Signed
from monge.environment import Environment
from monge.errors import ModelError, OptionError
from monge.storage.atomic import write_text
from monge.text import parse_language


@dataclass(frozen=True)
class AddedModel:
    """A name for an encoder: where it is (a hub name or a directory), which weights it had, languages, best layers."""

    name: str
    source: str
    digest: str
    languages: tuple[str, ...] = ()
    layers: str = ""


@dataclass(frozen=True)
class KnownLayers:
    """The layers of a public checkpoint that agree best with people, and who measured it."""

    checkpoint: str
    layers: str
    languages: str
    origin: str


_BERT_SCORE = "bert-score 0.3.13, model2layers (WMT16)"
_ACL20 = "released XMoverScore (Zhao et al. 2020)"
_OURS = "docs/results.md"
_UNMEASURED = "trained for its last layer; not measured by layer"
KNOWN_LAYERS: tuple[KnownLayers, ...] = (
    KnownLayers("all-MiniLM-L6-v2", "4", "en", _OURS),
    KnownLayers("all-mpnet-base-v2", "7", "en", _OURS),
    KnownLayers("bert-base-uncased", "9", "en", _BERT_SCORE),
    KnownLayers("bert-large-uncased", "18", "en", _BERT_SCORE),
    KnownLayers("bert-base-chinese", "8", "zh", _BERT_SCORE),
    KnownLayers("bert-base-multilingual-cased", "9", "104 languages", f"{_BERT_SCORE}; layer 8: {_ACL20}"),
    KnownLayers("distilbert-base-uncased", "5", "en", _BERT_SCORE),
    KnownLayers("distilbert-base-multilingual-cased", "5", "104 languages", _BERT_SCORE),
    KnownLayers("roberta-base", "10", "en", _BERT_SCORE),
    KnownLayers("roberta-large", "17", "en", _BERT_SCORE),
    KnownLayers("distilroberta-base", "5", "en", _BERT_SCORE),
    KnownLayers("xlm-roberta-base", "9", "100 languages", _BERT_SCORE),
    KnownLayers("xlm-roberta-large", "17", "100 languages", _BERT_SCORE),
    KnownLayers("mpnet-base", "8", "en", _BERT_SCORE),
    KnownLayers("LaBSE", "last", "109 languages", _UNMEASURED),
    KnownLayers("multilingual-e5-base", "last", "about 100 languages", _UNMEASURED),
    KnownLayers(
        "paraphrase-multilingual-MiniLM-L12-v2",
        "last",
        "50 languages",
        _UNMEASURED,
    ),
)


def find_known_layers(name: str) -> KnownLayers | None:
    """Return what is known of a checkpoint by its hub name or folder; None if nothing is.

    >>> find_known_layers("FacebookAI/xlm-roberta-large").layers
    '17'
    """
    last = name.rstrip("/").rpartition("/")[2]
    return next((known for known in KNOWN_LAYERS if known.checkpoint.lower() == last.lower()), None)


def read_added(environment: Environment) -> dict[str, AddedModel]:
    """Return the encoders that were added, by name; raises ModelError for a damaged list."""
    path = _list_of(environment)
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        return {
            name: AddedModel(**{**facts, "languages": tuple(facts["languages"])}) for name, facts in content.items()
        }
    except FileNotFoundError:
        return {}
    except (ValueError, TypeError, KeyError, AttributeError, OSError) as error:
        raise ModelError(f"{path}: the list of added encoders cannot be read ({error})") from None


def record_model(model: AddedModel, environment: Environment) -> None:
    """Add a model to the list, or replace the one of the same name."""
    models = read_added(environment) | {model.name: model}
    content = {name: asdict(one) for name, one in sorted(models.items())}
    path = _list_of(environment)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def describe_encoder(name: str, source: str, encoder: Encoder, *, languages: str = "", layers: str = "") -> AddedModel:
    """Return the entry of an encoder that was loaded from *source*; unknown facts come from the table of checkpoints.

    Raises OptionError for a name that cannot be one, and for languages or layers that do not exist.
    """
    from monge.encoders.layers import choose_layers

    if not re.fullmatch(r"[A-Za-z][\w.-]*", name):
        raise OptionError(f"{name!r} cannot name an encoder: letters, digits, dots, - and _ only")
    known = find_known_layers(source)
    chosen = layers or (known.layers if known else "")
    if chosen:
        choose_layers(encoder, chosen)
    codes = tuple(parse_language(code) for code in re.split(r"[,\s]+", languages.strip()) if code)
    place = str(Path(source).expanduser().resolve()) if Path(source).expanduser().exists() else source
    return AddedModel(name, place, weights_digest(encoder), codes, chosen)


def check_added(model: AddedModel, encoder: Encoder) -> None:
    """Raise ModelError unless *encoder* has the weights that it had when it was added."""
    found = weights_digest(encoder)
    if found != model.digest:
        again = f"`monge models add {model.name} {model.source}` records them again"
        raise ModelError(f"{model.name}: the files of {model.source} are {found} now, not {model.digest}; {again}")


def weights_digest(encoder: Signed) -> str:
    """Return the part of a signature that names weights and tokenizer."""
    return encoder.signature.partition("@")[2] or encoder.signature


def _list_of(environment: Environment) -> Path:
    return environment.cache_directory / "models" / "added.json"
