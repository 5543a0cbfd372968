"""Convolutions, pooling and resampling: formulas written out, adjoints, exact interpolation."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from diffcore import nn, precision

RANDOM = np.random.default_rng(0)
run = jax.jit(lambda model, x: model(x))
MODES = {"zeros": "constant", "circular": "wrap", "reflect": "reflect", "replicate": "edge"}


def convolved(x, weight, stride, pads, dilation, groups, mode):
    """The sum that defines a convolution, one output element after the other."""
    x = np.pad(x, [(0, 0), *pads], mode=MODES[mode])
    spatial = range(1, x.ndim)
    sizes = [(x.shape[i] - dilation * (weight.shape[i + 1] - 1) - 1) // stride + 1 for i in spatial]
    y = np.zeros((weight.shape[0], *sizes), np.result_type(x, weight))
    per_in, per_out = weight.shape[1], weight.shape[0] // groups
    for out, *place in np.ndindex(y.shape):
        channels = slice(out // per_out * per_in, (out // per_out + 1) * per_in)
        window = tuple(
            slice(p * stride, p * stride + dilation * (k - 1) + 1, dilation)
            for p, k in zip(place, weight.shape[2:], strict=True)
        )
        y[(out, *place)] = np.sum(x[(channels, *window)] * weight[out])
    return y


@pytest.mark.parametrize(
    ("n", "stride", "dilation", "groups", "mode"),
    [
        (1, 1, 1, 1, "zeros"),
        (1, 2, 2, 2, "circular"),
        (2, 2, 1, 2, "reflect"),
        (2, 1, 2, 1, "replicate"),
        (3, 2, 1, 1, "zeros"),
    ],
)
def test_convolution_equals_its_sum_for_any_batch_axes(n, stride, dilation, groups, mode):
    layer = {1: nn.Conv1d, 2: nn.Conv2d, 3: nn.Conv3d}[n](
        2,
        4,
        2,
        stride=stride,
        padding=1,
        dilation=dilation,
        groups=groups,
        padding_mode=mode,
        key=0,
    )
    x = RANDOM.normal(size=(2, 3, 2, *(6, 5, 4)[:n]))
    weight = np.asarray(layer.weight)
    expected = [
        [convolved(a, weight, stride, [(1, 1)] * n, dilation, groups, mode) for a in row]
        for row in x
    ]
    np.testing.assert_allclose(run(layer, x), expected, rtol=1e-11, atol=1e-13)


def test_convolution_of_complex_weights_equals_its_sum():
    layer = nn.Conv1d(2, 2, 3, dtype=complex, key=0)
    x = RANDOM.normal(size=(2, 7))
    expected = convolved(x, np.asarray(layer.weight), 1, [(0, 0)], 1, 1, "zeros")
    np.testing.assert_allclose(layer(x), expected, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize(
    ("n", "options"),
    [
        (1, {"stride": 2}),
        (2, {"stride": 2, "padding": 1, "groups": 2}),
        (3, {"dilation": 2, "padding": 1}),
    ],
)
def test_transposed_convolution_is_the_adjoint_of_the_convolution(n, options):
    name = f"{n}d"
    forward = getattr(nn, "Conv" + name)(2, 4, 3, bias=False, **options, key=0)
    x = RANDOM.normal(size=(2, *(7, 7, 7)[:n]))
    y = RANDOM.normal(size=jax.eval_shape(forward, x).shape)
    adjoint = getattr(nn, "ConvTranspose" + name)(4, 2, 3, bias=False, **options, key=0)
    adjoint = nn.replace(adjoint, "weight", forward.weight)
    np.testing.assert_allclose(np.sum(run(forward, x) * y), np.sum(x * run(adjoint, y)), rtol=1e-11)


@pytest.mark.parametrize("kernel", [3, 4])
def test_same_padding_keeps_the_size(kernel):
    layer = nn.Conv2d(1, 1, kernel, padding="same", dilation=2, key=0)
    assert jax.eval_shape(layer, jnp.ones((1, 9, 8))).shape == (1, 9, 8)


def test_convolution_of_an_empty_batch_and_in_single_precision():
    with precision("float32"):
        layer = nn.Conv2d(1, 3, 3, key=0)
        y = layer(jnp.zeros((0, 4, 1, 5, 5)))
        assert y.shape == (0, 4, 3, 3, 3) and y.dtype == jnp.float32


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: nn.Conv2d(3, 4, 3, groups=2, key=0), "`groups` must divide in_channels=3"),
        (lambda: nn.Conv2d(3, 4, (3, 3, 3), key=0), "`kernel_size` must be a whole number"),
        (lambda: nn.Conv1d(3, 4, 3, padding="full", key=0), "`padding` must be a whole number"),
        (lambda: nn.Conv1d(3, 4, 3, padding_mode="mirror", key=0), "`padding_mode` is one of"),
        (lambda: nn.Conv1d(3, 4, 3, padding="same", stride=2, key=0), "needs stride 1"),
        (lambda: nn.Conv2d(3, 4, 3, key=0)(jnp.ones((8, 8, 3))), "channels before space"),
        (lambda: nn.MaxPool2d(2, padding=2), "at most half of the kernel size"),
        (lambda: nn.MaxPool2d(9)(jnp.ones((1, 4, 4))), "too large for spatial shape"),
        (lambda: nn.Upsample(), "give either `scale` or `size`"),
        (lambda: nn.PixelShuffle(2)(jnp.ones((3, 4, 4))), "needs a multiple of 4 channels; got 3"),
    ],
)
def test_impossible_sizes_are_refused(make, text):
    with pytest.raises(ValueError, match=text):
        make()


def windows(x, size, stride):
    starts = [range(0, n - size + 1, stride) for n in x.shape[-2:]]
    shape = tuple(map(len, starts))
    pieces = [x[..., i : i + size, j : j + size] for i, j in itertools.product(*starts)]
    return shape, [p.reshape(*x.shape[:-2], -1) for p in pieces]


@pytest.mark.parametrize(
    ("layer", "formula"),
    [
        (nn.MaxPool2d(3, 2), lambda w: w.max(-1)),
        (nn.AvgPool2d(3, 2), lambda w: w.mean(-1)),
        (nn.LpPool2d(3, 3, 2), lambda w: np.sum(np.abs(w) ** 3, -1) ** (1 / 3)),
    ],
)
def test_pooling_equals_its_formula_on_each_window(layer, formula):
    x = RANDOM.normal(size=(2, 3, 2, 7, 6))
    shape, pieces = windows(x, 3, 2)
    expected = np.stack([formula(p) for p in pieces], -1).reshape(*x.shape[:-2], *shape)
    np.testing.assert_allclose(run(layer, x), expected, rtol=1e-12)


def test_the_gradient_of_a_maximum_goes_to_one_element_and_nan_is_not_hidden():
    slope = jax.grad(lambda x: nn.MaxPool1d(3)(x).sum())(jnp.ones((1, 3)))
    np.testing.assert_array_equal(slope, [[1, 0, 0]])
    assert np.isnan(nn.MaxPool1d(3)(jnp.array([[1.0, jnp.nan, 2.0]]))).all()
    np.testing.assert_array_equal(nn.MaxPool1d(2)(jnp.array([[1, 5, 3, 2]])), [[5, 3]])


def test_adaptive_pooling_covers_each_axis():
    x = RANDOM.normal(size=(2, 7))
    pieces = [x[:, :3], x[:, 2:5], x[:, 4:]]  # of 7 points in 3 windows, by the rule
    np.testing.assert_allclose(
        nn.AdaptiveAvgPool1d(3)(x), np.stack([p.mean(1) for p in pieces], 1), rtol=1e-12
    )
    np.testing.assert_array_equal(
        nn.AdaptiveMaxPool1d(3)(x), np.stack([p.max(1) for p in pieces], 1)
    )


def test_linear_interpolation_is_exact_for_affine_functions():
    coarse, fine = np.linspace(0, 1, 9), np.linspace(0, 1, 33)
    layer = nn.Upsample(size=33, mode="linear", align_corners=True, dimension=1)
    np.testing.assert_allclose(layer(2 * coarse + 1), 2 * fine + 1, rtol=1e-13)


def test_cubic_interpolation_goes_through_its_points_and_keeps_constants():
    layer = nn.Upsample(size=(9, 33), mode="cubic", align_corners=True)
    x = RANDOM.normal(size=(3, 9))
    np.testing.assert_allclose(run(layer, x)[::4, ::4], x, atol=1e-14)
    np.testing.assert_allclose(run(layer, np.ones((3, 9))), 1, rtol=1e-14)


def test_nearest_upsampling_repeats_each_point():
    x = RANDOM.normal(size=(2, 3, 4))
    np.testing.assert_array_equal(nn.Upsample(2)(x), x.repeat(2, -1).repeat(2, -2))


def test_pixel_unshuffle_undoes_pixel_shuffle():
    x = RANDOM.normal(size=(2, 8, 3, 5))
    y = nn.PixelShuffle(2)(x)
    assert y.shape == (2, 2, 6, 10)
    np.testing.assert_array_equal(y[:, 1, 0, 3], x[:, 5, 0, 1])
    np.testing.assert_array_equal(nn.PixelUnshuffle(2)(y), x)
