"""What the statement's structure allows to build into the trial functions.

A solenoidal velocity in two dimensions becomes the curl of a stream function, which vanishes on the
boundary where that is impermeable; Dirichlet conditions become lift + distance * network where
their data are as smooth as the equations need; periodic axes are embedded. Everything built in is
left out of the loss, and told in a sentence.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy
from sympy.core.function import AppliedUndef

from diffcore import nn
from equations import Parameter, Problem, compile_expressions, spatial, structure

from . import many
from .ansatz import Branch, Potential, Share, Trial, Unknown
from .lift import boundary_lift


@dataclass
class Plan:
    """What is built in: potentials and shares of fields, and what need not be trained any more."""

    potentials: dict[str, Potential] = field(default_factory=dict)
    shares: dict[AppliedUndef, list[tuple[str, tuple[int, ...], complex]]] = field(
        default_factory=dict
    )
    satisfied_equations: set[int] = field(default_factory=set)  # indices of problem.residuals
    satisfied_conditions: set[tuple[int, int]] = field(
        default_factory=set
    )  # (condition, component)
    sentences: list[str] = field(default_factory=list)


def plan(problem: Problem, *, hard: bool | None, solenoidal: bool | None) -> Plan:
    """The plan for a problem; `hard`, `solenoidal`: force (True), forbid (False), decide (None)."""
    result = Plan()
    if solenoidal is not False:
        _stream_function(problem, result)
    for f in problem.fields:
        if f in result.shares:
            continue
        if f.is_real:
            result.shares[f] = [(str(f), (0,) * len(f.args), 1)]
            result.potentials[str(f)] = _potential(problem, f, hard, result)
        else:
            orders = (0,) * len(f.args)
            result.shares[f] = [(f"re {f}", orders, 1), (f"im {f}", orders, 1j)]
            result.potentials |= {f"re {f}": Potential(), f"im {f}": Potential()}
    return result


def trial(
    problem: Problem, plan: Plan, network: Callable, key: jax.Array, *, exact_sums: bool = True
) -> Trial:
    """Random trial functions for a plan; `network(in_size, out_size, key=)` makes a network."""
    branches = []
    for i, members in enumerate(_branches(problem, plan)):
        names = list(dict.fromkeys(name for f in members for name, _, _ in plan.shares[f]))
        columns = tuple(problem.coordinates.index(a) for a in members[0].args)
        lower, upper = (tuple(float(b[c]) for c in columns) for b in _bounds(problem, members[0]))
        body = _embedded(problem, columns, lower, upper, len(names), network, key, i)
        shares = tuple(
            (f, tuple(Share(names.index(n), o, c) for n, o, c in plan.shares[f])) for f in members
        )
        potentials = tuple(plan.potentials[name] for name in names)
        branches.append(Branch(body, columns, lower, upper, potentials, shares, exact_sums))
    unknowns = tuple(
        Unknown(p.name, float(p.initial), bool(p.is_positive))
        for p in problem.parameters
        if p.initial is not None
    )
    return Trial(tuple(branches), {u.name: jnp.zeros(()) for u in unknowns}, unknowns)


def _branches(problem: Problem, plan: Plan) -> list[list[AppliedUndef]]:
    """Fields that share a network: those of the same coordinates and regions, positive fields
    apart."""
    groups: dict[Any, list[AppliedUndef]] = {}
    regions = structure.regions(problem)
    for f in problem.fields:
        positive = any(plan.potentials[name].positive for name, _, _ in plan.shares[f])
        groups.setdefault((f.args, regions[f], f if positive else None), []).append(f)
    return list(groups.values())


def _bounds(problem: Problem, f: AppliedUndef) -> tuple[np.ndarray, np.ndarray]:
    """The bounds of the regions in which a field lives."""
    if many.is_wide(problem):
        return many.box(problem)
    names = structure.regions(problem)[f]
    ends = np.array([problem.domain.regions[n].bounds for n in names] or [problem.domain.bounds])
    return ends[:, 0].min(axis=0), ends[:, 1].max(axis=0)


def _embedded(problem, columns, lower, upper, out_size, network, key, index):
    axes = problem.domain.axes
    periods = {
        i: 2 * problem.domain.periods[axes[c]] / (upper[i] - lower[i])
        for i, c in enumerate(columns)
        if axes[c] in problem.domain.periods
    }
    key = jax.random.fold_in(key, index)
    if not periods and columns == tuple(range(len(axes))) and many.is_wide(problem):
        feature = many.distance_feature(problem)
        return nn.Sequential([feature, network(len(columns) + 1, out_size, key=key)])
    if not periods:
        return network(len(columns), out_size, key=key)
    embedding = nn.PeriodicFeatures(len(columns), periods)
    return nn.Sequential([embedding, network(embedding.out_size, out_size, key=key)])


def _potential(problem: Problem, f: AppliedUndef, hard: bool | None, result: Plan) -> Potential:
    """The potential of a real field, with its Dirichlet conditions built in if that is wise."""
    positive = bool(f.is_positive)
    scale = data_size(problem, f)
    stated = []  # (condition index, component, part, value)
    for i, condition in enumerate(problem.conditions):
        values = structure.dirichlet(condition)
        if f in values:
            component = _component(condition.equation, f)
            stated.append((i, component, condition.part, values[f]))
    stated = [s for s in stated if _is_wall(s[2])]
    if hard is False or positive or not stated or f.args != problem.coordinates:
        return Potential(scale=scale, positive=positive)
    parts = [part for _, _, part, _ in stated]
    lift, reason = boundary_lift(problem, parts, [value for *_, value in stated])
    if not reason and not all(part.is_smooth for part in parts):
        reason = "the distance to the facets of a mesh is not smooth"
    if reason and not hard:
        result.sentences.append(f"{f} keeps its boundary values as soft conditions: {reason}.")
        return Potential(scale=scale)
    result.satisfied_conditions |= {(i, component) for i, component, _, _ in stated}
    where = "; ".join(problem.conditions[i].label for i, *_ in stated)
    result.sentences.append(f"{f} has its values on {where} by construction.")
    return Potential(lift=lift, distance=_distance(parts), scale=scale)


def _is_wall(part: Any) -> bool:
    """Whether a part has a smooth distance: neither a point nor an interface between regions."""
    return hasattr(part, "shape") and set(part.names) <= set(part.shape.parts)


def _component(equation, f: AppliedUndef) -> int:
    return next(i for i, r in enumerate(equation.residuals) if f in r.atoms(AppliedUndef))


def _distance(parts) -> Callable:
    """The product of the parts' smooth distances; parts of one shape are joined by the shape."""
    whole = parts[0]
    if all(part.shape == whole.shape for part in parts):
        names = tuple(dict.fromkeys(name for part in parts for name in part.names))
        return whole.shape[names].distance
    return lambda x: np.prod([part.distance(x) for part in parts])


