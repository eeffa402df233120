"""Trained maps: densities and Jacobians, what is recovered, what a kill, a collapse and bad samples do."""

import numpy as np
import pytest

from monge.crosslingual.fit import VectorPairs, fit_rotation
from monge.crosslingual.flows import FlowFromLatent, FlowToLatent, flow_to_latent
from monge.crosslingual.maps import Chain
from monge.errors import InputError, OptionError
from monge.learned import density
from monge.learned.adversarial import cross_correlation_gap, graph_gap
from monge.learned.density import TRAINED, DensitySettings, fit_density
from monge.learned.mapping import FlowModel, FlowSize, new_flow

torch = pytest.importorskip("torch", reason="the torch extra is not installed")
pytestmark = pytest.mark.torch


def quiet(*_):
    return lambda *_: None


def rotation(seed, dimension):
    matrix, _ = np.linalg.qr(np.random.default_rng(seed).standard_normal((dimension, dimension)))
    return matrix


def language(seed, count=600, dimension=6):
    """Twelve groups of words of unequal size."""
    draw = np.random.default_rng(seed)
    centres = draw.standard_normal((12, dimension))
    groups = draw.choice(12, size=count, p=draw.dirichlet(np.ones(12)))
    return centres[groups] + 0.3 * centres[0] + 0.4 * draw.standard_normal((count, dimension))


def bent(rows, turn):
    """A map that is not linear, but invertible."""
    return 2 * np.tanh(rows @ turn) + 1


def small_turn(seed, dimension):
    """A proper rotation by some 45 degrees: MUSE starts from the identity."""
    draw = 0.2 * np.random.default_rng(seed).standard_normal((dimension, dimension))
    values, vectors = np.linalg.eigh(1j * (draw - draw.T))
    return ((vectors * np.exp(-1j * values)) @ vectors.conj().T).real


def test_the_log_determinant_is_that_of_autograd():
    weights = new_flow(language(1, dimension=4), FlowSize(3, 16), seed=1)
    draw = np.random.default_rng(2)
    for name, array in weights.items():
        if name != "order":
            weights[name] = (array + 0.3 * draw.standard_normal(array.shape)).astype(np.float64)
    tensors = {name: torch.from_numpy(array) for name, array in weights.items()}
    for row in torch.from_numpy(language(3, 5, 4)):
        jacobian = torch.autograd.functional.jacobian(lambda x: flow_to_latent(x[None], tensors, torch)[0][0], row)
        _, logarithm = flow_to_latent(row[None], tensors, torch)
        assert float(logarithm[0]) == pytest.approx(float(torch.linalg.slogdet(jacobian).logabsdet), abs=1e-5)


def test_numpy_and_torch_compute_the_same():
    rows = language(1)
    weights = new_flow(rows, FlowSize(), seed=3)
    tensors = {name: torch.from_numpy(array) for name, array in weights.items()}
    here = FlowToLatent.of(weights).transform(rows)
    there = flow_to_latent(torch.from_numpy(rows.astype(np.float32)), tensors, torch)[0].numpy()
    assert np.abs(here - there).max() < 1e-5
    assert np.abs(FlowFromLatent.of(weights).transform(here) - rows).max() < 1e-5


def test_a_gaussian_is_learned_within_a_twentieth_of_a_nat():
    covariance = np.array([[1.0, 0.8], [0.8, 1.3]])
    factor = np.linalg.cholesky(covariance)
    draw = np.random.default_rng(0)
    rows, unseen = (draw.standard_normal((n, 2)) @ factor.T for n in (1500, 3000))
    model = FlowModel(rows, 2 * rows + 1, FlowSize(), seed=1)
    optimizer = torch.optim.Adam([t for t in model.tensors.values() if t.requires_grad], lr=2e-3)
    source, target = (torch.from_numpy(x.astype(np.float32)) for x in (rows, 2 * rows + 1))
    for _ in range(100):
        optimizer.zero_grad()
        model.joint(source, target)[2].backward()
        optimizer.step()
    exponents = np.einsum("ij,ij->i", unseen @ np.linalg.inv(covariance), unseen)
    true = -0.5 * exponents - np.log(2 * np.pi) - 0.5 * np.log(np.linalg.det(covariance))
    flow = model.maps()[0].maps[0]
    assert true.mean() - flow.log_density(unseen).mean() == pytest.approx(0, abs=0.05)


