#!/usr/bin/env python3
"""A run takes the memory that was predicted, to the byte: the HLO programs of the corpus that cpu runs whole, on random
inputs; without --full (BACKPLANE_TEST_FULL) every sixth of them. self_checking_programs.py does the same for the
StableHLO programs. Loops may run for long on random inputs: what takes too much time is counted and left out.

Skipped without the corpus (BACKPLANE_SHARED, or ../shared beside the checkout), without the cpu backend, and in builds
with a sanitizer that has an allocator of its own.
"""

import collections
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
BUILD = pathlib.Path(os.environ.get("BACKPLANE_TEST_BUILD", ROOT / "build"))
CORPUS = pathlib.Path(os.environ.get("BACKPLANE_SHARED", ROOT.parent / "shared")) / "corpus/hlo"
FOLDERS = ["cases", "benchmarks"]
EVERY = 1 if os.environ.get("BACKPLANE_TEST_FULL") else 6
SECONDS = 20
SKIP = 77


def run(path):
    """The kind of outcome, and what to tell about it."""
    try:
        done = subprocess.run([BUILD / "tools/backplane", "run", path, "--on", "cpu", "--json"], capture_output=True,
                              text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return f"not done in {SECONDS} s", ""
    if done.returncode != 0:
        return "cannot run", ""
    outcome = json.loads(done.stdout)
    predicted, measured = outcome["predicted_peak_bytes"], outcome["measured_peak_bytes"]
    if measured <= 0:
        return "on the host, or not measured", ""
    if predicted != measured:
        return "wrong", f"{path}: a run took {measured} bytes, predicted were {predicted}"
    return "as predicted", ""


def main():
    if not CORPUS.is_dir() or not (BUILD / "plugins/cpu/libbackplane_cpu.so").exists():
        print("no corpus (set BACKPLANE_SHARED to the folder that has it), or no cpu backend")
        return SKIP
    options = json.loads((BUILD / "meson-info/intro-buildoptions.json").read_text())
    sanitizer = next(option["value"] for option in options if option["name"] == "b_sanitize")
    if "address" in sanitizer or "thread" in sanitizer:
        print("a sanitizer counts allocations here")
        return SKIP
    paths = sorted(path for folder in FOLDERS for path in (CORPUS / folder).glob("*.hlo"))[::EVERY]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        outcomes = list(pool.map(run, paths))
    counts = collections.Counter(kind for kind, _ in outcomes)
    print(", ".join(f"{count} {kind}" for kind, count in sorted(counts.items())))
    problems = [text for _, text in outcomes if text]
    if counts["as predicted"] < len(paths) // 2:
        problems.append(f"{counts['as predicted']} of {len(paths)} programs were run, expected at least half")
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
