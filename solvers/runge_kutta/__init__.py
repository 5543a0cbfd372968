"""Initial-value problems in one coordinate by Runge-Kutta methods with dense output."""

from .method import RungeKutta

__all__ = ["RungeKutta"]
