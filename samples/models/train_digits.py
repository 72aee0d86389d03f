#!/usr/bin/env python3
"""Trains a small convolutional network on handwritten digits and writes it with its weights, as HLO text, and one of
the images that it was not trained on. Needs JAX and scikit-learn, which contains the images (8 x 8; enlarged to 28 x 28
here, as in MNIST); building and testing does not. Usage: python3 train_digits.py [FOLDER]"""

import pathlib
import sys

import jax
import jax.numpy as jnp
import numpy
from sklearn.datasets import load_digits

CLASSES = 10


def network(weights, image):
    """Probabilities of the digits 0 to 9 for an image f32[1,28,28,1] with values from 0 to 1."""
    x = image
    for kernel, bias in weights["convolutions"]:
        x = jax.lax.conv_general_dilated(x, kernel, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
        x = jax.nn.relu(x + bias)
    x = x.reshape(x.shape[0], -1)
    return jax.nn.softmax(x @ weights["dense"] + weights["bias"])


def loss(weights, images, labels):
    return -jnp.mean(jnp.log(network(weights, images)[jnp.arange(len(labels)), labels] + 1e-9))


def initial_weights(random):
    draw = lambda *shape: (random.normal(size=shape) * (2 / numpy.prod(shape[:-1])) ** 0.5).astype(numpy.float32)
    zeros = lambda n: numpy.zeros(n, numpy.float32)
    return {"convolutions": [(draw(5, 5, 1, 6), zeros(6)), (draw(5, 5, 6, 12), zeros(12))],
            "dense": draw(7 * 7 * 12, CLASSES), "bias": zeros(CLASSES)}


def main(folder):
    digits = load_digits()
    images = jax.image.resize(digits.images.astype(numpy.float32) / 16, (len(digits.images), 28, 28), "linear")[..., None]
    random = numpy.random.default_rng(1)
    order = random.permutation(len(images))
    train, test = order[:1500], order[1500:]
    weights = initial_weights(random)
    momentum = jax.tree.map(jnp.zeros_like, weights)

    @jax.jit
    def step(weights, momentum, images, labels):
        gradient = jax.grad(loss)(weights, images, labels)
        momentum = jax.tree.map(lambda m, g: 0.9 * m + g, momentum, gradient)
        return jax.tree.map(lambda w, m: w - 0.05 * m, weights, momentum), momentum

    for _ in range(30):
        for batch in numpy.array_split(random.permutation(train), 50):
            weights, momentum = step(weights, momentum, images[batch], digits.target[batch])
    right = jnp.argmax(network(weights, images[test]), axis=1) == digits.target[test]
    print(f"right on {jnp.mean(right):.1%} of {len(test)} images that it was not trained on")
    weights = jax.tree.map(lambda w: numpy.round(numpy.asarray(w), 3), weights)  # keeps the text short

    def digits(image):
        return network(weights, image)

    lowered = jax.jit(digits).lower(images[:1])
    text = lowered.compiler_ir("hlo").as_hlo_text(print_large_constants=True)
    here = str(pathlib.Path(__file__).resolve())  # the same text on all machines
    (folder / "digits.hlo").write_text(text.replace(here, "samples/models/train_digits.py") + "\n")
    image = numpy.round(numpy.asarray(images[test[0]]).reshape(28, 28) * 255).astype(int)
    print(f"the image is a {digits.target[test[0]]}")
    rows = ",\n".join("  " + ", ".join(f"{pixel:3d}" for pixel in row) for row in image)
    (folder / "digit.inc").write_text(rows + "\n")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent))
