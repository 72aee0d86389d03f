"""JAX on the libraries of a build, without a wheel: an interpreter that has what a test needs, and its environment."""

import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(os.environ.get("BACKPLANE_TEST_BUILD", ROOT / "build")).resolve()


def python_with(modules):
    """Returns an interpreter that has the modules, such as "jax, flax": the one that runs this, or the one that
    BACKPLANE_JAX_PYTHON names; None if neither has."""
    for python in (sys.executable, os.environ.get("BACKPLANE_JAX_PYTHON")):
        test = [python, "-c", f"import {modules}"]
        if python and subprocess.run(test, stderr=subprocess.DEVNULL, check=False).returncode == 0:
            return python
    return None


def environment(platforms, build=BUILD):
    """Returns an environment in which JAX has these platforms, such as "backplane,cpu"."""
    return {**os.environ, "JAX_PLATFORMS": platforms, "PYTHONPATH": str(ROOT / "core/python"),
            "BACKPLANE_PJRT_LIBRARY": str(build / "core/pjrt/libbackplane_pjrt.so"),
            "BACKPLANE_PATH": f"{build / 'plugins/cpu'}:{build / 'plugins/npu'}"}
