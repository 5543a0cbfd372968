"""Reaction and diffusion of one or several species, and four named systems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sympy

from ..equation import Eq
from ..expressions import as_expression
from ..operators import div, grad, is_vector, normal_derivative
from ..symbols import spatial
from .law import check_values, checked_coordinates, checked_unknown, new_field, rate


@dataclass(frozen=True)
class ReactionDiffusion:
    """Species u_i that diffuse and react: du_i/dt = div(D_i grad u_i) + R_i(u).

    Arguments:
        coordinates: as `(x, y, t)`; steady where `t` is not among them.
        diffusivity: D in m²/s, for several species a tuple, one for each.
        reaction: R, an expression or a function of the species, as `lambda u: u * (1 - u)`; for
            several species a tuple or `lambda u, v: (u - v, u * v)`.
        species: the unknown fields; by default u, or u, v, w for up to three species.

    Source:
        Murray, Mathematical Biology I, 2002, section 11.2.

    Example:
        >>> from equations import coordinates
        >>> x, t = coordinates("x t")
        >>> ReactionDiffusion((x, t), 1, lambda u: -2 * u).equations
        (Derivative(u(x, t), t) - laplacian(u(x, t)) = -2*u(x, t),)
    """

    coordinates: Any
    diffusivity: Any
    reaction: Any
    species: Any = None

    def __post_init__(self):
        symbols = checked_coordinates("ReactionDiffusion", self.coordinates)
        object.__setattr__(self, "coordinates", symbols)
        check_values(self, "diffusivity")
        species = self._checked_species()
        object.__setattr__(self, "species", species)
        check_values(self, "reaction", of=species)
        counts = [len(_several(v)) for v in (self.diffusivity, self.reaction)]
        if counts != [len(species)] * 2:
            raise ValueError(
                "`ReactionDiffusion` needs one `diffusivity` and one `reaction` for each of "
                f"{species}; got {counts[0]} and {counts[1]}."
            )

    def _checked_species(self) -> tuple:
        if self.species is None:
            n = len(_several(self.diffusivity))
            if n > 3:
                raise ValueError(f"`species=` is needed for more than 3 species; got {n}.")
            return tuple(new_field(name, self.coordinates) for name in "uvw"[:n])
        given = _several(self.species)
        return tuple(checked_unknown("ReactionDiffusion", u, self.coordinates, "u") for u in given)

    @property
    def equations(self) -> tuple[Eq, ...]:
        coefficients = _several(self.diffusivity), _several(self.reaction)
        return _reacting(self.coordinates, self.species, *coefficients)

    def no_flux(self) -> Eq:
        """Nothing passes the boundary: du_i/dn = 0."""
        return _no_flux(self.species)


@dataclass(frozen=True)
class Fisher:
    """The Fisher-KPP equation du/dt = D lap u + r u (1 - u).

    Arguments:
        coordinates: as `(x, t)`.
        diffusivity: D in m²/s.
        growth: r in 1/s.
        unknown: the fraction u, made if not given.

    Source:
        Fisher, Annals of Eugenics 7 (1937) 355-369, equation 1.

    Example:
        >>> from equations import coordinates
        >>> x, t = coordinates("x t")
        >>> Fisher((x, t), growth=2).equations[0].rhs
        2*(1 - u(x, t))*u(x, t)
    """

    coordinates: Any
    diffusivity: Any = 1
    growth: Any = 1
    unknown: Any = None

    def __post_init__(self):
        _check_scalar(self, "growth", "diffusivity")

    @property
    def equations(self) -> tuple[Eq, ...]:
        u = self.unknown
        reaction = self.growth * u * (1 - u)
        return _reacting(self.coordinates, (u,), (self.diffusivity,), (reaction,))

    def no_flux(self) -> Eq:
        """Nothing passes the boundary: du/dn = 0."""
        return _no_flux((self.unknown,))


@dataclass(frozen=True)
class AllenCahn:
    """The Allen-Cahn equation du/dt = D lap u + r (u - u³) of two phases u = -1 and u = 1.

    Arguments:
        coordinates: as `(x, t)`.
        diffusivity: D in m²/s.
        rate: r in 1/s; the width of an interface is sqrt(2 D / r).
        unknown: the order parameter u, made if not given.

    Source:
        Allen & Cahn, Acta Metallurgica 27 (1979) 1085-1095, equation 11.

    Example:
        >>> from equations import coordinates
        >>> x, t = coordinates("x t")
        >>> AllenCahn((x, t), diffusivity=1e-4, rate=5).equations[0].rhs
        -5*u(x, t)**3 + 5*u(x, t)
    """

    coordinates: Any
    diffusivity: Any = 1
    rate: Any = 1
    unknown: Any = None

    def __post_init__(self):
        _check_scalar(self, "rate", "diffusivity")

    @property
    def energy_density(self) -> sympy.Expr:
        """D |grad u|² / 2 + r (1 - u²)² / 4, whose integral falls in time."""
        gradient = grad(self.unknown, spatial(self.coordinates))
        bulk = self.rate * (1 - self.unknown**2) ** 2 / 4
        return self.diffusivity * sum(g**2 for g in gradient) / 2 + bulk

    @property
    def equations(self) -> tuple[Eq, ...]:
        u = self.unknown
        reaction = self.rate * (u - u**3)
        return _reacting(self.coordinates, (u,), (self.diffusivity,), (reaction,))

    def no_flux(self) -> Eq:
        """Nothing passes the boundary: du/dn = 0."""
        return _no_flux((self.unknown,))


@dataclass(frozen=True)
class GrayScott:
    """The Gray-Scott system of a substrate u and an autocatalyst v:

    du/dt = D_u lap u - u v² + F (1 - u),   dv/dt = D_v lap v + u v² - (F + k) v.

    Arguments:
        coordinates: as `(x, y, t)`.
        diffusivity: (D_u, D_v) in m²/s.
        feed: F in 1/s.
        kill: k in 1/s.

    Source:
        Pearson, Science 261 (1993) 189-192, equation 2.

    Example:
        >>> from equations import coordinates
        >>> x, t = coordinates("x t")
        >>> GrayScott((x, t), diffusivity=(2e-5, 1e-5), feed=0.04, kill=0.06).species
        (u(x, t), v(x, t))
    """

    coordinates: Any
    diffusivity: Any
    feed: Any
    kill: Any

    def __post_init__(self):
        symbols = checked_coordinates("GrayScott", self.coordinates)
        object.__setattr__(self, "coordinates", symbols)
        check_values(self, "diffusivity", positive=("feed", "kill"))
        if len(_several(self.diffusivity)) != 2:
            raise ValueError(f"`GrayScott(diffusivity=)` is a pair; got {self.diffusivity}.")

    @property
    def species(self) -> tuple[sympy.Expr, ...]:
        """The unknown concentrations u and v."""
        return tuple(new_field(name, self.coordinates) for name in "uv")

    @property
    def equations(self) -> tuple[Eq, ...]:
        u, v = self.species
        reaction = (self.feed * (1 - u) - u * v**2, u * v**2 - (self.feed + self.kill) * v)
        return _reacting(self.coordinates, (u, v), tuple(self.diffusivity), reaction)

    def no_flux(self) -> Eq:
        """Nothing passes the boundary: du/dn = dv/dn = 0."""
        return _no_flux(self.species)


@dataclass(frozen=True)
class FitzHughNagumo:
    """The FitzHugh-Nagumo model of a membrane: potential v and recovery w,

    dv/dt = D lap v + v - v³/3 - w + I,   dw/dt = epsilon (v + a - b w).

    Arguments:
        coordinates: as `(x, t)`.
        diffusivity: D in m²/s.
        recovery_rate: epsilon.
        offset, decay: a and b.
        stimulus: I.

    Source:
        FitzHugh, Biophysical Journal 1 (1961) 445-466, equations 1 and 2, with the time scaled and
        the sign of v and I changed; diffusion after Nagumo, Arimoto & Yoshizawa (1962).

    Example:
        >>> from equations import coordinates
        >>> x, t = coordinates("x t")
        >>> FitzHughNagumo((x, t), stimulus=1).unknowns
        (v(x, t), w(x, t))
    """

    coordinates: Any
    diffusivity: Any = 1
    recovery_rate: Any = 0.08
    offset: Any = 0.7
    decay: Any = 0.8
    stimulus: Any = 0

    def __post_init__(self):
        symbols = checked_coordinates("FitzHughNagumo", self.coordinates)
        object.__setattr__(self, "coordinates", symbols)
        names = ("recovery_rate", "offset", "decay", "stimulus")
        check_values(self, *names, positive=("diffusivity",))

    @property
    def unknowns(self) -> tuple[sympy.Expr, ...]:
        """The potential v and the recovery w."""
        return tuple(new_field(name, self.coordinates) for name in "vw")

    @property
    def equations(self) -> tuple[Eq, ...]:
        v, w = self.unknowns
        reaction = (
            v - v**3 / 3 - w + self.stimulus,
            self.recovery_rate * (v + self.offset - self.decay * w),
        )
        return _reacting(self.coordinates, (v, w), (self.diffusivity, 0), reaction)

    def no_flux(self) -> Eq:
        """Nothing passes the boundary: dv/dn = 0."""
        return _no_flux(self.unknowns[:1])


def _several(value: Any) -> tuple:
    """The items of a tuple or vector; a scalar is one item."""
    return tuple(value) if is_vector(value) else (value,)


def _check_scalar(law: Any, rate_name: str, diffusivity: str) -> None:
    name = type(law).__name__
    symbols = checked_coordinates(name, law.coordinates)
    object.__setattr__(law, "coordinates", symbols)
    unknown = checked_unknown(name, law.unknown, symbols, "u")
    object.__setattr__(law, "unknown", unknown)
    check_values(law, rate_name, positive=(diffusivity,), of=(unknown,))


def _reacting(
    coordinates: Sequence[sympy.Symbol],
    species: Sequence,
    diffusivity: Sequence,
    reaction: Sequence,
) -> tuple[Eq, ...]:
    """du_i/dt - div(D_i grad u_i) = R_i."""
    space = spatial(coordinates)
    return tuple(
        Eq(rate(u, coordinates) - (div(d * grad(u, space), space) if d != 0 else 0), r)
        for u, d, r in zip(species, diffusivity, reaction, strict=True)
    )


def _no_flux(species: Sequence) -> Eq:
    slopes = [as_expression(normal_derivative(u), "no_flux") for u in species]
    return Eq(slopes if len(slopes) > 1 else slopes[0], 0)
