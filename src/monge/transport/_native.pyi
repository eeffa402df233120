import numpy as np
from numpy.typing import NDArray

def instruction_set() -> str: ...
def use_portable_kernels() -> None: ...
def cost_matrix(
    a: NDArray[np.float32],
    b: NDArray[np.float32],
    cost: str,
    positions_a: NDArray[np.float64] | None,
    positions_b: NDArray[np.float64] | None,
) -> NDArray[np.float64]: ...
def solve_problem(
    cost: NDArray[np.float64],
    a: NDArray[np.float64],
    b: NDArray[np.float64],
    rho_a: float,
    rho_b: float,
    epsilon: float,
    relative: bool,
    tolerance: float,
    limit: int,
) -> tuple[NDArray[np.float64], int, bool]: ...
def solve_pairs(
    left_points: NDArray[np.float32],
    left_weights: NDArray[np.float64],
    left_offsets: NDArray[np.int64],
    left_positions: NDArray[np.float64] | None,
    right_points: NDArray[np.float32],
    right_weights: NDArray[np.float64],
    right_offsets: NDArray[np.int64],
    right_positions: NDArray[np.float64] | None,
    pairs: NDArray[np.int64],
    cost: str,
    order: float,
    rho_a: float,
    rho_b: float,
    epsilon: float,
    relative: bool,
    tolerance: float,
    coupling_starts: NDArray[np.int64] | None,
    threads: int,
) -> tuple[
    NDArray[np.float64], NDArray[np.float64], NDArray[np.int64], NDArray[np.bool_], NDArray[np.float64] | None
]: ...
