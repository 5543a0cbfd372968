"""Rules of primitives that hold a jaxpr: calls, custom derivatives, branches and loops."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.extend import core

from diffcore.taylor import univariate_hypergeometric, univariate_normal, univariate_special
from diffcore.taylor.algebra import Algebra
from diffcore.taylor.interpret import evaluate
from diffcore.taylor.nested import nested_forward
from diffcore.taylor.registry import rule
from diffcore.taylor.rules_elementwise import elementwise, logaddexp, poch, xlog1py, xlogy, zeta
from diffcore.taylor.series import Series, Value, compose, dense, map_parts, parts_of, primal_of


@rule("jit", "pjit", "closed_call", "core_call", "custom_vjp_call")
def _call(space: Algebra, values: list[Value], equation: Any) -> list[Value]:
    """The jaxpr inside. JAX has no forward mode of `custom_vjp`: its primal is differentiated."""
    closed = _closed(equation.params.get("jaxpr") or equation.params["call_jaxpr"])
    name = _known_name(closed)
    if name == "sinc":  # its quotient cancels near 0
        return [compose(space, values[0], univariate_special.sinc)]
    if name == "bessel_jn":
        return [_bessel_jn(space, values[0], closed)]
    return evaluate(space, closed, values)


def _known_name(closed: core.ClosedJaxpr) -> str:
    """The name of the function inside, if it is one of JAX's or of `diffcore.special`."""
    name, _, source = (closed.jaxpr.debug_info.func_src_info or "").partition(" at ")
    source = source.replace("\\", "/")
    return name if "/jax/_src/" in source or "/diffcore/special/" in source else ""


def _bessel_jn(space: Algebra, x: Value, closed: core.ClosedJaxpr) -> Value:
    """J_0 ... J_v from as many steps of JAX's recurrence as were asked for."""
    shape = closed.out_avals[0].shape
    steps = next(e.params["length"] for e in closed.eqns if e.primitive.name == "scan")
    wide = map_parts(lambda p: jnp.broadcast_to(p, shape), x, jnp.broadcast_to(primal_of(x), shape))
    return compose(space, wide, partial(univariate_special.bessel_jn, n_iter=steps - 1))


@rule("checkpoint", "remat2")
def _checkpoint(space: Algebra, values: list[Value], equation: Any) -> list[Value]:
    """Evaluated again, with its coefficients, when differentiated in reverse."""
    inside = partial(evaluate, space, _closed(equation.params["jaxpr"]))
    options = {name: equation.params[name] for name in ("prevent_cse", "policy")}
    return jax.checkpoint(inside, **options)(values)


def _closed(jaxpr: Any) -> core.ClosedJaxpr:
    return jaxpr if isinstance(jaxpr, core.ClosedJaxpr) else core.ClosedJaxpr(jaxpr, ())


@rule("custom_jvp_call")
def _custom_jvp(space: Algebra, values: list[Value], equation: Any) -> list[Value]:
    """The derivative that the author wrote, by nested forward mode; JAX's own functions faster.

    Differentiating the primal instead would be wrong wherever the author had a reason: softplus
    at 0 has no derivative of |x|, and a straight-through estimator has no derivative at all.
    """
    jaxpr, primitive = equation.params["call_jaxpr"], equation.primitive
    bind_params = primitive.get_bind_params(equation.params)

    def function(*arrays: Any) -> list[Any]:
        return primitive.bind(*arrays, **bind_params)

    name = _known_name(jaxpr)
    if name == "_airy":
        return _airy(space, values[0], function)
    if name in _INLINED:
        return evaluate(space, jaxpr, values)
    if name in _JAX_FUNCTIONS:
        return [_JAX_FUNCTIONS[name](space, *values)]
    *parameters, x = _with_order(values, jaxpr) if name in ("expn", "_expn") else values
    if name in _IN_LAST_ARGUMENT and not any(isinstance(each, Series) for each in parameters):
        typed = [_as_type(each, jaxpr.out_avals[0].dtype) for each in parameters]
        return [compose(space, x, partial(_IN_LAST_ARGUMENT[name], *typed))]
    if name in _ELEMENTWISE or all(map(_is_real_scalar, jaxpr.in_avals + jaxpr.out_avals)):
        n = len(jaxpr.out_avals)
        return [elementwise(space, _component(function, i), values) for i in range(n)]
    return nested_forward(space, function, values)


def _with_order(values: list[Value], jaxpr: core.ClosedJaxpr) -> list[Value]:
    """The order of expn and its argument; older JAX has the order inside only."""
    return values if len(values) == 2 else [np.asarray(jaxpr.jaxpr.eqns[0].invars[0].val), *values]


def _as_type(parameter: Any, dtype: Any) -> Any:
    """A number of Python in the program has lost that it takes the type of its neighbors."""
    return parameter.astype(dtype) if jnp.issubdtype(parameter.dtype, jnp.inexact) else parameter


def _is_real_scalar(aval: Any) -> bool:
    return aval.shape == () and jnp.issubdtype(aval.dtype, jnp.floating)


def _airy(space: Algebra, x: Value, function: Callable[..., list[Any]]) -> list[Value]:
    """Ai, Ai', Bi, Bi', from their values."""
    results = []
    values = function(primal_of(x))
    for y, slope in (values[:2], values[2:]):
        of_y = partial(univariate_special.airy, y=y, slope=slope)
        results += [compose(space, x, partial(of_y, of_slope=each)) for each in (False, True)]
    return results


def _component(function: Callable[..., list[Any]], i: int) -> Callable[..., Any]:
    return lambda *arrays: function(*arrays)[i]


