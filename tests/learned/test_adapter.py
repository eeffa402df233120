"""Adapters: what is merged equals what was trained; they learn, repeat themselves and resume; others' are refused."""

import dataclasses
import json
import pickle

import numpy as np
import pytest

from monge.encoders import load_encoder
from monge.encoders.adapter import Adapter
from monge.environment import Environment
from monge.errors import InputError, ModelError, OptionError
from monge.learned.adapter import AdapterSettings
from monge.learned.examples import Example, paraphrase
from monge.storage.artifact import Artifact

torch = pytest.importorskip("torch", reason="the torch extra is not installed")
pytestmark = pytest.mark.torch

from monge.learned.distillation import TeacherScale, combine, distil, match, mix_cosine  # noqa: E402
from monge.learned.loop import LoopSettings, run_loop  # noqa: E402
from monge.learned.teacher import Opinion, Teacher  # noqa: E402
from monge.learned.transport_scores import discordance, mean_of_order, token_maxima, unlikeness  # noqa: E402
from monge.workflows.train_adapter import TrainAdapterRequest, run_train_adapter  # noqa: E402

SETTINGS = AdapterSettings(rank=2, rate=0.01, steps=30, batch=6, length=32, distil=1.0, ladder=1.0, exchange=1.0)


@pytest.fixture
def environment(tmp_path):
    return Environment.read({"MONGE_CACHE": str(tmp_path / "cache"), "HOME": str(tmp_path), "MONGE_OFFLINE": "1"})


def request(tiny, teacher, pairs_file, output, **changes):
    given = {"settings": SETTINGS, "teacher": str(teacher), "corrupt": True} | changes
    beside = output.parent / tiny.name  # where an adapter of a folder looks for it
    if not beside.exists():
        beside.symlink_to(tiny)
    return TrainAdapterRequest(str(tiny), str(output), (str(pairs_file),), **given)


def test_it_learns_and_repeats_itself(tiny, teacher, pairs_file, tmp_path, environment):
    first = run_train_adapter(request(tiny, teacher, pairs_file, tmp_path / "a.safetensors"), environment=environment)
    again = run_train_adapter(request(tiny, teacher, pairs_file, tmp_path / "b.safetensors"), environment=environment)
    other = request(tiny, teacher, pairs_file, tmp_path / "c.safetensors", seed=2)
    losses = first.loop.losses
    assert np.mean(losses[-10:]) < 0.9 * np.mean(losses[:10])
    assert first.artifact.digest == again.artifact.digest
    assert run_train_adapter(other, environment=environment).artifact.digest != first.artifact.digest
    assert first.artifact.history["variant"].endswith("no human label")


def test_the_merged_encoder_without_torch_is_the_trained_one(tiny, teacher, pairs_file, tmp_path, environment):
    from monge.learned.lora import LowRankEncoder

    path = tmp_path / "a.safetensors"
    run_train_adapter(request(tiny, teacher, pairs_file, path), environment=environment)
    adapter = Adapter.load(path)
    encoder = load_encoder(str(path), environment=environment)
    plain = load_encoder(str(tiny), environment=environment)
    assert encoder.signature == f"{plain.signature}+{adapter.digest[:8]}"
    trained = LowRankEncoder(tiny, rank=2, length=64, seed=1)
    trained.load({name: torch.from_numpy(array.astype(np.float32)) for name, array in adapter.factors.items()})
    texts = ["the cat sat near the old house", "two birds", ""]
    for text in texts:
        encoding = trained.tokenizer.encode(text)
        inputs = {"input_ids": torch.tensor([encoding.ids]), "attention_mask": torch.ones(1, len(encoding.ids))}
        with torch.no_grad():
            states = trained.model(**inputs, output_hidden_states=True).hidden_states
        ours = encoder.encode([text])[0].vectors
        np.testing.assert_allclose(ours, torch.stack(states)[:, 0].numpy(), rtol=0, atol=1e-5)
    change = np.abs(encoder.encode(texts[:1])[0].vectors[-1] - plain.encode(texts[:1])[0].vectors[-1]).max()
    assert change > 1e-3
    with_torch = load_encoder(str(path), dtype="float64", environment=environment).encode(texts[:1])[0].vectors
    np.testing.assert_allclose(with_torch, encoder.encode(texts[:1])[0].vectors, rtol=0, atol=1e-5)


