"""Operations in terms of others: core ATen, and what torch.onnx knows and gets right."""

import functools
import math
from typing import Any, Callable, Sequence

import torch
from torch._decomp import core_aten_decompositions, get_decompositions

aten = torch.ops.aten
Tensor = torch.Tensor


def gradient_of_weights(inputs: Tensor, gradient: Tensor, sizes: Sequence[int], stride: Sequence[int],
                        padding: Sequence[int], dilation: Sequence[int], groups: int) -> Tensor:
    """Returns the gradient of the weights of a convolution, [features of all groups, channels of a group, window], as a
    convolution: the batch is the dimension that is summed over, and the gradient is the window."""
    batch, channels = inputs.shape[:2]
    rest = list(inputs.shape[2:])
    # [batch, groups * channels, ...] becomes [channels, groups * batch, ...]
    split = inputs.reshape([batch, groups, channels // groups, *rest])
    lhs = split.permute(2, 1, 0, *range(3, split.dim())).reshape([channels // groups, groups * batch, *rest])
    made: Tensor = aten.convolution(lhs, gradient.transpose(0, 1), None, dilation, padding, stride, False,
                                    [0] * len(rest), groups)
    for dimension, size in enumerate(sizes):  # what the stride has left over is not a part of the window
        made = made.narrow(dimension + 2, 0, size)
    return made.transpose(0, 1)


def convolution_backward(gradient: Tensor, inputs: Tensor, weights: Tensor, bias_sizes: Sequence[int] | None,
                         stride: Sequence[int], padding: Sequence[int], dilation: Sequence[int], transposed: bool,
                         output_padding: Sequence[int], groups: int,
                         output_mask: Sequence[bool]) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
    count = inputs.dim() - 2
    stride, padding, dilation = ([*values] * (count if len(values) == 1 else 1)
                                 for values in (stride, padding, dilation))
    window = weights.shape[2:]
    of_inputs = of_weights = of_bias = None
    if output_mask[0] and transposed:
        of_inputs = aten.convolution(gradient, weights, None, stride, padding, dilation, False, [0] * count, groups)
    elif output_mask[0]:
        rest = [inputs.shape[i + 2] - ((gradient.shape[i + 2] - 1) * stride[i] - 2 * padding[i] +
                                       dilation[i] * (window[i] - 1) + 1) for i in range(count)]
        of_inputs = aten.convolution(gradient, weights, None, stride, padding, dilation, True, rest, groups)
    if output_mask[1]:
        pair = (gradient, inputs) if transposed else (inputs, gradient)
        of_weights = gradient_of_weights(*pair, window, stride, padding, dilation, groups)
    if output_mask[2]:
        of_bias = gradient.sum([0, *range(2, gradient.dim())])
    return of_inputs, of_weights, of_bias


def max_pool2d_with_indices_backward(gradient: Tensor, inputs: Tensor, kernel_size: Any, stride: Any, padding: Any,
                                     dilation: Any, ceil_mode: bool, indices: Tensor) -> Tensor:
    plane = math.prod(inputs.shape[-2:])
    leading = list(inputs.shape[:-2])
    zeros = torch.zeros([*leading, plane], dtype=gradient.dtype, device=gradient.device)
    made = zeros.scatter_add(-1, indices.reshape([*leading, -1]), gradient.reshape([*leading, -1]))
    return made.reshape(inputs.shape)


def avg_pool2d_backward(gradient: Tensor, inputs: Tensor, kernel_size: Sequence[int], stride: Sequence[int],
                        padding: Sequence[int], ceil_mode: bool, count_include_pad: bool,
                        divisor_override: int | None) -> Tensor:
    kernel, padding = ([*values] * (2 if len(values) == 1 else 1) for values in (kernel_size, padding))
    stride = [*stride] * (2 if len(stride) == 1 else 1) or kernel
    sizes, outputs = inputs.shape[-2:], gradient.shape[-2:]
    ones = torch.ones([1, 1, *kernel], dtype=gradient.dtype, device=gradient.device)

    def counts(axis: int) -> Tensor:
        """Returns how many elements of each window are counted along an axis."""
        start = torch.arange(outputs[axis], device=gradient.device) * stride[axis] - padding[axis]
        end = (start + kernel[axis]).clamp(max=sizes[axis] + padding[axis])
        if count_include_pad:
            return end - start
        return end.clamp(max=sizes[axis]) - start.clamp(min=0)

    divisor = divisor_override or counts(0)[:, None] * counts(1)[None, :]
    # [n, 1, ...]: a transposed convolution adds each element to all of its window.
    scaled = (gradient / divisor).reshape([-1, 1, *outputs])
    spread: Tensor = aten.convolution(scaled, ones, None, stride, [0, 0], [1, 1], True, [0, 0], 1)
    for axis in range(2):
        missing = padding[axis] + sizes[axis] - spread.shape[axis + 2]
        if missing > 0:
            pad = [0, 0, 0, missing] if axis == 0 else [0, missing, 0, 0]
            spread = aten.constant_pad_nd(spread, pad, 0.0)
        spread = spread.narrow(axis + 2, padding[axis], sizes[axis])
    return spread.reshape(inputs.shape)


def empty_permuted(size: Sequence[int], order: Sequence[int], **properties: Any) -> Tensor:
    """Any elements will do; strides have no meaning in a program."""
    return torch.zeros(size, **properties)


def native_multi_head_attention(
        query: Tensor, key: Tensor, value: Tensor, size: int, heads: int, weights: Tensor, bias: Tensor,
        out_weights: Tensor, out_bias: Tensor, mask: Tensor | None = None, need_weights: bool = True,
        average_weights: bool = True, mask_type: int | None = None) -> tuple[Tensor, Tensor | None]:
    """What nn.MultiheadAttention calls for inference. `mask`: true, or not 0, for what is left out: [queries, keys] if
    `mask_type` is 0, [batch, keys] if it is 1, and [batch, heads, queries, keys] if it is 2."""
    q, k, v = (aten.linear(given, weight, part).unflatten(-1, (heads, size // heads)).transpose(1, 2)
               for given, weight, part in zip((query, key, value), weights.chunk(3), bias.chunk(3)))
    scores = (q / math.sqrt(size // heads)) @ k.transpose(-2, -1)
    if mask is not None:
        scores = scores.masked_fill((mask[:, None, None, :] if mask_type == 1 else mask).bool(), -math.inf)
    attention = scores.softmax(-1)
    made = aten.linear((attention @ v).transpose(1, 2).flatten(2), out_weights, out_bias)
    return made, (attention.mean(1) if average_weights else attention) if need_weights else None


def transformer_encoder_layer(
        x: Tensor, size: int, heads: int, weights: Tensor, bias: Tensor, out_weights: Tensor, out_bias: Tensor,
        use_gelu: bool, norm_first: bool, eps: float, norm_weights_1: Tensor, norm_bias_1: Tensor,
        norm_weights_2: Tensor, norm_bias_2: Tensor, weights_1: Tensor, bias_1: Tensor, weights_2: Tensor,
        bias_2: Tensor, mask: Tensor | None = None, mask_type: int | None = None) -> Tensor:
    """What nn.TransformerEncoderLayer calls for inference."""
    def norm(x: Tensor, weights: Tensor, bias: Tensor) -> Tensor:
        normal: Tensor = aten.layer_norm(x, [size], weights, bias, eps)
        return normal

    def attend(x: Tensor) -> Tensor:
        return native_multi_head_attention(x, x, x, size, heads, weights, bias, out_weights, out_bias, mask, False,
                                           True, mask_type)[0]

    def feed(x: Tensor) -> Tensor:
        hidden = aten.linear(x, weights_1, bias_1)
        fed: Tensor = aten.linear(aten.gelu(hidden) if use_gelu else aten.relu(hidden), weights_2, bias_2)
        return fed

    if norm_first:
        x = x + attend(norm(x, norm_weights_1, norm_bias_1))
        return x + feed(norm(x, norm_weights_2, norm_bias_2))
    x = norm(x + attend(x), norm_weights_1, norm_bias_1)
    return norm(x + feed(x), norm_weights_2, norm_bias_2)


def batch_norm(x: Tensor, weights: Tensor | None, bias: Tensor | None, mean: Tensor, variance: Tensor, momentum: float,
               eps: float) -> Any:
    """Inference in half precision, which PyTorch computes in f32."""
    if x.dtype not in HALF:
        return NotImplemented
    shape = [1, -1, *[1] * (x.dim() - 2)]
    made = (x.float() - mean.float().reshape(shape)) * torch.rsqrt(variance.float() + eps).reshape(shape)
    made = made if weights is None else made * weights.float().reshape(shape)
    made = made if bias is None else made + bias.float().reshape(shape)
    return made.to(x.dtype), x.new_zeros(0), x.new_zeros(0)


def in_f32(operation: Callable[..., Tensor]) -> Callable[..., Any]:
    """torch.onnx computes these in f32, as PyTorch does, but leaves the result so."""
    def decomposed(x: Tensor, *arguments: Any, dtype: torch.dtype | None = None, **named: Any) -> Any:
        if x.dtype not in HALF:
            return NotImplemented
        made = operation(x.float(), *arguments, **named)
        return made.to(dtype or x.dtype)
    return decomposed


def of_integers(x: Tensor, *arguments: Any, **named: Any) -> Any:
    """Integers are rounded already; ONNX rounds floats alone."""
    return NotImplemented if x.dtype.is_floating_point else x.clone()


def index_put(x: Tensor, indices: Sequence[Tensor | None], values: Tensor, accumulate: bool = False) -> Any:
    """x[mask] = number, whose number of elements only a run knows, is a selection."""
    mask = indices[0]
    if len(indices) != 1 or mask is None or mask.dtype != torch.bool or values.numel() != 1 or accumulate:
        return NotImplemented
    return torch.where(mask.reshape([*mask.shape, *[1] * (x.dim() - mask.dim())]), values.reshape([]), x)


def stable_sort(x: Tensor, *, stable: bool | None = None, dim: int = -1, descending: bool = False) -> Any:
    """Sorting is always stable here."""
    return aten.sort.default(x, dim, descending)


def sign(x: Tensor) -> Any:
    """The sign of NaN is 0 in PyTorch, and NaN in ONNX."""
    return (x > 0).to(x.dtype) - (x < 0).to(x.dtype) if x.dtype.is_floating_point else NotImplemented


HALF = (torch.float16, torch.bfloat16)
IN_F32 = [aten.abs.default, aten.amax.default, aten.amin.default, aten.cumsum.default, aten.sum.default,
          aten.sum.dim_IntList]
OF_INTEGERS = [aten.ceil.default, aten.floor.default, aten.round.default, aten.round.decimals, aten.trunc.default]
OWN: dict[Any, Callable[..., Any]] = {
    **{operation: in_f32(operation) for operation in IN_F32},
    **{operation: of_integers for operation in OF_INTEGERS},
    aten._native_batch_norm_legit_no_training.default: batch_norm,
    aten.convolution_backward.default: convolution_backward,
    aten.max_pool2d_with_indices_backward.default: max_pool2d_with_indices_backward,
    aten.avg_pool2d_backward.default: avg_pool2d_backward,
    aten.empty_permuted.default: empty_permuted,
    aten.index_put.default: index_put,
    aten.sort.stable: stable_sort,
    aten.sign.default: sign,
    aten._native_multi_head_attention.default: native_multi_head_attention,
    aten._transformer_encoder_layer_fwd.default: transformer_encoder_layer,
}


# torch.onnx makes inference of these, whatever their flag says.
TRAINING = [aten._native_batch_norm_legit_functional.default, aten._native_batch_norm_legit.default,
            aten._native_batch_norm_legit.no_stats]


@functools.cache
def decompositions() -> dict[Any, Callable[..., Any]]:
    """Returns PyTorch's decompositions into core ATen, and ours. torch.onnx decomposes what else it does not know."""
    return {**core_aten_decompositions(), **get_decompositions(TRAINING), **OWN}
