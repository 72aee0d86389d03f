#!/usr/bin/env python3
"""Lesson 5: train a small transformer with Flax and Optax, and see where the memory of each program goes. It learns the
letters of this file, and then continues "def ".

  export JAX_PLATFORMS=backplane,cpu      the backend cpu; backplane_npu,cpu: the simulated accelerator, for minutes
  python train.py
  BACKPLANE_DUMP_DIR=dump python train.py --steps 8                 keeps each program
  backplane memory dump/*-jit_train/program.mlirbc --on cpu         what lives at the peak, and from which line below
  backplane memory dump/*-jit_train/program.mlirbc --on cpu --html train.html     the same as a picture

Nothing below knows Backplane: without JAX_PLATFORMS, the lesson runs on JAX's own devices.
"""

import argparse
import pathlib

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import linen as nn

LENGTH, WIDTH, LAYERS, BATCH = 32, 64, 2, 16
TEXT = np.frombuffer(pathlib.Path(__file__).read_bytes(), np.uint8).astype(np.int32)  # 0 to 127: all of it is ASCII


class Block(nn.Module):
    @nn.compact
    def __call__(self, x):
        mask = nn.make_causal_mask(x[..., 0])
        x = x + nn.MultiHeadDotProductAttention(num_heads=4)(nn.LayerNorm()(x), mask=mask)
        return x + nn.Dense(WIDTH)(nn.gelu(nn.Dense(4 * WIDTH)(nn.LayerNorm()(x))))


class Transformer(nn.Module):
    """Letters to logits of the letter that follows each."""

    @nn.compact
    def __call__(self, letters):
        embed = nn.Embed(128, WIDTH)
        x = embed(letters) + self.param("positions", nn.initializers.normal(0.02), (LENGTH, WIDTH))
        for _ in range(LAYERS):
            x = Block()(x)
        return embed.attend(nn.LayerNorm()(x))


MODEL = Transformer()
OPTIMIZER = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(3e-3))


def start(key):
    """Returns the state before the first step: parameters, and what the optimizer remembers."""
    parameters = MODEL.init(key, jnp.zeros((1, LENGTH), jnp.int32))
    return parameters, OPTIMIZER.init(parameters)


def train(state, text):
    """Takes one step. Returns the next state and the loss."""
    parameters, memory = state

    def loss(parameters):
        logits = MODEL.apply(parameters, text[:, :-1])
        return optax.softmax_cross_entropy_with_integer_labels(logits, text[:, 1:]).mean()

    value, gradients = jax.value_and_grad(loss)(parameters)
    updates, memory = OPTIMIZER.update(gradients, memory, parameters)
    return (optax.apply_updates(parameters, updates), memory), value


def write(parameters, letters):
    """Returns `letters`, and the likeliest one after them until there are LENGTH."""
    def add(i, text):
        following = jnp.argmax(MODEL.apply(parameters, text[None])[0, i - 1])
        return text.at[i].set(following)

    text = jnp.zeros(LENGTH, jnp.int32).at[:len(letters)].set(letters)
    return jax.lax.fori_loop(len(letters), LENGTH, add, text)


def compile_and_show(function, *arguments, **options):
    """Compiles a program, and shows what its memory will be: all of it is planned before the first run."""
    compiled = jax.jit(function, **options).lower(*arguments).compile()
    sizes = compiled.memory_analysis()
    print(f"{function.__name__:<8}{sizes.argument_size_in_bytes:>12,}{sizes.output_size_in_bytes:>12,}"
          f"{sizes.alias_size_in_bytes:>12,}{sizes.temp_size_in_bytes:>12,}")
    return compiled


def batches(count):
    places = np.random.default_rng(0).integers(0, len(TEXT) - LENGTH, (count, BATCH))
    return [TEXT[np.add.outer(place, np.arange(LENGTH + 1))] for place in places]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=150)
    steps = parser.parse_args().steps

    print(f"{jax.devices()[0]}\n\nbytes of  arguments     results    in place temporaries")
    key, beginning = jax.random.key(0), np.frombuffer(b"def ", np.uint8).astype(np.int32)
    first = compile_and_show(start, key)
    state = first(key)
    # The state is donated: the next one takes its place, so that the program needs the memory of one.
    step = compile_and_show(train, state, batches(1)[0], donate_argnums=0)
    continuation = compile_and_show(write, state[0], beginning)

    print()
    for number, batch in enumerate(batches(steps)):
        state, loss = step(state, batch)
        if number % (steps // 8) == 0 or number == steps - 1:
            print(f"step {number:>3}: loss {float(loss):.3f}", flush=True)
    print(repr(bytes(np.asarray(continuation(state[0], beginning), np.uint8)).decode()))


if __name__ == "__main__":
    main()
