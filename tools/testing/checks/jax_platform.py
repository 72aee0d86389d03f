#!/usr/bin/env python3
"""JAX runs on the wheel of jax-backplane: the smoke programs agree with JAX's own cpu, on cpu and on npu. The library
alone, without the package, is loaded too. Skipped where JAX is not installed.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from jax_on_build import BUILD, ROOT, python_or_skip

SQUARE = "import jax; assert jax.jit(lambda x: x * x)(3.0) == 9.0; print(jax.devices())"
# The program ends while its runs still call Python.
END = """
import time, jax, numpy as np
def late(x):
    time.sleep(0.05)
    return x
run = jax.jit(lambda x: jax.pure_callback(late, jax.ShapeDtypeStruct(x.shape, x.dtype), x))
results = [run(np.ones((60, 60), np.float32)) for _ in range(4)]
"""


def run(arguments, environment, problems, what):
    try:
        done = subprocess.run(arguments, env={**os.environ, **environment}, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False, cwd="/", timeout=300)
    except subprocess.TimeoutExpired:
        problems.append(f"{what}: did not end in 5 minutes")
        return ""
    if done.returncode != 0:
        problems.append(f"{what}: exit status {done.returncode}\n{done.stdout[-6000:]}")
    return done.stdout


def main():
    python = python_or_skip("jax", "jax==0.10.2")
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        run([sys.executable, ROOT / "core/python/make_wheel.py", "--build-dir", BUILD, "-o", folder], {}, problems,
            "make_wheel.py")
        wheels = [str(path) for path in pathlib.Path(folder).glob("*.whl")]
        run([python, "-m", "pip", "install", "-q", "--no-deps", "--no-index", "--target", f"{folder}/site", *wheels],
            {}, problems, "pip install")
        package = {"PYTHONPATH": f"{folder}/site"}
        for platform in ("backplane", "backplane_npu"):
            run([python, ROOT / "core/python/jax_backplane/tests/smoke.py"], {**package, "JAX_PLATFORMS": f"{platform},cpu"},
                problems, platform)
            run([python, "-c", END], {**package, "JAX_PLATFORMS": f"{platform},cpu"}, problems, f"{platform}, runs at the end")
        run([python, "-c", "import jax; assert 'cpu' == jax.default_backend()"], package, problems, "without JAX_PLATFORMS")
        library = BUILD / "core/pjrt/libbackplane_pjrt.so"
        run([python, "-c", SQUARE],
            {"PJRT_NAMES_AND_LIBRARY_PATHS": f"backplane:{library}", "JAX_PLATFORMS": "backplane",
             "BACKPLANE_BACKEND": str(BUILD / "plugins/cpu/libbackplane_cpu.so")}, problems, "the library alone")
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
