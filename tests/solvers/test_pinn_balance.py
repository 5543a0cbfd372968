"""How terms are weighed while a network trains, and where it is asked to satisfy the equations."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from sympy import pi, sin

from equations import Eq, Problem, coordinates, diff, field
from geometry import Interval, Time
from science import compare
from solvers import PINN, solve
from solvers.pinn import balance, points
from solvers.pinn.terms import Batch
from tests.solvers.monitors import Killed, Memory

x, t = coordinates("x t")
u, w = field("u", x), field("w", t)
BAR = Problem(Interval(0, 1), Eq(-diff(u, x, 2), pi**2 * sin(pi * x)), {"boundary": Eq(u, 0)})
DECAY = Problem(Time(0, 2), Eq(diff(w, t), -2 * w), {"initial": Eq(w, 1)})
BALANCES = [
    balance.Fixed(condition=10.0),
    balance.TangentKernel(every=100),
    balance.GradientNorms(),
    balance.RelativeLosses(),
    balance.ResidualAttention(),
    balance.SelfAdaptive(),
]


def method(own, **options):
    return PINN(width=8, depth=2, points=60, steps=400, hard=False, balance=own, **options)


def moment(problem, own):
    setup = method(own)._setup(problem, jax.random.key(0))
    batches = points.draw(setup.terms, jax.random.key(1))
    return balance.Moment(setup.terms, setup.trial, batches, jax.random.key(2)), setup.weights


def started(problem, *own):
    seen, rows = moment(problem, own)
    return balance.begin(own, rows, seen), seen


@pytest.mark.parametrize("own", BALANCES, ids=lambda own: type(own).__name__)
def test_each_balance_solves_a_problem_with_soft_conditions(own):
    solution = solve(BAR, method(own))
    assert compare(solution, {u: sin(pi * x)})[u].relative < 1e-2


def test_causal_weights_solve_a_problem_in_time_and_are_told():
    watch = Memory()
    solution = solve(DECAY, method(balance.Causal()), monitor=watch)
    error = compare(solution, {w: lambda at: np.exp(-2 * at[:, 0])})[w].relative
    assert error < 1e-2
    assert watch.told[0].message.startswith("weights ")


def test_a_run_without_changing_weights_says_nothing_of_them():
    watch = Memory()
    solve(DECAY, PINN(width=4, depth=1, points=20, steps=50), monitor=watch)
    assert {p.message for p in watch.told} == {""}


def test_fixed_weights_are_those_given():
    weights, seen = started(BAR, balance.Fixed(equation=2, condition=5))
    given = [2 if term.kind == "equation" else 5 for term in seen.terms]
    assert [float(own[0]) for own in weights.rows] == given


def test_rows_weighed_by_gradient_norms_pull_alike():
    weights, seen = started(BAR, balance.GradientNorms())
    vector, unflatten = balance.nn.flatten_parameters(seen.trial)

    def norm(i):
        def loss(vector):
            (r,) = balance.evaluate([seen.terms[i]], unflatten(vector), [seen.batches[i]])
            return weights.rows[i][0] * jnp.mean(r**2)

        return float(jnp.linalg.norm(jax.grad(loss)(vector)))

    norms = [norm(i) for i in range(len(seen.terms))]
    assert norms == pytest.approx([norms[0]] * len(norms), rel=1e-8)


def test_relative_losses_favour_the_row_that_fell_less():
    own = balance.RelativeLosses(momentum=0.5, look_back=0.0)
    weights, seen = started(BAR, own)
    ((first, last),) = weights.memory
    fell_more = weights._replace(memory=(first.at[0].multiply(10), last.at[0].multiply(10)))
    rows = jnp.concatenate(own.renew(fell_more, seen).rows)
    assert rows[0] < min(rows[1:])
    assert float(jnp.sum(rows)) == pytest.approx(len(rows))


@pytest.mark.parametrize("own", [balance.ResidualAttention(), balance.SelfAdaptive()])
def test_points_with_large_residuals_gain_weight_against_others(own):
    weights, seen = started(BAR, own)
    after = own.renew(weights, seen)
    (size, *_), (p, *_) = balance._sizes(seen, weights), after.points
    order = np.argsort(size)
    assert np.all(np.diff(np.asarray(p)[order]) >= -1e-12)
    assert p[order[-1]] > p[order[0]]


def test_residual_attention_is_the_same_however_often_it_is_renewed():
    weights, seen = started(BAR, balance.ResidualAttention(every=1))
    for _ in range(10):
        weights = balance.ResidualAttention(every=1).renew(weights, seen)
    once = balance.ResidualAttention(every=10).renew(started(BAR, balance.Balance())[0], seen)
    assert np.allclose(weights.points[0], once.points[0], rtol=1e-10)


def test_causal_weights_fall_with_time_and_their_factor_grows_when_all_is_small():
    own = balance.Causal(pieces=8, tolerances=(0.5, 5.0))
    weights, seen = started(DECAY, own)
    i = next(i for i, term in enumerate(seen.terms) if term.kind == "equation")
    order = np.argsort(seen.batches[i].points[:, 0])
    ordered = np.asarray(weights.points[i])[order]
    assert np.all(np.diff(ordered) <= 0) and ordered[0] == 1 and ordered[-1] < 1
    held = seen._replace(batches=tuple(b._replace(factors=0 * b.factors) for b in seen.batches))
    (stage,) = own.renew(weights._replace(memory=weights.memory[0]), held).memory
    assert stage == 1


def test_causal_weights_need_a_time():
    with pytest.raises(ValueError, match="the problem has none"):
        solve(BAR, method(balance.Causal()))


@pytest.mark.parametrize("own", [balance.GradientNorms(), balance.ResidualAttention(every=50)])
def test_a_killed_run_ends_bitwise_like_an_unbroken_one(own):
    chosen = PINN(width=6, depth=1, points=30, steps=200, hard=False, balance=own)
    killed = Memory(limit=2)
    with pytest.raises(Killed):
        solve(BAR, chosen, monitor=killed)
    resumed = solve(BAR, chosen, monitor=Memory(saved=killed.saved))
    assert np.array_equal(resumed.state, solve(BAR, chosen).state)


@pytest.mark.parametrize(
    ("own", "text"),
    [
        (lambda: balance.GradientNorms(every=0), "`every` of GradientNorms"),
        (lambda: balance.Fixed(data=-1), "`data` of Fixed must be above 0"),
    ],
)
def test_impossible_options_are_refused(own, text):
    with pytest.raises(ValueError, match=text):
        own()


def drawn(sampling):
    """Points for a residual that is large near 1, after points spread evenly."""
    seen, _ = moment(BAR, balance.Balance())
    term, before = seen.terms[0], seen.batches[0]
    size = lambda batch: jnp.exp(20 * (batch.points[:, 0] - 1))  # noqa: E731
    after = points.SAMPLINGS[sampling](size, term, jax.random.key(3), before)
    return np.asarray(before.points)[:, 0], np.asarray(after.points)[:, 0]


@pytest.mark.parametrize("sampling", ["RAD", "RAR"])
def test_points_gather_where_the_residual_is_large(sampling):
    before, after = drawn(sampling)
    assert len(after) == len(before)
    assert np.mean(after > 0.9) > 1.5 * np.mean(before > 0.9)


def test_released_points_are_those_below_the_mean_residual():
    before, after = drawn("R3")
    size = np.exp(20 * (before - 1))
    kept = size > size.mean()
    assert kept.any() and np.array_equal(before[kept], after[kept])
    assert not np.isin(after[~kept], before).any()


@pytest.mark.parametrize("sampling", ["uniform", "RAR", "R3"])
def test_each_sampling_trains(sampling):
    chosen = PINN(width=8, depth=1, points=60, steps=300, sampling=sampling)
    assert compare(solve(BAR, chosen), {u: sin(pi * x)})[u].relative < 1e-2


def test_batches_carry_the_weights_of_their_points():
    batch = Batch(jnp.zeros((2, 1)), jnp.zeros((2, 0)), jnp.zeros((2, 0)), jnp.array([1.0, 2.0]))
    weights = balance.Weights((jnp.ones(1),), (jnp.array([4.0, 9.0]),))
    assert np.allclose(weights.on([batch])[0].factors, [2, 6])
