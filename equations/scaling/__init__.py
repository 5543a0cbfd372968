"""Dimensionless forms of a problem: its characteristic scales, its groups, and the way back."""

from .scaling import NotScalable, Scaling, nondimensionalize

__all__ = ["NotScalable", "Scaling", "nondimensionalize"]
