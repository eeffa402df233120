"""The public sets of human judgments that monge can read by name; none is bundled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from monge.environment import Environment
from monge.errors import InputError, OptionError, suggest
from monge.meta.data.judged_set import JudgedSet
from monge.meta.data.locate import data_folders

Reader = Callable[[Path], list[JudgedSet]]


@dataclass(frozen=True)
class RemoteFile:
    """A file of a set: its name in the set's folder, its public address and its SHA-256."""

    name: str
    address: str
    sha256: str


@dataclass(frozen=True)
class DataSpec:
    """What is known of a set without reading it.

    ``folder`` is looked for in the data folders; ``reader`` (``module:function`` of monge.meta.data) gets
    ``folder/file``. ``parts`` are those that count when none is named (all when empty), ``level`` and ``statistic``
    what the field reports. ``tokenised``: texts are Moses-tokenised and are detokenised unless asked otherwise.
    """

    name: str
    title: str
    folder: str
    reader: str
    licence: str
    citation: str
    home: str
    file: str = ""
    parts: tuple[str, ...] = ()
    level: str = "segment"
    statistic: str = "pearson"
    tokenised: bool = False
    files: tuple[RemoteFile, ...] = ()

    def locate(self, environment: Environment | None = None) -> Path | None:
        """Return the path that the reader gets, or None where no data folder holds it."""
        for base in data_folders(environment):
            path = base / self.folder / self.file if self.file else base / self.folder
            if path.exists():
                return path
        return None

    def load(self, parts: Sequence[str] = (), *, environment: Environment | None = None) -> list[JudgedSet]:
        """Read the set; *parts* names those wanted (``all`` for every one).

        Raises InputError where it is not on this machine, and OptionError for an unknown part.
        """
        path = self.locate(environment)
        if path is None:
            hint = f"`monge data fetch {self.name}` fetches it" if self.files else f"get it from {self.home}"
            raise InputError(
                f"{self.name} is not on this machine: {hint}, or set MONGE_DATA to the folder of {self.folder}/"
            )
        sets = _reader(self.reader)(path)
        wanted = list(parts) or list(self.parts)
        if not wanted or wanted == ["all"]:
            return sets
        known = {judged.name: judged for judged in sets}
        for part in wanted:
            if part not in known:
                raise OptionError(f"{self.name} has no part {part!r}{suggest(part, known)}; it has {', '.join(known)}")
        return [known[part] for part in wanted]


def _reader(target: str) -> Reader:
    import importlib

    module, _, function = target.partition(":")
    found: Any = getattr(importlib.import_module(f"monge.meta.data.{module}"), function)
    reader: Reader = found
    return reader


def _github(repository: str, commit: str, paths: dict[str, tuple[str, str]]) -> tuple[RemoteFile, ...]:
    base = f"https://raw.githubusercontent.com/{repository}/{commit}"
    return tuple(RemoteFile(name, f"{base}/{path}", sha) for name, (path, sha) in paths.items())


_STSB_FILES = {
    "stsb-en-train.csv": "e1e84fec60bbb598735552f54a35f4949904a484750fd2cb11e2720e49f63da6",
    "stsb-en-dev.csv": "d29586e96558c4eb52cf5ea5d14e9c24d3bf0e44f111b017caba43a5adc33226",
    "stsb-en-test.csv": "11523b625219e94e9ca05d2816b5f02cac1614c5894fe657376fa0806378d053",
    "stsb-de-test.csv": "a92ce1015b201a342784ab7e34e024ceb0a0eeb479231fbadd05f756afb817fd",
    "stsb-zh-test.csv": "a583195cb30b9d99ae5fe1d03cd3e544c4c2a1c48d27713fb0686c7bae9fbb19",
}
_MQM_FILES = {
    "mqm_ted_zhen.tsv": ("ted/zhen", "d91fc0dd21c1949f1e7570671d01ceb1798ebd8d7ea8998844b1a35983de4ed3"),
    "mqm_ted_zhen.avg_seg_scores.tsv": ("ted/zhen", "fe7c8bcfe5e864194c8ce43e7945ca867a7c2da7e185ae067283279078d0e65c"),
    "mqm_ted_ende.tsv": ("ted/ende", "3952dc904997dda31c03421243862cb8a093f9a712fd90dc97b9709b4bb387b3"),
    "mqm_ted_ende.avg_seg_scores.tsv": ("ted/ende", "4f46f24bb516f4fc0483de2790632eff39930977d9ebd778378a9a2561d3e125"),
    "mqm_newstest2020_zhen.avg_seg_scores.tsv": (
        "newstest2020/zhen",
        "0a58ae9f2b24600367499f31d2df12491ca992277b4a1f2a8b62523c416383a6",
    ),
    "mqm_newstest2020_ende.avg_seg_scores.tsv": (
        "newstest2020/ende",
        "729f515bd0d5cf77845e9516a13472ddc9773001b2275e04a0ad4ab7639559ff",
    ),
    "mqm_newstest2021_zhen.avg_seg_scores.tsv": (
        "newstest2021/zhen",
        "d0754405d037ac7f0d565283853b17f111de45610da0f66ccdbaa7f76bd2b17b",
    ),
    "mqm_newstest2021_ende.avg_seg_scores.tsv": (
        "newstest2021/ende",
        "a31b7f00f185d8749d5195516b8e8ee71e6b8b2ef15fb58406ea96d20c255102",
    ),
}

