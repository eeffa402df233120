"""Flows of a plan that are left out of its cost."""

from __future__ import annotations

import numpy as np

from monge.transport.problem import Array

_EQUAL = 1e-9  # flows that differ by less, relative to their size, count as equal


def drop_smallest(coupling: Array, share: float) -> Array:
    """Return *coupling* (n, m) with its smallest flows set to 0: those below the k-th smallest of the N positive ones.

    k = max(⌊share · N⌋, 1), as in the released code of XMoverScore (Zhao et al. 2020), where *share* is 0.3. Flows
    equal to the k-th are kept, so a plan whose flows are all equal loses nothing. The marginals no longer hold.

    >>> drop_smallest(np.array([[0.1, 0.2], [0.0, 0.7]]), 0.67)
    array([[0. , 0.2],
           [0. , 0.7]])
    """
    flows = np.sort(coupling[coupling > 0])
    if not flows.size:
        return coupling
    threshold = flows[max(int(len(flows) * share), 1) - 1]
    return np.where(coupling < threshold * (1 - _EQUAL), 0.0, coupling)
