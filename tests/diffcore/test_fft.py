"""Transforms against SciPy; spectral derivatives against formulas."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.fft

from diffcore import fft

RNG = np.random.default_rng(0)
NAMES = ["dct", "idct", "dst", "idst"]


@pytest.mark.parametrize("norm", ["backward", "ortho", "forward"])
@pytest.mark.parametrize("type", [1, 2, 3, 4])
@pytest.mark.parametrize("name", NAMES)
def test_cosine_and_sine_transforms_agree_with_scipy(name, type, norm):
    for n, axis in ((5, 0), (6, -1)):
        x = RNG.normal(size=(n, 3) if axis == 0 else (3, n))
        expected = getattr(scipy.fft, name)(x, type, axis=axis, norm=norm)
        actual = getattr(fft, name)(jnp.asarray(x), type, axis=axis, norm=norm)
        np.testing.assert_allclose(actual, expected, rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize("name", ["dctn", "idctn", "dstn", "idstn"])
def test_transforms_along_several_axes_agree_with_scipy(name):
    x = RNG.normal(size=(4, 5, 3)) + 1j * RNG.normal(size=(4, 5, 3))
    for axes in (None, (0, 2)):
        expected = getattr(scipy.fft, name)(x, 2, axes=axes, norm="ortho")
        actual = getattr(fft, name)(jnp.asarray(x), 2, axes=axes, norm="ortho")
        np.testing.assert_allclose(actual, expected, rtol=1e-13, atol=1e-14)


FOURIER = "fft ifft rfft irfft hfft ihfft fft2 ifft2 rfft2 irfft2 fftn ifftn rfftn irfftn".split()


@pytest.mark.parametrize("name", FOURIER)
def test_fourier_transforms_agree_with_scipy(name):
    x = RNG.normal(size=(4, 6))
    x = x if name in ("rfft", "ihfft", "rfft2", "rfftn") else x + 1j * RNG.normal(size=(4, 6))
    expected = getattr(scipy.fft, name)(x, norm="ortho")
    actual = getattr(fft, name)(jnp.asarray(x), norm="ortho")
    np.testing.assert_allclose(actual, expected, rtol=1e-13, atol=1e-14)


def test_shifts_and_frequencies_agree_with_scipy():
    for n in (5, 6):
        frequencies = fft.fftfreq(n, 0.1)
        np.testing.assert_allclose(frequencies, scipy.fft.fftfreq(n, 0.1))
        np.testing.assert_allclose(fft.rfftfreq(n, 0.1), scipy.fft.rfftfreq(n, 0.1))
        assert (np.diff(fft.fftshift(frequencies)) > 0).all()
        assert (fft.ifftshift(fft.fftshift(frequencies)) == frequencies).all()


@pytest.mark.parametrize("dtype", ["float32", "complex64", "float64"])
def test_the_data_type_is_kept(dtype):
    x = jnp.arange(1, 7).astype(dtype)
    for y in (fft.dct(x), fft.idst(x, 4), fft.derivative(x), fft.dealias(x)):
        assert y.dtype == dtype


@pytest.mark.parametrize("n", [24, 25])
@pytest.mark.parametrize("order", [0, 1, 2, 3, 4])
def test_derivatives_of_trigonometric_polynomials_are_exact(n, order):
    length, k = 3.0, 2 * np.pi * 5 / 3.0
    x = jnp.arange(n) * length / n
    expected = [np.sin, np.cos, lambda t: -np.sin(t), lambda t: -np.cos(t), np.sin][order]
    u = jnp.stack([jnp.sin(k * x), 2 * jnp.sin(k * x)], 1)
    du = fft.derivative(u, order, length=length, axis=0)
    np.testing.assert_allclose(du[:, 1], 2 * k**order * expected(k * x), atol=1e-12 * k**order)
    dz = fft.derivative(jnp.exp(1j * k * x), order, length=length)
    np.testing.assert_allclose(dz, (1j * k) ** order * np.exp(1j * k * x), atol=1e-12 * k**order)


def test_the_nyquist_mode_has_no_odd_derivative_and_the_right_even_one():
    u = jnp.array([1.0, -1.0, 1.0, -1.0])
    np.testing.assert_allclose(fft.derivative(u), 0, atol=1e-15)
    np.testing.assert_allclose(fft.derivative(u, 2), -4 * u, atol=1e-14)
    np.testing.assert_allclose(fft.derivative(u + 0j, 1), 0, atol=1e-15)


@pytest.mark.parametrize("n", [24, 27])
def test_products_of_dealiased_functions_have_no_aliasing_error(n):
    x = 2 * np.pi * jnp.arange(n) / n
    a, b = (fft.dealias(jnp.asarray(RNG.normal(size=n))) for _ in range(2))
    spectrum = fft.fft(fft.dealias(a * b)) / n
    kept = int(np.ceil(n / 3)) - 1
    modes = np.arange(-kept, kept + 1)
    ca, cb = (np.array([np.mean(u * np.exp(-1j * m * x)) for m in modes]) for u in (a, b))
    exact = np.convolve(ca, cb)[kept:-kept]  # the true coefficients, by the convolution theorem
    np.testing.assert_allclose(spectrum[modes], exact, atol=1e-14)
    assert abs(spectrum[kept + 1]) < 1e-15


def test_dealiasing_takes_complex_arrays_and_chosen_axes():
    u = jnp.asarray(RNG.normal(size=(6, 9))) + 0j
    once = fft.dealias(u, axes=[1])
    np.testing.assert_allclose(fft.dealias(u.real, axes=[-1]), once.real, atol=1e-15)
    np.testing.assert_allclose(fft.dealias(once, axes=[1]), once, atol=1e-15)


def test_transforms_are_linear_so_their_derivative_is_themselves():
    x, v = jnp.asarray(RNG.normal(size=(2, 7)))
    for name in NAMES:
        for type in (1, 2, 3, 4):
            push = jax.jvp(lambda x, t=type, n=name: getattr(fft, n)(x, t), (x,), (v,))[1]
            np.testing.assert_allclose(push, getattr(fft, name)(v, type), atol=1e-13)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: fft.dct(jnp.arange(3)), TypeError, "real or complex numbers; got int64"),
        (lambda: fft.dct(jnp.ones(3), 5), ValueError, "`type` 1, 2, 3 or 4; got 5"),
        (lambda: fft.idst(jnp.ones(3), norm="orto"), ValueError, "`norm` to be one of"),
        (lambda: fft.dct(jnp.ones(1), 1), ValueError, "at least 2 points; got 1"),
        (lambda: fft.dst(jnp.ones(3), axis=1), ValueError, "no axis 1"),
        (lambda: fft.dctn(jnp.ones((3, 3)), axes=(0, -2)), ValueError, "distinct `axes`"),
        (lambda: fft.derivative(jnp.ones(4), -1), ValueError, "`order` >= 0"),
        (lambda: fft.derivative(jnp.ones(4), length=0.0), ValueError, "`length` > 0"),
        (lambda: fft.derivative(jnp.arange(4)), TypeError, "convert to float"),
        (lambda: fft.dealias(jnp.ones(4), fraction=1.5), ValueError, "0 < fraction <= 1"),
        (lambda: fft.wavenumbers(0), ValueError, "`n` >= 1"),
    ],
)
def test_bad_input_is_refused(call, error, text):
    with pytest.raises(error, match=text):
        call()