_BOJAR = "Bojar, Graham and Kamran (2017), Results of the WMT17 Metrics Shared Task, WMT"
_FREITAG = "Freitag et al. (2021), Results of the WMT21 Metrics Shared Task, WMT"
_FOMICHEVA = "Fomicheva et al. (2022), MLQE-PE: A Multilingual Quality Estimation and Post-Editing Dataset, LREC"
_ZHAO_2021 = "Zhao, Eger, Bjerva and Augenstein (2021), Inducing Language-Agnostic Multilingual Representations, *SEM"
_NOVIKOVA = "Novikova et al. (2017), Why We Need New Evaluation Metrics for NLG, EMNLP"
_ACL20 = "https://github.com/AIPHES/ACL20-Reference-Free-MT-Evaluation"
_BARTSCORE = "https://github.com/neulab/BARTScore"

CATALOG: tuple[DataSpec, ...] = (
    DataSpec(
        "wmt17", "WMT17 to English: 7 pairs, 560 judged segments each", "wmt17_da_toen", "wmt:read_da_segments",
        "research use", _BOJAR, _ACL20, file="wmt17_da_seglevel_full560.tsv", tokenised=True,
    ),
    DataSpec(
        "wmt17-systems", "WMT17 to English: 65 systems, whole outputs, DA of systems", "wmt17_syslevel",
        "wmt:read_da_systems", "research use", _BOJAR, _ACL20, file="wmt17_toen_outputs.tar.gz", level="system",
        tokenised=True,
    ),
    DataSpec(
        "wmt19-ende", "WMT19 English–German: 22 systems, DA of systems, seven references", "wmt19_paraphrased_refs",
        "wmt:read_paraphrased", "Apache-2.0 (references); research use (outputs)",
        "Freitag, Grangier and Caswell (2020), BLEU might be Guilty but References are not Innocent, EMNLP",
        "https://github.com/google/wmt19-paraphrased-references", parts=("wmt",), level="system",
    ),
    DataSpec(
        "mqm", "WMT20/21 MQM: TED talks with texts and two references, news with scores only", "mqm",
        "mqm:read_mqm_folder", "Apache-2.0", _FREITAG, "https://github.com/google/wmt-mqm-human-evaluation",
        parts=("ted-zhen", "ted-ende"), level="item", statistic="tie-accuracy",
        files=_github(
            "google/wmt-mqm-human-evaluation", "7fadea281aff8db61cc72fc3d469a4dca78b82a6",
            {name: (f"{folder}/{name}", sha) for name, (folder, sha) in _MQM_FILES.items()},
        ),
    ),
    DataSpec(
        "et-en", "MLQE Estonian–English: 1000 translations with two references", "mlqe_multiref_et-en",
        "quality:read_two_references", "CC0-1.0", _FOMICHEVA, "https://github.com/sheffieldnlp/mlqe-pe",
        parts=("et-en",),
    ),
    DataSpec(
        "mlqe", "MLQE-PE: 7 pairs, 1000 translations each, no reference", "mlqe_pe_da_test20",
        "quality:read_mlqe_folder", "CC0-1.0", _FOMICHEVA, "https://github.com/sheffieldnlp/mlqe-pe",
    ),
    DataSpec(
        "rfeval", "RFEval: the judged outputs of WMT17 against sources in 27 languages, 560 each", "rfeval",
        "quality:read_rfeval_folder", "research use", f"{_ZHAO_2021}; {_BOJAR}",
        "https://github.com/AIPHES/Language-Agnostic-Contextualized-Encoders", tokenised=True,
    ),
    DataSpec(
        "eval4nlp", "Eval4NLP 2021: translations with DA and word tags; dev has post-edits", "eval4nlp2021",
        "quality:read_eval4nlp_folder", "built on MLQE-PE (CC0-1.0)",
        "Fomicheva et al. (2021), The Eval4NLP Shared Task on Explainable Quality Estimation, Eval4NLP",
        "https://github.com/eval4nlp/SharedTask2021", parts=("et-en-dev", "ro-en-dev"),
    ),
    DataSpec(
        "summeval", "SummEval: 100 articles, 16 systems, 11 references, four aspects by experts", "summeval",
        "generation:read_summeval", "MIT; articles © their publishers",
        "Fabbri et al. (2021), SummEval: Re-evaluating Summarization Evaluation, TACL", _BARTSCORE,
        file="summeval.jsonl", parts=("summeval",), level="system", statistic="kendall",
    ),
    DataSpec(
        "d2t", "BAGEL, SFHOTEL, SFREST: data-to-text outputs with several references", "data2text_bagel_sfhotel_sfrest",
        "generation:read_data_to_text_folder", "Apache-2.0", _NOVIKOVA, _BARTSCORE, parts=("bagel", "sfhotel"),
        statistic="spearman",
    ),
    DataSpec(
        "d2t-medians", "The same outputs with ten metrics' scores as published", "data2text_bagel_sfhotel_sfrest",
        "generation:read_data_to_text_medians", "MIT", _NOVIKOVA, "https://github.com/jeknov/EMNLP_17_submission",
        file="emnlp_data_medians.csv", statistic="spearman",
        files=_github(
            "jeknov/EMNLP_17_submission", "ed7b6678135001519006365cb36855ccc17aa54e",
            {"emnlp_data_medians.csv": (
                "emnlp_data_medians.csv", "d655cce3e3ade250df4611a15f5bda1b1ccd7afb776b1931d6f2a3fe1b8092b2",
            )},
        ),
    ),
    DataSpec(
        "topical-chat", "Topical-Chat: 60 contexts, replies of six systems, six aspects", "topical_chat_usr",
        "generation:read_topical_chat", "MIT",
        "Mehri and Eskenazi (2020), USR: An Unsupervised and Reference Free Evaluation Metric for Dialog, ACL",
        "https://github.com/maszhongming/UniEval", file="topical_chat.json", statistic="spearman",
        files=_github(
            "maszhongming/UniEval", "d33e7b6cfebe97b2bafe435adbd818230d5a416a",
            {"topical_chat.json": (
                "reproduce/data/dialogue/topical_chat.json",
                "f6361daa6fe162f636d2071a60322a784acd770be0bf3a6920ac949d751b978a",
            )},
        ),
    ),
    DataSpec(
        "stsb", "STS benchmark: sentence pairs and their similarity", "stsb", "generation:read_sts_folder",
        "research use (CC BY-SA 4.0 family)",
        "Cer et al. (2017), SemEval-2017 Task 1: Semantic Textual Similarity, SemEval",
        "https://github.com/PhilipMay/stsb-multi-mt", parts=("en-test",), statistic="spearman",
        files=_github(
            "PhilipMay/stsb-multi-mt", "30de0dec4ee199b7f42351d3f1a0b19592955385",
            {name: (f"data/{name}", sha) for name, sha in _STSB_FILES.items()},
        ),
    ),
    DataSpec(
        "tac", "TAC 2008, 2009, 2011: pyramid scores and thirteen metrics' scores, no text", "bt_eval_multisystem",
        "quality:read_tac_folder", "Apache-2.0",
        "Peyrard et al. (2021), Better than Average: Paired Evaluation of NLP Systems, ACL",
        "https://github.com/epfl-dlab/BT-eval", level="item",
    ),
    DataSpec(
        "tac-texts", "TAC 2008, 2009: summaries with references, responsiveness and pyramid, by topic", "tac",
        "tac:read_tac_texts", "NIST's: for those who have it; neither bundled nor fetched",
        "Zhao et al. (2019), MoverScore, EMNLP; the data: NIST, Text Analysis Conference 2008 and 2009",
        "https://tac.nist.gov", parts=("tac.08", "tac.09"), level="item",
    ),
)  # fmt: skip


def find_data(name: str) -> DataSpec:
    """Return the set called *name*, or an error that offers the nearest name."""
    known = {spec.name: spec for spec in CATALOG}
    if name not in known:
        raise OptionError(f"no data set {name!r}{suggest(name, known)}; `monge data list` shows them")
    return known[name]
