"""Compiling, stepping, explaining, and finding what is not finite."""

import os
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import diffcore as dc


def test_compiled_functions_are_traced_once_for_each_shape():
    traces = []

    @dc.compile
    def f(x):
        """Doc."""
        traces.append(x.shape)
        return 2 * x

    assert (f(jnp.ones(3)) == 2).all() and (f(jnp.zeros(3)) == 0).all() and f(jnp.ones(2))[0] == 2
    assert traces == [(3,), (2,)] and f.__doc__ == "Doc."


def test_static_arguments_may_steer_python():
    @dc.compile(static=("n", "absolute"))
    def f(x, n, absolute=False):
        for _ in range(n):
            x = x * 2
        return abs(x) if absolute else x

    assert f(-1.0, 3) == -8 and f(-1.0, n=2, absolute=True) == 4


def test_python_control_flow_is_explained():
    with pytest.raises(TypeError, match=r"`jax.numpy.where` \(or `jax.lax.cond`\)"):
        dc.compile(lambda x: x if x > 0 else -x)(1.0)
    with pytest.raises(TypeError, match="NumPy calls as `jax.numpy`"):
        dc.compile(lambda x: np.sin(np.asarray(x)))(1.0)


def test_what_is_no_function_is_refused():
    with pytest.raises(TypeError, match="needs a function; got int 3"):
        dc.compile(3)


def test_the_eager_scope_shows_real_numbers_also_inside_loops():
    seen = []

    @dc.compile
    def f(x):
        def body(total, row):
            seen.append(float(total))
            return total + row, row

        return jax.lax.scan(body, 0.0, x)[0]

    with dc.eager():
        assert f(jnp.array([1.0, 2.0, 3.0])) == 6
    assert seen == [0.0, 1.0, 3.0]


def test_the_compilation_cache_is_off_until_asked_for_and_then_holds_programs(tmp_path):
    script = f"""
import jax, diffcore as dc, jax.numpy as jnp
assert jax.config.jax_compilation_cache_dir is None
jnp.sin(1.0)
folder = dc.enable_compilation_cache()
assert folder.is_relative_to({str(tmp_path)!r}), folder
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
jax.jit(lambda x: jnp.cos(x) * 3)(1.0)
assert any(folder.iterdir())
"""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("JAX_")}
    environment |= {"XDG_CACHE_HOME": str(tmp_path), "HOME": str(tmp_path)}
    subprocess.run([sys.executable, "-c", script], check=True, env=environment)


def test_explain_counts_operations_work_memory_and_time():
    a = jnp.ones((50, 40))
    cost = dc.explain(lambda x: jnp.sin(jax.jit(jnp.cos)(a @ x)), jnp.ones((40, 30)))
    assert {k: cost.operations[k] for k in ("sin", "cos", "dot_general")} == {
        "sin": 1,
        "cos": 1,
        "dot_general": 1,
    }
    assert "jit" not in cost.operations
    assert 2 * 50 * 40 * 30 <= cost.flops <= 2.2 * 50 * 40 * 30
    assert cost.output_bytes == 50 * 30 * 8 and cost.argument_bytes >= 40 * 30 * 8
    assert cost.peak_bytes >= cost.output_bytes
    assert list(cost.seconds) == ["trace", "lower", "compile", "first run", "run"]
    text = str(cost)
    assert "<lambda>" in text and "1 dot_general" in text and "kB" in text and "compile" in text


def source_of(found):
    path, rest = found.source.rsplit(":", 1)
    line = int(rest.split(" ")[0])
    with open(path) as file:
        return file.read().splitlines()[line - 1]


def test_the_first_operation_that_makes_a_nan_is_found_with_its_line():
    def f(x):
        y = jnp.log(x - 2)  # the culprit
        return jnp.exp(y) + x

    found = dc.find_nan(f, jnp.array([3.0, 1.0]))
    assert (found.operation, found.kind) == ("log", "nan")
    assert found.operands == ("float64[2] between -1 and 1",)
    assert "# the culprit" in source_of(found)
    assert "`log` makes nan at " in str(found)


def test_the_infinity_before_the_nan_is_the_cause():
    found = dc.find_nan(lambda x: 0 * jnp.log(x), 0.0)
    assert (found.operation, found.kind) == ("log", "inf")


def test_finite_functions_have_no_culprit_even_with_masked_nans():
    assert dc.find_nan(lambda x: jnp.where(x > 0, jnp.log(x), 0.0), jnp.array([1.0, -1.0])) is None


def test_a_masked_nan_is_blamed_when_it_reaches_the_gradient():
    def f(x):
        return jnp.where(x > 0, jnp.sqrt(x), 0.0)

    found = dc.find_nan(dc.grad(f), 0.0)
    assert found.kind == "inf" and found.operation in ("div", "rsqrt", "pow", "integer_pow")
    assert "jnp.sqrt" in source_of(found)


def test_where_is_followed_to_the_branch_that_was_picked():
    def f(x):
        return jnp.where(x > 0, jnp.log(-x), jnp.sqrt(x))

    assert dc.find_nan(f, jnp.array(1.0)).operation == "log"
    assert dc.find_nan(f, jnp.array(-1.0)).operation == "sqrt"


def loop(x):
    return jax.lax.scan(lambda c, r: (c - r, jnp.sqrt(c)), x, jnp.ones(5))[1]


def while_loop(x):
    return jax.lax.while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, jnp.sqrt(c[1]) - 1), (0, x))


@jax.custom_jvp
def custom(x):
    return jnp.sqrt(x - 4)


custom.defjvp(lambda p, t: (custom(p[0]), t[0]))


@pytest.mark.parametrize(
    "f",
    [
        loop,
        while_loop,
        custom,
        jax.jit(lambda x: jnp.sqrt(x - 4)),
        jax.checkpoint(lambda x: jnp.sqrt(x - 4)),
        lambda x: jax.lax.cond(x > 0, lambda y: jnp.sqrt(y - 4), lambda y: y, x),
        lambda x: jax.vmap(lambda y: jnp.sqrt(y - 4))(x[None]),
    ],
)
def test_calls_branches_and_loops_are_entered(f):
    found = dc.find_nan(lambda x: f(x + 1), 1.0)
    assert (found.operation, found.kind) == ("sqrt", "nan")
    assert " = -" in found.operands[0] and source_of(found)


@pytest.mark.parametrize(
    "f", [loop, while_loop, custom, jnp.sin, lambda x: jax.lax.cond(x > 0, jnp.cos, jnp.sin, x)]
)
def test_bad_arguments_are_named(f):
    found = dc.find_nan(lambda p, q: f(p["x"]), {"x": jnp.nan}, 1.0)
    assert (found.operation, found.kind) == ("argument", "nan")
    assert str(found) == "argument [0]['x'] holds nan"


def test_the_search_takes_random_keys_and_integers():
    found = dc.find_nan(lambda key, n: jnp.log(-jax.random.uniform(key) - n), jax.random.key(0), 1)
    assert found.operation == "log"


def test_a_model_is_compiled_with_its_weights_as_arguments():
    from diffcore import nn

    model = nn.Sequential([nn.Linear(2, 3), nn.tanh, nn.Linear(3, 1)], key=0)
    x = jnp.ones((4, 2))
    np.testing.assert_allclose(dc.compile(model)(x), model(x), rtol=1e-12)  # rounding
    with pytest.raises(TypeError, match="`static` and `donate` are for functions"):
        dc.compile(model, static="x")
