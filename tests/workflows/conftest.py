"""Rated outputs in memory."""

import numpy as np
import pytest

WORDS = "the cat sat on a mat while two dogs ran home before rain".split()  # noqa: SIM905

Rows = list[dict[str, object]]


def make_rows(seed: int) -> Rows:
    """Return outputs of three systems for 20 inputs whose rating falls with the share of wrong words."""
    rng = np.random.default_rng(seed)
    found: Rows = []
    for i in range(20):
        reference = [str(word) for word in rng.choice(WORDS, 10)]
        for system, share in (("good", 0.1), ("fair", 0.3), ("poor", 0.6)):
            words = [str(rng.choice(WORDS)) if rng.random() < share else word for word in reference]
            kept = sum(a == b for a, b in zip(words, reference, strict=True))
            text = {"hypothesis": " ".join(words), "reference": " ".join(reference)}
            found.append({"id": i, "system": system, **text, "human": kept + float(rng.normal())})
    return found


@pytest.fixture(scope="session")
def rows() -> Rows:
    """Rated outputs."""
    return make_rows(0)


@pytest.fixture(scope="session")
def other_rows() -> Rows:
    """Rated outputs of other inputs."""
    return make_rows(1)
