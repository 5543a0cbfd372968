"""Shapes given by meshes: from files or arrays, mended, with their nearest facets and winding."""
