"""JOINT-ALIGN on a small BERT: the loss by hand, translations found, the pivot held, resuming, bad input."""

import json
import os
import pickle
import signal
import subprocess
import sys

import numpy as np
import pytest

from monge.encoders import load_encoder
from monge.environment import Environment
from monge.errors import InputError, ModelError, OptionError
from monge.learned.links import LinkedTexts, keep_single_links, read_links

torch = pytest.importorskip("torch", reason="the torch extra is not installed")
transformers = pytest.importorskip("transformers", reason="the torch extra is not installed")
pytestmark = pytest.mark.torch

from monge.learned.joint import JointSettings, JointTraining, word_numbers  # noqa: E402
from monge.workflows.train_joint import TrainJointRequest, read_linked, run_train_joint  # noqa: E402

WORDS = (
    "boat boot, coat mantel, house haus, river fluss, boy junge, man mann, ship schiff, rain regen, north norden, "
    "crew mannschaft, dog hund, cat katze, tree baum, road weg, king könig, queen königin, sea meer, sky himmel, "
    "fire feuer, snow schnee"
)
ENGLISH, GERMAN = zip(*(pair.split() for pair in WORDS.split(", ")), strict=True)


def make_texts(count=160, seed=0):
    """Return sentences of five words in two languages, word by word translations, with their links."""
    random = np.random.default_rng(seed)
    rows = [random.choice(len(ENGLISH), 5, replace=False) for _ in range(count)]
    source = tuple(" ".join(GERMAN[i] for i in row) for row in rows)
    target = tuple(" ".join(ENGLISH[i] for i in row) for row in rows)
    return LinkedTexts(source, target, tuple(tuple((i, i) for i in range(5)) for _ in rows))


