"""The programs of this folder: functions of JAX, or StableHLO text where JAX cannot express them, with their inputs.

A case is (family, name, function or text, inputs, rule, function of NumPy). A rule is the check that must hold: "eq",
"close" (3 ulp), or "close N" for sums and chains of functions. The text is the body of a function: `%0`, `%1`, ... are
the inputs, and the last line returns the results.
"""

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import scipy.special as special
from jax import lax

CASES = []
RANDOM = np.random.default_rng(20)


def f32(*shape):
    return RANDOM.standard_normal(shape).astype(np.float32)


def whole(*shape, low=-9, high=9, dtype=np.float32):
    """Returns integers, so that sums in any order are exact."""
    return RANDOM.integers(low, high, shape).astype(dtype)


def bits(*shape, dtype=np.int32):
    return np.frombuffer(RANDOM.bytes(int(np.prod(shape)) * np.dtype(dtype).itemsize), dtype).reshape(shape)


# Without subnormal numbers, which XLA:CPU treats as 0.
SPECIAL = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1.1754944e-38, -3e-38, 3.4028235e38, 1.0, -1.0, 0.5, -2.5],
                   np.float32)
SUBNORMAL = np.array([1e-45, -1e-45, 5e-39, -1.1754942e-38, 0.0, -0.0, 1.1754944e-38, 1.0], np.float32)
X, Y = np.repeat(SUBNORMAL, 8), np.tile(SUBNORMAL, 8)


def wide(function):
    """Returns `function` computed in double precision."""
    return lambda *inputs: [np.float32(result) for result in function(*(np.float64(x) for x in inputs))]


def add(family, name, program, inputs, rule="eq", numpy=None):
    """Adds a case. `numpy` computes the results if XLA cannot, because sizes are operands."""
    CASES.append((family, name, program, [np.asarray(x) for x in inputs], rule, numpy))


# --- Convolutions ---

def convolution(name, lhs, rhs, **arguments):
    strides = arguments.pop("strides", None) or (1,) * (lhs.ndim - 2)
    add("convolution", name, lambda x, w: lax.conv_general_dilated(x, w, strides, **arguments), [lhs, rhs])


convolution("lhs_dilation", whole(1, 2, 5, 4), whole(3, 2, 2, 3), padding=[(2, 1), (0, 3)], lhs_dilation=(2, 3))
convolution("rhs_dilation", whole(1, 2, 9, 8), whole(3, 2, 3, 2), padding=[(1, 2), (3, 0)], rhs_dilation=(3, 2))
convolution("both_dilations_and_strides", whole(2, 1, 6, 7), whole(2, 1, 2, 3), strides=(2, 3),
            padding=[(3, 2), (1, 4)], lhs_dilation=(3, 2), rhs_dilation=(2, 4))
convolution("negative_padding", whole(1, 2, 9, 8), whole(2, 2, 3, 2), padding=[(-2, 1), (3, -3)])
convolution("negative_padding_of_dilated", whole(1, 1, 5, 5), whole(1, 1, 2, 2), padding=[(-3, -1), (-1, 2)],
            lhs_dilation=(2, 3))
convolution("feature_groups", whole(2, 6, 5), whole(9, 2, 3), padding=[(1, 1)], feature_group_count=3)
convolution("depthwise", whole(1, 6, 6, 4), whole(3, 3, 1, 8), padding="SAME", feature_group_count=4,
            dimension_numbers=("NHWC", "HWIO", "NHWC"))
convolution("batch_groups", whole(6, 3, 5), whole(4, 3, 2), padding=[(0, 1)], batch_group_count=2)
convolution("odd_layout", whole(5, 2, 6, 3), whole(2, 4, 3, 3), padding=[(1, 1), (2, 0)],
            dimension_numbers=("HNWC", "WOHI", "CWHN"))
convolution("three_spatial_dimensions", whole(1, 2, 4, 3, 5), whole(2, 2, 2, 3, 2), strides=(2, 1, 2),
            padding=[(1, 0), (1, 1), (0, 2)])
convolution("integers", whole(1, 2, 5, 5, dtype=np.int32), whole(2, 2, 3, 3, dtype=np.int32), padding="SAME")
convolution("no_spatial_dimensions", whole(3, 4), whole(5, 4), padding=[])
add("convolution", "bytes_into_words", lambda x, w: lax.conv_general_dilated(
    x, w, (1, 1), "VALID", preferred_element_type=np.int32),
    [whole(1, 3, 5, 5, low=-128, high=127, dtype=np.int8), whole(2, 3, 3, 3, low=-128, high=127, dtype=np.int8)])
add("convolution", "reversed_window", """
%r = stablehlo.convolution(%0, %1) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1],
  window = {stride = [1, 2], pad = [[1, 0], [2, 1]], rhs_dilate = [1, 2], reverse = [true, false]}
  {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x2x5x6xf32>, tensor<2x2x3x2xf32>) -> tensor<1x2x4x4xf32>
return %r : tensor<1x2x4x4xf32>
""", [whole(1, 2, 5, 6), whole(2, 2, 3, 2)])
add("convolution", "reversed_window_in_both_dimensions", """
%r = "stablehlo.convolution"(%0, %1) <{window_strides = array<i64: 1, 1>, padding = dense<[[1, 1], [0, 2]]> : tensor<2x2xi64>,
  lhs_dilation = array<i64: 2, 1>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: true, true>,
  dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, batch_group_count = 1 : i64,
  feature_group_count = 2 : i64}> : (tensor<1x3x4x2xf32>, tensor<2x3x1x4xf32>) -> tensor<1x6x4x4xf32>
return %r : tensor<1x6x4x4xf32>
""", [whole(1, 3, 4, 2), whole(2, 3, 1, 4)])

# --- Dots ---
add("dot", "several_batch_and_contracting_dimensions", lambda x, y: lax.dot_general(
    x, y, (((1, 4), (3, 0)), ((3, 0), (1, 2)))), [whole(2, 3, 4, 5, 2), whole(2, 5, 2, 3, 3)])
add("dot", "nothing_contracted", lambda x, y: lax.dot_general(x, y, (((), ()), ((), ()))), [whole(2, 3), whole(4)])
add("dot", "an_empty_sum", lambda x, y: lax.dot_general(x, y, (((1,), (0,)), ((), ()))),
    [np.zeros((2, 0), np.float32), np.zeros((0, 3), np.float32)])
add("dot", "integers_that_overflow", lambda x, y: lax.dot_general(x, y, (((1,), (0,)), ((), ()))),
    [bits(3, 4), bits(4, 2)])
add("dot", "bytes_into_words", lambda x, y: lax.dot_general(
    x, y, (((1,), (0,)), ((), ())), preferred_element_type=np.int32), [bits(3, 9, dtype=np.int8),
                                                                      bits(9, 2, dtype=np.int8)])
