#!/usr/bin/env python3
"""Without an installation, `backplane new` of the build tree writes backends that build, are found by name and agree
with the interpreter: the smallest one, in C, the one with a compiler, in C++, and those with memory of their own and
queues, which the suite's cases of memory and queues judge, too. installed.py judges all kinds."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from installation import BUILD, TIME_LIMIT_SECONDS, has_sanitizer

BACKENDS = [("kernels", "c"), ("compiler", "cpp"), ("memory", "c"), ("queue", "c"), ("queue", "cpp")]
CASES = [f"--case={pattern}" for pattern in ("x_ray/*", "contract/BP-COPY-*", "contract/BP-SUBMIT-*", "contract/BP-WAIT-*")]


def run(problems, command, folder, expected):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("BACKPLANE")}
    done = subprocess.run(command, cwd=folder, env=environment | {"NO_COLOR": "1", "LC_ALL": "C"},
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=TIME_LIMIT_SECONDS)
    if done.returncode != 0 or expected not in done.stdout:
        problems.append(f"{' '.join(map(str, command))} ended with {done.returncode}, expected 0 and '{expected}':\n"
                        f"{done.stdout}")


def main():
    if has_sanitizer():
        print("a plugin would have to be built with the sanitizer of this build")
        return 77
    problems = []
    command = BUILD.resolve() / "tools/backplane"
    with tempfile.TemporaryDirectory() as folder:
        for tier, language in BACKENDS:
            name = f"my-{tier}-{language}"
            run(problems, [command, "new", name, "--tier", tier, "--lang", language], folder, "created the backend")
            made = pathlib.Path(folder) / name
            if not problems:
                run(problems, ["make"], made, f"libbackplane_{name}.so")
                run(problems, ["make", "inspect"], made, "can be loaded")
                run(problems, ["make", "run"], made, "against interpreter: agrees")
                if tier in ("memory", "queue"):
                    run(problems, [command, "conform", f"./libbackplane_{name}.so", *CASES], made, " 0 unexpected")
            if language == "cpp":
                run(problems, ["make", "-B", "-n", "CXX=g++"], made, " -fno-gnu-unique")
                if shutil.which("clang++"):
                    run(problems, ["make", "-B", "-n", "CXX=clang++"], made, "-Wpedantic  -I")
    print("\n\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
