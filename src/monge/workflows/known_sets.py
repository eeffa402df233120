"""Test sets of sacrebleu by name: source and references, where a copy is on this machine."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from monge.environment import Environment
from monge.errors import InputError, OptionError, suggest


@dataclass(frozen=True)
class KnownSet:
    """The files of a test set for one language pair."""

    source: str
    references: tuple[str, ...]


def find_known_set(name: str, pair: str, *, environment: Environment | None = None) -> KnownSet:
    """Return the files of sacrebleu's test set *name* (``wmt17``) for a language *pair* (``de-en``).

    What sacrebleu keeps in its folder (``SACREBLEU``, else ``~/.sacrebleu``) is used. If it is not there, sacrebleu
    fetches it, unless the network must not be used. Raises OptionError for an unknown set or pair, and InputError if
    the files cannot be had.
    """
    from sacrebleu.dataset import DATASETS

    if name not in DATASETS:
        raise OptionError(f"-t {name}: no such test set{suggest(name, DATASETS)}; `sacrebleu --list` names them")
    known: Any = DATASETS[name]
    if pair not in known.langpairs:
        pairs = ", ".join(known.langpairs)
        raise OptionError(f"-t {name}: no language pair {pair!r}{suggest(pair, known.langpairs)}; it has {pairs}")
    fields = known.fieldnames(pair)
    chosen = [field for field in fields if field == "src" or field.startswith("ref")]
    files = {field: known._get_txt_file_path(pair, field) for field in chosen}
    if not all(Path(file).is_file() for file in files.values()):
        _fetch(name, pair, known, environment or Environment.read())
    return KnownSet(files["src"], tuple(file for field, file in files.items() if field.startswith("ref")))


def _fetch(name: str, pair: str, known: Any, environment: Environment) -> None:
    get = f"sacrebleu -t {name} -l {pair} --echo src"
    if environment.offline:
        raise InputError(f"-t {name} -l {pair}: not on this machine, and this is offline; fetch it with `{get}`")
    try:
        known.get_files(pair)
    except Exception as error:  # sacrebleu raises whatever the network and archives raise
        reason = str(error).partition("\n")[0] or type(error).__name__
        raise InputError(f"-t {name} -l {pair}: not on this machine, and cannot be fetched ({reason})") from error
    except SystemExit as error:
        raise InputError(f"-t {name} -l {pair}: not on this machine, and sacrebleu cannot fetch it") from error
