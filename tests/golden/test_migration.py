"""The scripts of the migration pages: before and after give the same numbers."""

import re
from pathlib import Path

import numpy as np
import pytest

DOCS = Path(__file__).parents[2] / "docs"


def scripts(page: str) -> dict[str, str]:
    """Return the Python scripts of a page by their first comment: before, after."""
    text = (DOCS / page).read_text(encoding="utf-8")
    found = re.findall(r"```python\n# (\w+)\n(.*?)```", text, re.DOTALL)
    assert [name for name, _ in found] == ["before", "after"]
    return dict(found)


def run(script: str, known: dict[str, object]) -> dict[str, object]:
    space = dict(known)
    exec(compile(script, "script", "exec"), space)
    return space


def test_a_script_of_sacrebleu() -> None:
    both = scripts("migrate-sacrebleu.md")
    ours = run(both["after"], {})
    theirs = run(both["before"], {name: ours[name] for name in ("hypotheses", "references")})
    assert ours["bleu"].score == pytest.approx(theirs["bleu"].score, abs=1e-10)
    assert [ours["bleu"].parts[f"precision{n}"] for n in (1, 2, 3, 4)] == pytest.approx(theirs["bleu"].precisions)
    assert ours["bleu"].parts["brevity_penalty"] == theirs["bleu"].bp
    assert ours["chrf"].score == pytest.approx(theirs["chrf"].score, abs=1e-10)
    mixed = __import__("sacrebleu").BLEU(lowercase=True, effective_order=True)
    expected = [mixed.sentence_score(h, [r]).score for h, r in zip(ours["hypotheses"], ours["references"], strict=True)]
    assert ours["sentence"] == pytest.approx(expected)


def test_a_script_of_bert_score_runs() -> None:
    ours = run(scripts("migrate-bert-score.md")["after"], {})
    assert ours["F"].shape == (3,)
    assert ours["F"].mean() == pytest.approx(ours["result"].score)
    assert len(ours["worst"]) == 3


@pytest.mark.torch
@pytest.mark.filterwarnings("ignore")
def test_a_script_of_bert_score_gives_the_same_numbers(minilm_directory: Path) -> None:
    both = scripts("migrate-bert-score.md")
    ours = run(both["after"], {})
    same = both["before"].replace('lang="en"', f'model_type={str(minilm_directory)!r}, num_layers=4, device="cpu"')
    theirs = run(same, {name: ours[name] for name in ("candidates", "references")})
    for part in "PRF":
        assert np.abs(ours[part] - theirs[part].numpy()).max() < 1e-5
    assert list(ours["worst"]) == theirs["worst"].tolist()


@pytest.mark.parametrize(
    ("theirs", "option"),
    [
        ({"lang": "en"}, {"language": "en"}), ({"model_type": "hashed"}, {"encoder": "hashed"}),
        ({"num_layers": 0}, {"layers": 0}), ({"idf": True}, {"weighting": "idf"}), ({"idf": False}, {}),
    ],
)  # fmt: skip
def test_arguments_of_bert_score_are_accepted(theirs: dict[str, object], option: dict[str, object]) -> None:
    import monge

    texts = (["the boy ran", "a b"], ["the boy ran home", "a c"])
    usual = {"metric": "bertscore", "encoder": "hashed"}
    mine = {key: value for key, value in usual.items() if not (key == "encoder" and "model_type" in theirs)}
    accepted = monge.score(*texts, **mine, **theirs)  # type: ignore[call-overload]
    assert accepted.scores.tolist() == monge.score(*texts, **usual | option).scores.tolist()  # type: ignore[call-overload]


def test_command_lines_of_sacrebleu_work(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import sacrebleu

    from monge.cli import main

    texts = {"ref": "The Boy ran home .\nRain fell.\n", "hyp": "the boy ran home .\nRain falls.\n"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    flags = ["-m", "bleu", "chrf++", "ter", "-lc", "-tok", "none", "-b", "-w", "4"]
    assert main(["score", str(tmp_path / "ref"), "-i", str(tmp_path / "hyp"), *flags]) == 0
    bleu, chrf, ter = map(float, capsys.readouterr().out.split())
    hypotheses, references = (texts[name].splitlines() for name in ("hyp", "ref"))
    expected = sacrebleu.corpus_bleu(hypotheses, [references], lowercase=True, tokenize="none", force=True).score
    assert bleu == pytest.approx(expected, abs=1e-4)
    lowered = sacrebleu.CHRF(word_order=2, lowercase=True).corpus_score(hypotheses, [references])
    assert chrf == pytest.approx(lowered.score, abs=1e-4)
    assert ter == pytest.approx(sacrebleu.corpus_ter(hypotheses, [references]).score, abs=1e-4)
