"""The layers of Caffe in NumPy, written from Caffe's documentation, by loops where that is the plainest.

http://caffe.berkeleyvision.org/tutorial/layers.html, and the comments in caffe.proto.
"""

from __future__ import annotations

import math

import numpy as np

Array = np.ndarray


def convolution(x: Array, weights: Array, bias: Array | None, stride: tuple[int, ...], pad: tuple[int, ...],
                dilation: tuple[int, ...], group: int) -> Array:
    """x: [batch, channels, spatial...], weights: [outputs, channels / group, kernel...]"""
    count = x.ndim - 2
    padded = np.pad(x.astype(np.float64), [(0, 0), (0, 0), *((p, p) for p in pad)])
    kernel = weights.shape[2:]
    sizes = [(padded.shape[2 + i] - (kernel[i] - 1) * dilation[i] - 1) // stride[i] + 1 for i in range(count)]
    result = np.zeros((x.shape[0], weights.shape[0], *sizes))
    outputs, channels = weights.shape[0] // group, x.shape[1] // group
    for place in np.ndindex(*sizes):
        window = tuple(slice(p * s, p * s + (k - 1) * d + 1, d) for p, s, k, d in zip(place, stride, kernel, dilation))
        for g in range(group):
            part = padded[(slice(None), slice(g * channels, (g + 1) * channels), *window)]
            own = slice(g * outputs, (g + 1) * outputs)
            result[(slice(None), own, *place)] = np.tensordot(part, weights[own].astype(np.float64),
                                                              (range(1, x.ndim), range(1, x.ndim)))
    return result if bias is None else result + bias.reshape(1, -1, *(1,) * count)


def deconvolution(x: Array, weights: Array, bias: Array | None, stride: tuple[int, ...], pad: tuple[int, ...],
                  dilation: tuple[int, ...], group: int) -> Array:
    """Each element adds the kernel times it where the convolution would have read. weights: [channels, outputs / group,
    kernel...]"""
    count = x.ndim - 2
    kernel = weights.shape[2:]
    full = [(x.shape[2 + i] - 1) * stride[i] + (kernel[i] - 1) * dilation[i] + 1 for i in range(count)]
    outputs, channels = weights.shape[1], x.shape[1] // group
    result = np.zeros((x.shape[0], outputs * group, *full))
    for place in np.ndindex(*x.shape[2:]):
        window = tuple(slice(p * s, p * s + (k - 1) * d + 1, d) for p, s, k, d in zip(place, stride, kernel, dilation))
        for g in range(group):
            own = slice(g * channels, (g + 1) * channels)
            element = x[(slice(None), own, *place)].astype(np.float64)
            result[(slice(None), slice(g * outputs, (g + 1) * outputs), *window)] += np.tensordot(
                element, weights[own].astype(np.float64), (1, 0))
    result = result[(slice(None), slice(None), *(slice(p, size - p) for p, size in zip(pad, full)))]
    return result if bias is None else result + bias.reshape(1, -1, *(1,) * count)


def pooling(x: Array, method: str, kernel: tuple[int, int], stride: tuple[int, int], pad: tuple[int, int],
            is_floor: bool = False) -> tuple[Array, Array]:
    """Returns the result, and for MAX the places of what was chosen."""
    counts = []
    for i in range(2):
        exact = (x.shape[2 + i] + 2 * pad[i] - kernel[i]) / stride[i]
        count = (math.floor if is_floor else math.ceil)(exact) + 1
        if any(pad) and (count - 1) * stride[i] >= x.shape[2 + i] + pad[i]:
            count -= 1
        counts.append(count)
    result, places = np.zeros((*x.shape[:2], *counts)), np.zeros((*x.shape[:2], *counts))
    for row, column in np.ndindex(*counts):
        begin = [row * stride[0] - pad[0], column * stride[1] - pad[1]]
        end = [min(begin[i] + kernel[i], x.shape[2 + i] + pad[i]) for i in range(2)]
        covered = (end[0] - begin[0]) * (end[1] - begin[1])
        begin = [max(b, 0) for b in begin]
        end = [min(end[i], x.shape[2 + i]) for i in range(2)]
        window = x[:, :, begin[0]:end[0], begin[1]:end[1]].astype(np.float64)
        flat = window.reshape(*window.shape[:2], -1)
        if method == "AVE":
            result[:, :, row, column] = flat.sum(-1) / covered
            continue
        result[:, :, row, column] = flat.max(-1)
        chosen = flat.argmax(-1)
        width = end[1] - begin[1]
        places[:, :, row, column] = (begin[0] + chosen // width) * x.shape[3] + begin[1] + chosen % width
    return result, places


def lrn_across(x: Array, size: int, alpha: float, beta: float, k: float) -> Array:
    result = np.zeros(x.shape)
    for channel in range(x.shape[1]):
        near = x[:, max(channel - size // 2, 0):channel + size // 2 + 1].astype(np.float64)
        result[:, channel] = x[:, channel] / (k + alpha / size * (near ** 2).sum(1)) ** beta
    return result


def lrn_within(x: Array, size: int, alpha: float, beta: float) -> Array:
    mean, _ = pooling(x.astype(np.float64) ** 2, "AVE", (size, size), (1, 1), (size // 2, size // 2))
    return x / (1 + alpha * mean) ** beta


def softmax(x: Array, axis: int) -> Array:
    e = np.exp(x.astype(np.float64) - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def mvn(x: Array, across: bool, variance: bool, eps: float) -> Array:
    axes = tuple(range(1 if across else 2, x.ndim))
    centered = x.astype(np.float64) - x.mean(axes, keepdims=True, dtype=np.float64)
    return centered / (np.sqrt((centered ** 2).mean(axes, keepdims=True)) + eps) if variance else centered


def batch_norm(x: Array, mean: Array, variance: Array, factor: float, eps: float) -> Array:
    shape = (1, -1, *(1,) * (x.ndim - 2))
    scale = 0 if factor == 0 else 1 / factor
    return (x - mean.reshape(shape) * scale) / np.sqrt(variance.reshape(shape) * scale + eps)


def arg_max(x: Array, top_k: int, axis: int | None, has_values: bool) -> Array:
    """Sorts pairs of a value and its place, the largest first."""
    lines = x if axis is not None else x.reshape(x.shape[0], -1)
    along = axis if axis is not None else 1
    moved = np.moveaxis(lines, along, -1)
    values, places = np.zeros((*moved.shape[:-1], top_k)), np.zeros((*moved.shape[:-1], top_k))
    for index in np.ndindex(*moved.shape[:-1]):
        pairs = sorted(((float(v), i) for i, v in enumerate(moved[index])), reverse=True)[:top_k]
        values[index], places[index] = zip(*pairs)
    if axis is not None:
        return np.moveaxis(values if has_values else places, -1, along)
    stacked = np.stack([places, values] if has_values else [places], 1)
    return stacked.reshape(*stacked.shape, *(1,) * max(x.ndim - 3, 0))


def sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x.astype(np.float64)))


def lstm(x: Array, continues: Array, w_x: Array, bias: Array, w_h: Array, hidden: Array,
         cell: Array) -> tuple[Array, Array, Array]:
    outputs = w_h.shape[1]
    steps = []
    for t in range(x.shape[0]):
        c = continues[t][:, None]
        gates = x[t].reshape(x.shape[1], -1) @ w_x.T + bias + (hidden * c) @ w_h.T
        i, f, o = (sigmoid(gates[:, k * outputs:(k + 1) * outputs]) for k in range(3))
        cell = c * f * cell + i * np.tanh(gates[:, 3 * outputs:])
        hidden = o * np.tanh(cell)
        steps.append(hidden)
    return np.stack(steps), hidden[None], cell[None]


def rnn(x: Array, continues: Array, w_x: Array, bias: Array, w_h: Array, w_o: Array, bias_o: Array) -> Array:
    hidden = np.zeros((x.shape[1], w_h.shape[0]))
    steps = []
    for t in range(x.shape[0]):
        hidden = np.tanh(x[t] @ w_x.T + bias + (hidden * continues[t][:, None]) @ w_h.T)
        steps.append(np.tanh(hidden @ w_o.T + bias_o))
    return np.stack(steps)


def prior_box(places: tuple[int, int], image: tuple[int, int], least: list[float], most: list[float],
              ratios: list[float], variances: list[float], offset: float, is_clipped: bool) -> Array:
    """Boxes around the places of a grid, of ratios that are stated and their inverses."""
    boxes = []
    for row in range(places[0]):
        for column in range(places[1]):
            center = ((column + offset) * image[1] / places[1], (row + offset) * image[0] / places[0])
            sizes = []
            for i, small in enumerate(least):
                sizes.append((small, small))
                if most:
                    sizes.append((math.sqrt(small * most[i]),) * 2)
                for ratio in ratios:
                    for r in (ratio, 1 / ratio):
                        sizes.append((small * math.sqrt(r), small / math.sqrt(r)))
            boxes += [((center[0] - w / 2) / image[1], (center[1] - h / 2) / image[0],
                       (center[0] + w / 2) / image[1], (center[1] + h / 2) / image[0]) for w, h in sizes]
    flat = np.array(boxes).reshape(-1)
    flat = np.clip(flat, 0, 1) if is_clipped else flat
    return np.stack([flat, np.tile(variances, len(boxes))])[None]
