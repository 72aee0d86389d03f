#!/usr/bin/env python3
"""tools/demo builds little before its first result: of all source files that the build compiles, at most a given share,
and none beyond the engine of the core, the CPU backend and the demo's own program. Counts what ninja would compile for
the targets that tools/demo names, in a new build folder; builds nothing."""

import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
BUILD = pathlib.Path(os.environ.get("BACKPLANE_TEST_BUILD", ROOT / "build")).resolve()
MAX_SHARE = 0.45
ALLOWED = re.compile(
    r"core/(base|ir|text|interpreter|analysis|passes|packing|buffers|host|runtime|compile)/|"
    r"(.*/)?plugins/(cpu|llvm|native)/|"
    r"tools/demonstration\.cc|tools/command/terminal\.cc|tools/measure/allocation_counter\.cc")
INCLUDE = re.compile(r'^#include ?[<"](.*)[>"]', re.MULTILINE)


def sources(targets):
    """Returns the source files that are compiled for the targets, those of a unity build one by one. A file that is
    compiled for several targets is there several times."""
    listed = subprocess.run(["ninja", "-C", BUILD, "-t", "commands", *targets], capture_output=True, text=True, check=True)
    found = []
    for name in re.findall(r" -c (\S+\.(?:c|cc|cpp))$", listed.stdout, re.MULTILINE):
        file = BUILD / name
        is_unity = re.search(r"-unity\d+\.c(pp)?$", name)
        parts = [BUILD / part for part in INCLUDE.findall(file.read_text())] if is_unity else [file]
        found += [part.resolve() for part in parts]
    return found


def main():
    targets = re.search(r"^tools/set_up (.*)$", (ROOT / "tools/demo").read_text(), re.MULTILINE)[1].split()
    if not (BUILD / targets[-1]).exists():
        print("there is no cpu backend")
        return 77
    all_sources, demo = sources(["all"]), sources(targets)
    names = sorted(os.path.relpath(file, ROOT) for file in demo)
    problems = [f"tools/demo builds {name}" for name in names if not ALLOWED.match(name)]
    if not demo or len(demo) > MAX_SHARE * len(all_sources):
        problems.append(f"tools/demo builds {len(demo)} of {len(all_sources)} files, expected at most {MAX_SHARE:.0%}")
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
