#!/usr/bin/env python3
"""A run uses exactly the predicted memory, to the byte: the HLO programs of the corpus that cpu can run completely, on
random inputs; without --full (BACKPLANE_TEST_FULL) every sixth of them. Some are also run on devices with their own
memory, and the host memory that they use is compared as well. self_checking_programs.py does the same for the StableHLO
programs. Loops may run for a long time on random inputs: programs that take too long are counted and left out.

Skipped without the corpus (BACKPLANE_SHARED, or ../shared next to the checkout), without the cpu backend, and in builds
with a sanitizer that replaces the allocator.
"""

import collections
import concurrent.futures
import itertools
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
# Every n-th of these programs also runs on another device.
DEVICE_EVERY = 1 if os.environ.get("BACKPLANE_TEST_FULL") else 3
SECONDS = 20
BACKENDS = {"cpu": ["--on", "cpu"], "npu": ["--on", "npu"], "nvptx": ["--on", "nvptx", "--set", "emulate=1"]}
SKIP = 77


def run(path, backend):
    """Returns the kind of outcome, and a message."""
    try:
        done = subprocess.run([BUILD / "tools/backplane_counting", "run", path, *BACKENDS[backend], "--json"], capture_output=True,
                              text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return f"not done in {SECONDS} s", ""
    if done.returncode != 0:
        return "cannot run", ""
    kind = "as predicted"
    for outcome in map(json.loads, done.stdout.splitlines()):  # one for each module of the file
        if outcome["measured_peak_bytes"] <= 0:
            kind = "on the host, or not measured"
        for where in ("peak", "staging"):
            predicted, measured = outcome[f"predicted_{where}_bytes"], outcome[f"measured_{where}_bytes"]
            if measured > 0 and predicted != measured:
                return "wrong", f"{path} on {backend}: the {where} was {measured} bytes, but {predicted} were predicted"
    return kind, ""


def main():
    backends = [name for name in BACKENDS if (BUILD / f"plugins/{name}/libbackplane_{name}.so").exists()]
    if not CORPUS.is_dir() or "cpu" not in backends:
        print("no corpus (set BACKPLANE_SHARED to the folder that has it), or no cpu backend")
        return SKIP
    options = json.loads((BUILD / "meson-info/intro-buildoptions.json").read_text())
    sanitizer = next(option["value"] for option in options if option["name"] == "b_sanitize")
    if "address" in sanitizer or "thread" in sanitizer:
        print("a sanitizer counts allocations here")
        return SKIP
    paths = sorted(path for folder in FOLDERS for path in (CORPUS / folder).glob("*.hlo"))[::EVERY]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        outcomes = list(pool.map(run, paths, ["cpu"] * len(paths)))
        devices = itertools.cycle([name for name in backends if name != "cpu"] or ["cpu"])
        on_devices = list(pool.map(run, paths[::DEVICE_EVERY], devices))
    problems = [text for _, text in outcomes + on_devices if text]
    for where, found in (("cpu", outcomes), ("devices", on_devices)):
        counts = collections.Counter(kind for kind, _ in found)
        print(f"{where}: " + ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items())))
        if counts["as predicted"] < len(found) // 2:
            problems.append(f"{counts['as predicted']} of {len(found)} programs were run on {where}, expected at least half")
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