def data_size(problem: Problem, f: AppliedUndef) -> float:
    """The largest magnitude that conditions and data give the field; 1 where they give none."""
    sizes = [0.0]
    for condition in problem.conditions:
        value = structure.dirichlet(condition).get(f)
        if value is None or value.atoms(Parameter) - set(problem.coordinates):
            continue
        points = np.asarray(condition.part.sample(64, key=0).points)
        compiled = compile_expressions([value], problem.coordinates)
        sizes.append(float(np.max(np.abs(compiled(jnp.asarray(points), [])[0]))))
    sizes += [float(np.max(np.abs(d.values[f]))) for d in problem.data if f in d.values]
    largest = max(sizes)
    return largest if np.isfinite(largest) and largest > 0 else 1.0


def _stream_function(problem: Problem, result: Plan) -> None:
    """Velocity (u, v) = (dpsi/dy, -dpsi/dx) where the statement says that div (u, v) = 0."""
    found = structure.continuity(problem)
    if found is None or len(found[1]) != 2 or not all(c.is_real for c in found[1]):
        return
    index, velocity = found
    arguments, space = velocity[0].args, spatial(problem.coordinates)
    if any(c.args != problem.coordinates for c in velocity):
        return
    along = [tuple(int(a == s) for a in arguments) for s in space]
    result.shares[velocity[0]] = [("psi", along[1], 1)]
    result.shares[velocity[1]] = [("psi", along[0], -1)]
    result.satisfied_equations.add(index)
    size = max(data_size(problem, c) for c in velocity)
    sentence = "The velocity is the curl of a stream function, so that mass is conserved exactly"
    if _is_impermeable(problem, velocity):
        distance = problem.domain[_walls(problem.domain)].distance
        result.potentials["psi"] = Potential(distance=distance, scale=size)
        sentence += "; it vanishes on the boundary, which is impermeable"
    else:
        columns = [problem.coordinates.index(s) for s in space]
        lower, upper = (np.asarray(b)[columns] for b in problem.domain.bounds)
        result.potentials["psi"] = Potential(scale=size * float(np.min(upper - lower)) / 2)
    result.sentences.append(sentence + ".")


def _walls(domain) -> tuple[str, ...]:
    return tuple(name for name in domain.parts if name not in ("initial", "final"))


def _is_impermeable(problem: Problem, velocity) -> bool:
    """Whether the statement gives n · u = 0 on the whole boundary, and that is one closed curve."""
    domain = problem.domain
    if not domain.boundary.is_smooth:  # derivatives of the stream function would jump
        return False
    if domain.periods or n_boundaries(getattr(domain, "space", domain)) != 1:
        return False
    covered: set[str] = set()
    for condition in problem.conditions:
        values = structure.dirichlet(condition)
        if not all(c in values for c in velocity) or not hasattr(condition.part, "names"):
            continue
        sample = condition.part.sample(64, key=0)
        compiled = compile_expressions([values[c] for c in velocity], problem.coordinates)
        flow = compiled(jnp.asarray(sample.points), [])
        normals = np.asarray(sample.normals)
        through = sum(np.asarray(g) * normals[:, i] for i, g in enumerate(flow))
        if np.max(np.abs(through)) < 1e-12:
            covered |= set(condition.part.names)
    return covered >= set(_walls(domain))


def n_boundaries(shape: Any) -> int:
    """The number of closed curves or surfaces that bound a shape, counted on a coarse mesh."""
    facets = np.concatenate(list(shape.mesh(shape.size / 20).facets.values()))
    vertices, flat = np.unique(facets, return_inverse=True)
    ends = flat.reshape(facets.shape)
    edges = (np.ones(len(ends)), (ends[:, 0], ends[:, -1]))
    graph = scipy.sparse.coo_array(edges, shape=(len(vertices),) * 2)
    return int(scipy.sparse.csgraph.connected_components(graph, directed=False)[0])
