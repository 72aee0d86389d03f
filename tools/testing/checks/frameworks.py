#!/usr/bin/env python3
"""The examples of docs/pytorch.md and docs/tensorflow.md run on this build, and so do the scripts of tools/frameworks.
BACKPLANE_FRAMEWORKS names a folder with the environments torchax, tensorflow and keras, which
tools/frameworks/make_environment makes; without one, its examples are skipped.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from installation import has_sanitizer
from jax_on_build import BUILD, ROOT, SKIPPED, environment
from pages import Page

NAMED = "BACKPLANE_FRAMEWORKS"
PAGES = {"torchax": "pytorch.md", "tensorflow": "tensorflow.md", "keras": "tensorflow.md"}
SCRIPTS = {"torchax": "torch_programs", "tensorflow": "tensorflow_programs", "keras": "keras_on_jax"}


def run(command, variables, folder):
    """Returns the exit status and the output."""
    done = subprocess.run(command, env=variables, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          check=False)
    return done.returncode, done.stdout, f"{done.stdout[-4000:]}\n{done.stderr[-4000:]}"


def problems_of(name, binaries):
    """Runs the examples for an environment, and its script. `binaries`: its folder with executables."""
    variables = {**environment("cpu"), "PATH": f"{binaries}:{BUILD / 'tools'}:{os.environ['PATH']}",
                 "BACKPLANE_LIBRARY": str(BUILD / "core/c/libbackplane.so"), "PYTHONDONTWRITEBYTECODE": "1",
                 "TF_CPP_MIN_LOG_LEVEL": "3"}
    page, found = Page(ROOT / "docs" / PAGES[name]), []
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "tools").symlink_to(ROOT / "tools")
        pathlib.Path(folder, "page.py").write_text(page.script_of((f"python {name}",)))
        status, output, shown = run(["python", "page.py"], variables, folder)
        found += page.problems((f"python {name}",), output) if status == 0 else [f"{page.path.name}: {shown}"]
        commands = [page.blocks[number][1] for number in page.numbers_of((f"sh {name}",))]
        for command in (*commands, f"python tools/frameworks/{SCRIPTS[name]}"):
            status, _, shown = run(["sh", "-e", "-c", command], variables, folder)
            found += [f"{command}: exit status {status}\n{shown}"] if status != 0 else []
    return found


def main():
    named = os.environ.get(NAMED)
    if not named or has_sanitizer():
        print("Python would have to be built with the sanitizer of this build" if named else f"{NAMED} is not set")
        return SKIPPED
    problems, missing = [], []
    for name in PAGES:
        binaries = pathlib.Path(named, name, "bin").absolute()
        if binaries.exists():
            problems += problems_of(name, binaries)
        else:
            missing.append(name)
    if missing:
        print(f"there is no environment {', '.join(missing)} in {named}")
    print("\n".join(problems))
    return 1 if problems else SKIPPED if len(missing) == len(PAGES) else 0


if __name__ == "__main__":
    sys.exit(main())
