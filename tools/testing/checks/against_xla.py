#!/usr/bin/env python3
"""XLA:CPU, judged as a backend, differs from the interpreter only where known_differences.txt says so: on a sample of
the suite's cases, or with --full on all of the quick run. Skipped where JAX is not installed.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from jax_on_build import ROOT, python_or_skip

IS_FULL = "BACKPLANE_TEST_FULL" in os.environ
SAMPLE = 400  # cases, in about 20 seconds
COMMAND = [ROOT / "tools/oracle/against_xla"]


def run(*arguments):
    return subprocess.run([*COMMAND, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def find_problem():
    done = run(*([] if IS_FULL else ["--sample", str(SAMPLE)]))
    if done.returncode != 0:
        return done.stdout[-8000:]
    # Without its list, the same command must find differences.
    with tempfile.NamedTemporaryFile("w") as empty:
        done = run("--known", empty.name, "--case", "ops/power/s64/power/edge")
    if done.returncode != 1 or "New differences: 1" not in done.stdout:
        return f"a difference that is not known did not fail the job:\n{done.stdout}"
    with tempfile.NamedTemporaryFile("w") as wrong:
        wrong.write("ops/* | no reason\n")
        wrong.flush()
        done = run("--known", wrong.name)
    if done.returncode != 1 or ":1: expected CASES | MESSAGE | REASON" not in done.stdout:
        return f"a line without a reason was not refused:\n{done.stdout}"
    return ""


def main():
    python_or_skip("jax, ml_dtypes, numpy", "jax==0.10.2")
    problem = find_problem()
    print(problem)
    return 1 if problem else 0


if __name__ == "__main__":
    sys.exit(main())