add("dot", "unsigned", lambda x, y: jnp.einsum("ab,cb->ca", x, y), [bits(3, 4, dtype=np.uint16),
                                                                  bits(5, 4, dtype=np.uint16)])
add("dot", "complex", lambda x, y: x @ y, [(whole(3, 4) + 1j * whole(3, 4)).astype(np.complex64),
                                           (whole(4, 2) + 1j * whole(4, 2)).astype(np.complex64)])
add("dot", "half_into_single", lambda x, y: lax.dot_general(
    x, y, (((1,), (0,)), ((), ())), preferred_element_type=np.float32),
    [whole(3, 5, dtype=ml_dtypes.bfloat16), whole(5, 2, dtype=ml_dtypes.bfloat16)])
add("dot", "predicates", lambda x, y: lax.dot_general(x, y, (((1,), (0,)), ((), ()))),
    [bits(3, 5, dtype=np.uint8) > 128, bits(5, 4, dtype=np.uint8) > 128])
add("dot", "einsum_with_a_trace", lambda x, y: jnp.einsum("iij,jk->ki", x, y), [whole(3, 3, 2), whole(2, 4)])

# --- Windows ---


def window(name, x, initial, function, *arguments, rule="eq"):
    add("window", name, lambda x: lax.reduce_window(x, x.dtype.type(initial), function, *arguments), [x], rule)


window("sum_dilated", whole(6, 7), 0, lax.add, (2, 3), (2, 1), [(1, 2), (0, 3)], (2, 3), (3, 2))
window("max_negative_padding", whole(7, 6), -np.inf, lax.max, (3, 2), (1, 2), [(-1, 2), (2, -2)])
window("min_of_padding_alone", whole(4), np.inf, lax.min, (2,), (1,), [(4, 3)])
window("product_of_words", whole(6, 5, dtype=np.int32), 1, lax.mul, (3, 3), (2, 1), [(1, 1), (2, 2)])
window("max_with_nan", SPECIAL.reshape(3, 4), -np.inf, lax.max, (2, 2), (1, 1), "SAME")
window("and_of_predicates", bits(5, 6, dtype=np.uint8) > 99, True, lax.bitwise_and, (2, 2), (1, 2), "VALID")
add("window", "two_values", lambda x, i: lax.reduce_window(
    (x, i), (np.float32(-np.inf), np.int32(0)),
    lambda a, b: (jnp.where(a[0] >= b[0], a[0], b[0]), jnp.where(a[0] >= b[0], a[1], b[1])), (3,), (2,), [(1, 2)]),
    [np.array([3, 7, 7, 1, 7, 2, 2, 9], np.float32), np.arange(8, dtype=np.int32)])
add("window", "not_commutative_inside", lambda x: lax.reduce_window(
    x, np.float32(0), lambda a, b: a + b * b - b, (2, 2), (2, 2), "VALID"), [whole(4, 6)], "close 8")
add("window", "cumulative_sums", lambda x: (lax.cumsum(x, 1), lax.cumsum(x, 0, True), lax.cumprod(x, 1),
                                            lax.cummax(x, 0), lax.cummin(x, 1, True)), [whole(4, 5, dtype=np.int32)])
add("window", "select_and_scatter_ties", """
%z = stablehlo.constant dense<0.0> : tensor<f32>
%r = "stablehlo.select_and_scatter"(%0, %1, %z) <{window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 1, 2>,
  padding = dense<[[1, 0], [1, 1]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
}, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
}) : (tensor<3x6xf32>, tensor<3x3xf32>, tensor<f32>) -> tensor<3x6xf32>
return %r : tensor<3x6xf32>
""", [np.array([[1, 1, 2, 2, 0, 0], [1, 2, 2, 1, 0, 0], [3, 3, 3, 3, 3, 3]], np.float32), whole(3, 3)])
add("window", "select_and_scatter_strict", """
%z = stablehlo.constant dense<10> : tensor<i32>
%r = "stablehlo.select_and_scatter"(%0, %1, %z) <{window_dimensions = array<i64: 3>, window_strides = array<i64: 2>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = stablehlo.compare GT, %a, %b, UNSIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
}, {
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %c : tensor<i32>
}) : (tensor<9xi32>, tensor<4xi32>, tensor<i32>) -> tensor<9xi32>
return %r : tensor<9xi32>
""".replace(", UNSIGNED", ""), [np.array([1, 5, 5, 5, 2, 2, 2, 7, 7], np.int32), whole(4, dtype=np.int32)])

# --- Gather, scatter, slices ---


def gather(name, x, indices, dimensions, sizes, mode):
    numbers = lax.GatherDimensionNumbers(*dimensions)
    add("indexing", name, lambda x, i: lax.gather(x, i, numbers, sizes, mode=mode), [x, indices])


MODES = lax.GatherScatterMode
gather("gather_out_of_bounds_clips", whole(5, 6), np.array([[-3], [9], [2], [4]], np.int32), ((1,), (0,), (0,)), (1, 6),
       MODES.CLIP)
gather("gather_out_of_bounds_fills", whole(5, 6), np.array([[-3, 1], [4, 5], [2, 2], [5, 0]], np.int32),
       ((), (0, 1), (0, 1)), (1, 1), MODES.FILL_OR_DROP)
gather("gather_windows_at_the_edge", whole(5, 6), np.array([[3, 4], [-1, 3], [1, 1]], np.int32), ((1, 2), (), (1, 0)),
       (3, 2), MODES.CLIP)
gather("gather_with_wide_indices", whole(4, 3), np.array([2 ** 40, -2 ** 40, 3], np.int64)[:, None],
       ((1,), (0,), (0,)), (1, 3), MODES.CLIP)
gather("gather_with_unsigned_bytes", whole(200), np.array([[199], [255], [128], [0]], np.uint8), ((), (0,), (0,)), (1,),
       MODES.CLIP)
gather("gather_batching_dimensions", whole(3, 5, 2), np.array([[4, 0], [9, -1], [2, 2]], np.int32)[..., None],
       ((2,), (1,), (1,), (0,), (0,)), (1, 1, 2), MODES.CLIP)


def scatter(name, x, indices, updates, dimensions, function=lax.scatter_add, mode=MODES.CLIP):
    numbers = lax.ScatterDimensionNumbers(*dimensions)
    add("indexing", name, lambda x, i, u: function(x, i, u, numbers, mode=mode), [x, indices, updates])


scatter("scatter_add_duplicates", whole(5), np.array([[1], [1], [4], [1]], np.int32), whole(4), ((), (0,), (0,)))
scatter("scatter_drops_out_of_bounds", whole(5), np.array([[-1], [5], [4], [2]], np.int32), whole(4), ((), (0,), (0,)),
        mode=MODES.FILL_OR_DROP)
scatter("scatter_window_over_the_edge", whole(5, 4), np.array([[4], [3], [0]], np.int32), whole(3, 2, 4),
        ((1, 2), (), (0,)), mode=MODES.FILL_OR_DROP)
