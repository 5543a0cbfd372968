"""The smallest space of differential operators that a request needs, and its multiplication.

A request p(∂) is a polynomial p. Leibniz's rule is its coproduct, p(∂)(u v) = p(∂' + ∂'')(u v),
and expanding p(ξ + η) only meets p and its derivatives. So the span V of the requests and all
their derivatives is closed under products, and with them under every smooth function: knowing
ℓ_b(u) = b(∂)u for a basis b of V is knowing enough, and nothing smaller is. V is Macaulay's
inverse system of the request; its dual is the algebra R[ε]/Ann(V) in which we compute.

Everything here is exact (`fractions.Fraction`) and runs once for each request.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from itertools import product as cartesian
from math import factorial, perm, prod

Orders = tuple[int, ...]
Polynomial = dict[Orders, Fraction]
Combination = dict[int, Fraction]
Terms = tuple[tuple[Orders, float], ...]
"""A polynomial as a hashable value: ((orders, coefficient), ...)."""

_LARGEST_CONSTANT = 1e4  # of a product table before monomials are preferred, see `algebra`


@dataclass(frozen=True)
class Algebra:
    """The structure constants of V in a basis b_0 = 1, b_1, ..., ordered by degree.

    `products[k]` lists (i, j, c) with 0 < i ≤ j: besides u_0 v_k + u_k v_0, the k-th coefficient
    of u v has the terms c (u_i v_j + u_j v_i), or c u_i v_i where i = j. `degrees[k]` is the
    largest number of factors without constant part whose product has a k-th coefficient.
    `seeds[k]` is b_k(∂) of the coordinates. `readouts[m]` lists (k, c): request m is Σ c ℓ_k.
    `basis` and `dual` are polynomials in ∂ and in ε with b_i(∂) e_j(ε) = δ_ij at ε = 0.
    """

    basis: tuple[Terms, ...]
    dual: tuple[Terms, ...]
    degrees: tuple[int, ...]
    products: tuple[tuple[tuple[int, int, float], ...], ...]
    seeds: tuple[tuple[float, ...], ...]
    readouts: tuple[tuple[tuple[int, float], ...], ...]

    @property
    def size(self) -> int:
        """The number of arrays that stand for one value."""
        return len(self.basis)

    @property
    def order(self) -> int:
        """The highest order of derivative."""
        return max(self.degrees)


@lru_cache(maxsize=256)
def algebra(requests: tuple[Terms, ...], dimension: int) -> Algebra:
    """The algebra of a tuple of requests, each ((orders, real coefficient), ...).

    Requests that are almost linearly dependent would give a badly conditioned table; their
    monomials, which span a space at least as large, are used instead.
    """
    polynomials = [_polynomial(terms) for terms in requests]
    space = _build(polynomials, polynomials, dimension)
    constants = (abs(c) for table in space.products for *_, c in table)
    if max(constants, default=0) > _LARGEST_CONSTANT:
        monomials = [{orders: Fraction(1)} for p in polynomials for orders in p]
        space = _build(monomials, polynomials, dimension)
    return space


def _build(generators: list[Polynomial], requests: list[Polynomial], dimension: int) -> Algebra:
    basis = _basis(generators, dimension)
    span = _Span()
    for number, b in enumerate(basis):
        span.add(b, number)
    units = [tuple(int(i == j) for j in range(dimension)) for i in range(dimension)]
    return Algebra(
        basis=tuple(_terms(b) for b in basis),
        dual=tuple(_terms(e) for e in _dual(span, len(basis))),
        degrees=tuple(_degree(b) for b in basis),
        products=tuple(_products(b, span) for b in basis),
        seeds=tuple(tuple(_number(b.get(unit, 0)) for unit in units) for b in basis),
        readouts=tuple(_sorted_numbers(span.coordinates(p)) for p in requests),
    )


def _basis(generators: list[Polynomial], dimension: int) -> list[Polynomial]:
    """Basis of the inverse system, 1 first, by degree; monomials, then generators, if possible.

    Only the first has a constant term: products of values count on it.
    """
    one = (0,) * dimension
    derivatives = (_without_constant(p, one) for p in _closure(generators))
    closure = [{one: Fraction(1)}, *filter(None, derivatives)]
    space = _Span()
    for number, p in enumerate(closure):
        space.add(p, number)
    monomials = [{orders: Fraction(1)} for orders in dict.fromkeys(o for p in closure for o in p)]
    # The reduced rows have distinct leading monomials, so they span each degree of the filtration.
    candidates = [*filter(space.contains, monomials), *closure, *space.rows()]
    chosen = _Span()
    ordered = sorted(candidates, key=_degree)
    return [_scaled(p) for number, p in enumerate(ordered) if chosen.add(p, number)]


def _without_constant(p: Polynomial, one: Orders) -> Polynomial:
    return {orders: c for orders, c in p.items() if orders != one}


def _closure(generators: Iterable[Polynomial]) -> Iterator[Polynomial]:
    """The generators and all their derivatives, each once up to a factor."""
    seen, waiting = set(), [p for p in generators if p]
    while waiting:
        p = waiting.pop(0)
        mark = _terms(_scaled(p))
        if mark not in seen:
            seen.add(mark)
            yield p
            directions = sorted({i for orders in p for i, n in enumerate(orders) if n})
            waiting.extend(_derivative(p, _unit(i, p)) for i in directions)


def _dual(span: "_Span", size: int) -> list[Polynomial]:
    dual: list[Polynomial] = [{} for _ in range(size)]
    for pivot, combination in span.combinations.items():
        for j, c in combination.items():
            dual[j][pivot] = c / _factorial(pivot)
    return dual


def _products(b: Polynomial, span: "_Span") -> tuple[tuple[int, int, float], ...]:
    """b(ξ + η) = Σ c_ij b_i(ξ) b_j(η), from b(ξ + η) = Σ_β ∂^β b(ξ) η^β / β!."""
    table: dict[tuple[int, int], Fraction] = defaultdict(Fraction)
    below = {beta for alpha in b for beta in cartesian(*(range(n + 1) for n in alpha))}
    for beta in sorted(below & span.combinations.keys()):
        left = span.coordinates(_derivative(b, beta))
        for j, right in span.combinations[beta].items():
            for i, c in left.items():
                if 0 < i <= j:
                    table[i, j] += c * right / _factorial(beta)
    return tuple((i, j, _number(c)) for (i, j), c in sorted(table.items()) if c)


@dataclass
class _Span:
    """A fully reduced basis of a growing space of polynomials.

    Each row is 1 at its own pivot monomial, 0 at the other pivots, and known as a combination
    of the polynomials that were added.
    """

    polynomials: dict[Orders, Polynomial] = field(default_factory=dict)
    combinations: dict[Orders, Combination] = field(default_factory=dict)

    def rows(self) -> list[Polynomial]:
        return list(self.polynomials.values())

    def add(self, p: Polynomial, number: int) -> bool:
        """Extend the space by p, known as `number`; False if p is in the space already."""
        rest, combination = dict(p), {number: Fraction(1)}
        for pivot in self.polynomials.keys() & p.keys():
            self._subtract(rest, combination, p[pivot], pivot)
        if not rest:
            return False
        lead = max(rest, key=_grading)
        scale = 1 / rest[lead]
        self.polynomials[lead] = {orders: c * scale for orders, c in rest.items()}
        self.combinations[lead] = {i: c * scale for i, c in combination.items()}
        for pivot, row in self.polynomials.items():
            if pivot != lead and lead in row:
                self._subtract(row, self.combinations[pivot], row[lead], lead)
        return True

    def _subtract(self, p: dict, combination: dict, c: Fraction, pivot: Orders) -> None:
        _add(p, -c, self.polynomials[pivot])
        _add(combination, -c, self.combinations[pivot])

    def contains(self, p: Polynomial) -> bool:
        rest = dict(p)
        for pivot in self.polynomials.keys() & p.keys():
            _add(rest, -p[pivot], self.polynomials[pivot])
        return not rest

    def coordinates(self, p: Polynomial) -> Combination:
        """The p of the space as a combination of the polynomials that were added."""
        result: Combination = {}
        for pivot in self.combinations.keys() & p.keys():
            _add(result, p[pivot], self.combinations[pivot])
        return result


def _add(target: dict, c: Fraction, other: dict) -> None:
    """target += c * other, in place, without keeping zeros."""
    for key, value in other.items():
        total = target.get(key, 0) + c * value
        if total:
            target[key] = total
        else:
            target.pop(key, None)


def _polynomial(terms: Terms) -> Polynomial:
    return {orders: Fraction(c) for orders, c in terms if c}


def _derivative(p: Polynomial, beta: Orders) -> Polynomial:
    result = p
    for i, n in enumerate(beta):
        result = (
            result
            if not n
            else {
                (*alpha[:i], alpha[i] - n, *alpha[i + 1 :]): c * perm(alpha[i], n)
                for alpha, c in result.items()
                if alpha[i] >= n
            }
        )
    return result


def _scaled(p: Polynomial) -> Polynomial:
    """The multiple of p whose largest coefficient with respect to ξ^α / α! is 1.

    Then monomials are Taylor coefficients and most structure constants are 1.
    """
    largest = max((c * _factorial(orders) for orders, c in p.items()), key=abs)
    return {orders: c / largest for orders, c in p.items()}


def _factorial(orders: Orders) -> int:
    return prod(factorial(n) for n in orders if n > 1)


def _unit(i: int, p: Polynomial) -> Orders:
    return tuple(int(i == j) for j in range(len(next(iter(p)))))


def _grading(orders: Orders) -> tuple[int, Orders]:
    return sum(orders), orders


def _degree(p: Polynomial) -> int:
    return max(map(sum, p))


def _terms(p: Polynomial) -> Terms:
    return tuple((orders, _number(c)) for orders, c in sorted(p.items()))


def _sorted_numbers(combination: Combination) -> tuple[tuple[int, float], ...]:
    return tuple((k, _number(c)) for k, c in sorted(combination.items()))


def _number(c: Fraction | int) -> float:
    """An int if that is exact and fits any integer type: high factorials do not."""
    return int(c) if c == int(c) and -(2**31) < c < 2**31 else float(c)
