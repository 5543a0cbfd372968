"""Reading mesh files: what is in them, with errors that name the file, the place and the remedy."""

from geometry.meshes.files.content import MeshFileError, kind_of
from geometry.meshes.files.reading import RawMesh, read_mesh

__all__ = ["MeshFileError", "RawMesh", "kind_of", "read_mesh"]
