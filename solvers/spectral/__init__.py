"""Periodic problems in time: Fourier series in space, exponential steps in time."""

from .method import Spectral

__all__ = ["Spectral"]
