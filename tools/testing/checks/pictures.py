#!/usr/bin/env python3
"""Checks that the pictures in docs/pictures are what the commands draw that their documents name.

pictures.py --bless draws them again. Skips where the CPU backend was not built, or does not compile for x86-64.
"""

import os
import pathlib
import platform
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
BUILD = pathlib.Path(os.environ.get("BACKPLANE_TEST_BUILD", ROOT / "build"))
# Picture -> the command that draws it, run in the top folder. The features make it the same on every machine.
PICTURES = {
    "docs/pictures/memory_plan.svg": ["memory", "samples/models/transformer_block.hlo", "--on", "cpu",
                                      "--features=x86-64-v3", "--svg"],
}
SKIPPED = 77


def main():
    if platform.machine() != "x86_64" or not (BUILD / "plugins/cpu/libbackplane_cpu.so").exists():
        print("skipped: the pictures are of the CPU backend on x86-64")
        return SKIPPED
    problems = []
    for picture, (command, *arguments) in PICTURES.items():
        with tempfile.TemporaryDirectory() as folder:
            drawn = pathlib.Path(folder) / "picture.svg"
            subprocess.run([BUILD / "tools/backplane", command, *arguments, drawn], cwd=ROOT, check=True,
                           stdout=subprocess.DEVNULL)
            if "--bless" in sys.argv:
                (ROOT / picture).write_bytes(drawn.read_bytes())
            elif (ROOT / picture).read_bytes() != drawn.read_bytes():
                problems.append(f"{picture} is out of date; run: tools/testing/checks/pictures.py --bless")
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
