"""Never annotate twice: annotations kept on disk by annotator and text."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

import numpy as np

from monge.annotate.base import AnnotatedText, Annotator
from monge.errors import OptionError
from monge.storage.identity import stated_identity
from monge.storage.store import Store, make_label

ALGORITHM = 1  # raise it when what is stored for a text changes
MAKER = f"annotations={ALGORITHM}"


class CachedAnnotator:
    """An annotator in front of a store: a text is annotated only if it never was before.

    Raises OptionError for an annotator that does not state its identity.
    """

    def __init__(self, annotator: Annotator, store: Store) -> None:
        identity = stated_identity(annotator)
        if identity is None:
            raise OptionError(f"{type(annotator).__name__} has no identity: its annotations cannot be stored")
        self.annotator = annotator
        self.store = store
        self.identity = identity

    @property
    def signature(self) -> str:
        return self.annotator.signature

    def annotate(self, texts: Sequence[str]) -> list[AnnotatedText]:
        """Return one AnnotatedText per text, in order."""
        start = hashlib.sha256(f"{MAKER}\0{self.identity}\0".encode())
        keys: dict[str, bytes] = {}
        for text in texts:
            if text not in keys:
                digest = start.copy()
                digest.update(text.encode("utf-8", errors="surrogatepass"))
                keys[text] = digest.digest()
        blobs = self.store.get(list(keys.values()))
        known = {text: _unpack(text, blobs[key]) for text, key in keys.items() if key in blobs}
        missing = [text for text in keys if text not in known]
        if missing:
            fresh = self.annotator.annotate(missing)
            label = make_label(f"annotations by {self.signature}", MAKER)
            self.store.put(label, {keys[one.text]: _pack(one) for one in fresh})
            known.update(zip(missing, fresh, strict=True))
        return [known[text] for text in texts]


def _pack(one: AnnotatedText) -> bytes:
    numbers = np.column_stack([one.spans, one.sentences]).astype("<i4").tobytes()
    rest = json.dumps([one.lemmas, one.tags, one.notes]).encode("ascii")
    return len(numbers).to_bytes(4, "little") + numbers + rest


def _unpack(text: str, data: bytes) -> AnnotatedText:
    end = 4 + int.from_bytes(data[:4], "little")
    lemmas, tags, notes = json.loads(data[end:])
    numbers = np.frombuffer(data[4:end], dtype="<i4").reshape(len(lemmas), 3).astype(np.int64)
    words = tuple(text[start:stop] for start, stop, _ in numbers.tolist())
    return AnnotatedText(text, words, tuple(lemmas), tuple(tags), numbers[:, :2], numbers[:, 2], tuple(notes))
