"""Exported functions give the same numbers elsewhere, or there is no file."""

import json
import os
import pickle
import subprocess
import sys
import zipfile

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import diffcore as dc
from diffcore import nn
from diffcore.deploy import stablehlo

X = np.linspace(0, 1, 10).reshape(5, 2)


@pytest.fixture(scope="module")
def model():
    return nn.MLP(2, 3, 8, 1, key=0)


@pytest.fixture(scope="module")
def content(model, tmp_path_factory):
    path = tmp_path_factory.mktemp("export") / "m.export"
    return dc.export(model, path, X[:1], platforms="cpu").read_bytes()


@pytest.fixture
def exported(content, tmp_path):
    (tmp_path / "m.export").write_bytes(content)
    return tmp_path / "m.export"


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_model_comes_back_for_any_batch_in_its_precision(dtype, tmp_path):
    with dc.precision(dtype):
        model = nn.MLP(2, 3, 8, 1, key=0)
        expected = np.asarray(model(jnp.asarray(X)))
        path = dc.export(model, tmp_path / "m.export", jnp.ones((1, 2)))
    with dc.precision("float32"):  # whatever the mode of the process that loads it
        loaded = dc.load(path)
        values = loaded(X)
    assert values.dtype == dtype and loaded.inputs[0].shape == ("batch", 2)
    # the same program: rounding of one pass
    assert np.abs(values - expected).max() <= 4 * np.finfo(dtype).eps * np.abs(expected).max()
    assert np.array_equal(loaded.weights["layers.0.weight"], model.layers[0].weight)
    assert loaded(np.zeros((0, 2))).shape == (0, 3)


def test_arguments_and_results_may_be_nested_and_of_any_kind(tmp_path):
    def f(pair, shift):
        a, b = pair["a"], pair["b"]
        return {"sum": (a + shift, [jnp.exp(1j * a)]), "none": None, "whole": 2 * b}

    example = ({"a": jnp.ones(3), "b": jnp.ones((3, 2), jnp.int32)}, 2.0)
    loaded = dc.load(dc.export(f, tmp_path / "f.export", example, platforms="cpu"))
    assert [v.name for v in loaded.inputs] == ["pair.a", "pair.b", "shift"]
    a, b = np.arange(2.0), np.ones((2, 2), int)
    found, expected = loaded(a, b, shift=3), f({"a": a, "b": b}, 3.0)
    assert jax.tree.structure(found) == jax.tree.structure(expected)
    for left, right in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
        assert np.allclose(left, right, rtol=1e-15)
    with pytest.raises(TypeError, match="`pair.b` holds int32"):
        loaded(a, b * 1j, shift=3)
    with pytest.raises(ValueError, match=r"\(batch, 2\) with batch = 2; got \(3, 2\)"):
        loaded(a, np.ones((3, 2), int), shift=3)
    with pytest.raises(TypeError, match="takes the arrays"):
        loaded(a, b)


def test_sizes_may_vary_independently(tmp_path):
    def f(nodes, senders):
        return jnp.zeros_like(nodes).at[senders].add(1)

    with pytest.raises(ValueError, match="batch=True"):
        dc.export(f, tmp_path / "f.export", (jnp.ones((4, 2)), jnp.arange(3)))
    path = dc.export(
        f, tmp_path / "f.export", (jnp.ones((4, 2)), jnp.arange(3)), batch=("n, 2", "edges")
    )
    values = dc.load(path)(np.ones((3, 2)), np.array([0, 0, 2, 2, 2]))
    assert values.tolist() == [[2, 2], [0, 0], [3, 3]]


def test_bfloat16_weights_keep_their_bits(tmp_path):
    weight = jnp.array([1.0, 1 / 3], jnp.bfloat16)
    path = dc.export(lambda x: x * weight, tmp_path / "f.export", weight, batch=False)
    loaded = dc.load(path)
    (stored,) = loaded.weights.values()
    assert stored.dtype == jnp.bfloat16 and (stored == np.asarray(weight)).all()
    assert loaded(weight).dtype == jnp.bfloat16


