#!/usr/bin/env python3
"""torch.compile(backend="backplane") computes what PyTorch computes: the tests of core/python/backplane/torch, with this
build's library, and the entry point of the wheel. Its types are checked where there is a mypy. Skipped where PyTorch or
onnxscript is not installed; BACKPLANE_TORCH_PYTHON names a Python that has them.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from jax_on_build import BUILD, ROOT, SKIPPED, python_or_skip

PART = ROOT / "core/python/backplane/torch"
LIBRARY = BUILD / "core/c/libbackplane.so"
# Nothing is imported from backplane: the entry point alone makes the name known.
WHEEL = """
import torch
function = torch.compile(lambda x: x.sin() + 1, backend="backplane", options={"fallback": "error"})
x = torch.randn(3)
torch.testing.assert_close(function(x), x.sin() + 1)
import backplane
assert "/core/python/" not in backplane.__file__, backplane.__file__
"""


def main():
    if not LIBRARY.exists():
        print(f"there is no {LIBRARY}")
        return SKIPPED
    python = python_or_skip("torch, onnxscript", "torch==2.9.0 onnxscript", "BACKPLANE_TORCH_PYTHON")
    bare = {name: value for name, value in os.environ.items() if not name.startswith(("BACKPLANE_", "PYTHON"))}
    environment = bare | {"PYTHONPATH": str(ROOT / "core/python"), "BACKPLANE_LIBRARY": str(LIBRARY),
                          "BACKPLANE_PATH": f"{BUILD / 'plugins/cpu'}:{BUILD / 'plugins/npu'}",
                          "PYTHONDONTWRITEBYTECODE": "1"}
    problems = []

    def run(what, arguments, environment):
        done = subprocess.run([python, *map(str, arguments)], env=environment, cwd="/", stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode != 0:
            problems.append(f"{what}: exit status {done.returncode}\n{done.stdout[-8000:]}")

    run("tests", ["-m", "unittest", "discover", "-s", PART / "tests"], environment)
    if (BUILD / "plugins/cpu/libbackplane_cpu.so").exists():
        with tempfile.TemporaryDirectory() as folder:
            run("make_wheel.py", [ROOT / "core/python/make_wheel.py", "--package", "backplane", "--build-dir", BUILD,
                                  "-o", folder], bare)
            run("pip install", ["-m", "pip", "install", "-q", "--no-deps", "--no-index", "--target", f"{folder}/site",
                                *pathlib.Path(folder).glob("*.whl")], bare)
            run("the wheel", ["-c", WHEEL], bare | {"PYTHONPATH": f"{folder}/site"})
    if subprocess.run([python, "-c", "import mypy"], stderr=subprocess.DEVNULL, check=False).returncode == 0:
        run("mypy", ["-m", "mypy", "--strict", "--cache-dir", os.devnull, PART, "--exclude", "tests"], environment)
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