def make_encoder(path, kind="BertConfig"):
    """Write a BERT of two layers with random weights whose tokenizer cuts words into pieces."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    stems = sorted({word[:4] for word in (*ENGLISH, *GERMAN)})
    ends = sorted({"##" + char for word in (*ENGLISH, *GERMAN) for char in word})
    names = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *stems, *ends]
    tokenizer = Tokenizer(models.WordPiece({name: i for i, name in enumerate(names)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]"
    ).save_pretrained(path)
    size = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64}
    config = getattr(transformers, kind)(vocab_size=len(names), max_position_embeddings=64, pad_token_id=0, **size)
    torch.manual_seed(0)
    model = transformers.AutoModel.from_config(config)
    for parameter in model.parameters():
        if parameter.ndim > 1:
            torch.nn.init.normal_(parameter, std=0.15)
    model.save_pretrained(path)
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return make_encoder(tmp_path_factory.mktemp("encoder"))


@pytest.fixture
def files(tmp_path):
    data = make_texts()
    links = [" ".join(f"{i}-{j}" for i, j in own) for own in data.links]
    for name, lines in (("de", data.source), ("en", data.target), ("links", links)):
        (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return tmp_path


def request(folder, files, output="out", **changes):
    usual = {"settings": JointSettings(rate=2e-3, epochs=6), "links": (str(files / "links"),)}
    return TrainJointRequest(
        str(folder), (str(files / "de"), str(files / "en")), str(files / output), **usual | changes
    )


def test_words_of_pieces(folder):
    training = JointTraining(folder, make_texts(60), JointSettings(), seed=1)
    text = "mannschaft, Könige zz"
    numbers = word_numbers(text, training.tokenizer.encode(text))
    assert numbers.tolist()[0] == numbers.tolist()[-1] == -1
    assert set(numbers.tolist()) == {-1, 0, 1, 2, 3}, "the comma is a word too"
    assert (numbers == 0).sum() == len("schaft") + 1


def test_the_loss_is_that_of_the_formula(folder):
    data = make_texts(60)
    for pivot in ("target", "source", "none"):
        training = JointTraining(folder, data, JointSettings(pivot=pivot, rate=0.01), seed=1)
        some = data.part([0, 1])
        align, anchor = training.losses(some)
        assert float(anchor.detach()) == 0, "nothing has moved yet"
        training.step(0)
        align, anchor = training.losses(some)
        encoders = {}
        for name, model in (("now", training.model), ("before", training.before)):
            with torch.no_grad():
                encoders[name] = [
                    [own.numpy() for _, own in training.words(model, texts)] for texts in (some.source, some.target)
                ]
        source, target = encoders["now"]
        expected = sum(((one - two) ** 2).sum() for one, two in zip(source, target, strict=True))
        assert float(align.detach()) == pytest.approx(expected, rel=1e-5)
        side = {"target": 1, "source": 0}.get(pivot)
        moved = (
            0
            if side is None
            else sum(
                ((one - two) ** 2).sum()
                for one, two in zip(encoders["now"][side], encoders["before"][side], strict=True)
            )
        )
        assert float(anchor.detach()) == pytest.approx(moved, rel=1e-5)
        assert (moved > 0) == (pivot != "none")


def test_translations_are_found_and_the_pivot_stays(folder, files):
    result = run_train_joint(request(folder, files))
    before, after = result.record()["before"], result.record()["after"]
    assert before["forward"] < 0.5 < after["forward"]
    assert after["separation"] > max(0.8, before["separation"])
    plain, aligned = (load_encoder(str(path)) for path in (folder, result.directory))

    def moved(text):
        vectors = [encoder.encode([text], [2])[0].vectors for encoder in (plain, aligned)]
        return float(np.linalg.norm(vectors[0] - vectors[1]))

    assert moved("boat river dog") < 0.8 * moved("boot fluss hund")
    assert plain.signature != aligned.signature
    manifest = json.loads((files / "out" / "training.json").read_text(encoding="utf-8"))
    assert manifest["method"] == "joint-align"
    assert manifest["links"] == 5 * manifest["pairs"] == 5 * 144


def test_cut_texts_are_counted(folder, files):
    settings = JointSettings(rate=2e-3, epochs=0.1, length=8)
    short = run_train_joint(request(folder, files, settings=JointSettings(rate=2e-3, epochs=0.1)))
    assert "cut" not in short.record()
    result = run_train_joint(request(folder, files, "cut", settings=settings))
    counted = result.manifest["cut"]["texts"]
    assert 0 < counted <= 2 * 160
    assert result.notes[-1] == f"{counted} texts are longer than 8 tokens; the rest is not read"
    assert json.loads((files / "cut" / "training.json").read_text(encoding="utf-8"))["cut"]["tokens"] == 8


@pytest.mark.parametrize("kind", ["BertConfig", "XLMRobertaConfig"])  # the shapes of mBERT and XLM-R
def test_the_folder_computes_what_torch_does(kind, files):
    folder = make_encoder(files / "encoder", kind)
    result = run_train_joint(request(folder, files, settings=JointSettings(rate=2e-3, epochs=1)))
    encoder = load_encoder(result.directory)
    model = transformers.AutoModel.from_pretrained(result.directory).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(result.directory)
    text = "boot fluss mannschaft"
    with torch.inference_mode():
        expected = model(**tokenizer(text, return_tensors="pt", return_token_type_ids=False)).last_hidden_state[0]
    assert encoder.encode([text], [2])[0].vectors[0] == pytest.approx(expected.numpy(), abs=1e-4)


@pytest.mark.slow
def test_kill_9_and_the_same_command_again(folder, files):
    code = """
import os, signal, sys
import monge.learned.loop as loop
from monge.learned import joint
from monge.workflows import train_joint
from monge.cli import main
train_joint.LoopSettings = lambda *a, **rest: loop.LoopSettings(*a, **rest | {"save_every": 0})
own = joint.JointTraining.step
def step(self, number):
    if number == 7 and sys.argv[1] == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    return own(self, number)
