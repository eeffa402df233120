"""WMT's direct assessments and relative rankings."""

from __future__ import annotations

import math
import tarfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import numpy as np

from monge.errors import InputError
from monge.meta.data.judged_set import JudgedSet, make_judged_set
from monge.scores import ScoreTable
from monge.scores.records import PathLike, parse_number, read_blank_records, read_tsv_records
from monge.text import Segment, read_lines
from monge.wording import count_noun


def read_da_segments(path: PathLike) -> list[JudgedSet]:
    """Read columns lp, system, sid, source, hypothesis, reference, human: one set per language pair."""
    segments: dict[str, list[Segment]] = {}
    human: dict[str, list[float]] = {}
    for record in read_tsv_records(path):
        pair = record.text("lp")
        segments.setdefault(pair, []).append(
            Segment(
                record.text("hypothesis"),
                (record.text("reference"),),
                record.text("source"),
                id=record.text("sid"),
                system=record.text("system"),
            )
        )
        human.setdefault(pair, []).append(record.number("human"))
    return [make_judged_set(pair, own, {"da": human[pair]}, place=str(path)) for pair, own in segments.items()]


@dataclass(frozen=True)
class _Archive:
    """The text files of a tar archive by name."""

    place: str
    lines: Mapping[str, list[str]]

    @classmethod
    def read(cls, path: PathLike) -> _Archive:
        try:
            with tarfile.open(path) as tar:
                members = [member for member in tar.getmembers() if member.isfile()]
                return cls(str(path), {m.name.removeprefix("./"): _member_lines(tar, m) for m in members})
        except (OSError, tarfile.TarError, EOFError) as error:
            raise InputError(f"cannot read the archive {path}: {error}") from error
        except UnicodeDecodeError as error:
            raise InputError(f"{path}: a text in the archive is not UTF-8 ({error.reason})") from error

    def find(self, folder: str, part: str) -> list[str]:
        """Return the lines of the file in *folder* whose name contains *part*."""
        for name, lines in self.lines.items():
            path = PurePosixPath(name)
            if path.parent.name == folder and part in path.name:
                return lines
        raise InputError(f"{self.place}: no file with {part!r} in its name in {folder}/")

    def totals(self) -> dict[str, dict[str, float]]:
        """Return the DA of systems by language pair from DA-syslevel.csv (columns LP HUMAN SYSTEM)."""
        name = next((n for n in self.lines if n.endswith("DA-syslevel.csv")), None)
        if name is None:
            raise InputError(f"{self.place}: no DA-syslevel.csv")
        totals: dict[str, dict[str, float]] = {}
        for number, line in enumerate(self.lines[name][1:], start=2):
            pair, human, system = line.split()
            totals.setdefault(pair, {})[system] = parse_number(human, f"{self.place}, {name}, line {number}")
        return totals


def _member_lines(tar: tarfile.TarFile, member: tarfile.TarInfo) -> list[str]:
    stream = tar.extractfile(member)
    assert stream is not None  # only regular files are asked for
    return stream.read().decode("utf-8").removesuffix("\n").split("\n")


def read_da_systems(path: PathLike) -> list[JudgedSet]:
    """Read an archive with source/, references/, system-outputs/LP/ and the DA of whole systems: one set per pair."""
    archive = _Archive.read(path)
    totals = archive.totals()
    pairs = sorted({PurePosixPath(n).parent.name for n in archive.lines if "/system-outputs/" in f"/{n}"})
    sets = []
    for pair in pairs:
        references = archive.find("references", pair.replace("-", ""))
        sets.append(_system_set(archive, pair, totals.get(pair, {}), references, name=pair))
    return sets


def read_paraphrased(folder: PathLike) -> list[JudgedSet]:
    """Read WMT19 en-de system outputs once for each reference: the official one and Google's paraphrased ones."""
    base = Path(folder)
    archive = _Archive.read(base / "wmt19_ende_outputs.tar.xz")
    totals = archive.totals().get("en-de", {})
    references = {"wmt": archive.find("references", "ende")}
    references |= {path.stem.rpartition("-")[2]: read_lines(path) for path in sorted(base.glob("wmt19-ende-*.ref"))}
    return [_system_set(archive, "en-de", totals, lines, name=name) for name, lines in references.items()]


def _system_set(
    archive: _Archive, pair: str, totals: Mapping[str, float], references: Sequence[str], *, name: str
) -> JudgedSet:
    sources = archive.find("source", pair.replace("-", ""))
    segments = []
    for path, lines in sorted(archive.lines.items()):
        if PurePosixPath(path).parent.name != pair:
            continue
        system = PurePosixPath(path).name.partition(".")[2].removesuffix(f".{pair}")
        if not len(lines) == len(references) == len(sources):
            raise InputError(
                f"{archive.place}: {path} has {count_noun(len(lines), 'line')}, its reference {len(references)}"
            )
        segments += [
            Segment(text, (references[i],), sources[i], id=str(i + 1), system=system) for i, text in enumerate(lines)
        ]
    systems = dict.fromkeys(segment.system for segment in segments)
    ids = tuple(str(i + 1) for i in range(len(references)))
    empty = ScoreTable(tuple(systems), ids, np.full((len(systems), len(ids)), np.nan), "human:da")
    known = {system: totals.get(system, math.nan) for system in systems}
    absent = [system for system, value in known.items() if math.isnan(value)]
    notes = (f"{len(absent)} of {len(known)} systems have no judgment: {', '.join(absent)}",) if absent else ()
    return JudgedSet(name, tuple(segments), {"da": empty}, {"da": known}, notes=notes)


@dataclass(frozen=True)
class RankedPair:
    """People found the output of one system better than that of another, for one segment."""

    segment: str
    better: str
    worse: str


def read_ranked_pairs(path: PathLike) -> dict[str, list[RankedPair]]:
    """Read WMT's relative rankings (RR-seglevel.csv: LP DATA SID BETTER WORSE), by language pair."""
    pairs: dict[str, list[RankedPair]] = {}
    for record in read_blank_records(path):
        pair = RankedPair(record.text("SID"), record.text("BETTER"), record.text("WORSE"))
        if pair.better == pair.worse:
            raise InputError(f"{record.place}: system {pair.better!r} is ranked better than itself")
        pairs.setdefault(record.text("LP"), []).append(pair)
    return pairs
