"""A hypothesis may be compared with the source, and each side may have its own encoder and map."""

import dataclasses

import numpy as np
import pytest
from numpy.typing import NDArray

from monge.clouds import CloudRecipe
from monge.encoders.static.hashed import HashedEncoder
from monge.errors import InputError, OptionError
from monge.metrics import load_metric
from monge.metrics.transport.metric import TransportMetric
from monge.text import Segment

ENCODER = HashedEncoder(dimension=16, layers=4, special=True)
OTHER = HashedEncoder(dimension=16, layers=4, special=True, seed=7)
TEXTS = [("a red boat", "the blue boat sank"), ("two men ran home", "a man ran"), ("rain", "heavy rain fell today")]


def load(name: str, **options: object) -> TransportMetric:
    metric = load_metric(name, **{"encoder": ENCODER, **options})
    assert isinstance(metric, TransportMetric)
    return metric


@pytest.mark.parametrize("name", ["bertscore", "emd", "moverscore", "lazy_emd", "we_wpi", "cosine"])
def test_the_source_is_scored_as_a_reference_would_be(name: str) -> None:
    against_source = load(name, against="source")
    sources = [Segment(h, ("unused",), s) for h, s in TEXTS]
    references = [Segment(h, (s,)) for h, s in TEXTS]
    ours = [score.value for score in against_source.bind(sources).score(sources)]
    theirs = [score.value for score in load(name).bind(references).score(references)]
    assert ours == theirs


def test_the_source_is_needed_and_named() -> None:
    metric = load("emd", against="source")
    assert metric.spec.needs == ("source",)
    with pytest.raises(InputError, match="segment 3 has no source"):
        metric.score([Segment("a", ("b",), id="3")])
    assert metric.signature["against"] == "source"
    assert not metric.spec.symmetric
    note = metric.score([Segment("a", (), "")])[0].notes
    assert "source: empty text" in note


def test_each_side_has_its_own_encoder() -> None:
    metric = load("emd", against_encoder=OTHER, against_layers="1")
    segment = Segment("a red boat", ("a red boat",))
    alignment = metric.score_with_alignments([segment])[0].alignments[0]
    assert np.array_equal(alignment.hypothesis.points, ENCODER.encode(["a red boat"], [2])[0].vectors[0])
    assert np.array_equal(alignment.reference.points, OTHER.encode(["a red boat"], [1])[0].vectors[0])
    assert metric.signature["against_encoder"] == OTHER.signature
    assert metric.signature["against_layers"] == "1"


def test_idf_is_counted_in_the_tokens_of_each_side() -> None:
    class Upper(HashedEncoder):
        def tokenize(self, texts):  # type: ignore[no-untyped-def]
            return [tuple(token.upper() for token in tokens) for tokens in super().tokenize(texts)]

    metric = load("yisi1", against_encoder=Upper(dimension=16, layers=4, special=True))
    bound = metric.bind([Segment(h, (s,)) for h, s in TEXTS])
    assert bound.statistics.idf_hypothesis is not None
    assert bound.statistics.idf_reference is not None
    assert "boat" in bound.statistics.idf_hypothesis.frequencies
    assert "BOAT" in bound.statistics.idf_reference.frequencies


def test_vectors_of_different_length_cannot_be_compared() -> None:
    with pytest.raises(OptionError, match=r"16 dimensions.*8"):
        load("emd", against_encoder=HashedEncoder(dimension=8, layers=4))


@dataclasses.dataclass(frozen=True)
class Mirror:
    """A map that turns every vector round."""

    digest: str = "0123456789abcdef"

    def apply(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        return -vectors


def test_a_map_of_one_side_changes_its_points_and_the_signature() -> None:
    metric = load("emd")
    recipe = dataclasses.replace(metric.settings.cloud, remap=Mirror())
    mapped = dataclasses.replace(metric, other=dataclasses.replace(metric.other, recipe=recipe))
    segment = Segment("boat", ("boat",))
    plain = metric.score([segment])[0].value
    assert plain == pytest.approx(0, abs=1e-6)
    assert mapped.score([segment])[0].value > 1
    assert mapped.signature["against_remap"] == "01234567"
    assert isinstance(recipe, CloudRecipe)


def test_a_map_survives_binding_to_one_segment() -> None:
    metric = load("moverscore")
    recipe = dataclasses.replace(metric.settings.cloud, remap=Mirror())
    mapped = dataclasses.replace(metric, other=dataclasses.replace(metric.other, recipe=recipe))
    bound = mapped.bind([Segment("boat", ("boat",))])
    assert bound.binding_notes
    assert isinstance(bound.other.recipe.remap, Mirror)
    assert bound.other.recipe.weighting == bound.hypothesis.recipe.weighting == "uniform"
    assert bound.signature["against_remap"] == "01234567"


def test_two_encoders_make_no_symmetric_metric() -> None:
    assert load("emd").spec.symmetric
    assert not load("emd", against_encoder=OTHER).spec.symmetric