def _relu(space: Algebra, x: Value) -> Value:
    x0 = primal_of(x)
    return map_parts(lambda part: jnp.where(x0 > 0, part, 0), x, jax.nn.relu(x0))


_INLINED = {
    "_slogdet_lu",
    "_i0",
    "i0_impl",
}  # their formulas are right wherever they have derivatives
_JAX_FUNCTIONS: dict[str, Callable[..., Value]] = {
    "logaddexp": logaddexp,
    "poch": poch,
    "relu": _relu,
    "xlogy": xlogy,
    "xlog1py": xlog1py,
    "zeta": zeta,
}
_IN_LAST_ARGUMENT: dict[str, Callable[..., Any]] = {
    "_erfcx": lambda *arguments: univariate_normal.erfcx(*arguments[-2:]),  # constants before x
    "_expn": univariate_hypergeometric.expn,
    "expn": univariate_hypergeometric.expn,
    "hyp1f1": univariate_hypergeometric.hyp1f1,
    "hyp2f1": univariate_hypergeometric.hyp2f1,
    "log_ndtr": univariate_normal.log_ndtr,
}
_ELEMENTWISE = {
    *("_dawsn", "_sinc_maclaurin", "_wofz", "_xlogx", "expi", "fresnel", "hyp1f1", "hyp2f1"),
    *("logit", "sici", "_integral", "_lambert_w"),
}


@rule("cond")
def _cond(space: Algebra, values: list[Value], equation: Any) -> list[Value]:
    index, *operands = values
    branches = [partial(evaluate, space, closed) for closed in equation.params["branches"]]
    shapes = [jax.eval_shape(branch, operands) for branch in branches]
    keys = [_union(*outputs) for outputs in zip(*shapes, strict=True)]

    def with_all(branch: Callable[..., list[Value]], operands: list[Value]) -> list[Value]:
        return _all_dense(branch(operands), keys)

    choices = [partial(with_all, branch) for branch in branches]
    if platforms := equation.params.get("branches_platforms"):
        return _by_platform(dict(zip(platforms, choices, strict=True)), operands)
    return lax.switch(index, choices, operands)


def _by_platform(choices: dict[tuple[str, ...] | None, Callable], operands: list[Value]) -> Any:
    """A branch for each platform: only one is compiled, others may not even compile."""
    named = {name: f for names, f in choices.items() if names for name in names}
    return lax.platform_dependent(operands, default=choices.get(None), **named)


@rule("scan")
def _scan(space: Algebra, values: list[Value], equation: Any) -> list[Value]:
    params, (n, m) = equation.params, _scan_lengths(equation.params)
    constants, carry, xs = values[:n], values[n : n + m], values[n + m :]

    def body(carry: list[Value], x: list[Value]) -> tuple[list[Value], list[Value]]:
        outputs = evaluate(space, params["jaxpr"], [*constants, *carry, *x])
        return outputs[:m], outputs[m:]

    x = jax.tree.map(lambda leaf: jax.ShapeDtypeStruct(leaf.shape[1:], leaf.dtype), xs)
    keys = _loop_keys(lambda carry, x: body(carry, x)[0], carry, x)

    def dense_body(carry: list[Value], x: list[Value]) -> tuple[list[Value], list[Value]]:
        carry, y = body(carry, x)
        return _all_dense(carry, keys), y

    options = {name: params[name] for name in ("length", "reverse", "unroll")}
    carry, ys = lax.scan(dense_body, _all_dense(carry, keys), xs, **options)
    return [*carry, *ys]


def _scan_lengths(params: dict[str, Any]) -> tuple[int, int]:
    """The numbers of constants and of carried values, for jax up to 0.10 and after."""
    if "num_consts" in params:
        return params["num_consts"], params["num_carry"]
    constants, carry, _ = params["ft_in"].unpack()
    return len(constants), len(carry)


@rule("while")
def _while(space: Algebra, values: list[Value], equation: Any) -> list[Value]:
    params, n = equation.params, equation.params["cond_nconsts"]
    m = n + params["body_nconsts"]
    of_condition, constants, carry = values[:n], values[n:m], values[m:]

    def goes_on(carry: list[Value]) -> Any:
        arrays = map(primal_of, [*of_condition, *carry])
        return core.jaxpr_as_fun(params["cond_jaxpr"])(*arrays)[0]

    def body(carry: list[Value]) -> list[Value]:
        return evaluate(space, params["body_jaxpr"], [*constants, *carry])

    keys = _loop_keys(body, carry)

    def step(carry: list[Value]) -> list[Value]:
        return jax.tree.map(partial(_where, goes_on(carry)), _all_dense(body(carry), keys), carry)

    return lax.while_loop(lambda carry: jnp.any(goes_on(carry)), step, _all_dense(carry, keys))


def _where(rows: Any, new: Any, old: Any) -> Any:
    """New in the rows of a mapped loop that still go on; a loop that is not mapped has no rows."""
    if jnp.ndim(rows) == 0:
        return new
    return jnp.where(jnp.expand_dims(rows, range(rows.ndim, new.ndim)), new, old)


def _loop_keys(body: Callable[..., list[Value]], carry: list[Value], *rest: Any) -> list[set[int]]:
    """The coefficients that the carry can have after any number of steps."""
    keys, wider = None, [_union(value) for value in carry]
    while wider != keys:
        keys = wider
        outputs = jax.eval_shape(body, _all_dense(carry, keys), *rest)
        wider = [known | _union(value) for known, value in zip(keys, outputs, strict=True)]
    return keys


def _union(*values: Value) -> set[int]:
    return set().union(*map(parts_of, values))


def _all_dense(values: Sequence[Value], keys: Sequence[set[int]]) -> list[Value]:
    return [dense(value, wanted) for value, wanted in zip(values, keys, strict=True)]
