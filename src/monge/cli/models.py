"""List, fetch and locate encoder weights.

  monge models                     which models there are, and which are on this machine
  monge models fetch minilm mpnet  get them, if they are not here yet
  monge models path minilm         print the directory of one
  monge models add xlmr FOLDER     name a Hugging Face encoder (hub name or folder), an adapter or word vectors
  monge models layers [NAME]       which layers of public checkpoints agree best with people (for layers=best)

`add` records the digest of the weights, languages (--languages "de fr") and the best layers (--layers 9): a metric with
encoder=xlmr refuses other files. BERT, RoBERTa, XLM-R, DistilBERT and MPNet models run without torch.

Models are kept in $MONGE_CACHE, or else in the folder monge of your cache. A metric that needs a missing
model fetches it, unless --offline is given or MONGE_OFFLINE=1 is set.
"""

from __future__ import annotations

import argparse
import dataclasses
from typing import TYPE_CHECKING

from monge.environment import Environment
from monge.errors import ModelError, OptionError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from monge.encoders.added import KnownLayers
    from monge.encoders.models import ModelSpec


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``monge models``."""
    parser.add_argument(
        "action",
        nargs="?",
        choices=("list", "fetch", "path", "add", "layers"),
        default="list",
        help="what to do; default: list",
    )
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="models to fetch, to locate or to show layers of; to add: NAME HUB|DIR"
    )
    parser.add_argument("--languages", default="", metavar="CODES", help="with add: languages of the model")
    parser.add_argument("--layers", default="", metavar="LAYERS", help="with add: its best layers")
    parser.add_argument("--offline", action="store_true", help="never use the network")


def run(args: argparse.Namespace) -> int:
    """List the models, fetch some, or print where they are."""
    from monge.encoders.models import MODELS, find_model

    environment = Environment.read()
    if args.offline:
        environment = dataclasses.replace(environment, offline=True)
    if args.action == "add":
        return _add(args, environment)
    if args.action == "layers":
        return _print_layers(args.names, environment)
    if args.action == "list":
        _print_table([find_model(name) for name in args.names] or list(MODELS), environment)
        return 0
    if not args.names:
        raise OptionError(f"monge models {args.action} needs the name of a model; `monge models` lists them")
    find = _path_of if args.action == "path" else _fetch
    for name in args.names:
        print(_place_of(name, find, environment))
    return 0


def _place_of(name: str, find: Callable[[ModelSpec, Environment], str], environment: Environment) -> str:
    """Return where a model is; of an adapter that comes with monge, its file, and what it changes must be there."""
    from monge.encoders.adapter import find_shipped
    from monge.encoders.models import find_model

    shipped = find_shipped(name)
    if shipped is None:
        return find(find_model(name), environment)
    find(find_model(shipped.base), environment)
    return str(shipped.path)


def _add(args: argparse.Namespace, environment: Environment) -> int:
    from monge.encoders import load_encoder
    from monge.encoders.added import describe_encoder, read_added, record_model
    from monge.encoders.registry import known_names

    if len(args.names) != 2:
        raise OptionError("monge models add needs a name and a hub name or folder: monge models add NAME HUB|DIR")
    name, source = args.names
    if name in known_names():
        raise OptionError(f"{name!r} is the name of another encoder")
    encoder = load_encoder(source, environment=environment)
    model = describe_encoder(name, source, encoder, languages=args.languages, layers=args.layers)
    known = name in read_added(environment)
    record_model(model, environment)
    layers = f", best layers {model.layers}" if model.layers else ""
    print(f"{'replaced' if known else 'added'} {name}: {encoder.signature}, {encoder.layers} hidden states{layers}")
    return 0


def _print_layers(names: Sequence[str], environment: Environment) -> int:
    """Print the best layers of the named encoders, or of all that are known."""
    from monge.encoders.added import KNOWN_LAYERS
    from monge.report.tables import text_table

    chosen = [_layers_of(name, environment) for name in names] or KNOWN_LAYERS
    rows = [[known.checkpoint, known.layers, known.languages, known.origin] for known in chosen]
    print(text_table(["checkpoint", "layers", "languages", "measured by"], rows, left=4))
    return 0


def _layers_of(name: str, environment: Environment) -> KnownLayers:
    """Return the best layers of an encoder by its name here or the name of its checkpoint."""
    from monge.encoders.added import KnownLayers, find_known_layers, read_added
    from monge.encoders.models import MODELS

    added = read_added(environment).get(name)
    if added is not None and added.layers:
        return KnownLayers(name, added.layers, " ".join(added.languages), "given to `monge models add`")
    title = next((spec.title for spec in MODELS if spec.name == name), name)
    known = find_known_layers(added.source if added is not None else title)
    if known is None:
        raise OptionError(f"the best layers of {name!r} are not known; `monge models layers` lists those that are")
    return known


def _fetch(spec: ModelSpec, environment: Environment) -> str:
    """Fetch a model, again when the one here is damaged; offline, only say where a good one is."""
    from monge.encoders.fetch import fetch_model
    from monge.encoders.models import require_model

    return str((require_model if environment.offline else fetch_model)(spec, environment))


def _path_of(spec: ModelSpec, environment: Environment) -> str:
    from monge.encoders.models import locate_model

    directory = locate_model(spec, environment)
    if directory is None:
        raise ModelError(f"{spec.name} is not on this machine; get it with: monge models fetch {spec.name}")
    return str(directory)


def _print_table(specs: list[ModelSpec], environment: Environment) -> None:
    from monge.encoders.adapter import SHIPPED
    from monge.encoders.added import read_added
    from monge.encoders.models import MODELS, find_model, locate_model

    rows = [("name", "model", "kind", "size", "licence", "languages", "where")]
    for spec in specs:
        where = locate_model(spec, environment)
        size = f"{spec.megabytes} MB"
        place = "not here" if where is None else str(where)
        rows.append((spec.name, spec.title, spec.kind, size, spec.licence, spec.languages, place))
    if len(specs) == len(MODELS):
        for shipped in SHIPPED:
            size = f"{shipped.path.stat().st_size / 1e6:.1f} MB"
            base = find_model(shipped.base)
            made = f"adapter of {shipped.base}"
            rows.append((shipped.name, base.title, made, size, shipped.licence, base.languages, str(shipped.path)))
        for one in read_added(environment).values():
            layers = f"best {one.layers}" if one.layers else ""
            rows.append((one.name, one.digest, "added", "", layers, " ".join(one.languages), one.source))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
    if any(row[-1] == "not here" for row in rows):
        print("\n`monge models fetch NAME` gets a model; a model that is needed is fetched automatically.")
