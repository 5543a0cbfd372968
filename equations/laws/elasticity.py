"""Deformation of elastic solids: linear and neo-Hookean."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import sympy

from ..equation import Eq
from ..operators import as_vector, grad
from ..symbols import spatial
from ..tensors import strain
from .law import (
    as_components,
    check_values,
    checked_coordinates,
    new_field,
    new_vector,
    rate,
    tensor_divergence,
    through,
)


class Solid(ABC):
    """What elastic solids share: displacement, Lamé's constants, and conditions."""

    coordinates: Any
    young: Any
    poisson_ratio: Any
    density: Any
    force: Any

    @property
    def space(self) -> tuple[sympy.Symbol, ...]:
        """The spatial coordinates."""
        return spatial(self.coordinates)

    @cached_property
    def displacement(self) -> sympy.Matrix:
        """The unknown displacement (u, v, w) in m, a vector also in one dimension."""
        return new_vector("uvw", self.coordinates)

    @property
    def shear_modulus(self) -> sympy.Expr:
        """mu = E / (2 (1 + nu)) in Pa."""
        return self.young / (2 * (1 + self.poisson_ratio))

    @property
    def lame_modulus(self) -> sympy.Expr:
        """lambda = E nu / ((1 + nu) (1 - 2 nu)) in Pa."""
        nu = self.poisson_ratio
        return self.young * nu / ((1 + nu) * (1 - 2 * nu))

    @property
    @abstractmethod
    def nominal_stress(self) -> sympy.Matrix:
        """Force per area of the undeformed solid, in Pa; its rows belong to the directions."""

    def momentum(self, stress: sympy.Matrix) -> Eq:
        """rho d²u/dt² - div(stress) = f."""
        inertia = self.density * rate(self.displacement, self.coordinates, 2)
        force = as_components(self.force, self.space, f"{type(self).__name__}(force=)")
        return Eq(as_vector(inertia - tensor_divergence(stress, self.space)), force)

    def traction(self, value: Any) -> Eq:
        """A given force per area of the boundary, in Pa: stress · n = value, as
        `steel.traction((0, 0, -1e6))`."""
        value = as_components(value, self.space, f"{type(self).__name__}.traction(value=)")
        return Eq(through(self.nominal_stress, self.space), value)

    def free(self) -> Eq:
        """No force on the boundary: stress · n = 0."""
        return self.traction(0)

    def clamped(self) -> Eq:
        """u = 0."""
        return Eq(self.displacement, 0)


@dataclass(frozen=True)
class LinearElasticity(Solid):
    """Linear isotropic elasticity rho d²u/dt² = div(sigma) + f with Hooke's law
    sigma = lambda tr(eps) I + 2 mu eps, eps = (grad u + grad u^T) / 2.

    Arguments:
        coordinates: `(x, y, z)`, `(x, y)` or `(x,)`, and `t` for motion.
        young: E in Pa, an expression or a field.
        poisson_ratio: nu, below 1/2.
        density: rho in kg/m³, of a motion.
        force: f in N/m³, a vector or 0.
        plane: in two dimensions "strain" (a thick body, held along z) or "stress" (a thin sheet).
        mixed: whether the stress is an unknown of its own, in equations of first order.

    Notes:
        Unknowns: `displacement` in m and, if mixed, the components of `stress` in Pa. Derived:
        `strain`, `stress`, `von_mises`, `energy_density`. In one dimension sigma = E du/dx, a bar.

    Source:
        Timoshenko & Goodier, Theory of Elasticity, 1970, equations 3, 11, 23, 24 and 123.

    Example:
        >>> from equations import coordinates
        >>> x, y = coordinates("x y")
        >>> LinearElasticity((x, y), young=5, poisson_ratio=0.25, plane="strain").stress[0, 1]
        2.0*Derivative(u(x, y), y) + 2.0*Derivative(v(x, y), x)
    """

    coordinates: Any
    young: Any
    poisson_ratio: Any = 0.3
    density: Any = 1
    force: Any = 0
    plane: str = "strain"
    mixed: bool = False

    def __post_init__(self):
        symbols = checked_coordinates("LinearElasticity", self.coordinates, dimensions=(1, 2, 3))
        object.__setattr__(self, "coordinates", symbols)
        check_values(self, "poisson_ratio", "force", positive=("young", "density"))
        if self.plane not in ("strain", "stress"):
            raise ValueError(
                f"`LinearElasticity(plane=)` is 'strain' or 'stress'; got {self.plane!r}."
            )
        nu = self.poisson_ratio
        is_sheet = self.plane == "stress" and len(self.space) == 2
        if nu.is_number and len(self.space) > 1 and not is_sheet and nu >= 0.5:
            raise ValueError(
                f"`LinearElasticity(poisson_ratio=)` must be below 1/2; got {nu}. A solid that "
                "keeps its volume needs a pressure: use `Stokes`, of the same form."
            )

    @property
    def strain(self) -> sympy.Matrix:
        """(grad u + grad u^T) / 2."""
        return strain(self.displacement, self.space)

    @property
    def stress(self) -> sympy.Matrix:
        """The stress in Pa: by Hooke's law, or unknown if mixed."""
        if not self.mixed:
            return self._hooke()
        axes = [s.name for s in self.space]
        names = [["_".join(("sigma", *sorted((a, b)))) for b in axes] for a in axes]
        return sympy.ImmutableMatrix([[new_field(n, self.coordinates) for n in r] for r in names])

    def _hooke(self) -> sympy.Matrix:
        eps, E, nu = self.strain, self.young, self.poisson_ratio
        n = eps.shape[0]
        if n == 1:
            return sympy.ImmutableMatrix(E * eps)
        is_sheet = n == 2 and self.plane == "stress"
        modulus = E * nu / (1 - nu**2) if is_sheet else self.lame_modulus
        spherical = modulus * eps.trace() * sympy.eye(n)
        return sympy.ImmutableMatrix(spherical + 2 * self.shear_modulus * eps)

    @property
    def von_mises(self) -> sympy.Expr:
        """The equivalent stress sqrt(3/2 s : s) in Pa, s the deviator of the stress in space."""
        n = self.stress.shape[0]
        whole = sympy.zeros(3)
        whole[:n, :n] = self.stress
        if n == 2 and self.plane == "strain":
            whole[2, 2] = self.poisson_ratio * self.stress.trace()
        deviator = whole - whole.trace() / 3 * sympy.eye(3)
        return sympy.sqrt(sympy.Rational(3, 2) * sum(s**2 for s in deviator))

    @property
    def energy_density(self) -> sympy.Expr:
        """sigma : eps / 2 in J/m³."""
        pairs = zip(self.stress, self.strain, strict=True)
        return sympy.Add(*(s * e for s, e in pairs)) / 2

    @property
    def nominal_stress(self) -> sympy.Matrix:
        return self.stress

    @property
    def equations(self) -> tuple[Eq, ...]:
        if not self.mixed:
            return (self.momentum(self.stress),)
        n = len(self.space)
        hooke = self.stress - self._hooke()
        relations = [hooke[i, j] for i in range(n) for j in range(i, n)]
        return (self.momentum(self.stress), Eq(tuple(relations), 0))


