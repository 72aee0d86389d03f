"""Runs JAX programs on a platform of Backplane and on JAX's own cpu, and compares. One line per program; ends with the
number that passed. Run with JAX_PLATFORMS=PLATFORM,cpu."""

import contextlib
import io
import logging
import os
import sys
import threading

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import io_callback, serialize_executable

PLATFORM = os.environ["JAX_PLATFORMS"].split(",")[0]
PROGRAMS = {}


def program(function):
    PROGRAMS[function.__name__] = function
    return function


def numbers(*shape, dtype=np.float32, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


@program
def elementwise():
    x = numbers(3, 5)
    return jnp.tanh(x) * jnp.exp(-x) + jnp.where(x > 0, x, x / 2)


@program
def integers_and_bits():
    x = jnp.arange(-8, 8, dtype=jnp.int8)
    return x // 3, x % 5, x << 2, x.astype(jnp.uint16) ^ 0x55, jax.lax.population_count(x)


@program
def reductions():
    x = numbers(4, 6, 5)
    return x.sum(), x.max(axis=1), jnp.cumsum(x, axis=2), jnp.argmin(x, axis=0), jnp.sort(x, axis=1), jnp.median(x)


@program
def matrices():
    a, b = numbers(7, 5), numbers(5, 6, seed=1)
    return a @ b, jnp.einsum("ij,kj->ik", a, a), jax.lax.batch_matmul(numbers(2, 3, 4), numbers(2, 4, 3))


@program
def bfloat16_matrices():
    return jnp.asarray(numbers(8, 8), jnp.bfloat16) @ jnp.asarray(numbers(8, 8, seed=1), jnp.bfloat16)


@program
def convolution():
    return jax.lax.conv_general_dilated(numbers(2, 3, 8, 8), numbers(4, 3, 3, 3), (2, 1), "SAME")


@program
def gather_and_scatter():
    x = jnp.asarray(numbers(6, 4))
    return x[jnp.array([5, 0, 3])], x.at[jnp.array([1, 1])].add(2.0), jnp.take_along_axis(x, x.argsort(0), 0)


@program
def gradient():
    def loss(w):
        return jnp.mean(jax.nn.softmax(numbers(4, 3) @ w)[:, 0] ** 2)
    return jax.value_and_grad(loss)(jnp.asarray(numbers(3, 3)))


@program
def scan_and_while():
    def step(carry, x):
        return carry * 0.9 + x, carry
    counted = jax.lax.while_loop(lambda i: i < 77, lambda i: i * 3 + 1, 1)
    return jax.lax.scan(step, jnp.zeros(3), numbers(10, 3)), counted


@program
def branches_under_vmap():
    def choose(i, x):
        return jax.lax.switch(i, [jnp.sin, jnp.cos, lambda y: y * y], x)
    return jax.vmap(choose)(jnp.array([0, 1, 2, 1]), jnp.asarray(numbers(4)))


@program
def random_numbers():
    key = jax.random.key(7)
    return jax.random.normal(key, (5,)), jax.random.randint(key, (6,), 0, 100), jax.random.permutation(key, 9)


@program
def fourier():
    x = numbers(4, 12)
    return jnp.abs(jnp.fft.fft(x)), jnp.fft.irfft(jnp.fft.rfft(x))


@program
def special_functions():
    x = jnp.abs(jnp.asarray(numbers(20))) + 0.1
    return jax.scipy.special.gammaln(x), jax.scipy.special.erf(x), jax.lax.digamma(x), jnp.arctanh(x / 10)


@program
def factorizations():
    a = jnp.asarray(numbers(5, 5))
    q, r = jnp.linalg.qr(a)
    symmetric = a + a.T
    values, vectors = jnp.linalg.eigh(symmetric)
    positive = a @ a.T + jnp.eye(5)
    return (q @ r, q.T @ q, values, vectors @ jnp.diag(values) @ vectors.T, jnp.linalg.cholesky(positive),
            jnp.linalg.solve(positive, numbers(5)), jnp.linalg.svd(a, compute_uv=False), jnp.linalg.inv(positive))


@program
def factorizations_by_lapack():
    a = jnp.asarray(numbers(4, 5, 5))
    schur, vectors = jax.vmap(jax.scipy.linalg.schur)(a)
    hessenberg, basis = jax.vmap(lambda x: jax.scipy.linalg.hessenberg(x, calc_q=True))(a)
    q, r, pivots = jax.scipy.linalg.qr(a[0], pivoting=True)
    values = jnp.sort(jnp.linalg.eigvals(a))
    return (values.real, values.imag, vectors @ schur @ vectors.mT, jnp.abs(jnp.tril(schur, -2)),
            basis @ hessenberg @ basis.mT, q @ r - a[0][:, pivots], jax.lax.linalg.tridiagonal(a[1] + a[1].T)[1],
            jax.scipy.linalg.expm(a[2] / 5), jnp.abs(jnp.roots(a[3, 0])).sum())


@program
def approximate_selection():
    return jax.lax.approx_max_k(jnp.asarray(numbers(50)), 4), jax.lax.top_k(jnp.asarray(numbers(50)), 4)


@program
def callbacks():
    def sine(x):
        return np.sin(x, dtype=np.float32)

    def wait(x):
        return jax.pure_callback(sine, jax.ShapeDtypeStruct(x.shape, x.dtype), x, vmap_method="sequential")

    @jax.jit
    def run(x):
        return wait(x) * 2, jax.vmap(wait)(x), jax.lax.scan(lambda sum, row: (sum + wait(row), sum), x[0], x)

    return run(numbers(3, 4))


@program
def narrow_callbacks():
    def run(x):
        same = jax.pure_callback(np.array, jax.ShapeDtypeStruct(x.shape, x.dtype), x)
        return same.astype(jnp.int32), same < 0, same + same

    return [jax.jit(run)(jnp.array([-2, -1, 1], dtype)) for dtype in (jnp.int4, jnp.int2, jnp.int8)]


@program
def callbacks_that_run_their_program():
    def halve(x):
        return np.float32(x) if x < 1 else np.asarray(compiled(np.float32(x) / 2))

    def run(x):
        return jax.pure_callback(halve, jax.ShapeDtypeStruct((), jnp.float32), x)

    compiled = jax.jit(run).lower(np.float32(0)).compile()
    return compiled(np.float32(100))


@program
def runs_that_overlap():
    opened = threading.Event()

    def wait(x):
        opened.wait()
        return np.asarray(x)

    @jax.jit
    def run(x):
        return jax.pure_callback(wait, jax.ShapeDtypeStruct(x.shape, x.dtype), x) + 1

    x = jnp.asarray(numbers(50, 50))
    if next(iter(x.devices())).platform == "cpu":
        opened.set()  # JAX's cpu calls back before the call returns
    late = jax.jit(lambda y: y @ x, donate_argnums=0)(run(x))  # waits for the callback, and the call returns
    soon = np.asarray(jax.jit(lambda y: y * 2)(x))  # not for it
    opened.set()
    return late, soon


@program
def ordered_callbacks():
    seen = []

    def add(i, x):
        seen.append((int(i), float(x)))
        return np.float32(x + i)

    @jax.jit
    def run(x):
        def step(i, x):
            return io_callback(add, jax.ShapeDtypeStruct((), x.dtype), i, x, ordered=True)
        return jax.lax.fori_loop(0, 5, step, x)

    last = run(jnp.float32(0.5))
    jax.effects_barrier()
    return last, jnp.asarray(seen)


@program
def printed():
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        jax.jit(lambda x: jax.debug.print("x is {}", x))(jnp.arange(3))
        jax.effects_barrier()
    return jnp.asarray([ord(letter) for letter in text.getvalue()])


@program
def callback_errors():
    def fail(x):
        raise ValueError("not today")

    run = jax.jit(lambda x: jax.pure_callback(fail, jax.ShapeDtypeStruct((), x.dtype), x))
    logging.disable()
    try:
        run(jnp.float32(1)).block_until_ready()
    except jax.errors.JaxRuntimeError as error:
        return jnp.asarray("ValueError: not today" in str(error)), jax.jit(lambda x: x + 1)(1.0)
    finally:
        logging.disable(logging.NOTSET)
    return jnp.asarray(False)


@program
def printed_programs():
    compiled = jax.jit(lambda x, y: jnp.tensordot(x, y, axes=0)).lower(numbers(3), numbers(4)).compile()
    return jnp.asarray(compiled.as_text().startswith("HloModule")), compiled(numbers(3), numbers(4))


@program
def stored():
    x, y = numbers(4), numbers(4, seed=1)
    compiled = jax.jit(lambda x, y: jnp.sin(x) * y).lower(x, y).compile()
    device, = jnp.zeros(()).devices()
    return serialize_executable.deserialize_and_load(*serialize_executable.serialize(compiled), backend=device.platform,
                                                     execution_devices=[device])(x, y)


@program
def donated_buffers():
    x = jnp.asarray(numbers(16))
    y = jax.jit(lambda a: a * 2, donate_argnums=0)(x)
    assert jax.default_backend() == "cpu" or x.is_deleted(), "the argument is still there"
    return y


def run_on(platform, function):
    with jax.default_device(jax.devices(platform)[0]):
        return jax.tree.map(np.asarray, function())


def main():
    passed = 0
    for name, function in PROGRAMS.items():
        try:
            found, expected = run_on(PLATFORM, function), run_on("cpu", function)
            jax.tree.map(lambda a, b: np.testing.assert_allclose(
                np.asarray(a, np.float64), np.asarray(b, np.float64), rtol=2e-2 if "bfloat16" in name else 2e-4,
                atol=2e-5), found, expected)
            passed += 1
            print("passed", name)
        except Exception as error:
            print("FAILED", name, type(error).__name__, str(error)[:2000])
    print(f"{passed} of {len(PROGRAMS)} passed")
    sys.exit(passed != len(PROGRAMS))


if __name__ == "__main__":
    main()
