#!/usr/bin/env python3
"""The Python package `backplane` works on this build's library: its tests, the examples in its documentation, those of
docs/python.md, which are run in order in an empty folder, and its wheel, without the source tree's package. A `text`
block of the page is the expected output of the block before it; "..." in it stands for any text. Its types are checked
where there is a mypy. Skipped without NumPy; blocks marked `jax` are skipped without JAX.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from jax_on_build import BUILD, ROOT, SKIPPED, python_or_skip
from pages import Page

DOCUMENT = ROOT / "docs/python.md"
PACKAGE = ROOT / "core/python/backplane"
LIBRARY = BUILD / "core/c/libbackplane.so"
EXAMPLES = """
import doctest, importlib, pkgutil, sys, backplane
names = [f"backplane.{module.name}" for module in pkgutil.iter_modules(backplane.__path__) if not module.ispkg]
done = [doctest.testmod(importlib.import_module(name)) for name in ["backplane", *names]]
print(sum(result.attempted for result in done), "examples")
sys.exit(any(result.failed for result in done) or sum(result.attempted for result in done) < 20)
"""
WHEEL = """
import backplane
assert [plugin.name for plugin in backplane.plugins()] == ["cpu"], backplane.plugins()
for isolate in (None, 60):
    backend = backplane.load("cpu", isolate=isolate)
    negate = backend.compile("HloModule m ENTRY main { x = s32[] parameter(0)  ROOT y = s32[] negate(x) }")
    assert negate(3) == -3
assert "/core/python/" not in backplane.__file__, backplane.__file__
"""


class Check:
    def __init__(self, python):
        self.python = python
        self.problems = []
        self.bare = {name: value for name, value in os.environ.items()
                     if not name.startswith(("BACKPLANE_", "PYTHON"))}
        self.environment = self.bare | {"PYTHONPATH": str(ROOT / "core/python"), "BACKPLANE_LIBRARY": str(LIBRARY),
                                        "BACKPLANE_PATH": f"{BUILD / 'plugins/cpu'}:{BUILD / 'plugins/npu'}",
                                        "BACKPLANE_WORKER": str(BUILD / "core/backplane-worker"),
                                        "PYTHONDONTWRITEBYTECODE": "1"}

    def run(self, what, arguments, environment=None, folder="/"):
        """Runs Python, and returns its output."""
        try:
            done = subprocess.run([self.python, *map(str, arguments)], env=environment or self.environment, cwd=folder,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600)
        except subprocess.TimeoutExpired:
            self.problems.append(f"{what}: did not end in 10 minutes")
            return ""
        if done.returncode != 0:
            self.problems.append(f"{what}: exit status {done.returncode}\n{done.stdout[-8000:]}")
        return done.stdout

    def has(self, module):
        return subprocess.run([self.python, "-c", f"import {module}"], stderr=subprocess.DEVNULL).returncode == 0

    def run_document(self, folder):
        page = Page(DOCUMENT)
        kinds = ("python", "python jax") if self.has("jax") else ("python",)
        pathlib.Path(folder, "page.py").write_text(page.script_of(kinds))
        self.problems += page.problems(kinds, self.run(DOCUMENT.name, ["page.py"], folder=folder))

    def run_wheel(self, folder):
        """Makes the wheel, installs it and uses it alone. Its plugin has to be in the build."""
        if not (BUILD / "plugins/cpu/libbackplane_cpu.so").exists():
            return
        self.run("make_wheel.py", [ROOT / "core/python/make_wheel.py", "--package", "backplane", "--build-dir", BUILD,
                                   "-o", folder], self.bare)
        wheels = list(pathlib.Path(folder).glob("*.whl"))
        self.run("pip install", ["-m", "pip", "install", "-q", "--no-deps", "--no-index", "--target", f"{folder}/site",
                                 *wheels], self.bare)
        self.run("the wheel", ["-c", WHEEL], self.bare | {"PYTHONPATH": f"{folder}/site"})


def main():
    if not LIBRARY.exists():
        print(f"there is no {LIBRARY}")
        return SKIPPED
    check = Check(python_or_skip("numpy", "numpy"))
    check.run("tests", ["-m", "unittest", "discover", "-s", PACKAGE / "tests"])
    check.run("examples", ["-c", EXAMPLES])
    for run in (check.run_document, check.run_wheel):
        with tempfile.TemporaryDirectory() as folder:
            run(folder)
    if check.has("mypy"):
        check.run("mypy", ["-m", "mypy", "--strict", "--cache-dir", os.devnull, PACKAGE, "--exclude", "tests|torch"])
    print("\n".join(check.problems))
    return 1 if check.problems else 0


if __name__ == "__main__":
    sys.exit(main())