@dataclass(frozen=True)
class NeoHookean(Solid):
    """A compressible neo-Hookean solid under large deformation: rho d²u/dt² = div(P) + f with
    P = mu (F - F^-T) + lambda/2 (J² - 1) F^-T, F = I + grad u, J = det F, of the energy
    W = mu/2 (tr(F^T F) - 3) + lambda/4 (J² - 1) - (mu + lambda/2) log J.

    Arguments:
        coordinates: of the undeformed solid, `(x, y, z)`, or `(x, y)` for plane strain; and `t`.
        young, poisson_ratio: E in Pa and nu, of small deformations.
        density: rho in kg/m³, undeformed.
        force: f per undeformed volume in N/m³, a vector or 0.

    Notes:
        Unknown: `displacement` in m. Derived: `deformation_gradient`, `nominal_stress` P (the first
        Piola-Kirchhoff stress), `cauchy_stress`, `energy_density`. Tractions are per undeformed
        area.

    Source:
        Ciarlet, Mathematical Elasticity I, 1988, section 4.10, with b = 0 there. The variant with
        (log J)² has the same small deformations, but no stress where a first guess has J < 0.

    Example:
        >>> from equations import coordinates
        >>> x, y = coordinates("x y")
        >>> NeoHookean((x, y), young=1).deformation_gradient[0, 1]
        Derivative(u(x, y), y)
    """

    coordinates: Any
    young: Any
    poisson_ratio: Any = 0.3
    density: Any = 1
    force: Any = 0

    def __post_init__(self):
        symbols = checked_coordinates("NeoHookean", self.coordinates, dimensions=(2, 3))
        object.__setattr__(self, "coordinates", symbols)
        check_values(self, "poisson_ratio", "force", positive=("young", "density"))

    @property
    def deformation_gradient(self) -> sympy.Matrix:
        """F = I + grad u."""
        gradient = grad(self.displacement, self.space)
        return sympy.ImmutableMatrix(sympy.eye(gradient.shape[0]) + gradient)

    @property
    def volume_ratio(self) -> sympy.Expr:
        """J = det F."""
        return self.deformation_gradient.det(method="berkowitz")

    @property
    def nominal_stress(self) -> sympy.Matrix:
        """The first Piola-Kirchhoff stress P in Pa."""
        F, J, mu = self.deformation_gradient, self.volume_ratio, self.shear_modulus
        pressure = self.lame_modulus / 2 * J - (mu + self.lame_modulus / 2) / J
        return sympy.ImmutableMatrix(mu * F + pressure * F.cofactor_matrix(method="berkowitz"))

    @property
    def cauchy_stress(self) -> sympy.Matrix:
        """P F^T / J in Pa, force per deformed area."""
        F = self.deformation_gradient
        return sympy.ImmutableMatrix(self.nominal_stress * F.T / self.volume_ratio)

    @property
    def energy_density(self) -> sympy.Expr:
        """W in J per undeformed m³."""
        F, J, half = self.deformation_gradient, self.volume_ratio, self.lame_modulus / 2
        stretch = self.shear_modulus / 2 * (sum(f**2 for f in F) - F.shape[0])
        return stretch + half / 2 * (J**2 - 1) - (self.shear_modulus + half) * sympy.log(J)

    @property
    def equations(self) -> tuple[Eq, ...]:
        return (self.momentum(self.nominal_stress),)
