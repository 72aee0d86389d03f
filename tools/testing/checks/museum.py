#!/usr/bin/env python3
"""What earlier releases left in conformance/museum still works with today's plugins and commands: their host runs the
plugins of this build, their images compile, their packages run without compiling, and their reports are read.

Plugins of earlier releases under today's core are in conformance/museum/tests.
"""

import os
import pathlib
import platform
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from installation import has_sanitizer

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
BUILD = pathlib.Path(os.environ.get("BACKPLANE_TEST_BUILD", ROOT / "build"))
BACKPLANE = BUILD / "tools/backplane"
MUSEUM = ROOT / "conformance/museum"
INPUTS = ["1 2 3 4 50".split(), "10 20 -30 40 -50".split()]
RESULT = "121 484 729 1936 50".split()  # maximum((x + y)^2, x)

failures = []


def run(*command):
    """Returns what the command prints; it is a failure if it does not succeed."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        failures.append(f"{' '.join(map(str, command))}: exit status {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def expect(condition, text):
    if not condition:
        failures.append(text)


def check_release(folder, scratch):
    for name in ("cpu", "npu"):
        plugin = BUILD / f"plugins/{name}/libbackplane_{name}.so"
        if plugin.exists():
            printed = run(folder / "host", plugin, folder / "sum.image", *INPUTS[0], *INPUTS[1])
            expect(printed.split() == RESULT, f"{folder.name}: its host ran {name} and printed {printed!r}")
    files = []
    for number, values in enumerate(INPUTS):
        files.append(scratch / f"{number}.txt")
        files[-1].write_text("{" + ", ".join(values) + "}")
    printed = run(BACKPLANE, "run", folder / "sum.bpkg", "--inputs", *files, "--print")
    expect(", ".join(RESULT) in printed, f"{folder.name}: sum.bpkg printed {printed!r}")
    printed = run(BACKPLANE, "conform", "report", folder / "report.jsonl")
    expect("11 cases" in printed and "8 pass, 3 unsupported" in printed, f"{folder.name}: report.jsonl gave {printed!r}")


def main():
    if platform.machine() != "x86_64" or platform.system() != "Linux":
        print("skipped: the exhibits are for x86-64 Linux")
        return 77
    if has_sanitizer():
        print("the host of a release would have to be built with the sanitizer of this build")
        return 77
    releases = sorted(path.parent for path in MUSEUM.glob("*/host"))
    expect(releases, f"{MUSEUM} has no exhibits")
    with tempfile.TemporaryDirectory() as scratch:
        for folder in releases:
            check_release(folder, pathlib.Path(scratch))
    print("\n".join(failures) or f"{len(releases)} release(s): host, image, package and report work")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