joint.JointTraining.step = step
sys.exit(main(sys.argv[2:]))
"""

    def command(how, output):
        texts = [str(files / name) for name in ("de", "en")]
        options = ["--links", str(files / "links"), "--rate", "0.002", "--epochs", "2", "-f", "json"]
        output = ["--output", str(files / output)]
        return [sys.executable, "-c", code, how, "train", "joint", str(folder), *texts, *options, *output]

    assert subprocess.run(command("kill", "cut"), check=False, capture_output=True).returncode == -signal.SIGKILL
    assert (files / "cut.checkpoint").exists()
    for name in ("cut", "whole"):
        subprocess.run(command("go", name), check=True, capture_output=True)
    assert not (files / "cut.checkpoint").exists()
    cut, whole = ((files / name / "model.safetensors").read_bytes() for name in ("cut", "whole"))
    assert cut == whole, "also: the same seed gives the same weights"


def test_words_are_linked_by_vectors(folder, files):
    """Of a random encoder; that words in their own language find themselves shows that numbers are right."""
    same = request(folder, files, links=())
    copy = TrainJointRequest(str(folder), (str(files / "en"), str(files / "en")), str(files / "x"))
    found = read_linked(copy, Environment.read())
    assert all(own == tuple((i, i) for i in range(5)) for own in found.links)
    assert len(read_linked(same, Environment.read()).links) == 160


def test_links_are_one_to_one_and_checked(tmp_path):
    assert keep_single_links([(0, 1), (1, 1), (2, 0)]) == ((2, 0),)
    (tmp_path / "l").write_text("0-0 1-1\n", encoding="utf-8")
    found = read_links(tmp_path / "l", ["Ja, gut"], ["Well, good"])
    assert found.links == (((0, 0), (2, 2)),), "words between blanks become words of monge, the comma aside"
    for line in ("0-9", "a-b", "00"):
        (tmp_path / "l").write_text(line + "\n", encoding="utf-8")
        with pytest.raises(InputError, match="line 1: not links"):
            read_links(tmp_path / "l", ["a b"], ["a b"])
    with pytest.raises(InputError, match="1 lines for 2 sources"):
        read_links(tmp_path / "l", ["a", "b"], ["a", "b"])


def test_what_cannot_be_aligned_is_refused(folder, files, tmp_path):
    with pytest.raises(ModelError, match=r"no config\.json"):
        run_train_joint(request(files, files))
    (files / "full").mkdir()
    (files / "full" / "file").touch()
    with pytest.raises(OptionError, match="exists already"):
        run_train_joint(request(folder, files, "full"))
    with pytest.raises(OptionError, match="belong together"):
        TrainJointRequest(str(folder), (str(files / "de"),), "x")
    with pytest.raises(InputError, match="at least 50"):
        run_train_joint(request(folder, files, links=(), most=20))
    (files / "short").write_text("nur eine\n", encoding="utf-8")
    with pytest.raises(InputError, match="translations by line"):
        run_train_joint(TrainJointRequest(str(folder), (str(files / "short"), str(files / "en")), str(files / "y")))
    bad = tmp_path / "pickled"
    os.makedirs(bad)
    for name in ("config.json", "tokenizer.json"):
        (bad / name).write_bytes((folder / name).read_bytes())
    (bad / "pytorch_model.bin").write_bytes(pickle.dumps({}))
    with pytest.raises(ModelError):
        run_train_joint(request(bad, files))
    for change in ({"pivot": "english"}, {"rate": 0.0}, {"batch": 0}, {"length": 2}):
        with pytest.raises(OptionError):
            JointSettings(**change)


def test_a_loss_that_is_not_a_number_keeps_the_last_good_weights(folder, files, monkeypatch):
    own = JointTraining.step
    monkeypatch.setattr(JointTraining, "step", lambda self, number: float("nan") if number == 30 else own(self, number))
    result = run_train_joint(request(folder, files))
    assert any("step 31 is not a number" in note for note in result.notes)
    assert 0 < result.manifest["best_step"] <= 30
