"""Meshing of shapes: of the plane by Delaunay, of space by a lattice fitted to the surface."""
