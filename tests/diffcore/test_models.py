"""Reference networks: as many parameters as published, and the same numbers after export."""

import runpy
from pathlib import Path
from types import SimpleNamespace

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import diffcore as dc
from diffcore import nn
from diffcore.deploy import stablehlo

FILE = Path(__file__).parents[2] / "examples" / "networks" / "models.py"
models = SimpleNamespace(**runpy.run_path(str(FILE)))

# He et al. and Dosovitskiy et al. in their usual implementations, at 1000 classes; GPT-2 small with
# 50 257 tokens; LeNet-5 with full connections
PUBLISHED = {
    "lenet": 61_706,
    "resnet18": 11_689_512,
    "resnet50": 25_557_032,
    "ViT": 86_567_656,
    "GPT": 124_439_808,
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_numbers_of_parameters_are_the_published_ones(name):
    def drawn(key):
        return nn.split(nn.init(getattr(models, name)(), key))[0]

    shapes = eqx.filter_eval_shape(drawn, jax.random.key(0))
    assert sum(leaf.size for leaf in jax.tree.leaves(shapes)) == PUBLISHED[name]


GRAPH = nn.Graph.of_cells([[0, 1, 2], [1, 3, 2]])


def image(channels, size):
    return np.random.default_rng(0).uniform(size=(2, channels, size, size))


TOKENS = np.array([[1, 2, 3, 4], [5, 6, 7, 0]])
CASES = {
    "LeNet": lambda: (models.lenet(), image(1, 28)),
    "ResNet": lambda: (models.resnet(models.basic, (1,), 5, 4), image(3, 16)),
    "bottlenecks": lambda: (models.resnet(models.bottleneck, (1,), 5, 4), image(3, 16)),
    "U-Net": lambda: (models.UNet(width=2, depth=1), image(1, 8)),
    "ViT": lambda: (models.ViT(16, 4, 16, 2, 1, 5), image(3, 16)),
    "GPT": lambda: (models.GPT(11, 8, 16, 2, 1), TOKENS),
    "LSTM": lambda: (models.lstm_language_model(11, 8), TOKENS),
    "VAE": lambda: (models.VAE(16, 8, 2), image(1, 4).reshape(2, 16)),
    "generator": lambda: (models.generator(4, 4), image(1, 2).reshape(2, 4)),
    "discriminator": lambda: (models.discriminator(4), image(1, 28)),
    "FNO": lambda: (nn.FNO(1, 1, 4, (3, 3), 1), image(1, 8)),
    "GraphSAGE": lambda: (on_graph(models.GraphSAGE(3, 2, 8)), np.ones((2, 4, 3))),
    "mesh graph network": lambda: (on_mesh(nn.MeshGraphNetwork(2, 1, 1, 8, 2)), np.ones((2, 4, 2))),
}


class on_graph(nn.Module):
    """A network with its graph."""

    network: nn.Module

    def __call__(self, x):
        return self.network(GRAPH, x)


class on_mesh(nn.Module):
    """The same, with differences of the first feature on the edges."""

    network: nn.Module

    def __call__(self, x):
        edges = x[..., GRAPH.senders, :1] - x[..., GRAPH.receivers, :1]
        return self.network(GRAPH, x, edges)


@pytest.mark.parametrize("name", CASES)
def test_exports_give_the_numbers_of_the_model(name, tmp_path, monkeypatch):
    """`export` compares them before it hands back the file; here to the figure promised."""
    monkeypatch.setitem(stablehlo.TOLERANCES, "float32", 1e-6)
    with dc.precision("float32"):
        specification, example = CASES[name]()
        model = nn.init(specification, 0)
        path = dc.export(model, tmp_path / "m.export", jnp.asarray(example), platforms="cpu")
    loaded = dc.load(path)
    assert loaded.inputs[0].shape[0] == "batch"
    assert sum(w.size for w in loaded.weights.values()) >= nn.count_parameters(model)


def test_the_bound_of_the_autoencoder_is_that_of_its_formula():
    """With latent variables that are ignored, the misfit is the entropy of the data, log 2 each."""
    model = nn.init(models.VAE(6, 5, 2), 0)
    zeros = jax.tree.map(jnp.zeros_like, nn.split(model)[0])
    model = nn.merge(zeros, nn.split(model)[1])
    x = jnp.array([[0.0, 1.0, 1.0, 0.0, 0.5, 0.5]])
    assert jnp.allclose(model.loss(x, jax.random.key(0)), 6 * jnp.log(2), rtol=1e-12)
