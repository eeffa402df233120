"""Options for all metrics: those that some do not use are noted, those that none uses are refused."""

import pytest

from monge.errors import OptionError
from monge.metrics.variants import gather_notes, parse_variants


@pytest.mark.parametrize(
    ("metrics", "shared", "notes"),
    [
        (["bertscore", "cosine"], {"encoder": "mpnet"}, ()),
        (["bertscore", "bleu", "chrf"], {"encoder": "mpnet"}, ("encoder=mpnet is not used by bleu, chrf",)),
        (["bertscore,encoder=minilm", "bleu"], {"encoder": "mpnet"}, ("encoder=mpnet is not used by bleu",)),
        (["bertscore", "we"], {"dtype": "int8"}, ("dtype=int8 is not used by we",)),
        (["bertscore", "we"], {"dtype": "int8", "encoder": "mpnet"}, ()),
        (["bleu"], {"language": "de", "long": "window"}, ()),
    ],
)
def test_what_is_not_used_is_said_once(metrics: list[str], shared: dict[str, str], notes: tuple[str, ...]) -> None:
    variants = parse_variants(metrics, shared, optional=("language", "long"))
    assert gather_notes(variants) == notes


def test_word_vectors_get_no_dtype() -> None:
    first, second = parse_variants(["bertscore", "we"], {"dtype": "int8"})
    assert first.options == {"dtype": "int8"}
    assert second.options == {}


@pytest.mark.parametrize(
    ("metrics", "shared", "message"),
    [
        (["bleu", "chrf"], {"encoder": "mpnet"}, "no option 'encoder' in bleu, chrf"),
        (["we", "we_wpi"], {"dtype": "int8"}, "dtype=int8 has no effect on the vectors of we, we_wpi"),
        (["we,dtype=int8"], {}, "dtype is for transformers, not for word vectors"),
        (["bertscore,encoder=hashed,dtype=int8"], {}, "dtype is for transformers, not for word vectors"),
    ],
)
def test_what_none_uses_is_an_error(metrics: list[str], shared: dict[str, str], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        parse_variants(metrics, shared, optional=("language", "long"))
