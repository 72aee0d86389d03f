#!/usr/bin/env python3
"""Nets in ONNX, with the weights of the same nets in HLO: their constants, or their arguments after the first.
Usage: onnx_nets.py MODEL.hlo NET.onnx, for a model whose weights are constants"""

import pathlib
import re
import sys

import numpy as np
from onnx import TensorProto, helper, numpy_helper, save


class Builder:
    """Nodes and weights of a net. Methods add a node and return the name of its result."""

    def __init__(self):
        self.nodes, self.initializers, self.count = [], [], 0

    def add(self, kind, *inputs, **attributes):
        self.count += 1
        self.nodes.append(helper.make_node(kind, list(inputs), [f"v{self.count}"], **attributes))
        return f"v{self.count}"

    def constant(self, value):
        self.count += 1
        self.initializers.append(numpy_helper.from_array(np.ascontiguousarray(value), f"c{self.count}"))
        return f"c{self.count}"

    def convolution(self, x, kernel, bias=None, stride=1, pads=None, group=1):
        """Convolves with a kernel HWIO, as wide as it is high; pads are (before, after), and keep the size if None."""
        before, after = pads or ((kernel.shape[0] - 1) // 2,) * 2
        more = [] if bias is None else [self.constant(bias)]
        return self.add("Conv", x, self.constant(kernel.transpose(3, 2, 0, 1)), *more, strides=[stride] * 2,
                        pads=[before, before, after, after], group=group)

    def dense(self, x, weights, bias):
        return self.add("Gemm", x, self.constant(weights), self.constant(bias.reshape(-1)))

    def pool(self, x):
        """Averages the pixels of each channel."""
        return self.add("Flatten", self.add("GlobalAveragePool", x))

    def channels_first(self, x):
        return self.add("Transpose", x, perm=[0, 3, 1, 2])

    def linear(self, x, weights):
        return self.add("MatMul", x, self.constant(weights))


def digits(net, x, weights):
    kernel_1, bias_1, kernel_2, bias_2, matrix, bias = weights
    x = net.add("Relu", net.convolution(net.channels_first(x), kernel_1, bias_1.reshape(-1), 2, (1, 2)))
    x = net.add("Relu", net.convolution(x, kernel_2, bias_2.reshape(-1), 2, (1, 2)))
    by_channel = matrix.reshape(7, 7, 12, 10).transpose(2, 0, 1, 3).reshape(588, 10)
    return net.add("Softmax", net.dense(net.add("Flatten", x), by_channel, bias))


def convolutional_classifier(net, x, weights):
    weights = iter(weights)

    def normalized(x):
        parameters = [net.constant(next(weights)) for _ in range(4)]  # scale, offset, mean, variance
        return net.add("BatchNormalization", x, *parameters, epsilon=1e-5)

    x = net.add("Relu", normalized(net.convolution(net.channels_first(x), next(weights))))
    for stride in (1, 2, 2):
        kernel_1, kernel_2 = next(weights), next(weights)
        y = net.add("Relu", normalized(net.convolution(x, kernel_1, None, stride, (2 - stride, 1))))
        y = normalized(net.convolution(y, kernel_2))
        x = net.add("Relu", net.add("Add", y, net.convolution(x, next(weights), None, stride)))
    x = net.pool(net.add("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2]))
    return net.add("Softmax", net.dense(x, next(weights), next(weights)))


def transformer_block(net, x, weights):
    scale_1, offset_1, scale_2, offset_2, query, key, value, output, up, up_bias, down, down_bias = weights
    batch, length, width, heads = 2, 64, 128, 4

    def split(x):
        sizes = net.constant(np.array([batch, length, heads, width // heads]))
        return net.add("Transpose", net.add("Reshape", x, sizes), perm=[0, 2, 1, 3])

    def layer_norm(x, scale, offset):
        return net.add("LayerNormalization", x, net.constant(scale), net.constant(offset), axis=-1, epsilon=1e-5)

    normed = layer_norm(x, scale_1, offset_1)
    q, k, v = (split(net.linear(normed, matrix)) for matrix in (query, key, value))
    scores = net.add("MatMul", q, net.add("Transpose", k, perm=[0, 1, 3, 2]))
    scores = net.add("Div", scores, net.constant(np.sqrt(np.float32(width / heads))))
    mask = net.constant(np.tril(np.ones((length, length), bool)))
    scores = net.add("Softmax", net.add("Where", mask, scores, net.constant(np.float32(-1e9))))
    mixed = net.add("Transpose", net.add("MatMul", scores, v), perm=[0, 2, 1, 3])
    mixed = net.add("Reshape", mixed, net.constant(np.array([batch, length, width])))
    x = net.add("Add", x, net.linear(mixed, output))
    hidden = net.add("Add", net.linear(layer_norm(x, scale_2, offset_2), up), net.constant(up_bias))
    hidden = net.linear(net.add("Gelu", hidden, approximate="tanh"), down)
    return net.add("Add", net.add("Add", x, hidden), net.constant(down_bias))


def resnet50(net, x, weights):
    weights = iter(weights)

    def layer(x, stride=1):
        return net.convolution(x, next(weights), next(weights), stride)

    x = net.add("Relu", layer(net.channels_first(x), 2))
    x = net.add("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    for stage, blocks in enumerate((3, 4, 6, 3)):
        for block in range(blocks):
            stride = 2 if stage > 0 and block == 0 else 1
            y = net.add("Relu", layer(x))
            y = layer(net.add("Relu", layer(y, stride)))
            x = net.add("Relu", net.add("Add", y, layer(x, stride) if block == 0 else x))
    return net.dense(net.pool(x), next(weights), next(weights))


def mobilenet_v2(net, x, weights):
    weights = iter(weights)

    def layer(x, stride=1, group=1):
        return net.convolution(x, next(weights), next(weights), stride, None, group)

    def clipped(x):
        return net.add("Clip", x, net.constant(np.float32(0)), net.constant(np.float32(6)))

    x, width = clipped(layer(net.channels_first(x), 2)), 32
    stages = ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1))
    for factor, channels, blocks, first_stride in stages:
        for block in range(blocks):
            stride = first_stride if block == 0 else 1
            y = clipped(layer(x)) if factor > 1 else x
            y = layer(clipped(layer(y, stride, width * factor)))
            x, width = net.add("Add", x, y) if stride == 1 and width == channels else y, channels
    x = clipped(layer(x))
    return net.dense(net.pool(x), next(weights), next(weights))


def decode(net, x, weights, bits):
    """A decoder layer whose matrices have integers of so many bits, with a scale for each 32 of them."""
    keys, values, scale_1, scale_2, *matrices = weights
    heads, _, depth = keys.shape
    rest = iter(matrices)
    width = scale_1.size

    def norm(x, scale):
        mean = net.add("ReduceMean", net.add("Mul", x, x), net.constant(np.array([1])))
        root = net.add("Sqrt", net.add("Add", mean, net.constant(np.float32(1e-5))))
        return net.add("Mul", net.add("Div", x, root), net.constant(scale))

    def linear(x, packed, scales):
        rows, groups, _ = packed.shape
        stored = (packed.astype(np.int16) + (1 << bits - 1)).astype(np.uint8)  # zero is in the middle
        if bits == 4:
            stored = stored[..., 0::2] | stored[..., 1::2] << 4
        return net.add("MatMulNBits", x, net.constant(stored), net.constant(scales.reshape(-1)), domain="com.microsoft",
                       K=32 * groups, N=rows, bits=bits, block_size=32)

    def reshape(x, *sizes):
        return net.add("Reshape", x, net.constant(np.array(sizes)))

    def matrix():
        return next(rest), next(rest)

    normed = norm(x, scale_1)
    query, key, value = (linear(normed, *matrix()) for _ in range(3))
    all_keys = net.add("Concat", net.constant(keys), reshape(key, heads, 1, depth), axis=1)
    all_values = net.add("Concat", net.constant(values), reshape(value, heads, 1, depth), axis=1)
    products = net.add("MatMul", reshape(query, heads, 1, depth), net.add("Transpose", all_keys, perm=[0, 2, 1]))
    shares = net.add("Softmax", net.add("Mul", products, net.constant(np.float32(depth ** -0.5))))
    y = net.add("Add", x, linear(reshape(net.add("MatMul", shares, all_values), 1, width), *matrix()))
    normed = norm(y, scale_2)
    gate, up = linear(normed, *matrix()), linear(normed, *matrix())
    hidden = net.add("Mul", net.add("Mul", gate, net.add("Sigmoid", gate)), up)
    return net.add("Add", y, linear(hidden, *matrix()))


def decode_s4(net, x, weights):
    return decode(net, x, weights, 4)


def decode_s8(net, x, weights):
    return decode(net, x, weights, 8)


NETS = {function.__name__: function
        for function in (digits, convolutional_classifier, transformer_block, resnet50, mobilenet_v2, decode_s4,
                         decode_s8)}
TYPES = {"f32": np.float32, "s8": np.int8, "s4": np.int8}  # a number in an input file has a whole byte at least


def numbers(text):
    return [int(number) for number in text.split(",") if number]


def parameters(text):
    """Returns the shapes and the types of the parameters of a program in HLO."""
    entry = text[text.index("\nENTRY"):]
    found = {int(number): (numbers(shape), TYPES[kind])
             for kind, shape, number in re.findall(r"(\w+)\[([\d,]*)\]\S* parameter\((\d+)\)", entry)}
    return [found[number] for number in range(len(found))]


def constant_arrays(text):
    """Returns the constants of the program in their order, but for single numbers."""
    found = re.findall(r"= f32\[([\d,]+)\]\S* constant\((\{.*\})\)", text)
    arrays = [np.array(re.sub(r"/\*.*?\*/|[{}\s]", "", values).split(","), np.float32).reshape(numbers(shape))
              for shape, values in found]
    return [array for array in arrays if array.size > 1]


def build(name, text, arguments=()):
    """Returns the net with a name as a model in ONNX; the arguments are those of the program after the first."""
    if name not in NETS:
        raise ValueError(f"there is no {name} in ONNX, expected one of {', '.join(NETS)}")
    net = Builder()
    result = NETS[name](net, "x", list(arguments) or constant_arrays(text))
    given = helper.make_tensor_value_info("x", TensorProto.FLOAT, parameters(text)[0][0])
    returned = helper.make_tensor_value_info(result, TensorProto.FLOAT, None)
    graph = helper.make_graph(net.nodes, name, [given], [returned], net.initializers)
    opsets = [helper.make_opsetid("", 20), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10)


def main():
    path = pathlib.Path(sys.argv[1])
    save(build(path.stem, path.read_text()), sys.argv[2])


if __name__ == "__main__":
    main()