def test_the_file_says_nothing_of_this_machine(tiny, teacher, pairs_file, tmp_path, environment):
    """An adapter of a folder names it by its last part; it is looked for beside the file, then by that name."""
    path = tmp_path / "a.safetensors"
    made = run_train_adapter(request(tiny, teacher, pairs_file, path), environment=environment)
    manifest = json.dumps([made.artifact.settings, made.artifact.history], default=str)
    assert str(tmp_path) not in manifest
    assert str(teacher.parent) not in manifest
    assert made.artifact.settings["base"] == tiny.name
    (tmp_path / tiny.name).unlink()
    with pytest.raises(ModelError, match=f"monge models add {tiny.name} FOLDER"):
        load_encoder(str(path), environment=environment)


def test_cut_texts_are_counted(tiny, teacher, pairs_file, tmp_path, environment):
    """References and hypotheses have 6 to 10 words, and two marks each."""
    texts = {text for line in pairs_file.read_text().splitlines()[1:] for text in line.split("\t")}
    long = sum(len(text.split()) > 8 for text in texts)
    settings = dataclasses.replace(SETTINGS, steps=2, length=10)
    made = request(tiny, teacher, pairs_file, tmp_path / "a.safetensors", settings=settings)
    result = run_train_adapter(made, environment=environment)
    assert result.artifact.history["cut"] == {"texts": long, "tokens": 10}
    assert result.record()["notes"] == [f"{long} texts are longer than 10 tokens; the rest is not read"]


def test_the_order_of_all_pairs_can_be_taught_beside_that_of_near_ones(
    tiny, teacher, pairs_file, tmp_path, environment
):
    """With a weight for it, pairs below the floor stay in the training, and the student orders all as its teacher."""
    pairs = [tuple(line.split("\t")) for line in pairs_file.read_text().splitlines()[1:]]
    counts, likeness = [], []
    for weight in (0.0, 3.0):
        settings = dataclasses.replace(SETTINGS, ladder=0.0, exchange=0.0, floor=0.9, wide=weight, scaled=False)
        path = tmp_path / f"{weight}.safetensors"
        made = request(tiny, teacher, pairs_file, path, settings=settings, corrupt=False)
        counts.append(run_train_adapter(made, environment=environment).pairs)
        ours, theirs = (score_pairs(source, pairs, environment) for source in (path, teacher))
        likeness.append(np.corrcoef(ours, theirs)[0, 1])
    assert counts[1] == len(set(pairs)) > counts[0]
    assert likeness[1] > likeness[0]


def score_pairs(source, pairs, environment):
    """Return the score that is taught, by an encoder."""
    opinions = list(Teacher(load_encoder(str(source), environment=environment), None).ask(pairs))
    shapes = [torch.ones(1, *opinion.similarity.shape) for opinion in opinions]
    scores = []
    for opinion, ones in zip(opinions, shapes, strict=True):
        parts = match(torch.tensor(opinion.similarity.astype(np.float32))[None], ones[:, :, 0], ones[:, 0])
        scores.append(float(combine(parts | {"cosine": opinion.cosine})))
    return scores


@pytest.mark.parametrize(
    ("changes", "teaches", "message"),
    [
        ({"wide": 0.5, "distil": 0.0}, False, "name a teacher"),
        ({"blend": 0.5, "distil": 0.0}, False, "name a teacher"),
        ({"floor": 0.5, "distil": 0.0}, False, "name a teacher"),
        ({"dtype": "float16"}, True, "float32 or bfloat16"),
        ({"rank": 0}, True, "rank=0"),
    ],
)
def test_settings_are_refused_before_the_teacher_is_asked(
    changes, teaches, message, tiny, teacher, pairs_file, tmp_path, environment
):
    """Asking can take half an hour."""
    settings, said = dataclasses.replace(SETTINGS, **changes), []
    made = request(tiny, teacher if teaches else "", pairs_file, tmp_path / "a.safetensors", settings=settings)
    with pytest.raises(OptionError, match=message):
        run_train_adapter(made, environment=environment, announce=said.append)
    assert said == []


def test_short_floats_learn_about_the_same(tiny, teacher, pairs_file, tmp_path, environment):
    losses = []
    for dtype in ("float32", "bfloat16"):
        settings = dataclasses.replace(SETTINGS, dtype=dtype, ladder=0.0, exchange=0.0)
        made = request(tiny, teacher, pairs_file, tmp_path / f"{dtype}.safetensors", settings=settings, corrupt=False)
        losses.append(run_train_adapter(made, environment=environment).loop.losses)
    assert np.mean(losses[1][-10:]) < 0.9 * np.mean(losses[1][:10])
    assert losses[1][0] == pytest.approx(losses[0][0], rel=0.05)


