"""Networks on graphs against dense matrices; neural operators against exact convolutions."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from diffcore import nn

RANDOM = np.random.default_rng(0)
run = jax.jit(lambda model, *inputs: model(*inputs))
GRAPH = nn.Graph([0, 1, 1, 2, 3], [1, 0, 2, 3, 1], 5)  # node 4 is alone
DENSE = np.zeros((5, 5))  # [receiver, sender]
DENSE[np.asarray(GRAPH.receivers), np.asarray(GRAPH.senders)] = 1
NODES = RANDOM.normal(size=(2, 5, 3))


@pytest.mark.parametrize(
    ("function", "formula"),
    [
        (nn.segment_sum, lambda rows: rows.sum(0)),
        (nn.segment_mean, lambda rows: rows.mean(0)),
        (nn.segment_max, lambda rows: rows.max(0)),
        (nn.segment_min, lambda rows: rows.min(0)),
    ],
)
def test_segments_are_reduced_and_empty_ones_are_zero(function, formula):
    values, segments = RANDOM.normal(size=(2, 6, 3)), np.array([0, 2, 0, 2, 2, 0])
    result = function(values, segments, 4)
    for batch in range(2):
        for s in (0, 2):
            np.testing.assert_allclose(
                result[batch, s], formula(values[batch, segments == s]), rtol=1e-13
            )
    np.testing.assert_array_equal(result[:, [1, 3]], 0)


def test_segment_softmax_sums_to_one_and_does_not_overflow():
    values = 1e3 * RANDOM.normal(size=(6, 2))
    segments = np.array([0, 2, 0, 2, 2, 0])
    total = nn.segment_sum(nn.segment_softmax(values, segments, 3), segments, 3)
    np.testing.assert_allclose(total, [[1, 1], [0, 0], [1, 1]], rtol=1e-12)


def test_graph_convolution_equals_its_matrix():
    layer = nn.GraphConv(3, 2, key=0)
    matrix = DENSE + np.eye(5)
    scale = np.diag(matrix.sum(1) ** -0.5)
    expected = scale @ matrix @ scale @ NODES @ np.asarray(layer.linear.weight).T
    np.testing.assert_allclose(run(layer, GRAPH, NODES), expected, rtol=1e-11, atol=1e-14)


def test_sage_equals_its_matrix():
    layer = nn.SAGEConv(3, 2, key=0)
    mean = DENSE / np.maximum(DENSE.sum(1, keepdims=True), 1)
    w = nn.state(layer)
    expected = NODES @ w["own.weight"].T + mean @ NODES @ w["neighbors.weight"].T
    np.testing.assert_allclose(run(layer, GRAPH, NODES), expected, rtol=1e-11, atol=1e-14)


def test_graph_attention_equals_a_dense_softmax():
    layer = nn.GraphAttention(3, 4, 2, key=0)
    x = (NODES[0] @ np.asarray(layer.linear.weight).T).reshape(5, 2, 2)
    a, b = np.sum(x * layer.receiver, -1), np.sum(x * layer.sender, -1)
    scores = a[:, None] + b[None]  # [receiver, sender, head]
    weights = np.exp(np.where(scores > 0, scores, 0.2 * scores)) * DENSE[..., None]
    weights = weights / np.maximum(weights.sum(1, keepdims=True), 1e-300)
    expected = np.einsum("rsh,shk->rhk", weights, x).reshape(5, 4)
    np.testing.assert_allclose(run(layer, GRAPH, NODES[0]), expected, rtol=1e-11, atol=1e-14)


def test_messages_are_sums_over_edges():
    layer = nn.MessagePassing(lambda m: m[..., :3] * m[..., 3:6], lambda u: u[..., 3:])
    expected = NODES * (DENSE @ NODES)
    np.testing.assert_allclose(run(layer, GRAPH, NODES), expected, rtol=1e-12, atol=1e-15)


def test_a_mesh_network_commutes_with_renumbering():
    cells = np.array([[0, 1, 2], [1, 3, 2]])
    graph = nn.Graph.of_cells(cells)
    network = nn.MeshGraphNetwork(3, 2, 1, 4, 1, key=0)
    nodes, edges = RANDOM.normal(size=(4, 3)), RANDOM.normal(size=(10, 2))
    order = RANDOM.permutation(4)
    renumbered = nn.Graph(np.argsort(order)[graph.senders], np.argsort(order)[graph.receivers], 4)
    np.testing.assert_allclose(
        run(network, renumbered, nodes[order], edges),
        run(network, graph, nodes, edges)[order],
        rtol=1e-11,
    )


def test_graphs_get_reverse_edges_and_loops():
    graph = nn.Graph([0, 1], [1, 2], 3, symmetric=True, loops=True)
    pairs = set(zip(graph.senders.tolist(), graph.receivers.tolist(), strict=True))
    assert pairs == {(0, 1), (1, 0), (1, 2), (2, 1), (0, 0), (1, 1), (2, 2)}
    with pytest.raises(ValueError, match="must be from 0 to 2; got 0 to 3"):
        nn.Graph([0], [3], 3)
    with pytest.raises(ValueError, match=r"`nodes` must be \(..., 3, features\)"):
        nn.GraphConv(1, 1, key=0)(graph, jnp.ones((4, 1)))


def test_spectral_convolution_multiplies_the_modes_it_keeps():
    layer = nn.SpectralConv(1, 1, modes=(3,), key=0)
    w = np.asarray(layer.weight)[0, 0]
    x = 2 * np.pi * np.arange(16) / 16
    u = 0.5 + np.cos(x) + np.sin(2 * x) + np.cos(5 * x)
    expected = 0.5 * w[0].real + (w[1] * np.exp(1j * x)).real + (-1j * w[2] * np.exp(2j * x)).real
    np.testing.assert_allclose(run(layer, u[None])[0], expected, rtol=1e-11, atol=1e-13)


def test_spectral_convolution_in_two_dimensions_keeps_negative_modes():
    layer = nn.SpectralConv(1, 1, modes=(2, 2), key=0)
    w = np.asarray(layer.weight)[0, 0]  # first axis: 0, 1, -2, -1
    grid = 2 * np.pi * np.arange(8) / 8
    x, y = np.meshgrid(grid, grid, indexing="ij")
    expected = (w[3, 1] * np.exp(1j * (y - x))).real
    np.testing.assert_allclose(run(layer, np.cos(y - x)[None])[0], expected, rtol=1e-11, atol=1e-13)


def test_a_fourier_operator_gives_the_same_function_on_each_grid():
    layer = nn.SpectralConv(1, 1, 3, key=0)
    u = lambda n: np.sin(2 * np.pi * np.arange(n) / n)[None]  # noqa: E731
    np.testing.assert_allclose(run(layer, u(8)), run(layer, u(16))[:, ::2], rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("modes", [(3,), (2, 3), (2, 2, 2)])
def test_fno_takes_any_grid_and_batch(modes):
    def result(*shape):
        return jax.eval_shape(
            lambda: nn.FNO(2, 3, 4, modes, depth=2, padding=0.25, key=0)(jnp.ones(shape))
        ).shape

    grid = (7, 8, 6)[: len(modes)]
    assert result(2, 5, 2, *grid) == (2, 5, 3, *grid)
    with pytest.raises(ValueError, match="need a grid of at least"):
        result(2, *(2,) * len(modes))


def test_deeponet_is_bilinear_in_branch_and_trunk():
    model = nn.DeepONet(nn.Linear(4, 6), nn.Linear(2, 6), outputs=3, key=0)
    functions, points = RANDOM.normal(size=(5, 4)), RANDOM.normal(size=(7, 2))
    b, t = np.asarray(model.branch(functions)), np.asarray(model.trunk(points))
    expected = [
        [[b[i, 2 * o : 2 * o + 2] @ t[n, 2 * o : 2 * o + 2] for o in range(3)] for n in range(7)]
        for i in range(5)
    ]
    np.testing.assert_allclose(model(functions, points), expected, rtol=1e-12, atol=1e-14)
    with pytest.raises(ValueError, match="outputs of one size; got 6 and 5"):
        nn.DeepONet(nn.Linear(4, 6), nn.Linear(2, 5), key=0)(functions, points)
