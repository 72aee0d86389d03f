"""Lets JAX find the package where it is not installed: with core/python in PYTHONPATH. See docs/jax.md."""

from jax_backplane import initialize as initialize
