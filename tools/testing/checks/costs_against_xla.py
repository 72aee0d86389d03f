#!/usr/bin/env python3
"""`backplane stats` counts what XLA's cost analysis counts, on programs of JAX. Skipped where JAX is not installed.

Compared are operations, functions and bytes of the program as JAX lowers it, and of what XLA:CPU compiles it to. Both
sides count the same HLO. Where the counts differ, a row says by how much and why.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
BUILD = pathlib.Path(os.environ.get("BACKPLANE_TEST_BUILD", ROOT / "build"))

sys.path.insert(0, str(ROOT / "tools/testing"))
from jax_on_build import run_in_python_with

run_in_python_with("jax, numpy", "jax==0.10.2")
import jax
import jax.numpy as jnp
from jax import lax

IMAGE = dict(dimension_numbers=("NHWC", "HWIO", "NHWC"))


def f32(*sizes):
    return jax.ShapeDtypeStruct(sizes, jnp.float32)


def s32(*sizes):
    return jax.ShapeDtypeStruct(sizes, jnp.int32)


# Name, function, arguments, and our counts minus those of XLA, in operations, functions and bytes.
PROGRAMS = [
    ("mlp", lambda x, w, b: jnp.maximum(x @ w + b, 0), [f32(32, 64), f32(64, 16), f32(16)], (0, 0, 0), (0, 0, 0)),
    ("batch dot", lambda x, y: jnp.einsum("bij,bkj->bik", x, y), [f32(4, 8, 16), f32(4, 12, 16)], (0, 0, 0), (0, 0, 0)),
    ("convolution", lambda x, k: lax.conv_general_dilated(x, k, (1, 1), "VALID", **IMAGE),
     [f32(2, 9, 9, 3), f32(3, 3, 3, 8)], (0, 0, 0), (0, 0, 0)),
    ("padded convolution", lambda x, k: lax.conv_general_dilated(x, k, (2, 2), "SAME", **IMAGE),
     [f32(2, 9, 9, 3), f32(3, 3, 3, 8)], (0, 0, 0), (0, 0, 0)),
    ("dilated convolution", lambda x, k: lax.conv_general_dilated(
        x, k, (1, 1), ((1, 2), (3, 1)), lhs_dilation=(2, 2), rhs_dilation=(1, 2), **IMAGE),
     [f32(2, 9, 9, 3), f32(3, 3, 3, 8)], (0, 0, 0), (0, 0, 0)),
    ("softmax", jax.nn.softmax, [f32(16, 128)], (0, 0, 0), (0, 0, 0)),
    ("layer norm", lambda x: (x - x.mean(-1, keepdims=True)) * lax.rsqrt(x.var(-1, keepdims=True) + 1e-5),
     [f32(16, 128)], (0, 0, 0), (0, 0, 0)),
    ("sum", lambda x: x.sum(0), [f32(40, 30)], (0, 0, 0), (0, 0, 0)),
    ("slice", lambda x: x[3:7] * 2, [f32(40, 30)], (0, 0, 0), (0, 0, 0)),
    # XLA counts one of several start indices.
    ("dynamic slice", lambda x, i: lax.dynamic_slice(x, (i, 0), (4, 30)), [f32(40, 30), s32()], (0, 0, 4), (0, 0, 0)),
    # The same holds for an update.
    ("update", lambda x, u, i: lax.dynamic_update_slice(x, u, (i, 0)), [f32(40, 30), f32(4, 30), s32()],
     (0, 0, 4), (0, 0, 0)),
    # XLA counts all of an array that is indexed in a fusion.
    ("gather", lambda x, i: x[i], [f32(40, 30), s32(5)], (0, 0, 0), (0, 0, -4200)),
    # XLA counts all of the array, when it is read and when it is written.
    ("scatter", lambda x, i, u: x.at[i].add(u), [f32(40, 30), s32(5), f32(5, 30)], (0, 0, 0), (0, 0, -8400)),
    # XLA counts no bytes of a transpose.
    ("transpose", lambda x: x.T + 1, [f32(40, 30)], (0, 0, 9600), (0, 0, 0)),
    ("max pooling", lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID"),
     [f32(2, 8, 8, 3)], (0, 0, 0), (0, 0, 0)),
    ("functions", lambda x: jnp.sin(x) * jnp.exp(x) + jnp.tanh(x), [f32(100)], (0, 0, 0), (0, 0, 0)),
    ("concatenation", lambda x, y: jnp.concatenate([x, y]), [f32(10), f32(20)], (0, 0, 0), (0, 0, 0)),
    # XLA counts a loop once, and 8 bytes for an element of a tuple.
    ("loop", lambda x: lax.fori_loop(0, 10, lambda i, x: x * 2 + 1, x), [f32(100)], (1818, 0, 29029), (0, 0, -32)),
]


def of_xla(stage):
    found = stage.cost_analysis()
    return [found.get(name) or 0 for name in ("flops", "transcendentals", "bytes accessed")]


def ours(text, folder):
    path = pathlib.Path(folder) / "program.hlo"
    path.write_text(text)
    command = [BUILD / "tools/backplane", "stats", path, "--json"]
    printed = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    before = json.loads(printed)["before"]
    return [before["operations"], before["functions"], before["bytes"]]


def main():
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, function, arguments, *expected in PROGRAMS:
            lowered = jax.jit(function).lower(*arguments)
            compiled = lowered.compile()
            texts = lowered.compiler_ir("hlo").as_hlo_text(), compiled.as_text()
            for form, stage, text, wanted in zip(("lowered", "compiled"), (lowered, compiled), texts, expected):
                found, theirs = ours(text, folder), of_xla(stage)
                difference = tuple(int(a - b) for a, b in zip(found, theirs))
                if difference != wanted:
                    failures += 1
                    print(f"{name}, {form}: stats counts {found}, XLA {theirs}: a difference of {difference}, "
                          f"expected {wanted}")
    print(f"{2 * len(PROGRAMS) - failures} of {2 * len(PROGRAMS)} programs as expected")
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())
