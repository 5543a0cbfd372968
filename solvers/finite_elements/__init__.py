"""Finite elements: quasi-linear elliptic and parabolic problems, with an error estimate."""

from .method import FiniteElements

__all__ = ["FiniteElements"]
