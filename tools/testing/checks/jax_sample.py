#!/usr/bin/env python3
"""The lesson that trains a transformer runs on cpu and on npu: the loss goes down, and is the same on both. Skipped
where JAX, Flax and Optax are not installed.
"""

import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from jax_on_build import ROOT, environment, python_or_skip

STEPS = 16
ROUNDING = 0.0015  # losses are printed with three decimals


def losses(python, platform):
    """Returns the losses that the lesson prints."""
    command = [python, ROOT / "samples/05_train_a_transformer/train.py", "--steps", str(STEPS)]
    done = subprocess.run(command, env=environment(f"{platform},cpu"), capture_output=True, text=True, check=False)
    print(f"{platform}:\n{done.stdout}{done.stderr[-2000:] if done.returncode else ''}")
    return [float(loss) for loss in re.findall(r"loss ([0-9.]+)", done.stdout)] if done.returncode == 0 else []


def main():
    python = python_or_skip("flax, jax, optax", "jax==0.10.2 flax optax")
    cpu, npu = losses(python, "backplane"), losses(python, "backplane_npu")
    if not cpu or not cpu[-1] < 0.8 * cpu[0]:
        print(f"cpu: the losses are {cpu}, expected them to go down by a fifth")
        return 1
    if len(cpu) != len(npu) or any(abs(a - b) > ROUNDING for a, b in zip(cpu, npu)):
        print(f"npu: the losses are {npu}, expected those of cpu, {cpu}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
