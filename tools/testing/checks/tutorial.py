#!/usr/bin/env python3
"""docs/tutorial.md is correct: its `sh` blocks are run in order, in an empty folder, with an installation of this build
and without the source tree. Blocks marked `jax` are run where there is a JAX."""

import pathlib
import os
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import documented_commands
from installation import PYTHON, ROOT, Installation, has_sanitizer
from jax_on_build import python_with

DOCUMENT = ROOT / "docs/tutorial.md"


def with_jax(installation, python):
    """Returns what makes `python` an interpreter with JAX and the package of this tree."""
    commands = installation.folder / "python"
    commands.mkdir()
    path = pathlib.Path(os.path.abspath(python))
    if path.is_relative_to(PYTHON) and installation.hidden:
        path = installation.python / path.relative_to(PYTHON)
    (commands / "python").write_text(f'#!/bin/sh\nexec "{path}" "$@"\n')
    (commands / "python").chmod(0o755)
    for package in ("jax_backplane", "jax_plugins"):
        shutil.copytree(ROOT / "core/python" / package, commands / package)
    library = next(installation.folder.rglob("libbackplane_pjrt.so"))
    return {"PATH": f"{commands}:{installation.environment['PATH']}", "PYTHONPATH": str(commands),
            "BACKPLANE_PJRT_LIBRARY": str(library)}


def main():
    if has_sanitizer():
        print("what links this build would have to be built with its sanitizer")
        return 77
    python = python_with("jax")
    blocks = documented_commands.blocks(DOCUMENT)
    kinds = ["sh"] if python is None else ["sh", "sh jax"]
    if python is None:
        print("without the blocks of JAX, which is not installed")
    with tempfile.TemporaryDirectory() as folder:
        installation = Installation(folder)
        work = installation.folder / "work"
        work.mkdir()
        variables = {} if python is None else with_jax(installation, python)
        script = documented_commands.script(blocks, kinds, work)
        installation.run(["bash", "-c", script], work, **variables)
        for problem in documented_commands.problems(blocks, kinds, work):
            installation.check(False, f"{DOCUMENT.name}: {problem}")
        return installation.finish()


if __name__ == "__main__":
    sys.exit(main())
