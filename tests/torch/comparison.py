"""One comparison for all layers: values, and gradients for inputs and parameters."""

import jax
import jax.numpy as jnp
import numpy as np
import torch

from diffcore import nn, precision

# Both sum in another order: a few hundred terms of relative rounding error 1e-7 or 1e-16.
TOLERANCES = {"float32": 1e-5, "float64": 1e-10}


def from_torch(tensor):
    return tensor.detach().numpy().copy()  # torch changes buffers in place


def assert_close(ours, theirs, tolerance, what):
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    assert ours.shape == theirs.shape, what
    scale = max(np.max(np.abs(theirs), initial=0.0), 1.0)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=tolerance * scale, err_msg=what)


def compare(make_ours, make_theirs, inputs, dtype, *, train=False, call=None, names=None):
    """Asserts that our layer with their weights gives their values and gradients.

    `call` is a pair of functions (model, *inputs) -> output, ours and theirs, where these are not
    plain calls. In training, the running statistics are compared as well.
    """
    call_ours, call_theirs = call or (lambda m, *x: m(*x),) * 2
    torch.manual_seed(0)
    theirs = make_theirs().to(getattr(torch, dtype)).train(train)
    for parameter in theirs.parameters():  # also those that start at 0 or 1
        torch.nn.init.normal_(parameter, std=0.5)
    arrays = [x.astype(dtype) if x.dtype.kind == "f" else x for x in inputs]
    with precision(dtype):
        weights = {name: from_torch(t) for name, t in theirs.state_dict().items()}
        ours = nn.load_torch(make_ours(), weights, names=names)

        tensors = [torch.from_numpy(x.copy()) for x in arrays]
        floats = [t.requires_grad_() for t in tensors if t.is_floating_point()]
        y = call_theirs(theirs, *tensors)
        cotangent = np.random.default_rng(1).normal(size=y.shape).astype(dtype)
        (y * torch.from_numpy(cotangent)).sum().backward()

        def loss(model, inputs):
            if train:
                y, model = nn.apply(model, *inputs, key=0)
            else:
                y = call_ours(model, *inputs)
            return jnp.sum(y * cotangent), (y, model)

        is_float = [x.dtype.kind == "f" for x in arrays]
        parameters, rest = nn.split(ours)

        def of_parameters(parameters, inputs):
            given = iter(inputs)
            full = [next(given) if f else x for x, f in zip(arrays, is_float, strict=True)]
            return loss(nn.merge(parameters, rest), full)

        gradients, (values, after) = jax.jit(jax.grad(of_parameters, (0, 1), has_aux=True))(
            parameters, [x for x, f in zip(arrays, is_float, strict=True) if f]
        )
        tolerance = TOLERANCES[dtype]
        assert values.dtype == dtype
        assert_close(values, from_torch(y), tolerance, "values")
        for ours_grad, tensor in zip(gradients[1], floats, strict=True):
            assert_close(ours_grad, from_torch(tensor.grad), tolerance, "gradient of an input")
        slopes = {
            name: from_torch(p.grad) if p.grad is not None else np.zeros(p.shape, dtype)
            for name, p in theirs.named_parameters()
        }
        expected = nn.split(nn.load_torch(ours, {**weights, **slopes}, names=names))[0]
        for (path, a), b in zip(
            jax.tree_util.tree_leaves_with_path(gradients[0]),
            jax.tree.leaves(expected),
            strict=True,
        ):
            assert_close(a, b, tolerance, f"gradient of {jax.tree_util.keystr(path)}")
        if train:
            buffers = {name: from_torch(t) for name, t in theirs.state_dict().items()}
            expected = nn.state(nn.load_torch(ours, buffers, names=names))
            for path, array in nn.state(after).items():
                assert_close(array, expected[path], tolerance, path)
