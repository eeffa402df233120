"""Makes a small multilingual BERT, aligns it with JOINT-ALIGN, and prints the table of results-crosslingual.md.

python docs/results_joint.py FOLDER            a small BERT that is made for it, with three pivots
python docs/results_joint.py FOLDER minilm     an English encoder that has not learned German, English held

reads multi30k (captions, German and English) and rfeval from MONGE_DATA. The small BERT (2 layers, 128 dimensions) is
trained for some minutes to fill in hidden words of captions of both languages, which it is not told apart; words are
linked by `use`; judgments are those of WMT17, of which nothing is trained on or chosen by. FOLDER keeps everything: a
run that was interrupted goes on.
"""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

import numpy as np

from monge.environment import Environment
from monge.learned.joint import JointSettings
from monge.metrics.variants import parse_variant
from monge.report.tables import markdown_table
from monge.storage.atomic import write_text
from monge.text import read_lines
from monge.workflows.judged_data import JudgedData, read_judged_sets
from monge.workflows.judged_scores import score_sets
from monge.workflows.train_joint import TrainJointRequest, run_train_joint

PAIRS, PIECES, STEPS = 1000, 4000, 200
PIVOTS = ("target", "source", "none")
MORE = 2000  # pairs for an encoder that is given


def read_captions(count: int) -> tuple[list[str], list[str]]:
    """Return captions in German and English, line by line."""
    folder = Environment.read().data_folders[0] / "multi30k"
    german, english = (list(read_lines(folder / f"train.{code}.gz")) for code in ("de", "en"))
    return german[:count], english[:count]


def make_bert(path: Path, texts: list[str]) -> None:
    """Write a small BERT that learned to fill in hidden pieces of *texts*."""
    import torch
    import transformers
    from tokenizers import BertWordPieceTokenizer

    pieces = BertWordPieceTokenizer(strip_accents=False)
    pieces.train_from_iterator(texts, vocab_size=PIECES, show_progress=False)
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=pieces._tokenizer,
        **{f"{name}_token": f"[{name.upper()}]" for name in ("pad", "unk", "cls", "sep", "mask")},
    ).save_pretrained(path)
    torch.manual_seed(1)
    size = {"hidden_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 512}
    config = transformers.BertConfig(vocab_size=pieces.get_vocab_size(), max_position_embeddings=128, **size)
    model = transformers.BertForMaskedLM(config).train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-4)
    random, mask = np.random.default_rng(1), pieces.token_to_id("[MASK]")
    pieces.enable_padding()
    pieces.enable_truncation(64)
    for number in range(STEPS):
        encodings = pieces.encode_batch([texts[i] for i in random.choice(len(texts), 32)])
        ids = torch.tensor([own.ids for own in encodings])
        real = torch.tensor([own.attention_mask for own in encodings])
        hidden = torch.from_numpy(random.random(ids.shape) < 0.15) & (real > 0) & (ids > 4)
        labels = torch.where(hidden, ids, -100)
        loss = model(torch.where(hidden, mask, ids), attention_mask=real, labels=labels).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if number % 100 == 0:
            print(f"step {number}: loss {float(loss.detach()):.3f}", file=sys.stderr, flush=True)
    model.bert.save_pretrained(path)


def correlate(encoder: str) -> list[float]:
    """Return Pearson's r of two metrics without reference on WMT17 de-en."""
    (judged,) = read_judged_sets(JudgedData("rfeval/de-en"), environment=Environment.read())[:1]
    variants = [parse_variant(f"{name},encoder={encoder},layers=last") for name in ("yisi2", "xmoverscore,ngram=1")]
    human = judged.judgments[judged.aspects[0]].values.ravel()
    found = []
    for table in score_sets(variants, [judged], environment=Environment.read())[0]:
        both = np.isfinite(table.values.ravel()) & np.isfinite(human)
        found.append(float(np.corrcoef(table.values.ravel()[both], human[both])[0, 1]))
    return found


def main(folder: Path, encoder: str = "") -> None:
    """Print the space and the correlations before and after, by the side that is held."""
    folder.mkdir(parents=True, exist_ok=True)
    german, english = read_captions(MORE if encoder else PAIRS)
    files = (folder / f"{encoder}de", folder / f"{encoder}en")
    for path, texts in zip(files, (german, english), strict=True):
        write_text(path, "".join(f"{text}\n" for text in texts))
    base = encoder or str(folder / "bert")
    if not encoder and not (folder / "bert" / "model.safetensors").exists():
        make_bert(folder / "bert", list(itertools.chain(german, english)))
    rows = []
    for pivot in PIVOTS[:1] if encoder else PIVOTS:
        target = folder / f"joint{encoder}-{pivot}"
        settings = JointSettings(pivot=pivot, rate=2e-4, epochs=2.0 if encoder else 3.0)
        request = TrainJointRequest(
            base, (str(files[0]), str(files[1])), str(target), settings, linker="use", layers="proj"
        )
        result = run_train_joint(request)
        old, new = result.record()["before"], result.record()["after"]
        if not rows:
            rows.append(["before", *(f"{old[key]:.3f}" for key in old), *(f"{r:.3f}" for r in correlate(base))])
        correlations = correlate(str(target))
        rows.append([f"pivot={pivot}", *(f"{new[key]:.3f}" for key in new), *(f"{r:.3f}" for r in correlations)])
        print(rows[-1], result.manifest["steps"], result.notes, file=sys.stderr, flush=True)
    header = ["", "translation found", "source found", "cosine linked", "random", "linked above random"]
    print(markdown_table([*header, "yisi2", "xmoverscore"], rows))


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