scatter("scatter_batching_dimensions", whole(3, 5), np.array([[4, 0], [9, -1], [2, 2]], np.int32)[..., None],
        whole(3, 2), ((), (1,), (1,), (0,), (0,)), mode=MODES.FILL_OR_DROP)
scatter("scatter_multiply_clips", whole(4, 3, dtype=np.int32), np.array([[7], [-2]], np.int32),
        whole(2, 3, dtype=np.int32), ((1,), (0,), (0,)), lax.scatter_mul)
scatter("scatter_max_with_nan", SPECIAL, np.array([[0], [4], [8]], np.int32), np.array([np.nan, 1, np.nan], np.float32),
        ((), (0,), (0,)), lax.scatter_max)
scatter("scatter_replaces", whole(6, dtype=np.int8), np.array([[5], [0]], np.int32), whole(2, dtype=np.int8),
        ((), (0,), (0,)), lax.scatter)
add("indexing", "scatter_two_values", """
%r:2 = "stablehlo.scatter"(%0, %1, %2, %3, %4) <{scatter_dimension_numbers = #stablehlo.scatter<
  inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = false,
  unique_indices = false}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<i32>, %c: tensor<f32>, %d: tensor<i32>):
    %s = stablehlo.add %a, %c : tensor<f32>
    %m = stablehlo.maximum %b, %d : tensor<i32>
    stablehlo.return %s, %m : tensor<f32>, tensor<i32>
}) : (tensor<5xf32>, tensor<5xi32>, tensor<4x1xi32>, tensor<4xf32>, tensor<4xi32>) -> (tensor<5xf32>, tensor<5xi32>)
return %r#0, %r#1 : tensor<5xf32>, tensor<5xi32>
""", [whole(5), whole(5, dtype=np.int32), np.array([[3], [3], [0], [6]], np.int32), whole(4), whole(4, dtype=np.int32)])
add("indexing", "dynamic_slice_clamps", lambda x, i, j: lax.dynamic_slice(x, (i, j), (3, 2)),
    [whole(5, 4), np.int32(-7), np.int32(100)])
add("indexing", "dynamic_slice_unsigned_start", """
%r = stablehlo.dynamic_slice %0, %1, sizes = [3] : (tensor<9xi32>, tensor<ui32>) -> tensor<3xi32>
return %r : tensor<3xi32>
""", [np.arange(9, dtype=np.int32), np.uint32(4000000000)])
add("indexing", "dynamic_update_slice_clamps", lambda x, u, i, j: lax.dynamic_update_slice(x, u, (i, j)),
    [whole(5, 4), whole(3, 2), np.int64(-1), np.int64(2 ** 40)])
add("indexing", "pad_negative_and_interior", lambda x: lax.pad(x, np.float32(7), [(-1, 2, 1), (3, -2, 2)]),
    [whole(4, 5)])
add("indexing", "pad_all_away", lambda x: lax.pad(x, np.float32(7), [(-2, -2, 0), (0, 0, 0)]), [whole(4, 5)])
add("indexing", "slices_reversed_and_joined", lambda x: jnp.concatenate([x[::2, 1:7:3], x[::-2, 6:0:-3]], 1)[:, ::-1],
    [whole(5, 8)])
add("indexing", "torch_index_select", """
%r = "stablehlo.torch_index_select"(%0, %1) <{batch_dims = 1 : i64, dim = 2 : i64}> : (tensor<2x3x4xf32>, tensor<2x5xi32>) -> tensor<2x3x5xf32>
return %r : tensor<2x3x5xf32>
""", [whole(2, 3, 4), RANDOM.integers(0, 4, (2, 5)).astype(np.int32)])

# --- Sort ---
add("sort", "nan_and_signed_zeros", lambda x: (jnp.sort(x), jnp.argsort(x, stable=True)), [SPECIAL])
add("sort", "descending_is_stable", lambda x: lax.sort((-x, jnp.arange(12)), num_keys=1), [whole(12, low=0, high=4)])
add("sort", "two_keys", lambda x, y, z: lax.sort((x, y, z), dimension=0, num_keys=2),
    [whole(8, 3, low=0, high=3), whole(8, 3, low=0, high=3, dtype=np.int32), whole(8, 3, dtype=np.int8)])
add("sort", "unsigned_bytes", lambda x: lax.sort(x), [bits(17, dtype=np.uint8)])
add("sort", "total_order", """
%r = "stablehlo.sort"(%0) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare GT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
}) : (tensor<12xf32>) -> tensor<12xf32>
%b = stablehlo.bitcast_convert %r : (tensor<12xf32>) -> tensor<12xi32>
return %b : tensor<12xi32>
""", [SPECIAL])
add("sort", "by_remainder", """
%k = stablehlo.constant dense<5> : tensor<i32>
%r:2 = "stablehlo.sort"(%0, %1) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<f32>, %d: tensor<f32>):
    %x = stablehlo.remainder %a, %k : tensor<i32>
    %y = stablehlo.remainder %b, %k : tensor<i32>
    %l = stablehlo.compare LT, %x, %y, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %l : tensor<i1>
}) : (tensor<2x9xi32>, tensor<2x9xf32>) -> (tensor<2x9xi32>, tensor<2x9xf32>)
return %r#0, %r#1 : tensor<2x9xi32>, tensor<2x9xf32>
""", [whole(2, 9, low=-50, high=50, dtype=np.int32), whole(2, 9)])
add("sort", "top_k_with_ties", lambda x: lax.top_k(x, 4), [whole(3, 9, low=0, high=4)])
add("sort", "arg_max_with_nan", lambda x: (jnp.argmax(x, 1), jnp.argmin(x, 0)), [SPECIAL.reshape(3, 4)])

# --- Integers ---
EDGES = np.array([-2 ** 31, -2 ** 31 + 1, -7, -1, 0, 1, 3, 2 ** 31 - 1], np.int32)
LEFT, RIGHT = (x.reshape(-1) for x in np.meshgrid(EDGES, EDGES))
add("integers", "arithmetic_wraps", lambda a, b: (a + b, a - b, a * b, -a, abs(a), lax.sign(a)), [LEFT, RIGHT])
add("integers", "division_and_remainder", lambda a, b: (lax.div(a, b), lax.rem(a, b)), [LEFT, RIGHT])
add("integers", "unsigned_division", lambda a, b: (lax.div(a, b), lax.rem(a, b), lax.max(a, b)),
    [LEFT.view(np.uint32), RIGHT.view(np.uint32)])
