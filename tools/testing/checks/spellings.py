#!/usr/bin/env python3
"""A program gives the same results, bit by bit, in every format: StableHLO pretty or generic, HLO text or proto.

The files were written by JAX (core/import/tests/spellings). Each of them is also unchanged by printing and reading it
again.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
BUILD = pathlib.Path(os.environ.get("BACKPLANE_TEST_BUILD", ROOT / "build"))
BACKENDS = ["interpreter"] + (["cpu"] if (BUILD / "plugins/cpu/libbackplane_cpu.so").exists() else [])
SPELLINGS = [".hlo", ".mlir", ".generic.mlir", ".pb"]
problems = []


def backplane(*arguments):
    done = subprocess.run([BUILD / "tools/backplane", *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        problems.append(f"backplane {' '.join(map(str, arguments))}\n  ended with {done.returncode}:\n{done.stderr}")
    return done.stdout


def results(model, backend):
    printed = backplane("run", model, "--on", backend, "--seed", "3", "--print")
    return [line for line in printed.splitlines() if not re.match(r"[a-z ]+: ", line)]


def main():
    programs = sorted(path.with_suffix("") for path in (ROOT / "core/import/tests/spellings").glob("*.hlo"))
    with tempfile.TemporaryDirectory() as folder:
        again = pathlib.Path(folder) / "again.hlo"
        for program in programs:
            spelled = {spelling: program.with_name(program.name + spelling) for spelling in SPELLINGS}
            for backend in BACKENDS:
                expected = results(spelled[".hlo"], backend)
                if not expected:
                    problems.append(f"{spelled['.hlo']} on {backend} prints no results")
                for spelling in SPELLINGS[1:] if backend == "interpreter" else SPELLINGS[1:2]:
                    found = results(spelled[spelling], backend)
                    if found != expected:
                        problems.append(f"{spelled[spelling]} on {backend} gives {found}\nthe HLO text gives {expected}")
            for model in spelled.values():
                again.write_text(backplane("opt", model, "--passes=none"))
                if backplane("opt", again, "--passes=none") != again.read_text():
                    problems.append(f"{model} printed and read again prints otherwise")
    print("\n".join(problems))
    return 1 if problems or not programs else 0


if __name__ == "__main__":
    sys.exit(main())
