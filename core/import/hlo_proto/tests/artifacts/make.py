#!/usr/bin/env python3
"""Writes the protocol buffers of this folder with JAX 0.10.2: modules as lowered by JAX and as compiled by XLA:CPU.

NAME.hlo is XLA's own text of NAME.pb.
"""

import pathlib

import jax
import jax.numpy as jnp
import numpy as np

FOLDER = pathlib.Path(__file__).resolve().parent


def small_network(x, w):
    return jnp.tanh(x @ w).sum(axis=1)


def loop(x):
    return jax.lax.while_loop(lambda s: s[0] < 3, lambda s: (s[0] + 1, s[1] * s[1]), (0, x))[1]


def indexing(x, i):
    return jnp.sort(x[i], axis=0), x.at[i].add(jnp.bfloat16(1).astype(x.dtype)), jnp.argmax(x)


def complex_numbers(x):
    return jnp.fft.fft(x) * (1 + 2j)


F32 = np.float32
PROGRAMS = [
    (small_network, [np.zeros((4, 8), F32), np.zeros((8, 16), F32)]),
    (loop, [np.zeros(4, F32)]),
    (indexing, [np.zeros((6, 3), F32), np.zeros(2, np.int32)]),
    (complex_numbers, [np.zeros(8, np.complex64)]),
]


def main():
    jax.config.update("jax_hlo_source_file_canonicalization_regex", ".*/")  # removes folders of this machine
    for function, arguments in PROGRAMS:
        lowered = jax.jit(function).lower(*arguments)
        compiled = lowered.compile().runtime_executable().hlo_modules()[0]
        computation = lowered.compiler_ir("hlo")
        for kind, module, text in (("lowered", computation, computation.as_hlo_text()),
                                   ("compiled", compiled, compiled.to_string())):
            path = FOLDER / f"{function.__name__}_{kind}.pb"
            path.write_bytes(module.as_serialized_hlo_module_proto())
            path.with_suffix(".hlo").write_text(text)


if __name__ == "__main__":
    main()
