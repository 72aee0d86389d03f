#!/usr/bin/env python3
"""Writes HLO of programs whose operations are counted here, as far as samples/models has none of their kind. Needs JAX
(pip install jax); building and testing does not. Usage: python3 export.py FOLDER, then for each file

    backplane conform workload FOLDER/lstm.hlo -o conformance/workloads/lstm.json
"""

import pathlib
import sys

import jax
import jax.numpy as jnp


def lstm(inputs, hidden, cell, weights, bias, head):
    """A layer of 128 cells over a batch of sequences, and the logits of the last step."""

    def step(state, x):
        hidden, cell = state
        gates = jnp.concatenate([x, hidden], axis=1) @ weights + bias
        i, f, g, o = jnp.split(gates, 4, axis=1)
        cell = jax.nn.sigmoid(f) * cell + jax.nn.sigmoid(i) * jnp.tanh(g)
        hidden = jax.nn.sigmoid(o) * jnp.tanh(cell)
        return (hidden, cell), hidden

    (hidden, _), outputs = jax.lax.scan(step, (hidden, cell), inputs)
    return outputs, jax.nn.log_softmax(hidden @ head)


def diffusion_unet(image, time, kernels, time_weights, attention):
    """One step down and one up of a U-Net in bf16: group norm, time embedding, attention in the middle, a skip."""

    def convolution(x, kernel, stride=1):
        return jax.lax.conv_general_dilated(
            x, kernel, (stride, stride), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))

    def group_norm(x, groups=8):
        n, h, w, c = x.shape
        y = x.astype(jnp.float32).reshape(n, h, w, groups, c // groups)
        mean = y.mean((1, 2, 4), keepdims=True)
        variance = ((y - mean) ** 2).mean((1, 2, 4), keepdims=True)
        return ((y - mean) * jax.lax.rsqrt(variance + 1e-5)).reshape(x.shape).astype(x.dtype)

    def block(x, embedding, kernel_1, kernel_2, weights):
        y = convolution(jax.nn.silu(group_norm(x)), kernel_1)
        y = y + (jax.nn.silu(embedding) @ weights)[:, None, None, :]
        return x + convolution(jax.nn.silu(group_norm(y)), kernel_2)

    def attend(x, projections):
        n, h, w, c = x.shape
        flat = group_norm(x).reshape(n, h * w, c)
        q, k, v, out = (flat @ projections[i] if i < 3 else projections[i] for i in range(4))
        scores = jax.nn.softmax((q @ k.transpose(0, 2, 1)).astype(jnp.float32) / c ** 0.5).astype(x.dtype)
        return x + ((scores @ v) @ out).reshape(x.shape)

    frequencies = jnp.exp(-jnp.arange(32, dtype=jnp.float32) * (jnp.log(10_000.0) / 32))
    angles = time[:, None] * frequencies
    embedding = jnp.concatenate([jnp.sin(angles), jnp.cos(angles)], axis=1).astype(image.dtype)
    x = convolution(image, kernels["in"])
    skip = block(x, embedding, kernels["down_1"], kernels["down_2"], time_weights)
    x = convolution(skip, kernels["shrink"], 2)
    x = attend(block(x, embedding, kernels["middle_1"], kernels["middle_2"], time_weights), attention)
    n, h, w, c = x.shape
    x = jax.image.resize(x, (n, 2 * h, 2 * w, c), "nearest")
    x = convolution(jnp.concatenate([x, skip], axis=3), kernels["up"])
    x = block(x, embedding, kernels["up_1"], kernels["up_2"], time_weights)
    return convolution(jax.nn.silu(group_norm(x)), kernels["out"])


def shapes(kind, *sizes):
    return jax.ShapeDtypeStruct(sizes, kind)


def main():
    f32, bf16 = jnp.float32, jnp.bfloat16
    channels = 64
    square = shapes(bf16, 3, 3, channels, channels)
    kernels = {"in": shapes(bf16, 3, 3, 4, channels), "up": shapes(bf16, 3, 3, 2 * channels, channels),
               "out": shapes(bf16, 3, 3, channels, 4), "shrink": square}
    kernels |= {f"{name}_{i}": square for name in ("down", "middle", "up") for i in (1, 2)}
    programs = {
        lstm: (shapes(f32, 50, 16, 64), shapes(f32, 16, 128), shapes(f32, 16, 128), shapes(f32, 192, 512),
               shapes(f32, 512), shapes(f32, 128, 1000)),
        diffusion_unet: (shapes(bf16, 2, 32, 32, 4), shapes(f32, 2), kernels, shapes(bf16, 64, channels),
                         shapes(bf16, 4, channels, channels)),
    }
    folder = pathlib.Path(sys.argv[1])
    for function, arguments in programs.items():
        text = jax.jit(function).lower(*arguments).as_text(dialect="hlo")
        (folder / f"{function.__name__}.hlo").write_text(text)


if __name__ == "__main__":
    main()
