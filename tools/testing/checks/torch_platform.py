#!/usr/bin/env python3
"""PyTorch runs on cpu and npu by torch_xla: core/pjrt/tests/torch_smoke.py agrees with PyTorch's own cpu.
Skipped where torch_xla is not installed; BACKPLANE_TORCH_PYTHON names a Python that has it.
"""

import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from jax_on_build import ROOT, environment, python_or_skip


def main():
    python = python_or_skip("torch_xla", "torch==2.9.0 torch_xla==2.9.0", "BACKPLANE_TORCH_PYTHON")
    status = 0
    for backend in ("cpu", "npu"):
        done = subprocess.run([python, ROOT / "core/pjrt/tests/torch_smoke.py"],
                              env={**environment(""), "BACKPLANE_BACKEND": backend}, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)
        lines = [line for line in done.stdout.splitlines() if not line.startswith("passed ")]
        print("\n".join([f"{backend}: exit status {done.returncode}", *lines]))
        status = status or done.returncode
    return 1 if status else 0


if __name__ == "__main__":
    sys.exit(main())
