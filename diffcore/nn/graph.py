"""Networks on graphs and meshes: sums over edges, and the layers made of them.

Values are (..., nodes, features) and (..., edges, features): any batch axes share one graph.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from diffcore.keys import as_key
from diffcore.nn.activations import as_module, leaky_relu, silu
from diffcore.nn.linear import Linear
from diffcore.nn.module import LATER, Module
from diffcore.nn.networks import MLP
from diffcore.nn.normalization import LayerNorm

AGGREGATIONS = ("sum", "mean", "max", "min")


class Graph(eqx.Module):
    """The directed edges of a graph: edge k leads from senders[k] to receivers[k].

    Arguments:
        nodes: number of nodes.
        symmetric: whether to add each edge's reverse, each pair once.
        loops: whether to add an edge from each node to itself.

    Example:
        >>> Graph.of_cells([[0, 1, 2], [1, 3, 2]]).senders.shape
        (10,)
    """

    senders: jax.Array
    receivers: jax.Array
    nodes: int = eqx.field(static=True)

    def __init__(
        self,
        senders: Any,
        receivers: Any,
        nodes: int,
        *,
        symmetric: bool = False,
        loops: bool = False,
    ):
        edges = np.stack([np.ravel(senders), np.ravel(receivers)], axis=-1).reshape(-1, 2)
        if edges.size and (edges.min() < 0 or edges.max() >= nodes):
            raise ValueError(
                f"`senders` and `receivers` must be from 0 to {nodes - 1}; "
                f"got {edges.min()} to {edges.max()}."
            )
        if symmetric:
            edges = np.unique(np.concatenate([edges, edges[:, ::-1]]), axis=0)
        if loops:
            edges = np.concatenate([edges, np.repeat(np.arange(nodes)[:, None], 2, axis=1)])
        self.senders, self.receivers = (jnp.asarray(column, jnp.int32) for column in edges.T)
        self.nodes = nodes

    @staticmethod
    def of_cells(cells: Any, nodes: int | None = None) -> Graph:
        """Returns the graph of a mesh of simplices (cells, vertices), both directions."""
        cells = np.asarray(cells)
        n = cells.shape[1]
        pairs = [cells[:, [i, j]] for i in range(n) for j in range(i)]
        edges = np.concatenate(pairs)
        count = int(cells.max()) + 1 if nodes is None else nodes
        return Graph(edges[:, 0], edges[:, 1], count, symmetric=True)


def segment_sum(values: jax.Array, segments: jax.Array, count: int) -> jax.Array:
    """Returns (..., count, features): sums of the values (..., n, features) of each segment.

    Arguments:
        segments: n whole numbers from 0 to count - 1; others are left out.

    Example:
        >>> segment_sum(jnp.array([[1.0], [2.0], [4.0]]), jnp.array([0, 2, 0]), 3).tolist()
        [[5.0], [0.0], [2.0]]
    """
    zeros = jnp.zeros((*values.shape[:-2], count, values.shape[-1]), values.dtype)
    return zeros.at[..., segments, :].add(values)


def segment_mean(values: jax.Array, segments: jax.Array, count: int) -> jax.Array:
    """Returns (..., count, features): means over each segment, 0 for an empty one."""
    members = jnp.zeros(count, values.dtype).at[segments].add(1)
    return segment_sum(values, segments, count) / jnp.maximum(members, 1)[:, None]


def segment_max(values: jax.Array, segments: jax.Array, count: int) -> jax.Array:
    """Returns (..., count, features): maxima over each segment, 0 for an empty one."""
    least = jnp.full((*values.shape[:-2], count, values.shape[-1]), -jnp.inf, values.dtype)
    largest = least.at[..., segments, :].max(values)
    occupied = jnp.zeros(count, bool).at[segments].set(True)[:, None]
    return jnp.where(occupied, largest, 0)


def segment_min(values: jax.Array, segments: jax.Array, count: int) -> jax.Array:
    """Returns (..., count, features): minima over each segment, 0 for an empty one."""
    return -segment_max(-values, segments, count)


def segment_softmax(values: jax.Array, segments: jax.Array, count: int) -> jax.Array:
    """Returns (..., n, features): exp(v) over the sum of exp(v) in the segment."""
    largest = jax.lax.stop_gradient(segment_max(values, segments, count))
    weights = jnp.exp(values - largest[..., segments, :])
    return weights / segment_sum(weights, segments, count)[..., segments, :]


def aggregate(values: jax.Array, segments: jax.Array, count: int, how: str) -> jax.Array:
    """Returns the sum, mean, max or min over each segment, as `how` says."""
    functions = dict(
        zip(AGGREGATIONS, (segment_sum, segment_mean, segment_max, segment_min), strict=True)
    )
    if how not in functions:
        raise ValueError(f"`aggregation` is one of {', '.join(AGGREGATIONS)}; got {how!r}.")
    return functions[how](values, segments, count)


class MessagePassing(Module):
    """Nodes x_i' = update([x_i, A_{j → i} message([x_i, x_j, e_ji])]), with A a sum, say.

    Called as `layer(graph, nodes, edges=None)`.

    Arguments:
        message: from the features of receiver, sender and edge, side by side, to the message's.
        update: from the features of the node and the aggregated message, side by side.
        aggregation: "sum", "mean", "max" or "min".

    Source: Gilmer et al., Neural message passing for quantum chemistry (2017), eqs. (1)-(2).
    """

    message: Callable
    update: Callable
    aggregation: str = eqx.field(static=True)

    def __init__(
        self, message: Callable, update: Callable, *, aggregation: str = "sum", key: Any = None
    ):
        self.message, self.update = as_module(message), as_module(update)
        self.aggregation = aggregation

    def __call__(self, graph: Graph, nodes: jax.Array, edges: Any = None) -> jax.Array:
        messages = self.message(_edge_inputs(graph, nodes, edges))
        total = aggregate(messages, graph.receivers, graph.nodes, self.aggregation)
        return self.update(jnp.concatenate([nodes, total], axis=-1))


def _edge_inputs(graph: Graph, nodes: jax.Array, edges: Any) -> jax.Array:
    _check_nodes(graph, nodes)
    parts = [nodes[..., graph.receivers, :], nodes[..., graph.senders, :]]
    return jnp.concatenate(parts if edges is None else [*parts, edges], axis=-1)


def _check_nodes(graph: Graph, nodes: Any) -> None:
    if jnp.ndim(nodes) < 2 or nodes.shape[-2] != graph.nodes:
        raise ValueError(
            f"`nodes` must be (..., {graph.nodes}, features) for this graph; "
            f"got shape {jnp.shape(nodes)}."
        )


class GraphConv(Module):
    """Nodes x_i' = W Σ_j x_j / √(d_i d_j) + b over the neighbors j and i itself.

    Here d counts the edges that arrive, and the node itself.

    Source: Kipf and Welling, Semi-supervised classification with graph convolutional networks
    (2017), eq. (2).
    """

    linear: Linear

    def __init__(self, in_size: int, out_size: int, *, bias: bool = True, key: Any = LATER):
        self.linear = Linear(in_size, out_size, bias=bias, key=key)

    def __call__(self, graph: Graph, nodes: jax.Array) -> jax.Array:
        _check_nodes(graph, nodes)
        x = nodes @ self.linear.weight.T
        degree = jnp.ones(graph.nodes, x.dtype).at[graph.receivers].add(1)
        scaled = x * jax.lax.rsqrt(degree)[:, None]
        total = scaled + segment_sum(scaled[..., graph.senders, :], graph.receivers, graph.nodes)
        y = total * jax.lax.rsqrt(degree)[:, None]
        return y if self.linear.bias is None else y + self.linear.bias


class SAGEConv(Module):
    """GraphSAGE: nodes x_i' = W x_i + U A_j x_j + b, with A the mean over neighbors, say.

    Source: Hamilton, Ying, Leskovec, Inductive representation learning on large graphs (2017),
    algorithm 1.
    """

    own: Linear
    neighbors: Linear
    aggregation: str = eqx.field(static=True)

    def __init__(self, in_size: int, out_size: int, *, aggregation: str = "mean", key: Any = LATER):
        own, neighbors = jax.random.split(as_key(key))
        self.own = Linear(in_size, out_size, bias=False, key=own)
        self.neighbors = Linear(in_size, out_size, key=neighbors)
        self.aggregation = aggregation

    def __call__(self, graph: Graph, nodes: jax.Array) -> jax.Array:
        _check_nodes(graph, nodes)
        values = nodes[..., graph.senders, :]
        around = aggregate(values, graph.receivers, graph.nodes, self.aggregation)
        return self.own(nodes) + self.neighbors(around)


class GraphAttention(Module):
    """Nodes x_i' = Σ_j α_ij W x_j, side by side for each head.

    The weights α_ij are the softmax, over the edges j → i, of leaky_relu(a · [W x_i, W x_j]). Give
    the graph loops for a node to see itself.

    Source: Veličković et al., Graph attention networks (2018), eqs. (1)-(5).
    """

    linear: Linear
    receiver: jax.Array  # (heads, size): the half of a for W x_i
    sender: jax.Array
    heads: int = eqx.field(static=True)

    def __init__(self, in_size: int, out_size: int, heads: int = 1, *, key: Any = LATER):
        if out_size % heads:
            raise ValueError(f"`heads` must divide out_size={out_size}; got {heads}.")
        keys = jax.random.split(as_key(key), 3)
        self.linear = Linear(in_size, out_size, bias=False, key=keys[0])
        size = out_size // heads
        self.receiver, self.sender = (
            jax.random.normal(k, (heads, size), self.linear.weight.dtype) * size**-0.5
            for k in keys[1:]
        )
        self.heads = heads

    def __call__(self, graph: Graph, nodes: jax.Array) -> jax.Array:
        _check_nodes(graph, nodes)
        x = self.linear(nodes)
        x = x.reshape(*x.shape[:-1], self.heads, -1)
        scores = (x * self.receiver).sum(-1)[..., graph.receivers, :]
        scores = scores + (x * self.sender).sum(-1)[..., graph.senders, :]
        weights = segment_softmax(leaky_relu(scores, 0.2), graph.receivers, graph.nodes)
        messages = weights[..., None] * x[..., graph.senders, :, :]
        flat = messages.reshape(*messages.shape[:-2], -1)
        return segment_sum(flat, graph.receivers, graph.nodes)


class MeshGraphNetwork(Module):
    """Encodes nodes and edges, passes messages `depth` times, and decodes the nodes.

    Called as `network(graph, nodes, edges)`. Each pass adds MLPs to edges and nodes:
    e_ji += f([x_i, x_j, e_ji]), x_i += g([x_i, Σ_j e_ji]). The MLPs have one hidden layer and end
    with `LayerNorm`.

    Source: Pfaff et al., Learning mesh-based simulation with graph networks (2021), section 3.2.
    """

    node_encoder: Callable
    edge_encoder: Callable
    edge_updates: tuple[Callable, ...]
    node_updates: tuple[Callable, ...]
    decoder: Callable

    def __init__(
        self,
        node_size: int,
        edge_size: int,
        out_size: int,
        width: int,
        depth: int,
        *,
        activation: Callable = silu,
        key: Any = LATER,
    ):
        keys = iter(jax.random.split(as_key(key), 2 * depth + 3))

        def mlp(size: int) -> _NormalizedMLP:
            return _NormalizedMLP(size, width, activation, next(keys))

        self.node_encoder, self.edge_encoder = mlp(node_size), mlp(edge_size)
        self.edge_updates = tuple(mlp(3 * width) for _ in range(depth))
        self.node_updates = tuple(mlp(2 * width) for _ in range(depth))
        self.decoder = MLP(width, out_size, width, 1, activation=activation, key=next(keys))

    def __call__(self, graph: Graph, nodes: jax.Array, edges: jax.Array) -> jax.Array:
        x, e = self.node_encoder(nodes), self.edge_encoder(edges)
        for edge_update, node_update in zip(self.edge_updates, self.node_updates, strict=True):
            e = e + edge_update(_edge_inputs(graph, x, e))
            total = segment_sum(e, graph.receivers, graph.nodes)
            x = x + node_update(jnp.concatenate([x, total], axis=-1))
        return self.decoder(x)


class _NormalizedMLP(Module):
    network: MLP
    norm: LayerNorm

    def __init__(self, in_size: int, width: int, activation: Callable, key: jax.Array):
        self.network = MLP(in_size, width, width, 1, activation=activation, key=key)
        self.norm = LayerNorm(width)

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.norm(self.network(x))
