#!/usr/bin/env python3
"""Any seed of the suite is green for backends without a fault: quick runs of our own backends, each with several seeds.
The random programs and operands are others with each seed, so that a bound that is too narrow fails for some of them.

    seeds.py FIRST LAST [BACKEND...] [--jobs N] [--results FILE.json] [--page docs/conformance_seeds.md]

A run with a seed takes one to four minutes of a processor. --results keeps the outcomes, so that a job of hours can be
continued, for several builds too: the page says which version each outcome is of. Without numbers, seed 1 of the
interpreter is run, in seconds."""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from installation import has_sanitizer

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
BUILD = pathlib.Path(os.environ.get("BACKPLANE_TEST_BUILD", ROOT / "build"))
BACKPLANE = BUILD / "tools/backplane"
BACKENDS = ["interpreter", "kernels", "npu", "cpu", "nvptx"]
UNEXPECTED = {"fail", "crashed", "timed_out", "unexpected_pass", "blocked"}


def run(backend, seed):
    """Returns the outcome of a quick run: the number of cases, and the ids of those with an unexpected result."""
    plugin = backend if backend == "interpreter" else BUILD / f"plugins/{backend}/libbackplane_{backend}.so"
    with tempfile.TemporaryDirectory() as folder:
        lines = pathlib.Path(folder, "results.jsonl")
        emulation = ["--emulate"] if backend == "nvptx" else []
        # Other runs on the same processors must not turn a slow case into a failure.
        done = subprocess.run([BACKPLANE, "conform", plugin, *emulation, "--seed", str(seed), "--jobs", "1", "--deadline",
                               "4", "-o", lines], capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if done.returncode not in (0, 1):
            raise RuntimeError(f"conform {backend} --seed {seed} ended with {done.returncode}: {done.stderr.strip()}")
        records = [json.loads(line) for line in lines.read_text().splitlines()]
    cases = [record for record in records if "id" in record]
    return {"cases": len(cases), "unexpected": [case["id"] for case in cases if case["status"] in UNEXPECTED]}


def version():
    return subprocess.run(["git", "-C", ROOT, "log", "-1", "--format=%cs %h"], capture_output=True, text=True,
                          check=False).stdout.strip()


def write_page(file, outcomes):
    seeds = sorted({int(seed) for of_backend in outcomes.values() for seed in of_backend})
    backends = [backend for backend in BACKENDS if backend in outcomes]
    everything = [outcome for of_backend in outcomes.values() for outcome in of_backend.values()]
    lines = ["# The suite with other seeds", "",
             "Quick runs of `backplane conform` on backends without a fault, with various seeds: the number of cases, and",
             "how many of them had an unexpected result. `nvptx` is emulated. This page is written by",
             "`tools/testing/checks/seeds.py`.", "",
             f"**{len(everything)} runs, {sum(outcome['cases'] for outcome in everything):,} cases, "
             f"{sum(len(outcome['unexpected']) for outcome in everything)} unexpected results.**", "",
             "| seed | " + " | ".join(backends) + " |", "|---" * (1 + len(backends)) + "|"]
    for seed in seeds:
        cells = []
        for backend in backends:
            outcome = outcomes[backend].get(str(seed))
            cells.append(f"{len(outcome['unexpected'])} of {outcome['cases']:,}" if outcome else "not run")
        lines.append(f"| {seed} | " + " | ".join(cells) + " |")
    versions = collections.Counter(outcome["version"] for outcome in everything)
    lines += ["", "Runs by version (date and commit):", ""]
    lines += [f"- {name}: {count}" for name, count in sorted(versions.items())]
    pathlib.Path(file).write_text("\n".join(lines) + "\n")


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    arguments.add_argument("first", nargs="?", type=int)
    arguments.add_argument("last", nargs="?", type=int)
    arguments.add_argument("backends", nargs="*", default=BACKENDS, metavar="BACKEND")
    arguments.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    arguments.add_argument("--results", metavar="FILE.json", type=pathlib.Path)
    arguments.add_argument("--page", metavar="FILE.md")
    options = arguments.parse_args()
    unknown = [backend for backend in options.backends if backend not in BACKENDS]
    if unknown:
        arguments.error(f"there is no backend {', '.join(unknown)} here, expected some of {', '.join(BACKENDS)}")
    if options.last is not None and options.last < options.first:
        arguments.error(f"the last seed, {options.last}, is before the first one, {options.first}")
    if has_sanitizer():
        print("quick runs take too long with a sanitizer")
        return 77
    if options.first is None:
        options.first, options.last, options.backends = 1, 1, ["interpreter"]
    outcomes = json.loads(options.results.read_text()) if options.results and options.results.exists() else {}
    left = [(seed, backend) for seed in range(options.first, (options.last or options.first) + 1)
            for backend in options.backends if str(seed) not in outcomes.get(backend, {})]
    lock, of_version = threading.Lock(), version()

    def judge(unit):
        seed, backend = unit
        outcome = run(backend, seed) | {"version": of_version}
        with lock:
            outcomes.setdefault(backend, {})[str(seed)] = outcome
            if options.results:
                options.results.write_text(json.dumps(outcomes, indent=1))
            print(f"{backend}, seed {seed}: {outcome['cases']} cases, {len(outcome['unexpected'])} unexpected",
                  *outcome["unexpected"], sep="\n  ", flush=True)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(judge, left))
    if options.page:
        write_page(options.page, outcomes)
    return 1 if any(outcome["unexpected"] for of_backend in outcomes.values() for outcome in of_backend.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
