"""ONNX files: `export` itself compares onnxruntime's numbers with the function's, at two sizes."""

import os

import jax
import jax.numpy as jnp
import numpy as np
import onnx
import onnxruntime
import pytest

import diffcore as dc
from diffcore import nn
from diffcore.deploy.onnx.rules import RULES


def images():
    layers = [
        nn.Conv2d(1, 4, 3, padding=1),
        nn.BatchNorm2d(4),
        nn.relu,
        nn.MaxPool2d(2),
        nn.Conv2d(4, 6, 3, stride=2, groups=2),
        nn.gelu,
        nn.ConvTranspose2d(6, 4, 4, stride=2, padding=1),
        nn.AvgPool2d(2),
        nn.Flatten(),
        nn.Linear(16, 5),
        nn.softmax,
    ]
    return nn.Sequential(layers, key=0), np.ones((2, 1, 12, 12), "f") * np.arange(12)


def sequences():
    return nn.LSTM(3, 5, layers=2, bidirectional=True, key=0), np.ones((2, 6, 3))


def attention():
    layers = [nn.Embedding(10, 8), nn.TransformerEncoder(8, 2, 1, rotary=True, causal=True)]
    return nn.Sequential(layers, key=0), np.array([[1, 2, 3], [4, 5, 6]])


def graphs():
    graph = nn.Graph.of_cells([[0, 1, 2], [1, 3, 2]])
    network = nn.MeshGraphNetwork(2, 1, 1, 8, 1, key=0)
    return (lambda x: network(graph, x, x[:, graph.senders, :1])), np.ones((2, 4, 2))


def derivatives():
    model = nn.MLP(2, 1, 8, 2, key=0)
    return jax.vmap(jax.grad(lambda x: model(x)[0])), np.ones((2, 2))


def numbers():
    def f(x):
        smooth = jnp.exp(x), jnp.log1p(x * x), jnp.expm1(x), jax.lax.erfc(x), jnp.cbrt(x), x**3
        rough = jnp.floor(x), jnp.round(x), x % 1.5, jnp.clip(x, -0.5, 0.5), jnp.isfinite(x)
        return smooth, rough, jnp.where((x > 0) & ~(x > 1) | (x != x), x, jnp.sin(x))

    return f, np.linspace(-2, 2, 12).reshape(3, 4)


def orders():
    def f(x):
        n = jnp.arange(x.shape[0])
        found = jnp.sort(x, -1), jnp.argsort(x, -1), jnp.argmax(x, -1), jax.lax.top_k(x, 2)
        sums = jnp.cumsum(x, -1), x.std(-1), jax.nn.logsumexp(x, 0), jnp.any(x > 1, -1), x.prod()
        parts = x[:, ::-1], x[:, 1:3], x[:, ::2], x[:, -1], jnp.take(x, jnp.array([0, 9]), 1)
        rows = jnp.zeros((5, 4)).at[n].add(1.0), x[n, n % 4], jnp.take_along_axis(x, x.argsort(), 1)
        shapes = jnp.pad(x, ((0, 0), (1, 2))), jnp.concatenate([x, x]), jnp.stack([x, x], 1), 2 * n
        return found, sums, parts, rows, shapes, jnp.einsum("bi,bj->bij", x, x)

    return f, np.sin(np.arange(12.0)).reshape(3, 4)


def loops():
    def f(x):
        y = jax.lax.fori_loop(0, 3, lambda i, y: 2 * y + i, x)
        return jax.lax.cond(x.sum() > 0, lambda y: y + 1, lambda y: 2 * y, y)

    return f, np.ones((3, 2))


CASES = (images, sequences, attention, graphs, derivatives, numbers, orders, loops)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_onnxruntime_gives_the_same_numbers(case, tmp_path):
    with dc.precision("float32"):
        function, example = case()
        path = dc.export(function, tmp_path / "f.onnx", jnp.asarray(example))
    onnx.checker.check_model(path, full_check=True)


def test_a_wrong_translation_leaves_no_file(tmp_path, monkeypatch):
    monkeypatch.setitem(RULES, "tanh", RULES["logistic"])
    with pytest.raises(dc.ExportError, match="other numbers"):
        dc.export(nn.tanh, tmp_path / "f.onnx", np.ones(3))
    assert os.listdir(tmp_path) == []


def test_double_precision_names_and_units_are_kept(tmp_path):
    model = nn.MLP(2, 1, 8, 2, key=0)
    path = dc.export(model, tmp_path / "m.onnx", np.ones((1, 2)), units={"x": ("m", "s")})
    session = onnxruntime.InferenceSession(path)
    (x,), words = session.get_inputs(), session.get_modelmeta().custom_metadata_map["diffcore"]
    assert (x.name, x.shape, x.type) == ("x", ["batch", 2], "tensor(double)") and '"m"' in words
    points = np.random.default_rng(0).normal(size=(7, 2))
    assert np.allclose(session.run(None, {"x": points})[0], model(points), rtol=1e-13)


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (jnp.fft.rfft, "no complex numbers.*StableHLO"),
        (jnp.linalg.inv, "`.*` has no translation to ONNX"),
        (lambda x: jax.random.uniform(jax.random.key(0), x.shape), "random keys"),
        (jax.scipy.special.gammaln, "`lgamma` has no translation to ONNX"),
    ],
)
def test_what_onnx_lacks_is_named_and_leaves_no_file(function, text, tmp_path):
    with pytest.raises(dc.ExportError, match=text):
        dc.export(function, tmp_path / "f.onnx", np.eye(3), batch=False)
    assert os.listdir(tmp_path) == []
