"""The functions of exponential integrators."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

TERMS = 20  # of the series, where the argument is below one


def phi(z: Any, most: int) -> list[np.ndarray]:
    """phi_0, ..., phi_most at complex z: phi_0 = exp, phi_(k+1) = (phi_k - 1/k!)/z.

    Source:
        Hochbruck & Ostermann, Exponential integrators, Acta Numerica 19 (2010), equation 2.11.

    Example:
        >>> [float(p.real) for p in phi(np.array(0.0), 2)]
        [1.0, 1.0, 0.5]
    """
    z = np.asarray(z, dtype=complex)
    is_small = np.abs(z) < 1
    small, large = np.where(is_small, z, 0), np.where(is_small, 1, z)
    found = [np.exp(z)]
    by_recursion = np.exp(large)
    for k in range(1, most + 1):
        by_recursion = (by_recursion - 1 / math.factorial(k - 1)) / large
        series = np.polyval([1 / math.factorial(k + j) for j in range(TERMS)][::-1], small)
        found.append(np.where(is_small, series, by_recursion))
    return found
