"""Precision scopes and random keys."""

import threading

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import diffcore as dc


@pytest.mark.parametrize("name", ["float64", "float32"])
def test_a_scope_makes_arrays_of_its_type_and_restores_what_was_there(name):
    before = dc.default_dtype()
    with dc.precision(name):
        assert jnp.zeros(1).dtype == dc.default_dtype() == name
    assert dc.default_dtype() == before


def test_scopes_nest_and_survive_exceptions():
    with dc.precision("float64"):
        with pytest.raises(KeyError), dc.precision("float32"):
            raise KeyError
        assert jnp.zeros(1).dtype == "float64"


def test_a_decorated_function_runs_in_the_scope_every_time_also_when_recursive():
    @dc.precision("float32")
    def depth(n):
        """Doc."""
        return jnp.zeros(1).dtype if n == 0 else depth(n - 1)

    assert depth(3) == depth(0) == "float32" and depth.__doc__ == "Doc."


def test_a_scope_is_local_to_its_thread():
    seen = []
    with dc.precision("float64"):
        thread = threading.Thread(
            target=lambda: dc.precision("float32")(lambda: seen.append(jnp.ones(1).dtype))()
        )
        thread.start()
        thread.join()
        assert jnp.ones(1).dtype == "float64" and seen == ["float32"]


@pytest.mark.parametrize("dtype", ["float16", "double precision", None, int, "complex128"])
def test_precision_refuses_other_types_at_once(dtype):
    with pytest.raises(ValueError, match="`dtype` needs to be one of"):
        dc.precision(dtype)


@pytest.mark.parametrize("seed", [0, 7, np.int32(7), 2**32 - 1])
def test_a_seed_gives_the_key_of_jax(seed):
    assert dc.as_key(seed) == jax.random.key(int(seed))


@pytest.mark.parametrize("seed", [3, 2**40 + 1, 2**64 - 1])
def test_a_seed_gives_the_same_key_in_both_precisions(seed):
    with dc.precision("float32"):
        single = jax.random.key_data(dc.as_key(seed))
    assert (single == jax.random.key_data(dc.as_key(seed))).all()
    assert [int(half) for half in single] == [seed >> 32, seed % 2**32]


def test_typed_and_raw_keys_pass_through():
    key = jax.random.key(5)
    assert dc.as_key(key) is key
    assert dc.as_key(jax.random.PRNGKey(5)) == key
    assert jax.jit(dc.as_key)(key) == key


@pytest.mark.parametrize("key", [1.0, True, "0", None, np.zeros(3, np.uint32)])
def test_as_key_refuses_what_is_no_key(key):
    with pytest.raises(TypeError, match="`key` needs an int seed or a JAX key"):
        dc.as_key(key)


@pytest.mark.parametrize("seed", [-1, 2**64])
def test_as_key_refuses_seeds_out_of_range(seed):
    with pytest.raises(ValueError, match=r"0 <= seed < 2\*\*64; got"):
        dc.as_key(seed)


def test_as_key_refuses_several_keys():
    with pytest.raises(ValueError, match="one key"):
        dc.as_key(jax.random.split(jax.random.key(0)))