def test_a_teacher_can_answer_in_whole_numbers(tiny, teacher, pairs_file, tmp_path, environment):
    made = request(tiny, teacher, pairs_file, tmp_path / "a.safetensors")
    made = dataclasses.replace(made, teacher_dtype="int8", settings=dataclasses.replace(SETTINGS, steps=2))
    assert run_train_adapter(made, environment=environment).artifact.history["teacher_dtype"] == "int8"


def test_the_loss_is_zero_where_student_and_teacher_agree():
    """The same similarities agree perfectly; pairs below the floor do not count."""
    rng = np.random.default_rng(0)
    opinions = [Opinion(rng.uniform(0.2, 1, (4, 5)).astype(np.float16), float(c)) for c in (0.9, 0.8, 0.85, 0.7, 0.1)]
    similarity = torch.tensor(np.stack([o.similarity for o in opinions]).astype(np.float32))
    parts = match(similarity, torch.ones(5, 4), torch.ones(5, 5))
    parts["cosine"] = torch.tensor([o.cosine for o in opinions])
    assert float(distil(parts, opinions, tokens=1.0, floor=-1)) == pytest.approx(0, abs=1e-5)
    assert float(distil(parts, opinions, tokens=0.0, floor=-1, blend=1.0)) > 0.01
    parts["cosine"][4] = 0.95  # unrelated by the teacher, near by the student
    assert float(distil(parts, opinions, tokens=1.0, floor=0.6)) == pytest.approx(0, abs=1e-5)
    assert float(distil(parts, opinions, tokens=1.0, floor=-1)) > 0.1
    assert float(distil(parts, opinions[:2], tokens=1.0, floor=0.95)) == 0  # too few to correlate


def test_the_cosine_is_mixed_into_the_matching_by_hand():
    """Unrelated texts match by 0.5 and have a cosine of 0: 0.8 is 0.6 of the way to a copy, the cosine 0.2 of it."""
    parts = {"order 3.0 recall": torch.tensor([0.8]), "cosine": torch.tensor([0.2]), "rows": torch.tensor([[0.8]])}
    unrelated = {"order 3.0 recall": 0.5, "cosine": 0.0}
    mixed = mix_cosine(parts, 1.0, unrelated)
    assert float(mixed["order 3.0 recall"]) == pytest.approx(0.5 + 0.5 * (0.6 + 0.2) / 2)
    assert float(mixed["cosine"]) == pytest.approx(0.2)
    assert mixed["rows"] is parts["rows"]
    kept = mix_cosine(parts, 0.0, unrelated)
    assert float(kept["order 3.0 recall"]) == pytest.approx(0.8)


def test_what_only_resembles_is_not_ranked_above_an_exchange():
    """A hypothesis counts as a paraphrase if the teacher gives it a cosine of at least 0.85."""
    texts = ("the cat ran", "a cat sat")
    opinions = [Opinion(np.full((3, 3), v, np.float16), v) for v in (0.5, 0.8)]
    assert paraphrase(Example("the cat sat", texts)) == texts[0]
    assert paraphrase(Example("the cat sat", texts, tuple(opinions))) is None
    assert paraphrase(Example("the cat sat", texts, (), (-2.0, -1.0))) is None
    assert paraphrase(Example("the cat sat", texts, (), (-2.0, 1.0))) == texts[1]
    near = Opinion(np.full((3, 3), 0.9, np.float16), 0.9)
    assert paraphrase(Example("the cat sat", texts, (opinions[0], near))) == texts[1]


def test_concordance_by_hand():
    """Lin's ρ_c of (1, 2, 3) and (2, 4, 6): covariance 4/3, variances 2/3 and 8/3, means 2 apart."""
    a, b = torch.tensor([1.0, 2.0, 3.0]), torch.tensor([2.0, 4.0, 6.0])
    assert float(unlikeness(a, b)) == pytest.approx(0, abs=1e-6)
    assert float(discordance(a, b)) == pytest.approx(1 - (8 / 3) / (2 / 3 + 8 / 3 + 4), abs=1e-6)
    assert float(discordance(a, a)) == pytest.approx(0, abs=1e-6)


