"""Matrices in numpy's own file format, memory-mapped."""

from __future__ import annotations

import tokenize
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from monge.errors import ModelError

# what numpy raises for a header that it cannot make sense of, besides ValueError
_NONSENSE = (ValueError, TypeError, OverflowError, EOFError, SyntaxError, tokenize.TokenError, MemoryError)


def map_matrix(file: Path) -> NDArray[np.float32]:
    """Return the matrix of floats in *file* (.npy, whatever its name), left on disk until it is read.

    Raises ModelError for a file that is damaged or holds anything else.
    """
    try:
        matrix: NDArray[np.float32] = np.load(file, mmap_mode="r", allow_pickle=False)
    except (OSError, *_NONSENSE) as error:
        reason = " ".join(str(error).split())
        raise ModelError(f"{file} cannot be read ({reason})") from error
    if not isinstance(matrix, np.ndarray) or matrix.ndim != 2 or not np.issubdtype(matrix.dtype, np.floating):
        found = f"{matrix.dtype} of shape {matrix.shape}" if isinstance(matrix, np.ndarray) else "an archive"
        raise ModelError(f"{file} must hold a matrix of floats, not {found}")
    return matrix
