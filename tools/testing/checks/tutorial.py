#!/usr/bin/env python3
"""docs/tutorial.md is correct: its `sh` blocks are run in order, in an empty folder, with an installation of this build
and without the source tree. A `text` block is the expected output of the block before it; "..." in it stands for any
text. Blocks marked `jax` are run where there is a JAX."""

import pathlib
import os
import re
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from installation import PYTHON, ROOT, Installation, has_sanitizer
from jax_on_build import python_with

DOCUMENT = ROOT / "docs/tutorial.md"
BLOCK = re.compile(r"^```(sh|sh jax|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


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
    blocks = BLOCK.findall(DOCUMENT.read_text())
    if python is None:
        print("without the blocks of JAX, which is not installed")
    with tempfile.TemporaryDirectory() as folder:
        installation = Installation(folder)
        work = installation.folder / "work"
        work.mkdir()
        variables = {} if python is None else with_jax(installation, python)
        # One shell runs all blocks, so that `cd` persists; the output of each block goes to a separate file.
        commands = ["set -eu", "exec 2>&1"]
        for number, (kind, text) in enumerate(blocks):
            if kind == "sh" or kind == "sh jax" and python is not None:
                commands += [f"exec >{work}/{number}.printed", text]
        installation.run(["bash", "-c", "\n".join(commands)], work, **variables)
        for number, (kind, text) in enumerate(blocks):
            file = work / f"{number - 1}.printed"
            if kind == "text" and file.exists():
                printed = file.read_text()
                pattern = ".*".join(re.escape(part) for part in text.strip().split("..."))
                installation.check(re.search(pattern, printed, re.DOTALL),
                                   f"{DOCUMENT.name}: expected\n{text}\nbut it printed\n{printed}")
            elif kind == "text" and (python is not None or blocks[number - 1][0] == "sh"):
                installation.check(False, f"{DOCUMENT.name}: the block before this one was not run:\n{text}")
        return installation.finish()


if __name__ == "__main__":
    sys.exit(main())
