#!/usr/bin/env python3
"""Programs of Flax, Optax, Equinox, Diffrax and NumPyro run on cpu as on JAX's own cpu, and some of them also on npu:
with --full, all. Skipped where JAX or all of these libraries are missing.
"""

import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from jax_on_build import ROOT, SKIPPED, environment, python_or_skip

QUICK = {"XLA_FLAGS": "--xla_backend_optimization_level=0"}  # JAX's own cpu would mostly compile
FEW = ["linen_mlp", "optax", "equinox_gru"]  # what npu takes seconds for


def main():
    python = python_or_skip("jax", "jax==0.10.2")
    full = "BACKPLANE_TEST_FULL" in os.environ
    codes = []
    for platform, names in (("backplane", []), ("backplane_npu", [] if full else FEW)):
        command = [python, ROOT / "core/python/jax_backplane/tests/libraries.py", *names]
        codes.append(subprocess.run(command, env=environment(f"{platform},cpu") | QUICK, check=False).returncode)
    return next((code for code in codes if code not in (0, SKIPPED)), min(codes))


if __name__ == "__main__":
    sys.exit(main())