def test_numbers_outside_the_domain_are_refused_unless_told(model, tmp_path):
    options = {"units": {"x": ("m", "s"), "output": "K"}, "domain": {"x": ((0, 0), (1, 2))}}
    loaded = dc.load(dc.export(model, tmp_path / "m.export", X[:1], platforms="cpu", **options))
    assert loaded.inputs[0].units == ("m", "s") and loaded.outputs[0].units == ("K",)
    assert loaded([[0.0, 0.0], [1.0, 2.0]]).shape == (2, 3)
    with pytest.raises(dc.OutsideDomain, match=r"1 of 2 outside \(0.0, 0.0\) to \(1.0, 2.0\)"):
        loaded([[0.5, 0.5], [0.5, 2.1]])
    with pytest.raises(dc.OutsideDomain):
        loaded([[np.nan, 0.5]])
    assert loaded([[0.5, 2.1]], anywhere=True).shape == (1, 3)
    with pytest.raises(TypeError, match="anywhere=True"):
        jax.jit(loaded)(X)


def test_the_class_is_not_needed_elsewhere(exported, model, tmp_path):
    script = f"""
        import sys, numpy as np, diffcore as dc
        values = dc.load({str(exported)!r})(np.load({str(tmp_path / "x.npy")!r}))
        assert not any(name in sys.modules for name in ("sympy", "equations", "solvers"))
        np.save({str(tmp_path / "y.npy")!r}, values)
    """
    np.save(tmp_path / "x.npy", X)
    subprocess.run(
        [sys.executable, "-c", "\n".join(map(str.strip, script.splitlines()))], check=True
    )
    assert np.allclose(np.load(tmp_path / "y.npy"), model(X), rtol=1e-14)


def returns_nothing(x):
    return None


@pytest.mark.parametrize(
    ("function", "error", "text"),
    [
        (lambda x: np.sin(x), dc.ExportError, "calls NumPy"),
        (lambda x: x if x[0, 0] > 0 else -x, dc.ExportError, "branches on numbers"),
        (lambda x: x.reshape(3, -1), dc.ExportError, "batch=False"),
        (lambda x: jax.pure_callback(np.sin, x, x), dc.ExportError, "callback"),
        (lambda x: (jax.debug.print("{}", x), x)[1], dc.ExportError, "calls back into Python"),
        (returns_nothing, dc.ExportError, "returns no array"),
        (lambda x, y: x, dc.ExportError, "missing 1 required positional argument"),
        (3, TypeError, "takes a model, a function of arrays or a solution"),
    ],
)
def test_what_cannot_be_exported_says_why_and_leaves_no_file(function, error, text, tmp_path):
    with pytest.raises(error, match=text):
        dc.export(function, tmp_path / "f.export", X)
    assert os.listdir(tmp_path) == []


def test_a_function_with_changing_state_fails_its_check(tmp_path):
    calls = []

    def f(x):
        calls.append(1)
        return x * len(calls)

    with pytest.raises(dc.ExportError, match="other numbers"):
        dc.export(f, tmp_path / "f.export", X, platforms="cpu")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"units": {"z": "m"}}, r"`units` names 'z'"),
        ({"domain": {"z": (0, 1)}}, r"`domain` names 'z'"),
        ({"domain": {"x": (1, 0)}}, "lower < upper"),
        ({"domain": {"x": ((0, 0, 0), (1, 1, 1))}}, "each of its 2 columns; got 3"),
        ({"platforms": "gpu"}, r"`platforms` are among"),
        ({"expressions": "u"}, "`expressions` is for solutions"),
        ({"batch": "b, 3"}, r"does not fit `x`"),
        ({"batch": ("b, _", "b")}, "one text for each"),
    ],
)
def test_options_that_mean_nothing_are_refused(model, options, text, tmp_path):
    with pytest.raises(ValueError, match=text):
        dc.export(model, tmp_path / "m.export", X, **options)


# Files that lie


