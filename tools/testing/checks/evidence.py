#!/usr/bin/env python3
"""Checks that tools/bench/evidence measures each of its figures, in a quick run, and leaves the page alone; and that the
picture of each section of docs/evidence.md exists."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
BUILD = pathlib.Path(os.environ.get("BACKPLANE_TEST_BUILD", ROOT / "build"))
PAGE = ROOT / "docs/evidence.md"
SKIPPED = 77
# Runtimes that this interpreter does not have are left out.
PYTHON = os.environ.get("BACKPLANE_JAX_PYTHON", sys.executable)
QUICK = ["--build", BUILD, "--repeat", "1", "--turns", "1", "--elements", "4096"]
RUNS = {"fusion": (["gelu"], r"\| gelu \| .* \| .* \| \d+\.\d\d \|"), "chain": ([], r"\| 64 \|( [\d.]+ \w+ \|){3}"),
        "kernels": ([], r"\| softmax \| 1 \|"),
        "footprint": (["--python", PYTHON], r"\| Compiled ahead of time \| [\d.]+ kB \| [\d.]+ kB \|")}


def evidence(*arguments):
    return subprocess.run([ROOT / "tools/bench/evidence", *arguments], capture_output=True, text=True)


def main():
    if not (BUILD / "plugins/cpu/libbackplane_cpu.so").exists() or not shutil.which("gcc"):
        print("skipped: the figures are of the CPU backend, and need gcc")
        return SKIPPED
    before, problems = PAGE.read_text(), []
    for option, code, words in ((["--help"], 0, "examples:"), (["speed"], 2, "invalid choice: 'speed'")):
        done = evidence(*option)
        if done.returncode != code or words not in done.stdout + done.stderr:
            problems.append(f"evidence {option[0]} ends with {done.returncode}: {done.stdout}{done.stderr}")
    runs = dict(RUNS)
    if subprocess.run([PYTHON, "-c", "import onnx, onnxruntime"], capture_output=True).returncode == 0:
        runs["engines"] = (["digits", "--python", PYTHON], r"\| digits \| 1 \|")
        runs["decode"] = (["decode_s4", "--python", PYTHON], r"\| decode_s4 \| 1 \|")
    else:
        print(f"skipped: evidence engines and decode, because {PYTHON} has no ONNX Runtime (see BACKPLANE_JAX_PYTHON)")
    for figure, (names, row) in runs.items():
        done = evidence(figure, *names, *QUICK)
        if done.returncode != 0 or not re.search(row, done.stdout):
            problems.append(f"evidence {figure} ends with {done.returncode}: {done.stdout}{done.stderr}")
        if not (ROOT / f"docs/pictures/evidence_{figure}.svg").exists():
            problems.append(f"docs/pictures/evidence_{figure}.svg is missing, run tools/bench/evidence {figure} --bless")
    if PAGE.read_text() != before:
        problems.append("a run without --bless changed docs/evidence.md")
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