def test_flows_start_as_the_exchange_of_means_and_variances():
    rows = language(1)
    target = 3 * rows + 5
    chain = FlowModel(rows, target, FlowSize(), seed=1).maps()[0]
    assert np.abs(chain.transform(rows) - target).max() < 1e-4


@pytest.mark.parametrize(("name", "steps", "rate"), [("fcnn", 300, 1e-2), ("real-nvp", 150, 2e-3)])
def test_supervised_maps_bend_where_a_rotation_cannot(name, steps, rate):
    everything, turn = language(1, 1200), rotation(3, 6)
    rows, unseen = everything[:900], everything[900:]
    sample = VectorPairs(rows, bent(rows, turn))
    found = fit_density(name, sample, DensitySettings(steps=steps, rate=rate, patience=0), report=quiet)
    linear, _ = fit_rotation(sample)
    truth = bent(unseen, turn)
    errors = [np.mean((one.transform(unseen) - truth) ** 2) for one in (found.maps[0], linear)]
    assert errors[0] < 0.6 * errors[1]
    assert found.after > found.before
    assert found.maps[1].digest == ""  # the target language stays where it is


def test_muse_recovers_a_rotation_without_translations():
    rows, turn = language(1, 900, 10), small_turn(1, 10)
    order = np.random.default_rng(8).permutation(len(rows))
    assert np.abs(turn - np.eye(10)).max() > 0.3
    found = fit_density("muse", VectorPairs(rows, (rows @ turn)[order]), DensitySettings(steps=300), report=quiet)
    assert np.abs(found.maps[0].arrays["matrix"] - turn).max() < 1e-3


def test_gan_flows_bring_the_distributions_together():
    rows = language(7, 900)
    order = np.random.default_rng(8).permutation(len(rows))
    target = (2 * rows + 3)[order]
    found = fit_density("gan-real-nvp+cc", VectorPairs(rows, target), DensitySettings(steps=30), report=quiet)
    errors = np.abs(found.maps[0].transform(rows) - (2 * rows + 3)).mean()
    assert errors < 0.5
    assert found.after > 0.95


def test_gan_flows_learn_what_their_start_does_not_give():
    """Means and scales are right from the start; the bend and the turn must be learned, without any translation."""
    rows = language(7, 900)
    target = bent(rows, rotation(2, 6))
    sample = VectorPairs(rows, target[np.random.default_rng(8).permutation(len(rows))])
    first, later = (
        fit_density("gan-real-nvp+cc", sample, DensitySettings(steps=steps), report=quiet) for steps in (1, 90)
    )
    errors = [np.abs(found.maps[0].transform(rows) - target).mean() for found in (first, later)]
    assert errors[1] < 0.95 * errors[0] < 0.95 * np.abs(rows - target).mean()
    assert later.after > first.after + 0.01


def test_constraints_of_worked_examples():
    rows = torch.from_numpy(language(1, 50))
    assert float(cross_correlation_gap(3 * rows + 1, rows)) == pytest.approx(0, abs=1e-9)  # correlations are 1
    assert float(cross_correlation_gap(-rows, rows)) == pytest.approx(4)  # they are −1
    assert float(graph_gap(rows @ torch.from_numpy(rotation(2, 6)), rows)) == pytest.approx(0, abs=1e-9)
    assert float(graph_gap(2 * rows, rows)) > 0.1


def test_the_same_seed_gives_the_same_map():
    rows = language(1)
    sample = VectorPairs(rows, bent(rows, rotation(2, 6)))
    for name in ("real-nvp", "gan-real-nvp+graph", "muse+cc"):
        digests = [fit_density(name, sample, DensitySettings(steps=6, seed=s), report=quiet).maps[0].digest
                   for s in (1, 1)]  # fmt: skip
        assert len(set(digests)) == 1


