#!/usr/bin/env python3
"""Writes the sample models of this folder as HLO text. Needs JAX (pip install jax); building and testing does not.

Weights are parameters, so the files stay small and a program cannot be folded away; whoever runs them fills the
parameters from a seed. Usage: python3 export.py [FOLDER]
"""

import pathlib
import sys

import jax
import jax.numpy as jnp


def convolutional_classifier(image, stem, blocks, head_weights, head_bias):
    """A residual network for 32x32 RGB images: a stem, three stages of two convolutions each, pooling, ten classes."""

    def convolution(x, kernel, stride=1):
        return jax.lax.conv_general_dilated(
            x, kernel, (stride, stride), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))

    def normalize(x, scale, offset, mean, variance):
        return (x - mean) * jax.lax.rsqrt(variance + 1e-5) * scale + offset

    x = jax.nn.relu(normalize(convolution(image, stem["kernel"]), *stem["norm"]))
    for number, block in enumerate(blocks):
        stride = 1 if number == 0 else 2
        y = jax.nn.relu(normalize(convolution(x, block["kernel_1"], stride), *block["norm_1"]))
        y = normalize(convolution(y, block["kernel_2"]), *block["norm_2"])
        shortcut = convolution(x, block["shortcut"], stride)
        x = jax.nn.relu(y + shortcut)
    x = jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    pooled = jnp.mean(x, axis=(1, 2))
    return jax.nn.softmax(pooled @ head_weights + head_bias)


def transformer_block(x, norm_1, norm_2, query, key, value, output, up, up_bias, down, down_bias):
    """A pre-norm transformer block with causal attention of four heads and a gelu feed-forward layer."""

    def layer_norm(x, scale, offset):
        mean = jnp.mean(x, axis=-1, keepdims=True)
        variance = jnp.mean((x - mean) ** 2, axis=-1, keepdims=True)
        return (x - mean) * jax.lax.rsqrt(variance + 1e-5) * scale + offset

    batch, length, width = x.shape
    heads = 4
    split = lambda t: t.reshape(batch, length, heads, width // heads).transpose(0, 2, 1, 3)
    normed = layer_norm(x, *norm_1)
    q, k, v = split(normed @ query), split(normed @ key), split(normed @ value)
    scores = jnp.einsum("bhqd,bhkd->bhqk", q, k) / jnp.sqrt(width / heads)
    mask = jnp.tril(jnp.ones((length, length), dtype=bool))
    attention = jax.nn.softmax(jnp.where(mask, scores, -1e9), axis=-1)
    mixed = jnp.einsum("bhqk,bhkd->bhqd", attention, v).transpose(0, 2, 1, 3).reshape(batch, length, width)
    x = x + mixed @ output
    hidden = jax.nn.gelu(layer_norm(x, *norm_2) @ up + up_bias)
    return x + hidden @ down + down_bias


def array(*shape):
    return jax.ShapeDtypeStruct(shape, jnp.float32)


def norm(width):
    return [array(width)] * 4


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent)
    widths = [(16, 16), (16, 32), (32, 64)]
    blocks = [{
        "kernel_1": array(3, 3, a, b), "norm_1": norm(b), "kernel_2": array(3, 3, b, b), "norm_2": norm(b),
        "shortcut": array(1, 1, a, b)
    } for a, b in widths]
    stem = {"kernel": array(3, 3, 3, 16), "norm": norm(16)}
    models = {
        convolutional_classifier: (array(4, 32, 32, 3), stem, blocks, array(64, 10), array(10)),
        transformer_block: (array(2, 64, 128), [array(128), array(128)], [array(128), array(128)], array(128, 128),
                            array(128, 128), array(128, 128), array(128, 128), array(128, 512), array(512),
                            array(512, 128), array(128)),
    }
    for function, arguments in models.items():
        module = jax.jit(function).lower(*arguments).compiler_ir("hlo").as_hlo_module()
        path = folder / f"{function.__name__}.hlo"
        # The text contains the path of this file: replace it, so that the text is the same on all machines.
        here = str(pathlib.Path(__file__).resolve())
        path.write_text(module.to_string().replace(here, "samples/models/export.py") + "\n")
        print(f"{path}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
