import numpy as np
from numpy.typing import NDArray

fast: bool

def read_blobs(
    file: int, places: NDArray[np.int64], starts: NDArray[np.int64], keys: list[bytes], data: NDArray[np.uint8]
) -> bool: ...