def test_the_teacher_speaks_on_the_scale_of_the_encoder():
    """Unrelated texts become what they are by the encoder, a copy stays 1; then the spread counts."""
    rng = np.random.default_rng(0)
    own, theirs = ([Opinion(np.full((3, 3), v, np.float16), v) for v in (level, level)] for level in (0.5, 0.25))
    scale = TeacherScale.measure(own, theirs)
    unrelated, copy = ({"cosine": torch.tensor([v]), "order 3.0 recall": torch.tensor([v])} for v in (0.25, 1.0))
    for name in unrelated:
        assert float(scale.translate(unrelated)[name]) == pytest.approx(0.5, abs=1e-3)
        assert float(scale.translate(copy)[name]) == pytest.approx(1.0, abs=1e-3)
    opinions = [Opinion(rng.uniform(0.2, 1, (4, 5)).astype(np.float16), float(c)) for c in (0.9, 0.8, 0.85, 0.7)]
    same = TeacherScale(scale.own, scale.own)
    parts = match(
        torch.tensor(np.stack([o.similarity for o in opinions]).astype(np.float32)), torch.ones(4, 4), torch.ones(4, 5)
    )
    parts["cosine"] = torch.tensor([o.cosine for o in opinions])
    assert float(distil(parts, opinions, tokens=0, floor=-1, scale=same)) == pytest.approx(0, abs=1e-4)
    narrow = parts | {"cosine": 0.9 + (parts["cosine"] - 0.9) / 2}
    assert float(distil(narrow, opinions, tokens=0, floor=-1, scale=same)) > 0.05


def test_a_killed_training_goes_on_to_the_same_weights(tiny, teacher, pairs_file, tmp_path, environment, monkeypatch):
    import monge.workflows.train_adapter as workflow

    whole = run_train_adapter(request(tiny, teacher, pairs_file, tmp_path / "a.safetensors"), environment=environment)

    def cut(training, settings, **given):
        def stop(step, loss, judged):
            if step == 13:
                raise RuntimeError("killed")

        always = LoopSettings(settings.steps, settings.seed, settings.judge_every, settings.patience, 0)
        return run_loop(training, always, **given | {"report": stop})

    def go_on(training, settings, **given):
        always = LoopSettings(settings.steps, settings.seed, settings.judge_every, settings.patience, 0)
        return run_loop(training, always, **given)

    monkeypatch.setattr(workflow, "run_loop", cut)
    with pytest.raises(RuntimeError, match="killed"):
        run_train_adapter(request(tiny, teacher, pairs_file, tmp_path / "b.safetensors"), environment=environment)
    assert (tmp_path / "b.safetensors.checkpoint").exists()
    monkeypatch.setattr(workflow, "run_loop", go_on)
    rest = run_train_adapter(request(tiny, teacher, pairs_file, tmp_path / "b.safetensors"), environment=environment)
    assert rest.artifact.digest == whole.artifact.digest
    assert not (tmp_path / "b.safetensors.checkpoint").exists()


def test_distillation_recovers_the_order_of_the_teacher(tiny, teacher, pairs_file, tmp_path, environment):
    """A student that starts as another network ends nearer to the teacher's similarities."""
    settings = AdapterSettings(rank=8, rate=0.02, steps=60, batch=6, length=32, distil=1.0)
    made = request(tiny, teacher, pairs_file, tmp_path / "a.safetensors", settings=settings, corrupt=False)
    result = run_train_adapter(made, environment=environment)
    losses = result.loop.losses
    assert np.mean(losses[-20:]) < 0.9 * np.mean(losses[:10]), losses


def test_human_judgments_are_learned_and_named(tiny, pairs_file, tmp_path, environment):
    path = tmp_path / "judged.tsv"
    pairs = [line.split("\t") for line in pairs_file.read_text().splitlines()[1:]]
    rows = [(h, r, 1.0 if i % 2 == 0 else 0.0) for i, (h, r) in enumerate(pairs)]
    lines = [
        "system\tid\thypothesis\treference\tscore",
        *(f"s\t{i}\t{h}\t{r}\t{v}" for i, (h, r, v) in enumerate(rows)),
    ]
    path.write_text("\n".join(lines) + "\n")
    settings = AdapterSettings(rank=2, rate=0.01, steps=20, batch=6, length=32, judge=1.0)
    made = TrainAdapterRequest(str(tiny), str(tmp_path / "a.safetensors"), judgments=(str(path),), settings=settings)
    result = run_train_adapter(made, environment=environment)
    assert "human judgments of" in result.artifact.history["variant"]
    assert np.mean(result.loop.losses[-5:]) < np.mean(result.loop.losses[:5])


