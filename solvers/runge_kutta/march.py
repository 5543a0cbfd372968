"""From the start to the end in adaptive steps, explicit ones or implicit ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from .system import System, span
from .trajectory import FIT, POINTS, Trajectory

LOOK = 40  # steps after which stiffness is looked for, again and again
EXPLICIT_REACH = 3.0  # steps times the fastest decay at which the explicit method is held back
FLOOR = 1e-3  # of the largest value of a component: below it errors are absolute


@dataclass(frozen=True, eq=False)
class March:
    """What a run gave: its trajectory, whether it arrived, was late, and which kind it was."""

    trajectory: Trajectory
    arrived: bool
    late: bool
    implicit: bool


class Marcher:
    """Runs of one system with different tolerances. States with complex numbers are stepped as
    real and imaginary parts."""

    def __init__(self, system: System, deadline: float, report: Callable[[float, int], None]):
        self.system, self.deadline, self.report = system, deadline, report
        self.begin, self.end = span(system.problem)
        self._rate = jax.jit(self._real_rate)
        self._slopes = jax.jit(jax.jacfwd(self._real_rate, argnums=1))
        self.start = np.asarray(jax.jit(lambda: self._apart(system.start()))())

    def march(self, tolerance: float, scales: np.ndarray, implicit: bool | None) -> March:
        """A run with a relative tolerance for each step; `scales` (components,) tells how large the
        components get. Where `implicit` is None, it is explicit until that turns out stiff."""
        found = self._march(tolerance, scales, bool(implicit), look=implicit is None)
        return found or self._march(tolerance, scales, True, look=False)  # type: ignore[return-value]

    def scales(self, march: March | None) -> np.ndarray:
        """The largest values of the components, of one before there is a run."""
        if march is None:
            sizes = np.abs(self.start)
            return np.where(sizes > 0, sizes, max(sizes.max(initial=0), 1.0))
        sizes = np.abs(np.asarray(self._apart(march.trajectory.own_states))).max(axis=0)
        return np.where(sizes > 0, sizes, 1.0)

    def _march(
        self, tolerance: float, scales: np.ndarray, implicit: bool, look: bool
    ) -> March | None:
        solver = self._solver(tolerance, scales, implicit)
        times, series, suspicions, late = [self.begin], [], 0, False
        while solver.status == "running" and not late:
            if not _step(solver):
                break
            inside = solver.t_old + (solver.t - solver.t_old) * (POINTS + 1) / 2
            series.append(FIT @ solver.dense_output()(inside).T)
            times.append(solver.t)
            if len(series) % LOOK == 0:
                self.report((solver.t - self.begin) / (self.end - self.begin), len(series))
                late = perf_counter() > self.deadline
                suspicions += look and self._is_held_back(solver)
            if suspicions > 1:
                return None
        if not series:  # no step was possible: the start alone
            times, series = [self.begin, np.nextafter(self.begin, self.end)], [FIT @ self._still]
        coefficients = np.asarray(self._together(np.array(series)))
        trajectory = Trajectory(self.system, np.array(times), coefficients)
        return March(trajectory, solver.status == "finished", late, implicit)

    @property
    def _still(self) -> np.ndarray:
        return np.tile(self.start, (len(POINTS), 1))

    def _solver(self, tolerance: float, scales: np.ndarray, implicit: bool) -> Any:
        import scipy

        options = {"rtol": tolerance, "atol": tolerance * FLOOR * scales}
        given = (lambda t, y: np.asarray(self._rate(t, y)), self.begin, self.start, self.end)
        if implicit:
            slopes = lambda t, y: np.asarray(self._slopes(t, y))  # noqa: E731
            return scipy.integrate.Radau(*given, jac=slopes, **options)
        return scipy.integrate.DOP853(*given, **options)

    def _is_held_back(self, solver: Any) -> bool:
        """Whether the fastest decay, not accuracy, limits the step of an explicit method."""
        slopes = np.asarray(self._slopes(solver.t, solver.y))
        if not np.isfinite(slopes).all():
            return False
        fastest = -np.linalg.eigvals(slopes).real.min()
        return solver.step_size * fastest > EXPLICIT_REACH

    def _real_rate(self, t: Any, numbers: Any) -> jax.Array:
        return self._apart(self.system.rate(jnp.asarray(t), self._together(numbers)))

    def _apart(self, states: Any) -> Any:
        """Real numbers (..., components, or twice as many)."""
        if not self.system.is_complex:
            return states
        return jnp.concatenate([jnp.real(states), jnp.imag(states)], axis=-1)

    def _together(self, numbers: Any) -> Any:
        if not self.system.is_complex:
            return numbers
        real, imaginary = jnp.split(jnp.asarray(numbers), 2, axis=-1)
        return real + 1j * imaginary


def _step(solver: Any) -> bool:
    """One step; whether it succeeded and stayed finite."""
    try:
        solver.step()
    except (ValueError, np.linalg.LinAlgError):  # slopes that are not finite
        return False
    return solver.status != "failed" and bool(np.isfinite(solver.y).all())
