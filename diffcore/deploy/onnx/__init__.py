"""ONNX files, for runtimes outside of Python."""

from diffcore.deploy.onnx.writing import write

__all__ = ["write"]
