"""What `solve` and the methods take, and what they say to anything else."""

import pytest

import geometry as geo
from equations import Eq, Poisson, Problem, coordinates
from solvers import PINN, FiniteElements, solve
from solvers.pinn import Phase
from solvers.pinn.balance import Causal, SelfAdaptive
from solvers.solve import _seconds

x = coordinates("x")
law = Poisson(x, source=1)
problem = Problem(geo.Interval(0, 1), law, {"boundary": Eq(law.unknown, 0)})

REFUSED = {
    "a name": ({"method": "pinn"}, TypeError, r"as PINN\(\) or FiniteElements\(\); got 'pinn'"),
    "a class": ({"method": FiniteElements}, TypeError, r"write FiniteElements\(\)"),
    "tolerance as text": ({"tolerance": "1e-3"}, TypeError, "`tolerance` is a number above 0"),
    "tolerance as a flag": ({"tolerance": True}, TypeError, "`tolerance` is a number above 0"),
    "tolerance below 0": ({"tolerance": -1}, ValueError, "`tolerance` must be above 0"),
    "budget of two points": ({"budget": "1.2.3 s"}, ValueError, "'3 min'; got '1.2.3 s'"),
    "budget as a list": ({"budget": [3]}, TypeError, "`budget` is a number above 0"),
}


@pytest.mark.parametrize("arguments, error, text", REFUSED.values(), ids=REFUSED)
def test_arguments_of_another_kind_are_refused(arguments, error, text):
    with pytest.raises(error, match=text):
        solve(problem, **arguments)


def test_a_budget_is_a_number_or_a_time():
    texts = ("90", "1.5 min", "2 hours", ".5 s", "3. sec")
    assert [_seconds(t) for t in texts[1:]] == [90, 7200, 0.5, 3]
    assert _seconds(90) == 90 and _seconds(None) is None


OPTIONS = [
    ({"width": 1.5}, TypeError, "`width` of PINN is a whole number; got 1.5"),
    ({"width": True}, TypeError, "`width` of PINN is a whole number"),
    ({"depth": 0}, ValueError, "`depth` of PINN must be at least 1; got 0"),
    ({"steps": "10"}, TypeError, "`steps` of PINN is a whole number"),
    ({"points": 1e3}, TypeError, "`points` of PINN is a whole number"),
    ({"boundary_points": 0}, ValueError, "`boundary_points` of PINN must be at least 1"),
    ({"balance": "NTK"}, TypeError, "`balance` of PINN is a `Balance`"),
    ({"balance": (Causal(), SelfAdaptive())}, ValueError, "only one of several may weigh points"),
    ({"network": 3}, TypeError, "`network` of PINN is a factory"),
    ({"phases": 3}, TypeError, "`phases` of PINN is a tuple of `Phase`; got 3"),
    ({"phases": ()}, TypeError, "`phases` of PINN is a tuple of `Phase`"),
    ({"hard": 3}, TypeError, "`hard` of PINN is True, False, or None"),
    ({"solenoidal": "yes"}, TypeError, "`solenoidal` of PINN is True, False, or None"),
    ({"sampling": "rad"}, ValueError, '`sampling` of PINN is one of "uniform", "RAD", "RAR", "R3"'),
]


@pytest.mark.parametrize("options, error, text", OPTIONS)
def test_options_of_a_network_are_checked_at_once(options, error, text):
    with pytest.raises(error, match=text):
        PINN(**options)


def test_phases_may_be_given():
    phase = Phase("Adam", None, 3)
    assert PINN(phases=(phase,)).phases == (phase,)