def test_a_collapsed_game_gives_the_identity_and_says_so(monkeypatch):
    class Broken(density.AdversarialTraining):
        def step(self, number):
            super().step(number)
            with torch.no_grad():
                self.model.tensors["target.0.mean"] += 100.0  # everything is thrown far away
            return 1.0

    monkeypatch.setattr(density, "AdversarialTraining", Broken)
    rows = language(1)
    found = fit_density("gan-real-nvp", VectorPairs(rows, rows[::-1] + 0.1), DensitySettings(steps=3), report=quiet)
    assert isinstance(found.maps[0], Chain)
    assert not found.maps[0].maps
    assert "collapsed" in found.notes[-1]
    assert "no map is used" in found.notes[-1]


def test_a_loss_that_is_not_a_number_keeps_the_last_good_weights(monkeypatch):
    class Spoilt(density.SupervisedTraining):
        def step(self, number):
            loss = super().step(number)
            return float("nan") if number == 45 else loss

    monkeypatch.setattr(density, "SupervisedTraining", Spoilt)
    rows = language(1)
    sample = VectorPairs(rows, bent(rows, rotation(2, 6)))
    found = fit_density("real-nvp", sample, DensitySettings(steps=60), report=quiet)
    assert "step 46 is not a number" in found.notes[0]
    assert np.isfinite(found.maps[0].transform(rows)).all()


def test_bad_samples_and_settings():
    rows = np.random.default_rng(0).standard_normal((30, 40))
    with pytest.raises(InputError, match="30 pairs are fewer than the 40 dimensions"):
        fit_density("real-nvp", VectorPairs(rows, rows + 1), report=quiet)
    with pytest.raises(InputError, match="30 vectors of a language are fewer"):
        fit_density("muse", VectorPairs(rows, rows + 1), report=quiet)
    some = language(1)
    with pytest.raises(InputError, match="same vectors"):
        fit_density("muse", VectorPairs(some, some + 1, some, some), report=quiet)
    with pytest.raises(InputError, match="not numbers"):
        fit_density("muse", VectorPairs(some, np.where(some > 1, np.nan, some)), report=quiet)
    with pytest.raises(OptionError, match="no trained method 'real-nvq'"):
        fit_density("real-nvq", VectorPairs(some, some + 1))
    with pytest.raises(OptionError, match="no criterion 'best'"):
        DensitySettings(criterion="best")
    assert "real-nvp+cc" not in TRAINED  # bootstrapping belongs to methods without translations


class KilledError(Exception):
    """Stands for a kill: nothing is tidied up."""


@pytest.mark.parametrize("name", ["real-nvp", "gan-real-nvp+cc", "muse+cc"])
def test_an_interrupted_training_goes_on_to_the_same_map(name, tmp_path, monkeypatch):
    """The kill itself is tested with the loop; here, that the state of every training is whole."""
    settings = density.LoopSettings
    monkeypatch.setattr(density, "LoopSettings", lambda *a, **k: settings(*a, **k, save_every=0))
    rows = language(1)
    sample = VectorPairs(rows, bent(rows, rotation(2, 6)))

    def interrupting(*_):
        def after(step, loss, judged):
            if step == 5:
                raise KilledError

        return after

    def train(path, report):
        return fit_density(name, sample, DensitySettings(steps=8, patience=0), checkpoint=path, report=report)

    place = tmp_path / "state"
    with pytest.raises(KilledError):
        train(place, interrupting)
    assert place.exists()
    resumed, whole = train(place, quiet), train(tmp_path / "other", quiet)
    assert resumed.course.losses == whole.course.losses
    assert resumed.maps[0].digest == whole.maps[0].digest
    resumed.course.discard_checkpoint()
    assert not place.exists()
    with pytest.raises(KilledError):
        train(place, interrupting)
    with pytest.raises(OptionError, match="other data or settings"):
        fit_density(name, sample, DensitySettings(steps=9), checkpoint=place, report=quiet)
