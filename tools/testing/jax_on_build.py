"""JAX and PyTorch on the libraries of a build, without a wheel: their interpreter, and its environment."""

import os
import pathlib
import subprocess
import sys

import python_environment
from installation import has_sanitizer

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(os.environ.get("BACKPLANE_TEST_BUILD", ROOT / "build")).resolve()
SKIPPED = 77


def python_with(modules, variable=python_environment.NAMED):
    """Returns an interpreter that has the modules, such as "jax, flax": the one that runs this, the one that an
    environment variable names, or that of the build; None if none has."""
    for python in (sys.executable, os.environ.get(variable), python_environment.interpreter(BUILD)):
        test = [python, "-c", f"import {modules}"]
        if python and os.path.exists(python) and subprocess.run(test, stderr=subprocess.DEVNULL).returncode == 0:
            return str(python)
    return None


def python_or_skip(modules, packages, variable=python_environment.NAMED):
    """Returns an interpreter that has the modules and can load this build's libraries; ends the test as skipped, with
    the reason, if there is none. `packages`: what pip would install."""
    if has_sanitizer():
        print("Python would have to be built with the sanitizer of this build")
        sys.exit(SKIPPED)
    return found_or_skip(modules, packages, variable)


def run_in_python_with(modules, packages):
    """Runs the script that calls it in another interpreter if this one lacks the modules. Ends the test as skipped,
    with the reason, if none has them."""
    python = found_or_skip(modules, packages, python_environment.NAMED)
    if python != sys.executable:
        os.execv(python, [python, *sys.argv])


def found_or_skip(modules, packages, variable):
    python = python_with(modules, variable)
    if python is None:
        print(f"no Python has {modules} (pip install {packages}, or set {variable})")
        sys.exit(SKIPPED)
    return python


def environment(platforms, build=BUILD):
    """Returns an environment in which JAX has these platforms, such as "backplane,cpu"."""
    return {**os.environ, "JAX_PLATFORMS": platforms, "PYTHONPATH": str(ROOT / "core/python"),
            "BACKPLANE_PJRT_LIBRARY": str(build / "core/pjrt/libbackplane_pjrt.so"),
            "BACKPLANE_PATH": f"{build / 'plugins/cpu'}:{build / 'plugins/npu'}"}
