"""Where tests find data and weights; what is absent is said, not hidden."""

import gc
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).parent.parent

# the same examples every time, however slow the machine is; --hypothesis-profile=explore looks for new ones
_ANY_SPEED = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("steady", derandomize=True, **_ANY_SPEED)
settings.register_profile("explore", max_examples=1000, **_ANY_SPEED)
settings.load_profile("steady")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out files whose tests all need torch when those are not run: torch takes seconds to import."""
    if "not torch" not in config.getoption("markexpr") or collection_path.suffix != ".py":
        return None
    if collection_path.name.startswith("test_") and "\npytestmark = pytest.mark.torch\n" in collection_path.read_text():
        return True
    return None


def pytest_collection_finish() -> None:
    """Keep what was collected out of the garbage collector, which would walk through 8,000 tests again and again."""
    gc.collect()
    gc.freeze()


def find_data() -> Path | None:
    """Return the folder of human judgments: MONGE_DATA, or shared/data beside the checkout."""
    named = os.environ.get("MONGE_DATA")
    candidates = [Path(named)] if named else [ROOT.parent / "shared" / "data"]
    return next((path for path in candidates if path.is_dir()), None)


@pytest.fixture(scope="session", autouse=True)
def _pipelines_are_loaded_once() -> Iterator[None]:
    """Let all annotators of the tests share the pipelines of spaCy, which are only read."""
    from monge.annotate import spacy

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spacy, "load_pipeline", cache(spacy.load_pipeline))
        yield


@pytest.fixture(scope="session")
def judgments() -> Path:
    """The folder of human judgments; tests that need it are skipped where this machine has none."""
    folder = find_data()
    if folder is None:
        pytest.skip("no human-judgment data on this machine (set MONGE_DATA)")
    return folder


@pytest.fixture(scope="session")
def minilm_directory() -> Path:
    """The folder of the embedded encoder's weights, fetched if need be."""
    from monge.encoders import load_encoder
    from monge.encoders.models import find_model, locate_model
    from monge.environment import Environment

    load_encoder("minilm")
    directory = locate_model(find_model("minilm"), Environment.read())
    assert directory is not None
    return directory
