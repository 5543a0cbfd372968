"""What docs/order_table.md leaves out of each namespace, and why."""

from typing import NamedTuple


class Excluded(NamedTuple):
    """Functions without a row, and the reason."""

    reason: str
    names: frozenset[str]


def excluded(reason: str, names: str) -> Excluded:
    """The names, which are separated by blanks, left out for one reason."""
    return Excluded(reason, frozenset(names.split()))


ALIASES = {
    "jax.numpy": {
        "absolute": "abs",
        "acos": "arccos",
        "acosh": "arccosh",
        "asin": "arcsin",
        "asinh": "arcsinh",
        "atan": "arctan",
        "atan2": "arctan2",
        "atanh": "arctanh",
        "conjugate": "conj",
        "degrees": "rad2deg",
        "pow": "power",
        "radians": "deg2rad",
        "true_divide": "divide",
    },
    "jax.nn": {"hard_swish": "hard_silu", "swish": "silu"},
    "jax.scipy.special": {},
}

EXCLUDED = {
    "jax.numpy": (
        excluded(
            "piecewise constant: derivatives 0",
            "around ceil fix floor floor_divide heaviside nextafter rint round sign spacing trunc",
        ),
        excluded(
            "logical or integer results",
            """all allclose any argmax argmin argpartition argsort argwhere array_equal array_equiv
            bincount bitwise_and bitwise_count bitwise_invert bitwise_left_shift bitwise_not
            bitwise_or bitwise_right_shift bitwise_xor count_nonzero digitize equal flatnonzero gcd
            greater greater_equal invert isclose iscomplex iscomplexobj isfinite isin isinf isnan
            isneginf isposinf isreal isrealobj isscalar lcm left_shift less less_equal lexsort
            logical_and logical_not logical_or logical_xor nanargmax nanargmin ndim nonzero
            not_equal packbits ravel_multi_index right_shift searchsorted shape signbit size
            unpackbits unravel_index""",
        ),
        excluded(
            "makes an array or knows about types, files and printing",
            """arange array array_repr array_str asarray astype bartlett blackman broadcast_shapes
            can_cast copy diag_indices diag_indices_from einsum_path empty empty_like eye
            from_dlpack frombuffer fromfile fromfunction fromiter frompyfunc fromstring full
            full_like geomspace get_printoptions hamming hanning identity indices isdtype
            issubdtype iterable ix_ kaiser linspace load logspace mask_indices ones ones_like
            printoptions promote_types result_type save savez set_printoptions tri tril_indices
            tril_indices_from triu_indices triu_indices_from vectorize zeros zeros_like""",
        ),
        excluded(
            "moves or selects entries",
            """append apply_along_axis apply_over_axes array_split atleast_1d atleast_2d atleast_3d
            block broadcast_arrays broadcast_to column_stack compress concat concatenate delete
            diag diagflat diagonal dsplit dstack expand_dims extract fill_diagonal flip fliplr
            flipud hsplit hstack insert intersect1d matrix_transpose meshgrid moveaxis pad
            partition permute_dims place put put_along_axis ravel repeat reshape resize roll
            rollaxis rot90 setdiff1d setxor1d sort_complex split squeeze stack swapaxes take
            take_along_axis tile top_k transpose tril trim_zeros triu union1d unique unique_all
            unique_counts unique_inverse unique_values unstack vsplit vstack""",
        ),
        excluded(
            "sums, products and orders of entries, not elementwise",
            """amax amin average convolve corrcoef correlate cov cross cumprod cumsum
            cumulative_prod cumulative_sum diff dot ediff1d einsum gradient histogram histogram2d
            histogram_bin_edges histogramdd inner interp kron matmul matvec max mean median min
            minmax nancumprod nancumsum nanmax nanmean nanmedian nanmin nanpercentile nanprod
            nanquantile nanstd nansum nanvar outer percentile poly polyadd polyder polydiv polyfit
            polyint polymul polysub prod ptp quantile roots sort std sum tensordot trace trapezoid
            unwrap vander var vdot vecdot vecmat""",
        ),
    ),
    "jax.nn": (
        excluded("makes an array or a configuration", "get_scaled_dot_general_config one_hot"),
        excluded("the identity", "identity"),
        excluded(
            "products, not elementwise",
            "dot_product_attention scaled_dot_general scaled_matmul",
        ),
    ),
    "jax.scipy.special": (
        excluded("integer argument or piecewise constant", "bernoulli gammasgn"),
    ),
}