def members_of(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def rewrite(path, members, compression=zipfile.ZIP_STORED):
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, content in members.items():
            archive.writestr(name, content)


def test_damaged_bytes_are_noticed_or_harmless(exported, model):
    good, expected = exported.read_bytes(), dc.load(exported).weights["layers.0.weight"]
    for position in range(0, len(good), max(1, len(good) // 60)):
        exported.write_bytes(
            good[:position] + bytes([good[position] ^ 0x15]) + good[position + 1 :]
        )
        try:
            found = dc.load(exported).weights["layers.0.weight"]
        except dc.ExportError:
            continue
        assert np.array_equal(found, expected)  # dates and permissions in the zip's own tables
    for length in (0, 1, len(good) // 2, len(good) - 1):
        exported.write_bytes(good[:length])
        with pytest.raises(dc.ExportError):
            dc.load(exported)


class Bomb:
    def __init__(self, folder):
        self.folder = folder

    def __reduce__(self):
        return os.mkdir, (self.folder,)


@pytest.mark.parametrize("place", ["whole", "manifest.json", "call.bin", "weights/0.npy"])
def test_pickles_are_never_run(exported, place, tmp_path):
    bomb = pickle.dumps(Bomb(str(tmp_path / "exploded")))
    if place == "whole":
        exported.write_bytes(bomb)
    else:
        rewrite(exported, members_of(exported) | {place: bomb})
    with pytest.raises(dc.ExportError):
        dc.load(exported)
    assert os.listdir(tmp_path) == ["m.export"]


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"version": 99}, "update it"),
        ({"format": "other"}, "none of ours"),
        ({"precision": "float8"}, "neither float32"),
        ({"platforms": ["tpu"]}, "exported for"),
        ({"tree": {"dict": [["a", 7]]}}, "index"),
        ({"checksums": {}}, "checksums"),
        ({"inputs": [{"name": "x", "shape": ["batch", 3], "dtype": "float64"}]}, "other arrays"),
        ({"inputs": [{"name": "x", "shape": [-1, 2], "dtype": "float64"}]}, "describes no array"),
        ({"inputs": [{"name": "x", "shape": ["__import__('os')"], "dtype": "float64"}]}, "import"),
        ({"inputs": [{"name": "x", "surprise": 1}]}, "surprise"),
    ],
)
def test_manifests_that_lie_are_refused(exported, change, text):
    members = members_of(exported)
    members["manifest.json"] = json.dumps(json.loads(members["manifest.json"]) | change).encode()
    rewrite(exported, members)
    with pytest.raises(dc.ExportError, match=text):
        dc.load(exported)


def test_zip_bombs_and_members_from_elsewhere_are_refused(exported, tmp_path):
    members = members_of(exported)
    rewrite(exported, members | {"../evil": b""})
    with pytest.raises(dc.ExportError, match="checksums"):
        dc.load(exported)
    rewrite(exported, members, zipfile.ZIP_DEFLATED)
    with pytest.raises(dc.ExportError, match="compressed"):
        dc.load(exported)
    assert os.listdir(tmp_path) == ["m.export"]


def test_programs_that_call_out_are_refused_before_they_run(exported):
    """A file can hold a program that calls any function registered with XLA, Python's own too."""
    name = "xla_ffi_python_cpu_callback"

    def f(weights, x):
        y = jax.ffi.ffi_call(name, jax.ShapeDtypeStruct((), x.dtype))(x.sum())
        return jnp.zeros((x.shape[0], 3)) + y

    weights = [jax.ShapeDtypeStruct(w.shape, w.dtype) for w in dc.load(exported).weights.values()]
    scope = jax.export.symbolic_shape("batch, 2")
    hostile = jax.export.export(
        jax.jit(f, keep_unused=True),
        platforms=["cpu"],
        disabled_checks=[jax.export.DisabledSafetyCheck.custom_call(name)],
    )(weights, jax.ShapeDtypeStruct(scope, np.float64))
    members = members_of(exported) | {"call.bin": bytes(hostile.serialize())}
    manifest = json.loads(members["manifest.json"])
    manifest["checksums"]["call.bin"] = stablehlo._checksum(members["call.bin"])
    rewrite(exported, members | {"manifest.json": json.dumps(manifest).encode()})
    with pytest.raises(dc.ExportError, match="no numerical kernel of JAX"):
        dc.load(exported)


def test_other_files_are_told_apart(tmp_path):
    with pytest.raises(FileNotFoundError):
        dc.load(tmp_path / "missing.export")
    path = dc.checkpoint.save(tmp_path / "a.npz", {"w": np.zeros(3)})
    with pytest.raises(dc.ExportError, match="no exported function"):
        dc.load(path)
    with pytest.raises(dc.ExportError, match="onnxruntime"):
        dc.load("model.onnx")
