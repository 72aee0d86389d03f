"""Runs the programs of library_programs.py on the platforms of Backplane and on JAX's own cpu, and compares. Prints a
line per program and platform, with the largest difference, relative to the largest number; ends with how many passed.
Programs whose library is missing are skipped; the exit code is 77 if that is all of them.

Run with JAX_PLATFORMS=PLATFORM,...,cpu; arguments select programs by a part of their name.
"""

import os
import sys
import time

import jax
import numpy as np

from library_programs import PROGRAMS

PLATFORMS = os.environ["JAX_PLATFORMS"].split(",")
SKIPPED = 77


def promise(program, device):
    """Runs a program that was made on a device. Returns what its results promise."""
    with jax.default_device(device):
        state, results = program.state, []
        for _ in range(program.steps):
            state, result = program.step(state, *program.data)
            results.append(result)
        return np.asarray(program.promise(jax.device_get(results)), np.float64)


def run_on(platform, make):
    """Returns what a program promises, and its tolerance."""
    device = jax.devices(platform)[0]
    with jax.default_device(device):
        program = make()
    return promise(program, device), program.tolerance


def difference(found, expected):
    if not np.isfinite(expected).all():
        raise AssertionError("JAX's own cpu finds numbers that are not finite")
    return float(np.max(np.abs(found - expected)) / np.max(np.abs(expected)))


def main():
    passed, failed, skipped = 0, 0, 0
    for name, make in PROGRAMS.items():
        if not any(part in name for part in sys.argv[1:] or [""]):
            continue
        try:
            expected, tolerance = run_on("cpu", make)
        except ModuleNotFoundError as error:
            skipped += 1
            print(f"skipped {name}: {error.name} is not installed", flush=True)
            continue
        for platform in PLATFORMS[:-1]:
            start = time.perf_counter()
            try:
                distance = difference(run_on(platform, make)[0], expected)
                if not distance <= tolerance:
                    raise AssertionError(f"the difference is {distance:.2g}, expected at most {tolerance:.2g}")
                passed += 1
                print(f"passed {name} on {platform}: {distance:.1e}, {time.perf_counter() - start:.1f} s", flush=True)
            except Exception as error:
                failed += 1
                print(f"FAILED {name} on {platform}: {type(error).__name__}: {str(error)[:2000]}", flush=True)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    sys.exit(1 if failed else SKIPPED if skipped and not passed else 0)


if __name__ == "__main__":
    main()
