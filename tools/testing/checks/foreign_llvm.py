#!/usr/bin/env python3
"""cpu works in a process with another LLVM whose symbols every library sees, as TensorFlow brings one: a library that is
preloaded ends the process where LLVM's functions are called. Skipped with a sanitizer, whose malloc() rules out that a
plugin finds its own symbols first.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from installation import has_sanitizer
from jax_on_build import BUILD, ROOT, SKIPPED

FOREIGN = """
#include <stdlib.h>
void *LLVMContextCreate(void) { abort(); }
void _ZN4llvm6legacy11PassManagerC1Ev(void *manager) { abort(); }
"""


def main():
    plugin = BUILD / "plugins/cpu/libbackplane_cpu.so"
    if has_sanitizer() or not plugin.exists():
        print("this build has a sanitizer" if has_sanitizer() else f"there is no {plugin}")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        source, library = pathlib.Path(folder, "foreign.c"), pathlib.Path(folder, "foreign.so")
        source.write_text(FOREIGN)
        subprocess.run([os.environ.get("CC", "cc"), "-w", "-shared", "-fPIC", source, "-o", library], check=True)
        done = subprocess.run([BUILD / "tools/backplane", "run", ROOT / "samples/models/digits.hlo", "--on", plugin],
                              env={**os.environ, "LD_PRELOAD": str(library)}, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        print(f"exit status {done.returncode}, expected 0\n{done.stdout}")
    return 1 if done.returncode != 0 else 0


if __name__ == "__main__":
    sys.exit(main())