add("integers", "powers", lambda a, b: a ** b, [np.repeat(EDGES, 5), np.tile(np.array([0, 1, 2, 31, 32], np.int32), 8)])
add("integers", "powers_negative", """
%r = stablehlo.power %0, %1 : tensor<5xi32>
return %r : tensor<5xi32>
""", [np.array([1, -1, -1, 2, 5], np.int32), np.array([-3, -3, -2, -1, -5], np.int32)])
SHIFTS = np.tile(np.array([0, 1, 31, 32, 33, -1], np.int32), 8)
add("integers", "shifts", lambda a, b: (lax.shift_left(a, b), lax.shift_right_logical(a, b),
                                        lax.shift_right_arithmetic(a, b)), [np.repeat(EDGES, 6), SHIFTS])
add("integers", "bytes", lambda a, b: (a * b, lax.shift_right_arithmetic(a, b), lax.clz(a), lax.population_count(b),
                                       lax.max(a, b), a ^ ~b), [bits(32, dtype=np.int8), bits(32, dtype=np.int8)])
add("integers", "long_words", lambda a, b: (a * b, a // b, lax.rem(a, b), lax.clz(a), a < b),
    [bits(9, dtype=np.int64), bits(9, dtype=np.int64)])
add("integers", "unsigned_long_words", lambda a, b: (a * b, lax.div(a, b), a.astype(np.float32), a < b),
    [bits(9, dtype=np.uint64), bits(9, dtype=np.uint64)])
add("integers", "narrow", lambda a, b: (a + b, a * b, lax.max(a, b), a.astype(np.int32)),
    [whole(16, low=-8, high=8, dtype=np.int8).astype(ml_dtypes.int4),
     whole(16, low=-8, high=8, dtype=np.int8).astype(ml_dtypes.int4)])
add("integers", "predicates", lambda a, b: (a & b, a | b, a ^ b, ~a, a < b, lax.max(a, b), lax.min(a, b)),
    [np.array([0, 0, 1, 1], bool), np.array([0, 1, 0, 1], bool)])
add("integers", "floats_to_integers", lambda x: (x.astype(np.int32), x.astype(np.uint8), x.astype(np.int8),
                                                 x.astype(bool)),
    [np.array([0.9, -0.9, 1.5, 127.9, -1.5, 99.99, 0.0, -0.0], np.float32).clip(-0.9)])
add("integers", "floats_out_of_range", lambda x: (x.astype(np.int32), x.astype(np.int64), x.astype(np.uint32)),
    [np.array([3e9, -3e9, np.inf, -np.inf, np.nan, 1e30], np.float32)])
add("integers", "narrowing_wraps", lambda x: (x.astype(np.int8), x.astype(np.uint16), x.astype(np.int64)), [EDGES])

# --- Floats ---
ROUND_TO_EVEN = jax.lax.RoundingMethod.TO_NEAREST_EVEN
add("floats", "reduce_precision", lambda x: (lax.reduce_precision(x, 5, 10), lax.reduce_precision(x, 8, 7),
                                             lax.reduce_precision(x, 4, 3), lax.reduce_precision(x, 2, 0),
                                             lax.reduce_precision(x, 8, 23)),
    [np.concatenate([SPECIAL, f32(20), np.array([65519, 65520, 6e-8, 3e-8, 1e-40], np.float32)])])
add("floats", "min_max_and_clamp", lambda a, b: (lax.max(a, b), lax.min(a, b), lax.clamp(a, b, np.float32(1))),
    [np.repeat(SPECIAL, 12), np.tile(SPECIAL, 12)])
add("floats", "comparisons", lambda a, b: (a < b, a <= b, a == b, a != b, a >= b, a > b),
    [np.repeat(SPECIAL, 12), np.tile(SPECIAL, 12)])
add("floats", "total_order_comparison", """
%r = stablehlo.compare LE, %0, %1, TOTALORDER : (tensor<144xf32>, tensor<144xf32>) -> tensor<144xi1>
return %r : tensor<144xi1>
""", [np.repeat(SPECIAL, 12), np.tile(SPECIAL, 12)])
add("floats", "remainder_of_specials", lambda a, b: lax.rem(a, b), [np.repeat(SPECIAL, 12), np.tile(SPECIAL, 12)])
add("floats", "powers_of_specials", lambda a, b: lax.pow(a, b), [np.repeat(SPECIAL, 12), np.tile(SPECIAL, 12)], "close")
add("floats", "atan2_of_specials", lambda a, b: lax.atan2(a, b), [np.repeat(SPECIAL, 12), np.tile(SPECIAL, 12)], "close")
add("floats", "rounding", lambda x: (lax.round(x), lax.round(x, ROUND_TO_EVEN), lax.floor(x),
                                     lax.ceil(x), lax.sign(x), lax.is_finite(x)),
    [np.concatenate([SPECIAL, np.array([1.5, 2.5, -0.5, 0.49999997, 8388609.0], np.float32)])])
add("floats", "functions_of_specials", lambda x: (lax.exp(x), lax.expm1(x), lax.log(x), lax.log1p(x), lax.tanh(x),
                                                  lax.logistic(x), lax.sqrt(x), lax.rsqrt(x), lax.cbrt(x), lax.sin(x),
                                                  lax.cos(x), lax.tan(x)),
    [SPECIAL], "close")
add("floats", "chlo_functions", lambda x: (lax.erf(x), lax.erfc(x), lax.lgamma(x), lax.digamma(x), lax.asinh(x),
                                           lax.sinh(x), lax.cosh(x), lax.atan(x), lax.bessel_i1e(x)),
    [np.linspace(-3.3, 3.4, 12).astype(np.float32)], "close 16", wide(lambda x: (
        special.erf(x), special.erfc(x), special.gammaln(x), special.digamma(x), np.arcsinh(x), np.sinh(x), np.cosh(x),
        np.arctan(x), special.i1e(x))))
add("floats", "inverse_functions", lambda x: (lax.erf_inv(x), lax.asin(x), lax.acos(x), lax.atanh(x), lax.acosh(x + 2)),
    [np.array([-1, -0.999, -0.5, -0.0, 0, 0.25, 0.75, 0.999, 1], np.float32)], "close 8", wide(lambda x: (
        special.erfinv(x), np.arcsin(x), np.arccos(x), np.arctanh(x),
        np.arccosh(np.float64(np.float32(x) + np.float32(2))))))
add("floats", "zeta_and_polygamma", lambda x, q: (lax.zeta(x, q), lax.polygamma(jnp.floor(x), q)),
    [np.array([2.0, 3.5, 5.0], np.float32), np.array([0.5, 2.0, 7.25], np.float32)], "close 16", wide(
        lambda x, q: (special.zeta(x, q), special.polygamma(np.floor(x).astype(int), q))))
add("floats", "subnormal_numbers", lambda x, y: (x + y, x * np.float32(2), x / np.float32(4), lax.max(x, y), lax.min(x, y),
                                                 x < y, x >= y, lax.ceil(x), lax.floor(x), lax.sign(x), x.astype(bool),
                                                 x.astype(np.float64), lax.nextafter(x, y)),
    [X, Y], numpy=lambda x, y: (x + y, x * np.float32(2), x / np.float32(4), np.maximum(x, y), np.minimum(x, y), x < y,
                                x >= y, np.ceil(x), np.floor(x), np.sign(x), x.astype(bool), x.astype(np.float64),
                                np.nextafter(x, y)))
add("floats", "next_after", lambda a, b: lax.nextafter(a, b), [np.repeat(SPECIAL, 12), np.tile(SPECIAL, 12)])
add("floats", "half_precision_chain", lambda x: (x * x + x) / (x - 3), [f32(20).astype(np.float16)])
add("floats", "bfloat_chain", lambda x: (x * x + x) / (x - 3), [f32(20).astype(ml_dtypes.bfloat16)])
add("floats", "eight_bits", lambda x: (x.astype(ml_dtypes.float8_e4m3fn), x.astype(ml_dtypes.float8_e5m2),
                                       x.astype(ml_dtypes.float8_e4m3b11fnuz)),
    [np.concatenate([np.float32([0, -0.0, 448, 464, 500, 1e-3, 2 ** -10, 57344, 61440, 0.1]), f32(20)])])
add("floats", "bits_of_floats", lambda x: (lax.bitcast_convert_type(x, np.int32), lax.bitcast_convert_type(x, np.uint8)),
    [SPECIAL])

# --- Reductions ---
add("reductions", "several_dimensions", lambda x: (x.sum((0, 2)), x.max((1, 3)), x.prod(), x.min(3)), [whole(2, 3, 2, 4)
                                                                                                   / 2])
add("reductions", "max_with_nan", lambda x: (x.max(0), x.min(1)), [SPECIAL.reshape(3, 4)])
add("reductions", "nothing_to_add", lambda x: (x.sum(1), x.sum(0)), [np.zeros((3, 0), np.float32)])
add("reductions", "words", lambda x: (x.sum(0), jnp.bitwise_xor.reduce(x, 1), jnp.bitwise_and.reduce(x, 0)),
    [bits(5, 7)])
add("reductions", "two_values", lambda x, i: lax.reduce(
    (x, i), (np.int32(-99), np.int32(0)),
    lambda a, b: (lax.max(a[0], b[0]), jnp.where(a[0] >= b[0], a[1], b[1])), (1,)),
    [np.array([[3, 9, 9], [2, 2, 1]], np.int32), np.arange(6, dtype=np.int32).reshape(2, 3)])
add("reductions", "any_and_all", lambda x: (x.any(0), x.all(1)), [bits(4, 5, dtype=np.uint8) > 60])

# --- Complex numbers ---
C = (f32(12) + 1j * f32(12)).astype(np.complex64)
add("complex", "arithmetic", lambda a, b: (a + b, a - b, a * b, a == b, jnp.conj(a), a.real, a.imag, -a),
    [(whole(8) + 1j * whole(8)).astype(np.complex64), (whole(8) + 1j * whole(8)).astype(np.complex64)])
add("complex", "division", lambda a, b: a / b, [C, C[::-1]], "close 8")
add("complex", "functions", lambda a: (lax.exp(a), lax.sqrt(a), lax.log(a), abs(a), lax.tanh(a)), [C], "close 16")
add("complex", "more_functions", lambda a: (lax.sin(a), lax.cos(a), lax.rsqrt(a), lax.expm1(a), lax.logistic(a),
                                            lax.sign(a)), [C], "close 32")
add("complex", "reduced", lambda a: (a.sum(1), a.prod(0)), [(whole(3, 4, low=-3, high=3) +
                                                           1j * whole(3, 4, low=-3, high=3)).astype(np.complex64)])
add("complex", "fft", lambda a: (jnp.fft.fft(a), jnp.fft.ifft(a)), [(whole(2, 8) + 1j * whole(2, 8)).astype(np.complex64)],
    "almost")
add("complex", "real_fft", lambda a: jnp.fft.irfft(jnp.fft.rfft(a), n=6), [whole(2, 6)], "almost")

# --- Control flow ---
add("control", "case_out_of_range", """
%r = "stablehlo.case"(%0) ({
  %a = stablehlo.add %1, %1 : tensor<3xf32>
  stablehlo.return %a : tensor<3xf32>
}, {
  %a = stablehlo.negate %1 : tensor<3xf32>
  stablehlo.return %a : tensor<3xf32>
}, {
  %a = stablehlo.multiply %1, %1 : tensor<3xf32>
  stablehlo.return %a : tensor<3xf32>
}) : (tensor<i32>) -> tensor<3xf32>
return %r : tensor<3xf32>
""", [np.int32(-5), whole(3)])
add("control", "case_in_a_loop", lambda x: lax.fori_loop(-2, 6, lambda i, s: lax.switch(
    i, [lambda s: s + 1, lambda s: s * 2, lambda s: s - 3], s), x), [whole(3)])
add("control", "while_of_many_values", lambda *v: lax.while_loop(
    lambda s: s[0] < 7, lambda s: (s[0] + 1, *s[2:], s[1] + s[-1] * s[0]), (np.int32(0), *v)),
    [whole(2, dtype=np.int32) for _ in range(9)])
add("control", "while_that_never_runs", lambda x: lax.while_loop(lambda s: s.sum() > 1e9, lambda s: s * 2, x),
    [whole(4)])
add("control", "nested_loops", lambda x: lax.fori_loop(0, 3, lambda i, s: lax.fori_loop(
    0, i + 1, lambda j, t: t + (i * 10 + j) * jnp.roll(t, 1), s), x), [whole(4, dtype=np.int32)])
add("control", "scan_with_state", lambda s, x: lax.scan(lambda s, x: (s * 2 + x, s - x), s, x, reverse=True),
    [whole(3, dtype=np.int32), whole(5, 3, dtype=np.int32)])
add("control", "conditional_of_several", lambda p, x, y: lax.cond(p, lambda x, y: (x, y + x), lambda x, y: (y, x * y), x, y),
    [np.bool_(False), whole(3), whole(3)])
add("control", "custom_derivative", lambda x: jax.grad(lambda x: (jax.nn.relu(x) * jax.nn.silu(x)).sum())(x),
    [whole(6)], "close 8")
add("control", "tuples", """
%t = stablehlo.tuple %0, %1 : tuple<tensor<3xf32>, tensor<2xi32>>
%u = stablehlo.tuple %t, %0 : tuple<tuple<tensor<3xf32>, tensor<2xi32>>, tensor<3xf32>>
%v = stablehlo.get_tuple_element %u[0] : (tuple<tuple<tensor<3xf32>, tensor<2xi32>>, tensor<3xf32>>) -> tuple<tensor<3xf32>, tensor<2xi32>>
%w = stablehlo.get_tuple_element %v[1] : (tuple<tensor<3xf32>, tensor<2xi32>>) -> tensor<2xi32>
%x = stablehlo.get_tuple_element %u[1] : (tuple<tuple<tensor<3xf32>, tensor<2xi32>>, tensor<3xf32>>) -> tensor<3xf32>
return %w, %x : tensor<2xi32>, tensor<3xf32>
""", [whole(3), whole(2, dtype=np.int32)])

# --- Sizes given by constants ---
add("dynamic", "operands_are_constants", """
%s = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
%a = stablehlo.dynamic_reshape %0, %s : (tensor<6xf32>, tensor<2xi64>) -> tensor<?x?xf32>
%t = stablehlo.constant dense<[2, 4, 3]> : tensor<3xi64>
%b = stablehlo.dynamic_broadcast_in_dim %a, %t, dims = [0, 2] : (tensor<?x?xf32>, tensor<3xi64>) -> tensor<?x?x?xf32>
%n = stablehlo.get_dimension_size %b, dim = 1 : (tensor<?x?x?xf32>) -> tensor<i32>
%l = stablehlo.constant dense<[0, 1, 0]> : tensor<3xi64>
%h = stablehlo.constant dense<[2, 4, 3]> : tensor<3xi64>
%p = stablehlo.constant dense<[1, 2, 2]> : tensor<3xi64>
%c = stablehlo.real_dynamic_slice %b, %l, %h, %p : (tensor<?x?x?xf32>, tensor<3xi64>, tensor<3xi64>, tensor<3xi64>) -> tensor<2x2x2xf32>
return %c, %n : tensor<2x2x2xf32>, tensor<i32>
""", [whole(6)], numpy=lambda x: (np.broadcast_to(x.reshape(2, 1, 3), (2, 4, 3))[:, 1:4:2, 0:3:2], np.int32(4)))
add("dynamic", "iota_pad_gather", """
%s = stablehlo.constant dense<[3, 2]> : tensor<2xi32>
%a = stablehlo.dynamic_iota %s, dim = 0 : (tensor<2xi32>) -> tensor<?x?xi32>
%z = stablehlo.constant dense<-1> : tensor<i32>
%l = stablehlo.constant dense<[1, -1]> : tensor<2xi64>
%h = stablehlo.constant dense<[0, 2]> : tensor<2xi64>
%i = stablehlo.constant dense<[2, 0]> : tensor<2xi64>
%b = stablehlo.dynamic_pad %a, %z, %l, %h, %i : (tensor<?x?xi32>, tensor<i32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<8x3xi32>
%g = stablehlo.constant dense<[1, 3]> : tensor<2xi64>
%c = "stablehlo.dynamic_gather"(%b, %0, %g) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0],
  start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false}> : (tensor<8x3xi32>, tensor<2x1xi32>, tensor<2xi64>) -> tensor<2x3xi32>
return %c : tensor<2x3xi32>
""", [np.array([[3], [7]], np.int32)], numpy=lambda i: (np.array(
    [[-1, -1, -1], [0, -1, -1], [-1, -1, -1], [-1, -1, -1], [1, -1, -1], [-1, -1, -1], [-1, -1, -1], [2, -1, -1]],
    np.int32)[i[:, 0]],))

# --- Random numbers, linear algebra, whole functions ---
add("library", "threefry", lambda k: (jax.random.bits(k, (7,)), jax.random.randint(k, (5,), 0, 100),
                                      jax.random.permutation(k, 6)), [np.array([1, 2], np.uint32)])
add("library", "uniform", lambda k: jax.random.uniform(k, (7,)), [np.array([3, 4], np.uint32)])
A = whole(3, 3, low=-3, high=3)
SQUARE = A @ A.T + 9 * np.eye(3, dtype=np.float32)
add("library", "cholesky_upper", """
%r = stablehlo.cholesky %0, lower = false : tensor<3x3xf32>
%z = stablehlo.constant dense<0.0> : tensor<3x3xf32>
%i = stablehlo.iota dim = 0 : tensor<3x3xi32>
%j = stablehlo.iota dim = 1 : tensor<3x3xi32>
%c = stablehlo.compare LE, %i, %j : (tensor<3x3xi32>, tensor<3x3xi32>) -> tensor<3x3xi1>
%s = stablehlo.select %c, %r, %z : tensor<3x3xi1>, tensor<3x3xf32>
return %s : tensor<3x3xf32>
""", [SQUARE], "close 8", lambda x: (np.linalg.cholesky(x.astype(np.float64)).T.astype(np.float32),))
add("library", "triangular_solve", """
%r = "stablehlo.triangular_solve"(%0, %1) <{left_side = false, lower = true, unit_diagonal = false,
  transpose_a = #stablehlo<transpose TRANSPOSE>}> : (tensor<3x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
return %r : tensor<2x3xf32>
""", [SQUARE, whole(2, 3)], "almost",
    lambda a, b: (np.linalg.solve(np.tril(a).astype(np.float64), b.T.astype(np.float64)).T.astype(np.float32),))
add("library", "softmax", lambda x: jax.nn.softmax(x, axis=1), [f32(3, 5)], "close 8")
add("library", "one_hot_of_argmax", lambda x: jax.nn.one_hot(jnp.argmax(x, 1), 5, dtype=np.int32), [f32(3, 5)])
add("library", "gelu_in_halves", lambda x: jax.nn.gelu(x), [f32(9).astype(np.float16)], "close 8")
add("library", "unique_segments", lambda x: jax.ops.segment_sum(x, jnp.array([0, 2, 2, 1, 0]), 4), [whole(5)])
add("library", "where_and_select", lambda x: (jnp.where(x > 0, x, -x), jnp.select([x > 1, x < -1], [x, x * x], 7),
                                              jnp.searchsorted(jnp.sort(x), np.float32(0.5))), [whole(9)])
add("library", "histogram", lambda x: jnp.bincount(x, length=6), [RANDOM.integers(0, 6, 20).astype(np.int32)])

# --- Quantized numbers: sums are exact, then scaled ---


def quantized(x, scale, zero):
    return np.clip(np.rint(x.astype(np.float64) / scale + zero), -128, 127) - zero


def requantized(real, scale, zero):
    return ((np.clip(np.rint(real / scale + zero), -128, 127) - zero) * scale).astype(np.float32)


ROW_SCALES = np.array([0.5, 0.25, 2.0])
add("quantized", "dot", """
%a = stablehlo.uniform_quantize %0 : (tensor<4x7xf32>) -> tensor<4x7x!quant.uniform<i8:f32, 0.5:3>>
%b = stablehlo.uniform_quantize %1 : (tensor<7x3xf32>) -> tensor<7x3x!quant.uniform<i8:f32, 0.25>>
%c = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4x7x!quant.uniform<i8:f32, 0.5:3>>,
  tensor<7x3x!quant.uniform<i8:f32, 0.25>>) -> tensor<4x3x!quant.uniform<i8:f32, 2.0:1>>
%r = stablehlo.uniform_dequantize %c : (tensor<4x3x!quant.uniform<i8:f32, 2.0:1>>) -> tensor<4x3xf32>
return %r : tensor<4x3xf32>
""", [whole(4, 7), whole(7, 3)],
    numpy=lambda a, b: (requantized(quantized(a, 0.5, 3) @ quantized(b, 0.25, 0) * 0.125, 2.0, 1),))
add("quantized", "batches_with_a_scale_for_each_column", """
%a = stablehlo.uniform_quantize %0 : (tensor<2x4x5xf32>) -> tensor<2x4x5x!quant.uniform<i8:f32, 0.5:3>>
%b = stablehlo.uniform_quantize %1 : (tensor<3x2x5xf32>) -> tensor<3x2x5x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0, 2.0:0}>>
%c = stablehlo.dot_general %a, %b, batching_dims = [0] x [1], contracting_dims = [2] x [2]
  : (tensor<2x4x5x!quant.uniform<i8:f32, 0.5:3>>, tensor<3x2x5x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0, 2.0:0}>>)
  -> tensor<2x4x3x!quant.uniform<i8:f32, 1.0:0>>
%r = stablehlo.uniform_dequantize %c : (tensor<2x4x3x!quant.uniform<i8:f32, 1.0:0>>) -> tensor<2x4x3xf32>
return %r : tensor<2x4x3xf32>
""", [whole(2, 4, 5), whole(3, 2, 5)], numpy=lambda a, b: (requantized(np.einsum(
    "nik,jnk->nij", quantized(a, 0.5, 3), quantized(b, ROW_SCALES[:, None, None], 0)) * 0.5 * ROW_SCALES, 1.0, 0),))
add("quantized", "convolution_padded_with_zero_points", """
%a = stablehlo.uniform_quantize %0 : (tensor<1x6x2xf32>) -> tensor<1x6x2x!quant.uniform<i8:f32, 0.5:9>>
%b = stablehlo.uniform_quantize %1 : (tensor<3x2x3xf32>) -> tensor<3x2x3x!quant.uniform<i8:f32:2, {0.5:0, 0.25:0, 2.0:0}>>
%c = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 1]]}
  {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x6x2x!quant.uniform<i8:f32, 0.5:9>>,
  tensor<3x2x3x!quant.uniform<i8:f32:2, {0.5:0, 0.25:0, 2.0:0}>>) -> tensor<1x6x3x!quant.uniform<i8:f32, 1.0:0>>
%r = stablehlo.uniform_dequantize %c : (tensor<1x6x3x!quant.uniform<i8:f32, 1.0:0>>) -> tensor<1x6x3xf32>
return %r : tensor<1x6x3xf32>
""", [whole(1, 6, 2), whole(3, 2, 3)], numpy=lambda a, b: (requantized(np.stack([np.einsum(
    "bki,kio->bo", np.pad(quantized(a, 0.5, 9), ((0, 0), (1, 1), (0, 0)))[:, i:i + 3], quantized(b, ROW_SCALES, 0))
    for i in range(6)], 1) * 0.5 * ROW_SCALES, 1.0, 0),))

# --- Loops of other kinds than counting up to a limit ---
# These draw from a generator of their own, so that the inputs above stay the same.
MORE = np.random.default_rng(21)


def loops(name, dtype, condition, step, *starts):
    """Adds a case that runs a loop from each start. Its sums depend on the order and on the number of the trips."""
    def run(start):
        return lax.while_loop(lambda s: condition(s[0], s[1]), lambda s: (step(s[0]), s[1] * 3 + s[0].astype(np.int32)),
                              (start, np.int32(1)))

    add("control", name, lambda *starts: sum((run(start) for start in starts), ()),
        [np.asarray(start, dtype) for start in starts])


loops("loop_down", np.int32, lambda i, s: i > 0, lambda i: i - 1, 7, 1, 0, -3)
loops("loop_down_to_zero", np.int32, lambda i, s: i >= 0, lambda i: i - 1, 7, 0, -1)
loops("loop_down_by_three", np.int32, lambda i, s: i > 1, lambda i: i - 3, 10, 11, 12, 1)
loops("loop_down_to_negative", np.int32, lambda i, s: i > -5, lambda i: i - 2, 4, -4, -5)
loops("loop_down_with_limit_first", np.int32, lambda i, s: lax.lt(np.int32(0), i), lambda i: i - 1, 7, 1, 0)
loops("loop_down_of_words", np.int64, lambda i, s: i > 2 ** 40, lambda i: i - 2 ** 38, 2 ** 41, 2 ** 40)
loops("loop_down_of_bytes", np.int8, lambda i, s: i > -120, lambda i: i - np.int8(9), 100, -111, -120)
loops("loop_down_unsigned", np.uint8, lambda i, s: i > 3, lambda i: i - np.uint8(40), 203, 43, 3)
loops("loop_down_from_highest_bit", np.uint32, lambda i, s: i > 2 ** 31 - 3, lambda i: i - np.uint32(1), 2 ** 31 + 3)
loops("loop_up_with_step", np.int32, lambda i, s: i < 20, lambda i: i + 6, -4, 2, 20, 21)
loops("loop_up_to_and_with", np.int32, lambda i, s: i <= 9, lambda i: i + 2, 0, 1, 9, 10)
loops("loop_up_unsigned", np.uint8, lambda i, s: i < 250, lambda i: i + np.uint8(50), 0, 200, 250)
loops("loop_until_equal", np.int32, lambda i, s: i != 12, lambda i: i + 4, -8, 8, 12)
loops("loop_down_until_equal", np.int32, lambda i, s: i != 0, lambda i: i - 1, 6, 1, 0)
loops("loop_until_wrapped", np.uint8, lambda i, s: i != 3, lambda i: i + np.uint8(1), 250, 3)
loops("loop_while_equal", np.int32, lambda i, s: i == 5, lambda i: i + 1, 5, 4)
loops("loop_of_factors", np.int32, lambda i, s: i < 500, lambda i: i * 3, 1, 200, 600)
loops("loop_of_halves", np.int32, lambda i, s: i > 0, lambda i: i >> 1, 1000, 1, 0)
loops("loop_down_of_floats", np.float32, lambda i, s: i > 0.5, lambda i: i * np.float32(0.75), 9, 0.5, np.nan)
loops("loop_on_another_value", np.int32, lambda i, s: s < 1000, lambda i: i + 1, 0, 5, -2)
loops("loop_down_on_another_value", np.int32, lambda i, s: s > -1000, lambda i: i - 7, -8, 0)
loops("loop_on_both_values", np.int32, lambda i, s: (i > 0) & (s < 2000), lambda i: i - 1, 30, 3, 0)
loops("loop_on_either_value", np.int32, lambda i, s: (i > 0) | (s < 100), lambda i: i - 1, 9, 0)
loops("loop_on_negation", np.int32, lambda i, s: ~(i <= 0), lambda i: i - 1, 5, 1, 0)
add("control", "loop_down_to_an_operand", lambda n, m: lax.while_loop(
    lambda s: s[0] > s[1], lambda s: (s[0] - 1, s[1] + 2, s[2] * 3 + s[0] - s[1]), (n, m, np.int32(0))),
    [np.int32(20), np.int32(-3)])
add("control", "loop_down_over_elements", lambda x: lax.while_loop(
    lambda s: s[0] > 0, lambda s: (s[0] - 1, s[1] * 2 + x[s[0] - 1]), (np.int32(7), jnp.zeros_like(x[0]))),
    [MORE.integers(-9, 9, (7, 3)).astype(np.int32)])
add("control", "loop_down_in_a_loop", lambda x: lax.fori_loop(0, 4, lambda i, s: lax.while_loop(
    lambda t: t[0] > i, lambda t: (t[0] - 2, t[1] * 2 + t[0]), (np.int32(7), s))[1], x),
    [MORE.integers(-9, 9, 3).astype(np.int32)])


# --- The largest element and its index, among equal ones ---

def ties(size, dtype):
    """Returns elements of which many are equal to the largest, and others to the smallest one."""
    x = MORE.integers(0 if np.issubdtype(dtype, np.unsignedinteger) else -9, 9, size).astype(dtype)
    x[size // 3], x[size // 2], x[-size // 4] = x.max(), x.max(), x.min()
    return x


def arg_reduction(direction, dtype, name, size, is_swapped):
    """Adds a reduction of (value, index) whose tie break keeps the first of equals, or the last for GE and LE. It is
    commutative, because GPUs combine elements that are not next to each other."""
    x = ties(size, dtype)
    is_largest = (direction in ("GT", "GE")) != is_swapped
    takes_last = direction in ("GE", "LE")
    first, second = ("%a", "%b") if is_swapped else ("%b", "%a")
    initial = -100 if is_largest else 100
    number = f"{initial}.0" if name[0] in "bf" else initial if name != "ui8" else 0 if is_largest else 255
    same, later, both = ("NE", "GT", ("and", "or")) if takes_last else ("EQ", "LT", ("or", "and"))
    pair, index_pair = f"(tensor<{name}>, tensor<{name}>) -> tensor<i1>", "(tensor<i32>, tensor<i32>) -> tensor<i1>"
    text = f"""
%v = stablehlo.constant dense<{number}> : tensor<{name}>
%z = stablehlo.constant dense<{-1 if takes_last else size}> : tensor<i32>
%i = stablehlo.iota dim = 0 : tensor<{size}xi32>
%r:2 = stablehlo.reduce(%0 init: %v), (%i init: %z) across dimensions = [0]
 : (tensor<{size}x{name}>, tensor<{size}xi32>, tensor<{name}>, tensor<i32>) -> (tensor<{name}>, tensor<i32>)
 reducer(%a: tensor<{name}>, %b: tensor<{name}>) (%j: tensor<i32>, %k: tensor<i32>) {{
  %c = stablehlo.compare {direction}, {first}, {second} : {pair}
  %d = stablehlo.select %c, %b, %a : tensor<i1>, tensor<{name}>
  %s = stablehlo.compare {same}, %a, %b : {pair}
  %l = stablehlo.compare {later}, %k, %j : {index_pair}
  %t = stablehlo.{both[1]} %s, %l : tensor<i1>
  %u = stablehlo.{both[0]} %c, %t : tensor<i1>
  %e = stablehlo.select %u, %k, %j : tensor<i1>, tensor<i32>
  stablehlo.return %d, %e : tensor<{name}>, tensor<i32>
}}
return %r#0, %r#1 : tensor<{name}>, tensor<i32>
"""

    def expected(x):
        best = x.max() if is_largest else x.min()
        places = np.flatnonzero(x == best)
        return best, np.int32(places[-1 if takes_last else 0])

    way = "by_first" if is_swapped else "by_second"
    add("reductions", f"index_{direction.lower()}_{name}_{size}_{way}", text, [x], "eq", expected)


for size, (dtype, name) in zip((700, 300, 37, 259, 67), ((np.int8, "i8"), (np.int32, "i32"), (np.float32, "f32"),
                                                          (ml_dtypes.bfloat16, "bf16"), (np.uint8, "ui8"))):
    for direction in ("GT", "GE", "LT", "LE"):
        arg_reduction(direction, dtype, name, size, is_swapped=False)
    arg_reduction("LT" if name != "i32" else "GT", dtype, name, size, is_swapped=True)
for dtype in (np.int8, np.int32, np.float32, ml_dtypes.bfloat16, np.uint8):
    add("reductions", f"arg_max_of_ties_{np.dtype(dtype).name}", lambda x: (jnp.argmax(x), jnp.argmin(x)),
        [ties(530, dtype)])
for dtype in (np.float32, ml_dtypes.bfloat16):
    x = ties(515, dtype)
    x[410] = np.nan  # one, because which of several is found depends on the order
    add("reductions", f"arg_max_with_late_nan_{np.dtype(dtype).name}", lambda x: (jnp.argmax(x), jnp.argmin(x)), [x])
add("reductions", "arg_max_of_rows", lambda x: (jnp.argmax(x, 1), jnp.argmin(x, 0)),
    [ties(3 * 270, np.int32).reshape(3, 270)])

# --- Sums from the beginning of an array, longer than the blocks in which devices compute them ---


def cumulative(name, x, initial, function, is_reversed=False):
    n = x.shape[-1]
    ones = (1,) * (x.ndim - 1)
    padding = [(0, 0)] * (x.ndim - 1) + [(0, n - 1) if is_reversed else (n - 1, 0)]
    window = ((*ones, n), (*ones, 1), padding)
    add("window", name, lambda x: lax.reduce_window(x, x.dtype.type(initial), function, *window), [x])


cumulative("long_sums", MORE.integers(-99, 99, 1500).astype(np.int32), 0, lax.add)
cumulative("long_sums_from_the_end", MORE.integers(-99, 99, 1300).astype(np.int32), 0, lax.add, True)
cumulative("long_sums_of_bytes", MORE.integers(-99, 99, 1100).astype(np.int8), 0, lax.add)
cumulative("long_sums_of_floats", MORE.integers(-9, 9, 1100).astype(np.float32), 0, lax.add)
cumulative("long_sums_of_rows", MORE.integers(-99, 99, (2, 1050)).astype(np.int32), 0, lax.add)
cumulative("long_maxima", (np.arange(1200) // 7 + MORE.integers(-99, 99, 1200)).astype(np.int32), -2 ** 31, lax.max)
cumulative("long_maxima_of_floats", (np.arange(1100) - 700 + MORE.integers(-50, 50, 1100)).astype(np.float32), -np.inf,
           lax.max)
cumulative("long_minima_from_the_end", (np.arange(1100) + MORE.integers(-50, 50, 1100)).astype(np.int32), 2 ** 31 - 1,
           lax.min, True)
