"""Shapes with named parts of their boundary, sampled true to measure."""

from geometry.ball import Ball, Disk
from geometry.box import Box, Interval, Rectangle, Time
from geometry.csg import Difference, Intersection, SymmetricDifference, Union
from geometry.part import Part, Point
from geometry.periodic import Periodic
from geometry.samples import BoundarySample, Sample
from geometry.shape import Shape
from geometry.spacetime import SpaceTime
from geometry.transforms import Mirrored, Rotated, Scaled, Translated

__all__ = [
    "Ball",
    "BoundarySample",
    "Box",
    "Difference",
    "Disk",
    "Intersection",
    "Interval",
    "Mirrored",
    "Part",
    "Periodic",
    "Point",
    "Rectangle",
    "Rotated",
    "Sample",
    "Scaled",
    "Shape",
    "SpaceTime",
    "SymmetricDifference",
    "Time",
    "Translated",
    "Union",
]
