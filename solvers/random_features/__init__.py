"""Least squares on random features."""

from .method import RandomFeatures

__all__ = ["RandomFeatures"]
