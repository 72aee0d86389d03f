#!/usr/bin/env python3
"""A vendor builds on the installed emitters: with an installation in a temporary folder, and without the source tree,
the sample of a backend for riscv64 is built by pkg-config. Its programs run in an emulator as on the interpreter, also
those that are compiled ahead of time. With --full, it runs all sample models and self-checking programs. Without
the emulator or the cross compiler, the backend is only built and inspected, and the check is skipped at its end."""

import os
import pathlib
import re
import shutil
import struct
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from installation import BUILD, ROOT, Installation, has_sanitizer

FULL = bool(os.environ.get("BACKPLANE_TEST_FULL"))
SAMPLE = ROOT / "samples/07_backend_for_an_llvm_target"
MODELS = ["digits", "transformer_block", *(["convolutional_classifier"] if FULL else [])]
PROGRAMS = ROOT / "conformance/programs"
TOOLS = {"qemu-riscv64": "qemu-user", "riscv64-linux-gnu-gcc": "gcc-riscv64-linux-gnu"}
MOST_LINES = 400
BACKEND = "./libbackplane_riscv64.so"
PIXELS = 28 * 28
# Prints the probabilities for a picture, pixel i of which is (i * 37 % 256) / 256.
MAIN = """#include <stdio.h>
#include "digits.h"
static float image[28 * 28] __attribute__((aligned(DIGITS_ALIGNMENT)));
static float result[10] __attribute__((aligned(DIGITS_ALIGNMENT)));
static unsigned char arena[DIGITS_ARENA_BYTES(1)] __attribute__((aligned(DIGITS_ALIGNMENT)));
int main(void) {
  digits_arguments arguments = {image};
  digits_results results = {result};
  int i, status;
  for (i = 0; i < 28 * 28; ++i) image[i] = (float)(i * 37 % 256) / 256.0f;
  status = digits_check() == BACKPLANE_AOT_OK ? digits_run(&arguments, &results, arena, sizeof arena, NULL) : -1;
  if (status != BACKPLANE_AOT_OK) return 1;
  for (i = 0; i < 10; ++i) printf("%.9g\\n", (double)result[i]);
  return 0;
}
"""


def compiler():
    """Returns the compiler of the build, which is the one that the installed libraries are for."""
    return re.search(r"^rule cpp_COMPILER\n command = (?:ccache )?(\S+) ", (BUILD / "build.ninja").read_text(), re.M)[1]


def compile_header(installation, header, *options, code=0):
    flags = installation.run(["pkg-config", "--cflags", "backplane-emit"], installation.folder).split()
    command = [compiler(), "-std=c++20", *options, "-Wall", "-Wextra", "-Wpedantic", "-Werror", *flags, "-fsyntax-only",
               "-include", header, "-x", "c++", "/dev/null"]
    return installation.run(command, installation.folder, code)


def headers(installation):
    """Each header compiles alone, and with LLVM 19 only."""
    folder = installation.prefix / "include/backplane-emit"
    names = sorted(str(path.relative_to(folder)) for path in folder.rglob("*.h"))
    installation.check("backplane/native/compiler.h" in names, f"the headers of the emitters are {names}")
    for name in names:
        compile_header(installation, name)
    config = installation.folder / "llvm18/llvm/Config/llvm-config.h"
    config.parent.mkdir(parents=True)
    config.write_text("#define LLVM_VERSION_MAJOR 18\n")
    printed = compile_header(installation, "backplane/native/compiler.h", f"-I{installation.folder}/llvm18", code=1)
    installation.check("emitters are built for LLVM 19" in printed, f"with the headers of LLVM 18: {printed}")


def build(installation):
    folder = shutil.copytree(SAMPLE, installation.folder / "sample")
    lines = sum(len(path.read_text().splitlines()) for path in folder.iterdir())
    installation.check(lines < MOST_LINES, f"the backend has {lines} lines, expected fewer than {MOST_LINES}")
    for model in MODELS:
        shutil.copy(ROOT / f"samples/models/{model}.hlo", folder)
    installation.run(["make", f"CXX={compiler()}"], folder)
    printed = installation.run(["backplane", "inspect", BACKEND], folder)
    installation.check("can be loaded" in printed, f"backplane inspect printed\n{printed}")
    printed = installation.run(["backplane", "compile", "digits.hlo", "--on", BACKEND, "--emit=asm"], folder)
    installation.check("fmadd.s" in printed, f"the assembly of digits.hlo has no fmadd.s:\n{printed[:4000]}")
    return folder


def programs(installation, folder):
    for model in MODELS:
        printed = installation.run(["make", "run", f"MODEL={model}.hlo"], folder)
        installation.check("on the host:      nothing" in printed and "against interpreter: agrees" in printed,
                           f"{model} printed\n{printed}")
    for path in sorted(PROGRAMS.glob("*.mlir" if FULL else "dot.mlir")):
        shutil.copy(path, folder)
        printed = installation.run(["backplane", "check", path.name, "--on", BACKEND], folder)
        installation.check(" passed, 0 failed, 0 skipped" in printed, f"{path.name} printed\n{printed}")


def ahead_of_time(installation, folder):
    """An object runs under the emulator with the bits of `run`."""
    installation.run(["backplane", "aot", "digits.hlo", "--on", BACKEND, "-o", "digits.o", "--header", "digits.h"], folder)
    (folder / "main.c").write_text(MAIN)
    installation.run(["riscv64-linux-gnu-gcc", "-std=c99", "-O2", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-static",
                      "-o", "main", "main.c", "digits.o"], folder)
    alone = installation.run(["qemu-riscv64", "./main"], folder).split()
    pixels = [f"{{{i * 37 % 256 / 256}}}" for i in range(PIXELS)]
    rows = ["{" + ", ".join(pixels[i:i + 28]) + "}" for i in range(0, PIXELS, 28)]
    (folder / "image.txt").write_text("{{" + ", ".join(rows) + "}}")
    printed = installation.run(["backplane", "run", "digits.hlo", "--on", BACKEND, "--inputs", "image.txt", "--print"],
                               folder)
    literal = printed.split("{")[-1].split("}")[0].split(",")
    try:
        bits = [[struct.pack("f", float(number)) for number in numbers] for numbers in (alone, literal)]
    except ValueError:
        bits = [[], []]
    installation.check(bits[0] == bits[1] and len(bits[0]) == 10, f"alone it printed {alone}; backplane run:\n{printed}")


def main():
    if has_sanitizer():
        print("what links this build would have to be built with its sanitizer")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        installation = Installation(folder)
        if not (installation.prefix / "include/backplane-emit").exists():
            print("there is no LLVM 19: nothing of the emitters is installed")
            return 77
        headers(installation)
        sample = build(installation)
        missing = [f"{tool} (Debian's package {package})" for tool, package in TOOLS.items() if not shutil.which(tool)]
        if not missing:
            programs(installation, sample)
            ahead_of_time(installation, sample)
        code = installation.finish()
        if code == 0 and missing:
            print(f"the backend was built, but nothing ran on it: there is no {' and no '.join(missing)}")
            return 77
        return code


if __name__ == "__main__":
    sys.exit(main())
