"""The functions of exponential integrators."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

TERMS = 16  # of the series, where the argument is below one


def phi(z: Any, most: int) -> list[np.ndarray]:
    """phi_0, ..., phi_most at complex z: phi_0 = exp, phi_(k+1) = (phi_k - 1/k!)/z.

    Source:
        Hochbruck & Ostermann, Exponential integrators, Acta Numerica 19 (2010), equation 2.11.

    Example:
        >>> [float(p.real) for p in phi(np.array(0.0), 2)]
        [1.0, 1.0, 0.5]
    """
    z = np.asarray(z, dtype=complex)
    found = [np.exp(z)] + [np.empty_like(z) for _ in range(most)]
    is_small = np.abs(z) < 1
    small, large = z[is_small], z[~is_small]
    value = _series(small, most)
    for k in range(most, 0, -1):  # from the last down, which adds no error where z is small
        found[k][is_small] = value
        value = small * value + 1 / math.factorial(k - 1)
    value = found[0][~is_small]
    for k in range(1, most + 1):
        value = (value - 1 / math.factorial(k - 1)) / large
        found[k][~is_small] = value
    return found


def _series(z: np.ndarray, k: int) -> np.ndarray:
    """phi_k where |z| < 1: the sum of z^j / (j + k)!."""
    total = np.zeros_like(z)
    for j in reversed(range(TERMS)):
        total = total * z + 1 / math.factorial(k + j)
    return total
