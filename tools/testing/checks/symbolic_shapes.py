#!/usr/bin/env python3
"""Functions that JAX exports with symbolic shapes run at three sizes each on cpu, and give what JAX computes. The first
two sizes are run again, and find their executables. Then all runs pad their sizes to powers of two. Skipped where JAX
is not installed.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from jax_on_build import BUILD, run_in_python_with

run_in_python_with("jax, numpy", "jax==0.10.2")
import jax
import jax.numpy as jnp
import numpy as np
from jax import export

LARGEST_ERROR = 1e-5  # relative to the largest value
NAMES = {"float32": "f32", "int32": "s32", "bool": "pred"}


def mlp(x, w, v):
    return jax.nn.gelu(x @ w) @ v


def attention(q, k, v):
    return jax.nn.softmax(q @ jnp.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])) @ v


def layer_norm(x):
    return (x - x.mean(-1, keepdims=True)) / jnp.sqrt(x.var(-1, keepdims=True) + 1e-5)


def convolution(x, w):
    return jax.nn.relu(jax.lax.conv_general_dilated(x, w, (2, 2), "SAME"))


def running_sum(x):
    return jnp.cumsum(x, axis=1)


def positions(x):
    return jnp.where(jnp.arange(x.shape[0])[:, None] < x.shape[0] // 2, x, -x)


def halves(x):
    return jnp.concatenate([x[x.shape[0] // 2:], x[:x.shape[0] // 2]]).reshape(-1)


def sorted_rows(x):
    return jnp.sort(x, axis=-1), jnp.argmax(x, axis=-1)


def recurrence(x, w):
    return jax.lax.scan(lambda state, row: (jnp.tanh(state @ w + row),) * 2, jnp.zeros(w.shape[0]), x)


def outer_with_mask(x, y):
    return jnp.einsum("i,j->ij", x, y) * jnp.tri(x.shape[0], y.shape[0])


# A function, the shapes of its parameters, and three values of each size.
FUNCTIONS = [
    (mlp, ["b, 8", "8, 16", "16, 4"], {"b": (1, 5, 32)}),
    (attention, ["b, s, 8", "b, t, 8", "b, t, 8"], {"b": (1, 2, 3), "s": (4, 7, 1), "t": (5, 7, 2)}),
    (layer_norm, ["b, s, 12"], {"b": (2, 3, 1), "s": (3, 2, 9)}),
    (convolution, ["b, 3, h, h", "4, 3, 3, 3"], {"b": (1, 2, 3), "h": (8, 5, 12)}),
    (running_sum, ["2, n"], {"n": (3, 1, 17)}),
    (positions, ["n, 3"], {"n": (4, 5, 11)}),
    (halves, ["2*n, m"], {"n": (2, 3, 8), "m": (1, 5, 2)}),
    (sorted_rows, ["n, m"], {"n": (2, 3, 1), "m": (6, 4, 9)}),
    (recurrence, ["t, 6", "6, 6"], {"t": (3, 8, 1)}),
    (outer_with_mask, ["n", "n + m"], {"n": (3, 4, 6), "m": (1, 2, 5)}),
]


# Functions that at some of the sizes use them as numbers, slide windows over them, or assert something about them; and
# a sort of two arrays, which the backend does not run at run-time sizes.
NOT_PADDED = [convolution, running_sum, positions, halves, sorted_rows, recurrence, outer_with_mask]


def as_literal(array):
    return repr(float(array)) if array.ndim == 0 else "{" + ", ".join(map(as_literal, array)) + "}"


def as_argument(array):
    return f"{NAMES[str(array.dtype)]}[{','.join(map(str, array.shape))}] {as_literal(array)}"


def arguments_of(shapes, sizes, random):
    known = [[eval(size, {}, sizes) for size in shape.split(",")] for shape in shapes]
    return [random.uniform(-1, 1, shape).astype(np.float32) for shape in known]


def difference(line, expected):
    """Returns what differs between a printed literal and arrays, or nothing."""
    words = re.findall(r"-?nan|-?inf|-?[0-9.]+(?:e[-+]?[0-9]+)?", line)
    found = np.array([float(word) for word in words])
    wanted = np.concatenate([np.asarray(part, np.float64).ravel() for part in jax.tree.leaves(expected)])
    if found.size != wanted.size:
        return f"{found.size} elements, JAX has {wanted.size}"
    error = np.max(np.abs(found - wanted), initial=0) / (np.max(np.abs(wanted), initial=0) or 1)
    return "" if error <= LARGEST_ERROR else f"an error of {error:.3g} of the largest value"


def run_lines(path, lines, *options):
    """Returns what is printed on standard output and on standard error, by line."""
    done = subprocess.run([BUILD / "tools/run_polymorphic", *options, "cpu", path], input="\n".join(lines) + "\n",
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=True,
                          env={**os.environ, "BACKPLANE_PATH": str(BUILD / "plugins/cpu")})
    return done.stdout.splitlines(), done.stderr.splitlines()


def find_problem(function, shapes, values, folder):
    random = np.random.default_rng(7)
    scope = export.SymbolicScope()
    symbols = [jax.ShapeDtypeStruct(export.symbolic_shape(shape, scope=scope), np.float32) for shape in shapes]
    path = folder / f"{function.__name__}.mlirbc"
    path.write_bytes(export.export(jax.jit(function), platforms=["cpu"])(*symbols).mlir_module_serialized)
    sets = [arguments_of(shapes, {name: all_sizes[i] for name, all_sizes in values.items()}, random) for i in range(3)]
    runs = [*sets, *sets[:2]]
    lines = ["; ".join(map(as_argument, arguments)) for arguments in runs]
    *printed, counters = run_lines(path, lines)[0]
    for i, (line, arguments) in enumerate(zip(printed, runs, strict=True)):
        if problem := difference(line, function(*arguments)):
            return f"run {i}: {problem}"
    if counters != "hits 2, misses 3, evictions 0":
        return f"the counters are: {counters}"
    printed, reasons = run_lines(path, lines, "--buckets")
    for i, (line, arguments) in enumerate(zip(printed, runs)):
        if problem := difference(line, function(*arguments)):
            return f"run {i}, with buckets: {problem}"
    is_padded = all(reason == "padded" for reason in reasons)
    if is_padded != (function not in NOT_PADDED):
        return f"with buckets: {reasons}"
    return ""


def main():
    status = 0
    with tempfile.TemporaryDirectory() as folder:
        for function, shapes, values in FUNCTIONS:
            problem = find_problem(function, shapes, values, pathlib.Path(folder))
            print(f"{function.__name__}: {problem or 'agrees at three sizes'}")
            status = 1 if problem else status
    return status


if __name__ == "__main__":
    sys.exit(main())
