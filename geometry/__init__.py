"""Shapes with named parts of their boundary, sampled true to measure."""

from geometry.annulus import Annulus
from geometry.ball import Ball, Disk
from geometry.box import Box, Interval, Rectangle, Time
from geometry.capsule import Capsule
from geometry.channel import Channel
from geometry.csg import Difference, Intersection, SymmetricDifference, Union
from geometry.curve import NACA, Curve
from geometry.ellipse import Ellipse, Ellipsoid
from geometry.family import Family
from geometry.gaussian import Gaussian
from geometry.implicit import Implicit
from geometry.mesh import SimplexMesh
from geometry.meshes.cell_mesh import Mesh, PlaneMesh, VolumeMesh
from geometry.meshes.files import MeshFileError
from geometry.meshes.surface_mesh import SurfaceMesh
from geometry.modeled import Cone, Cylinder, Prism, Torus
from geometry.moving import Moving
from geometry.part import Part, Point
from geometry.periodic import Periodic
from geometry.point_cloud import PointCloud
from geometry.polygon import Polygon, RegularPolygon, Triangle
from geometry.product import Extruded
from geometry.regions import Regions
from geometry.repeated import Repeated
from geometry.revolved import Revolved
from geometry.samples import BoundarySample, Sample, choose
from geometry.sector import Sector
from geometry.shape import Shape
from geometry.spacetime import SpaceTime
from geometry.tetrahedron import Tetrahedron
from geometry.transforms import Mirrored, Rotated, Scaled, Translated
from geometry.wire import Wire, WireInTime

__all__ = [
    "Annulus",
    "Ball",
    "BoundarySample",
    "Box",
    "Capsule",
    "Channel",
    "Cone",
    "Curve",
    "Cylinder",
    "Difference",
    "Disk",
    "Ellipse",
    "Ellipsoid",
    "Extruded",
    "Family",
    "Gaussian",
    "Implicit",
    "Intersection",
    "Interval",
    "Mesh",
    "MeshFileError",
    "Mirrored",
    "NACA",
    "Moving",
    "Part",
    "Periodic",
    "PlaneMesh",
    "Point",
    "PointCloud",
    "Polygon",
    "Prism",
    "Rectangle",
    "Regions",
    "RegularPolygon",
    "Repeated",
    "Revolved",
    "Rotated",
    "Sample",
    "Scaled",
    "Sector",
    "Shape",
    "SimplexMesh",
    "SpaceTime",
    "SurfaceMesh",
    "SymmetricDifference",
    "Tetrahedron",
    "Time",
    "Torus",
    "Translated",
    "Triangle",
    "Union",
    "VolumeMesh",
    "Wire",
    "WireInTime",
    "choose",
]
