"""One net for each way in which a layer can be used, with the result by NumPy (references.py)."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import references as ref

Array = np.ndarray


@dataclass
class Case:
    name: str
    file: str  # in core/import/caffe/testdata, which has several cases
    layers: str  # text, in which BLOBS stands for the weights
    inputs: dict[str, Array]
    results: list[Array]
    blobs: list[Array] = field(default_factory=list)
    opencv: str = ""  # why OpenCV does not compute it, or computes something else; empty: it agrees
    layer: str = ""  # the name of the layer with the weights


CASES: list[Case] = []
random = np.random.default_rng(3)


def numbers(*sizes: int, low: float = -2, high: float = 2) -> Array:
    """Multiples of 1/8, which are short as text."""
    return (np.round(random.uniform(low, high, sizes) * 8) / 8).astype(np.float32)


def case(file: str, name: str, type: str, parameters: str, inputs: dict[str, Array], results: list[Array],
         blobs: list[Array] | None = None, opencv: str = "", tops: list[str] | None = None) -> None:
    lines = [f'  name: "{name}"', f'  type: "{type}"', *(f'  bottom: "{b}"' for b in inputs),
             *(f'  top: "{t}"' for t in (["y"] if tops is None else tops)), *([f"  {parameters}"] if parameters else [])]
    text = "layer {\n" + "\n".join(lines) + "\nBLOBS}\n"
    CASES.append(Case(name, file, text, inputs, results, blobs or [], opencv, name))


def add_convolutions() -> None:
    x = numbers(2, 4, 5, 6)
    w, b = numbers(3, 4, 3, 3), numbers(3)
    case("convolution", "plain", "Convolution", "convolution_param { num_output: 3 kernel_size: 3 }", {"x": x},
         [ref.convolution(x, w, b, (1, 1), (0, 0), (1, 1), 1)], [w, b])
    w, b = numbers(4, 2, 3, 3), numbers(4)
    case("convolution", "grouped", "Convolution",
         "convolution_param { num_output: 4 kernel_size: 3 stride: 2 pad: 1 group: 2 }", {"x": x},
         [ref.convolution(x, w, b, (2, 2), (1, 1), (1, 1), 2)], [w, b])
    w = numbers(2, 4, 3, 2)
    case("convolution", "uneven", "Convolution", "convolution_param { num_output: 2 bias_term: false kernel_h: 3 "
         "kernel_w: 2 stride_h: 2 stride_w: 1 pad_h: 2 pad_w: 0 }", {"x": x},
         [ref.convolution(x, w, None, (2, 1), (2, 0), (1, 1), 1)], [w])
    w, b = numbers(2, 4, 2, 2), numbers(2)
    case("convolution", "dilated", "Convolution",
         "convolution_param { num_output: 2 kernel_size: 2 dilation: 3 dilation: 2 }", {"x": x},
         [ref.convolution(x, w, b, (1, 1), (0, 0), (3, 2), 1)], [w, b])
    v = numbers(2, 4, 5, 6)
    case("convolution", "two_images", "Convolution", "convolution_param { num_output: 2 kernel_size: 2 }",
         {"x": x, "v": v}, [ref.convolution(a, w, b, (1, 1), (0, 0), (1, 1), 1) for a in (x, v)], [w, b],
         tops=["y", "z"])
    cube = numbers(1, 2, 3, 4, 3)
    w, b = numbers(2, 2, 2, 3, 1), numbers(2)
    case("convolution", "of_cubes", "Convolution",
         "convolution_param { num_output: 2 kernel_size: [2, 3, 1] pad: [1, 0, 0] }", {"x": cube},
         [ref.convolution(cube, w, b, (1, 1, 1), (1, 0, 0), (1, 1, 1), 1)], [w, b])
    w, b = numbers(2, 5, 2), numbers(2)
    case("convolution", "of_the_last_axis", "Convolution",
         "convolution_param { num_output: 2 kernel_size: 2 axis: 2 }", {"x": x},
         [ref.convolution(x.reshape(8, 5, 6), w, b, (1,), (0,), (1,), 1).reshape(2, 4, 2, 5)], [w, b],
         "it does not read axis")

    x = numbers(2, 4, 3, 2)
    w, b = numbers(4, 3, 3, 3), numbers(3)
    case("deconvolution", "plain", "Deconvolution", "convolution_param { num_output: 3 kernel_size: 3 stride: 2 }",
         {"x": x}, [ref.deconvolution(x, w, b, (2, 2), (0, 0), (1, 1), 1)], [w, b])
    w, b = numbers(4, 1, 4, 4), numbers(2)
    case("deconvolution", "grouped", "Deconvolution",
         "convolution_param { num_output: 2 kernel_size: 4 stride: 2 pad: 1 group: 2 }", {"x": x},
         [ref.deconvolution(x, w, b, (2, 2), (1, 1), (1, 1), 2)], [w, b])
    w = numbers(4, 2, 2, 2)
    case("deconvolution", "dilated", "Deconvolution",
         "convolution_param { num_output: 2 bias_term: false kernel_size: 2 dilation: 2 pad: 1 }", {"x": x},
         [ref.deconvolution(x, w, None, (1, 1), (1, 1), (2, 2), 1)], [w],
         "it does not read the dilation of Deconvolution")


def add_pooling() -> None:
    x = numbers(1, 2, 6, 7)
    for name, method, kernel, stride, pad, text, opencv in (
            ("max_with_remainder", "MAX", (3, 3), (2, 2), (0, 0), "kernel_size: 3 stride: 2", ""),
            ("max_padded", "MAX", (3, 3), (2, 2), (1, 1), "kernel_size: 3 stride: 2 pad: 1", ""),
            ("max_clipped", "MAX", (2, 2), (2, 2), (1, 1), "kernel_size: 2 stride: 2 pad: 1", ""),
            ("average", "AVE", (2, 3), (1, 2), (0, 0), "kernel_h: 2 kernel_w: 3 stride_h: 1 stride_w: 2", ""),
            ("average_with_remainder", "AVE", (3, 3), (2, 2), (0, 0), "kernel_size: 3 stride: 2", ""),
            ("average_padded", "AVE", (3, 3), (2, 2), (1, 1), "kernel_size: 3 stride: 2 pad: 1", ""),
            ("average_padded_unevenly", "AVE", (3, 4), (2, 3), (1, 2),
             "kernel_h: 3 kernel_w: 4 stride_h: 2 stride_w: 3 pad_h: 1 pad_w: 2", "")):
        case("pooling", name, "Pooling", f"pooling_param {{ pool: {method} {text} }}", {"x": x},
             [ref.pooling(x, method, kernel, stride, pad)[0]], opencv=opencv)
    case("pooling", "rounded_down", "Pooling", "pooling_param { kernel_size: 3 stride: 2 round_mode: FLOOR }", {"x": x},
         [ref.pooling(x, "MAX", (3, 3), (2, 2), (0, 0), True)[0]], opencv="it knows ceil_mode, which BVLC's does not")
    case("pooling", "rounded_down_as_in_branches", "Pooling",
         "pooling_param { kernel_size: 3 stride: 2 ceil_mode: false }", {"x": x},
         [ref.pooling(x, "MAX", (3, 3), (2, 2), (0, 0), True)[0]])
    case("pooling", "global", "Pooling", "pooling_param { pool: AVE global_pooling: true }", {"x": x},
         [x.mean((2, 3), keepdims=True, dtype=np.float64)])
    case("pooling", "with_places", "Pooling", "pooling_param { kernel_size: 3 stride: 2 pad: 1 }", {"x": x},
         list(ref.pooling(x, "MAX", (3, 3), (2, 2), (1, 1))), tops=["y", "places"])
    case("pooling", "larger_than_the_image", "Pooling", "pooling_param { pool: AVE kernel_size: 9 stride: 4 }", {"x": x},
         [ref.pooling(x, "AVE", (9, 9), (4, 4), (0, 0))[0]], opencv="it refuses kernels that are larger than the image")


def add_products() -> None:
    x, w, b = numbers(3, 2, 4), numbers(5, 8), numbers(5)
    flat = x.reshape(3, 8)
    case("products", "inner_product", "InnerProduct", "inner_product_param { num_output: 5 }", {"x": x},
         [flat @ w.T + b], [w, b])
    case("products", "transposed", "InnerProduct", "inner_product_param { num_output: 5 transpose: true }", {"x": x},
         [flat @ w.T + b], [w.T.copy(), b],
         "it does not read transpose")
    w = numbers(3, 4)
    case("products", "of_the_last_axis", "InnerProduct",
         "inner_product_param { num_output: 3 axis: -1 bias_term: false }", {"x": x}, [x @ w.T], [w])
    table, b = numbers(6, 3), numbers(3)
    rows = np.array([[5, 0], [2, 2]], dtype=np.float32)
    case("products", "embed", "Embed", "embed_param { input_dim: 6 num_output: 3 }", {"x": rows},
         [table[rows.astype(int)] + b], [table, b], "it has no such layer")


def add_elementwise() -> None:
    x = numbers(2, 3, 4)
    wide = x.astype(np.float64)
    positive = numbers(2, 3, low=0.25, high=3)
    sigmoid = ref.sigmoid(x)
    unknown = "it has no such layer"
    for name, type, parameters, result, opencv in (
            ("relu", "ReLU", "", np.maximum(x, 0), ""),
            ("leaky", "ReLU", "relu_param { negative_slope: 0.125 }", np.where(x > 0, x, x / 8), ""),
            ("elu", "ELU", "elu_param { alpha: 0.5 }", np.where(x > 0, x, (np.exp(wide) - 1) / 2), ""),
            ("sigmoid", "Sigmoid", "", sigmoid, ""),
            ("tanh", "TanH", "", np.tanh(wide), ""),
            ("abs_val", "AbsVal", "", np.abs(x), ""),
            ("bnll", "BNLL", "", np.log1p(np.exp(wide)), ""),
            ("power", "Power", "power_param { power: 3 scale: 0.5 shift: 1 }", (wide / 2 + 1) ** 3, ""),
            ("line", "Power", "power_param { scale: 0.5 shift: 1 }", wide / 2 + 1, ""),
            ("constant", "Power", "power_param { power: 0 scale: 0.5 }", np.ones(x.shape), ""),
            ("exp", "Exp", "exp_param { base: 2 scale: 0.5 shift: 1 }", 2 ** (wide / 2 + 1), ""),
            ("exp_of_e", "Exp", "", np.exp(wide), ""),
            ("threshold", "Threshold", "threshold_param { threshold: 0.5 }", (x > 0.5).astype(np.float32), unknown),
            ("swish", "Swish", "swish_param { beta: 2 }", wide / (1 + np.exp(-2 * wide)), "it does not read beta"),
            ("clip", "Clip", "clip_param { min: -0.5 max: 1 }", np.clip(x, -0.5, 1), "it has no such layer"),
            ("dropout", "Dropout", "dropout_param { dropout_ratio: 0.25 }", x, "")):
        case("elementwise", name, type, parameters, {"x": x}, [result], opencv=opencv)
    case("elementwise", "log", "Log", "log_param { base: 2 scale: 0.5 shift: 1 }", {"x": positive},
         [np.log2(positive.astype(np.float64) / 2 + 1)], opencv="it does not read log_param")
    slopes = numbers(3)
    case("elementwise", "prelu", "PReLU", "", {"x": x}, [np.where(x > 0, x, x * slopes[:, None])], [slopes])
    shared = np.array(0.375, dtype=np.float32)
    case("elementwise", "prelu_shared", "PReLU", "prelu_param { channel_shared: true }", {"x": x},
         [np.where(x > 0, x, x * shared)], [shared])
    y, z = numbers(2, 3, 4), numbers(2, 3, 4)
    case("elementwise", "sum", "Eltwise", "", {"x": x, "v": y, "z": z}, [x + y + z])
    case("elementwise", "weighted_sum", "Eltwise", "eltwise_param { coeff: 0.5 coeff: -1 }", {"x": x, "v": y},
         [x / 2 - y])
    case("elementwise", "product", "Eltwise", "eltwise_param { operation: PROD }", {"x": x, "v": y, "z": z},
         [x * y * z])
    case("elementwise", "maximum", "Eltwise", "eltwise_param { operation: MAX }", {"x": x, "v": y}, [np.maximum(x, y)])
    factors, addends = numbers(3), numbers(3)
    case("elementwise", "scale", "Scale", "", {"x": x}, [x * factors[:, None]], [factors])
    case("elementwise", "scale_and_bias", "Scale", "scale_param { bias_term: true }", {"x": x},
         [x * factors[:, None] + addends[:, None]], [factors, addends])
    block = numbers(3, 4)
    case("elementwise", "scale_of_two_axes", "Scale", "scale_param { axis: 1 num_axes: -1 }", {"x": x}, [x * block],
         [block])
    case("elementwise", "scale_by_a_number", "Scale", "scale_param { num_axes: 0 }", {"x": x}, [x * shared], [shared])
    case("elementwise", "scale_by_a_bottom", "Scale", "scale_param { axis: 0 }", {"x": x, "v": y[:, :, 0]},
         [x * y[:, :, :1]])
    case("elementwise", "bias", "Bias", "", {"x": x}, [x + addends[:, None]], [addends],
         "it has no such layer")
    case("elementwise", "bias_by_a_bottom", "Bias", "bias_param { axis: 2 }", {"x": x, "v": y[0, 0]}, [x + y[0, 0]],
         opencv="it has no such layer")


def add_normalization() -> None:
    x = numbers(2, 5, 4, 3)
    wide = x.astype(np.float64)
    case("normalization", "lrn", "LRN", "lrn_param { local_size: 3 alpha: 0.5 beta: 0.75 k: 2 }", {"x": x},
         [ref.lrn_across(x, 3, 0.5, 0.75, 2)], opencv="it does not read k")
    case("normalization", "lrn_wide", "LRN", "lrn_param { local_size: 13 alpha: 2 }", {"x": x},
         [ref.lrn_across(x, 13, 2, 0.75, 1)])
    case("normalization", "lrn_within", "LRN", "lrn_param { local_size: 3 alpha: 0.5 norm_region: WITHIN_CHANNEL }",
         {"x": x}, [ref.lrn_within(x, 3, 0.5, 0.75)])
    mean, variance, factor = numbers(5), numbers(5, low=0.25, high=2), np.array([2], dtype=np.float32)
    case("normalization", "batch_norm", "BatchNorm", "batch_norm_param { eps: 0.125 }", {"x": x},
         [ref.batch_norm(x, mean, variance, 2, 0.125)], [mean, variance, factor])
    case("normalization", "batch_norm_untrained", "BatchNorm", "batch_norm_param { eps: 0.25 }", {"x": x}, [wide * 2],
         [mean, variance, np.zeros(1, np.float32)])
    centered = wide - wide.mean((0, 2, 3), keepdims=True)
    case("normalization", "batch_norm_of_the_batch", "BatchNorm", "batch_norm_param { use_global_stats: false }",
         {"x": x}, [centered / np.sqrt((centered ** 2).mean((0, 2, 3), keepdims=True) + 1e-5)],
         opencv="it crashes without weights")
    for name, across, has_variance in (("mvn", False, True), ("mvn_across", True, True), ("mean", False, False)):
        text = f"mvn_param {{ across_channels: {str(across).lower()} normalize_variance: {str(has_variance).lower()} }}"
        case("normalization", name, "MVN", text, {"x": x}, [ref.mvn(x, across, has_variance, 1e-9)])
    case("normalization", "softmax", "Softmax", "", {"x": x}, [ref.softmax(x, 1)])
    case("normalization", "softmax_of_the_last_axis", "Softmax", "softmax_param { axis: -1 }", {"x": x},
         [ref.softmax(x, 3)])
    weights = numbers(5)
    norm = np.sqrt((wide ** 2).sum(1, keepdims=True) + 1e-10)
    case("normalization", "normalize", "Normalize", "norm_param { across_spatial: false channel_shared: false }",
         {"x": x}, [wide / norm * weights[:, None, None]], [weights])
    norm = np.sqrt((wide ** 2).sum((1, 2, 3), keepdims=True) + 1e-10)
    case("normalization", "normalize_all", "Normalize", "", {"x": x}, [wide / norm * 0.375],
         [np.array(0.375, np.float32)])


def add_movement() -> None:
    x, y = numbers(2, 3, 4), numbers(2, 2, 4)
    case("movement", "concat", "Concat", "", {"x": x, "v": y}, [np.concatenate([x, y], 1)])
    case("movement", "concat_by_the_old_name", "Concat", "concat_param { concat_dim: 0 }", {"x": x, "v": x + 1},
         [np.concatenate([x, x + 1], 0)], opencv="it does not read concat_dim")
    case("movement", "slice", "Slice", "", {"x": x}, [x[:, :1], x[:, 1:2], x[:, 2:]], tops=["a", "b", "c"])
    case("movement", "slice_at", "Slice", "slice_param { axis: 2 slice_point: 1 }", {"x": x}, [x[:, :, :1], x[:, :, 1:]],
         tops=["a", "b"])
    case("movement", "split", "Split", "", {"x": x}, [x, x], tops=["a", "b"])
    case("movement", "flatten", "Flatten", "", {"x": x}, [x.reshape(2, 12)])
    case("movement", "flatten_the_first", "Flatten", "flatten_param { axis: 0 end_axis: 1 }", {"x": x},
         [x.reshape(6, 4)])
    case("movement", "reshape", "Reshape", "reshape_param { shape { dim: 0 dim: -1 dim: 2 } }", {"x": x},
         [x.reshape(2, 6, 2)])
    case("movement", "reshape_a_part", "Reshape", "reshape_param { axis: 1 num_axes: 1 shape { dim: 3 dim: 1 } }",
         {"x": x}, [x.reshape(2, 3, 1, 4)])
    case("movement", "reshape_at_the_end", "Reshape", "reshape_param { axis: -1 shape { dim: 1 } }", {"x": x},
         [x.reshape(2, 3, 4, 1)], opencv="it counts a negative axis otherwise")
    case("movement", "tile", "Tile", "tile_param { axis: 1 tiles: 2 }", {"x": x}, [np.concatenate([x, x], 1)],
         opencv="it has no such layer")
    case("movement", "permute", "Permute", "permute_param { order: 2 order: 0 }", {"x": x}, [x.transpose(2, 0, 1)],
         opencv="it wants all dimensions in order")
    image, reference = numbers(1, 2, 5, 6), numbers(1, 2, 3, 2)
    case("movement", "crop", "Crop", "crop_param { axis: 2 offset: 1 offset: 3 }", {"x": image, "v": reference},
         [image[:, :, 1:4, 3:5]])


def add_reductions() -> None:
    x = numbers(2, 3, 4)
    x[0, :, 1] = x[0, :, 0].max() + 1  # equal elements, of which the last one comes first
    case("reductions", "arg_max", "ArgMax", "", {"x": x}, [ref.arg_max(x, 1, None, False)],
         opencv="it has no such layer")
    case("reductions", "arg_max_with_values", "ArgMax", "argmax_param { out_max_val: true top_k: 3 }", {"x": x},
         [ref.arg_max(x, 3, None, True)], opencv="it has no such layer")
    case("reductions", "arg_max_along", "ArgMax", "argmax_param { axis: 1 top_k: 2 }", {"x": x},
         [ref.arg_max(x, 2, 1, False)], opencv="it has no such layer")
    case("reductions", "max_along", "ArgMax", "argmax_param { axis: -1 out_max_val: true }", {"x": x},
         [ref.arg_max(x, 1, 2, True)], opencv="it has no such layer")
    wide = x.astype(np.float64)
    for name, text, result in (
            ("sum", "", wide.sum()),
            ("absolute_sum", "reduction_param { operation: ASUM axis: 1 coeff: 0.5 }", np.abs(wide).sum((1, 2)) / 2),
            ("square_sum", "reduction_param { operation: SUMSQ axis: 2 }", (wide ** 2).sum(2)),
            ("mean", "reduction_param { operation: MEAN axis: -1 }", wide.mean(2))):
        case("reductions", name, "Reduction", text, {"x": x}, [np.asarray(result)],
             opencv="it has no such layer")


def add_recurrent() -> None:
    x, continues = numbers(4, 2, 3), np.array([[0, 0], [1, 1], [1, 0], [1, 1]], dtype=np.float32)
    w_x, bias, w_h = numbers(8, 3, low=-1, high=1), numbers(8), numbers(8, 2, low=-1, high=1)
    none = np.zeros((2, 2))
    case("recurrent", "lstm", "LSTM", "recurrent_param { num_output: 2 }", {"x": x, "continues": continues},
         [ref.lstm(x, continues, w_x, bias, w_h, none, none)[0]], [w_x, bias, w_h], "its layer LSTM is another one")
    hidden, cell = numbers(1, 2, 2), numbers(1, 2, 2)
    ongoing = np.ones((4, 2), np.float32)
    case("recurrent", "lstm_with_states", "LSTM", "recurrent_param { num_output: 2 expose_hidden: true }",
         {"x": x, "continues": ongoing, "hidden": hidden, "cell": cell},
         list(ref.lstm(x, ongoing, w_x, bias, w_h, hidden[0], cell[0])), [w_x, bias, w_h],
         "its layer LSTM is another one", ["y", "last_hidden", "last_cell"])
    w_x, bias, w_h = numbers(2, 3), numbers(2), numbers(2, 2)
    w_o, bias_o = numbers(2, 2), numbers(2)
    case("recurrent", "rnn", "RNN", "recurrent_param { num_output: 2 }", {"x": x, "continues": continues},
         [ref.rnn(x, continues, w_x, bias, w_h, w_o, bias_o)], [w_x, bias, w_h, w_o, bias_o],
         "it has no such layer")


def add_detection() -> None:
    places, image = numbers(1, 1, 2, 3), numbers(1, 1, 20, 30)
    case("detection", "prior_box", "PriorBox",
         "prior_box_param { min_size: 4 max_size: 9 aspect_ratio: 2 clip: true variance: 0.1 variance: 0.1 "
         "variance: 0.2 variance: 0.2 }", {"x": places, "image": image},
         [ref.prior_box((2, 3), (20, 30), [4], [9], [2], [0.1, 0.1, 0.2, 0.2], 0.5, True)])


for add in (add_convolutions, add_pooling, add_products, add_elementwise, add_normalization, add_movement,
            add_reductions, add_recurrent, add_detection):
    add()