def test_an_adapter_of_another_encoder_is_refused(tiny, teacher, pairs_file, tmp_path, environment):
    path = tmp_path / "a.safetensors"
    run_train_adapter(request(tiny, teacher, pairs_file, path), environment=environment)
    artifact = Artifact.load(path, kind="adapter")
    moved = Artifact("adapter", artifact.arrays, dict(artifact.settings) | {"base": str(teacher)}, {})
    moved.save(tmp_path / "b.safetensors")
    with pytest.raises(ModelError, match="changes the weights"):
        load_encoder(str(tmp_path / "b.safetensors"), environment=environment)
    wide = {name: np.ones((3, 3), dtype=np.float16) for name in artifact.arrays}
    Artifact("adapter", wide, artifact.settings, {}).save(tmp_path / "c.safetensors")
    with pytest.raises(ModelError, match="has the shape"):
        load_encoder(str(tmp_path / "c.safetensors"), environment=environment).encode(["cat"])


def test_what_is_not_an_adapter_is_refused(tmp_path, environment):
    path = tmp_path / "x.safetensors"
    path.write_bytes(pickle.dumps({"0.query.up": [1]}))
    with pytest.raises(InputError, match="not a safetensors file"):
        load_encoder(str(path), environment=environment)
    Artifact("capsules", {"w": np.ones((1, 1))}, {}).save(path)
    with pytest.raises(OptionError, match="holds capsules"):
        load_encoder(str(path), environment=environment)
    Artifact("adapter", {"0.query.sideways": np.ones((1, 1))}, {"base": "x", "weights": "y"}).save(path)
    with pytest.raises(ModelError, match="not a factor"):
        load_encoder(str(path), environment=environment)
    Artifact("adapter", {}, {}).save(path)
    with pytest.raises(ModelError, match="does not say what it changes"):
        load_encoder(str(path), environment=environment)


def test_bad_requests(tiny, teacher, pairs_file, tmp_path, environment):
    few = tmp_path / "few.tsv"
    few.write_text("hypothesis\treference\na\tthe cat\n")
    for changes, message in (
        ({"pairs": (str(few),)}, "too few"),
        ({"teacher": ""}, "needs a teacher"),
        ({"pairs": ()}, "give --pairs"),
        ({"judgments": ("x",)}, "judge weighs"),
    ):
        import dataclasses

        made = dataclasses.replace(request(tiny, teacher, pairs_file, tmp_path / "a"), **changes)
        with pytest.raises((InputError, OptionError), match=message):
            run_train_adapter(made, environment=environment)
    with pytest.raises(OptionError, match="nothing to learn"):
        AdapterSettings()
    for bad in ({"blend": -0.5}, {"exchange": float("nan")}, {"floor": 5.0}):
        with pytest.raises(OptionError, match=next(iter(bad))):
            AdapterSettings(**{"distil": 1.0} | bad)


def test_scores_are_those_of_the_metric():
    """The differentiable matching against the closed form on a matrix of two and three tokens."""
    similarity = torch.tensor([[[0.9, 0.1, 0.2], [0.3, 0.4, 0.8], [9.0, 9.0, 9.0]]])
    rows, columns = torch.tensor([[1.0, 1.0, 0.0]]), torch.ones(1, 3)
    of_rows, of_columns = token_maxima(similarity, rows, columns)
    assert of_rows[0, :2].tolist() == pytest.approx([0.9, 0.8])
    assert of_columns[0].tolist() == pytest.approx([0.9, 0.4, 0.8])
    assert float(mean_of_order(of_rows, rows, 1.0)) == pytest.approx(0.85)
    assert float(mean_of_order(of_rows, rows, 2.0)) == pytest.approx(1 - ((0.01 + 0.04) / 2) ** 0.5)
    assert float(mean_of_order(of_columns, columns, 3.0)) == pytest.approx(1 - ((0.001 + 0.216 + 0.008) / 3) ** (1 / 3))
    x = torch.tensor([1.0, 2.0, 4.0])
    assert float(unlikeness(x, 3 * x + 1)) == pytest.approx(0, abs=1e-6)
    assert float(unlikeness(x, -x)) == pytest.approx(2, abs=1e-6)
