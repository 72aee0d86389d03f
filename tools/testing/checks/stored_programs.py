#!/usr/bin/env python3
"""The programs that JAX stored with their results run on cpu and npu, and give these results; see
core/python/jax_backplane/tests/stored_programs.py. Skipped where JAX is not installed.
"""

import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from jax_on_build import ROOT, environment, python_or_skip


def main():
    python = python_or_skip("jax", "jax==0.10.2")
    status = 0
    for platform in ("backplane", "backplane_npu"):
        done = subprocess.run([python, ROOT / "core/python/jax_backplane/tests/stored_programs.py"],
                              env=environment(platform), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              check=False)
        lines = [line for line in done.stdout.splitlines() if not line.startswith(("passed ", "skipped "))]
        print("\n".join([f"{platform}: exit status {done.returncode}", *lines]))
        status = status or done.returncode
    return 1 if status else 0


if __name__ == "__main__":
    sys.exit(main())
