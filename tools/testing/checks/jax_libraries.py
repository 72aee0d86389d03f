#!/usr/bin/env python3
"""Programs of Flax, Optax, Equinox, Diffrax and NumPyro run on cpu and on npu as on JAX's own cpu. Skipped where JAX or
all of these libraries are missing.

BACKPLANE_JAX_PYTHON names a Python interpreter that has them, if the one that runs this check has not.
"""

import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from installation import has_sanitizer
from jax_on_build import ROOT, environment, python_with

SKIPPED = 77


def main():
    if has_sanitizer():
        print("Python would have to be built with the sanitizer of this build")
        return SKIPPED
    python = python_with("jax")
    if python is None:
        print("JAX is not installed (pip install jax==0.10.2, or set BACKPLANE_JAX_PYTHON)")
        return SKIPPED
    programs = ROOT / "core/python/jax_backplane/tests/libraries.py"
    return subprocess.run([python, programs], env=environment("backplane,backplane_npu,cpu"), check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
