#!/usr/bin/env python3
"""Writes each program below in JAX's formats: StableHLO text (pretty and generic), HLO text and an HLO protocol buffer.

Needs JAX (pip install jax==0.10.2). tools/testing/checks/spellings.py runs the files and has no dependencies. Functions
that XLA expands when it converts StableHLO to HLO (of complex numbers, of chlo) are omitted: they round differently.
"""

import pathlib

import jax
import jax.numpy as jnp
from jax import lax

FOLDER = pathlib.Path(__file__).parent
f32 = lambda *shape: jax.ShapeDtypeStruct(shape, jnp.float32)
s32 = lambda *shape: jax.ShapeDtypeStruct(shape, jnp.int32)

PROGRAMS = {
    "dense": (lambda x, w, b: jnp.maximum(x @ w + b, 0), [f32(4, 8), f32(8, 3), f32(3)]),
    "batched_dot": (lambda x, y: jnp.einsum("bij,bkj->bik", x, y), [f32(2, 3, 4), f32(2, 5, 4)]),
    "convolution": (lambda x, k: lax.conv_general_dilated(x, k, (2, 1), ((1, 1), (0, 2)), rhs_dilation=(1, 2),
                                                          dimension_numbers=("NHWC", "HWIO", "NHWC"),
                                                          feature_group_count=2), [f32(1, 7, 8, 4), f32(3, 3, 2, 6)]),
    "softmax": (lambda x: jax.nn.softmax(x, axis=-1), [f32(3, 9)]),
    "max_pool": (lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME"),
                 [f32(1, 7, 7, 2)]),
    "gather": (lambda x, i: x[i % 6, :, 1], [f32(6, 4, 3), s32(5)]),
    "scatter_add": (lambda x, i, u: x.at[i % 6].add(u), [f32(6, 4), s32(5), f32(5, 4)]),
    "sort_pairs": (lambda k, v: lax.sort((k, v), num_keys=1), [s32(17), f32(17)]),
    "top_k": (lambda x: lax.top_k(x, 3), [f32(2, 9)]),
    "while_loop": (lambda x: lax.fori_loop(0, 5, lambda i, c: (c[0] * 0.5 + i, c[1] - c[0]), (x, x)), [f32(4)]),
    "scan": (lambda x, y: lax.scan(lambda c, e: (c + e, c * e), x, y), [f32(3), f32(5, 3)]),
    "switch": (lambda i, x: lax.switch(i, [jnp.sin, jnp.cos, lambda v: v * v], x), [s32(), f32(5)]),
    "random": (lambda k: jax.random.uniform(jax.random.wrap_key_data(k.astype(jnp.uint32)), (6,)), [s32(2)]),
    "dynamic_slices": (lambda x, i: lax.dynamic_update_slice(x, lax.dynamic_slice(x, (i, 0), (2, 3)) * 2, (1, i)),
                       [f32(6, 5), s32()]),
    "complex": (lambda x, y: jnp.abs(lax.complex(x, y) * 3 / lax.complex(y, x)), [f32(7), f32(7)]),
    "fourier": (lambda x: jnp.fft.irfft(jnp.fft.rfft(x) * 2), [f32(3, 16)]),
    "integers": (lambda x, y: ((x // 3) ^ (y << 2)) + lax.population_count(x) - lax.clz(y), [s32(9), s32(9)]),
    "reduce_precision": (lambda x: lax.reduce_precision(x, 5, 7).astype(jnp.bfloat16), [f32(8)]),
    "cumulative": (lambda x: (jnp.cumsum(x, axis=1), jnp.argmax(x, axis=0)), [f32(4, 6)]),
    "pad_and_reverse": (lambda x: lax.pad(lax.rev(x, (1,)), 9.0, ((1, 0, 2), (-1, 2, 0))), [f32(3, 4)]),
    "gradient": (jax.grad(lambda w, x: jnp.sum(jnp.tanh(x @ w) ** 2)), [f32(4, 3), f32(5, 4)]),
}


def main():
    for name, (function, arguments) in PROGRAMS.items():
        lowered = jax.jit(function).lower(*arguments)
        module = lowered.compiler_ir("stablehlo")
        (FOLDER / f"{name}.mlir").write_text(str(module))
        (FOLDER / f"{name}.generic.mlir").write_text(
            module.operation.get_asm(print_generic_op_form=True, enable_debug_info=True))
        computation = lowered.compiler_ir("hlo")
        (FOLDER / f"{name}.hlo").write_text(computation.as_hlo_text())
        (FOLDER / f"{name}.pb").write_bytes(computation.as_serialized_hlo_module_proto())


if __name__ == "__main__":
    main()
