#!/usr/bin/env python3
"""Programs that JAX exported with symbolic shapes run at two sets of sizes each on cpu and on the interpreter, with equal
results, also where sizes are padded to powers of two: a sample of the corpus, or with --full all of it. Then XLA, which
refines the same programs, judges the interpreter as well. Skipped where the corpus is missing.
"""

import math
import os
import pathlib
import random
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from jax_on_build import BUILD, ROOT, SKIPPED, python_with

IS_FULL = "BACKPLANE_TEST_FULL" in os.environ
SHARED = pathlib.Path(os.environ.get("BACKPLANE_SHARED", ROOT.parent / "shared"))
CORPUS = SHARED / "corpus/stablehlo/dynamic"
SAMPLE = 40  # programs
SIZES = ((3, 5, 4), (8, 6, 7))
# A convolution with two strides for one dimension, which XLA refuses, too.
REFUSED = {"conv_general_dilated_1d_stride_2_even_dynamic.mlir", "conv_general_dilated_1d_stride_2_odd_dynamic.mlir"}
LARGEST_ERROR = 1e-5  # relative to the largest value; of bf16, 1 / 32
TYPES = {"i1": "pred", "i8": "s8", "i16": "s16", "i32": "s32", "i64": "s64", "ui8": "u8", "ui32": "u32"}


def literal_of(sizes, element):
    if sizes:
        return "{" + ", ".join(literal_of(sizes[1:], element) for _ in range(sizes[0])) + "}"
    if element == "i1":
        return random.choice(("true", "false"))
    return str(random.randrange(3)) if "i" in element else f"{random.uniform(0.25, 1.25):.3f}"


def arguments_for(text, sizes):
    """Returns the arguments of a run: scalars of i64 are sizes in this corpus."""
    random.seed(7)
    arguments, values = [], iter(sizes)
    for type_ in re.findall(r"tensor<(.*?)>(?=[ ,]|$)", re.search(r"@main\((.*?)\) ->", text).group(1)):
        unknown = iter(sizes)
        *written, element = type_.split("x")
        known = [next(unknown) if size == "?" else int(size) for size in written]
        literal = str(next(values)) if type_ == "i64" else literal_of(known, element)
        arguments.append(f"{TYPES.get(element, element)}[{','.join(map(str, known))}] {literal}")
    return "; ".join(arguments)


def run(path, backend, arguments, *options):
    """Returns the results as a text, or None and the message."""
    done = subprocess.run([BUILD / "tools/run_polymorphic", *options, backend, path], input=arguments + "\n", text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env={**os.environ, "BACKPLANE_PATH": str(BUILD / "plugins/cpu")})
    return (done.stdout.splitlines()[0], "") if done.returncode == 0 else (None, done.stderr.strip())


def numbers(literal):
    words = re.findall(r"true|false|-?nan(?:\(0x[0-9a-f]+\))?|-?inf|-?[0-9.]+(?:e[-+]?[0-9]+)?", literal)
    return [float(word == "true") if word in ("true", "false") else float(re.sub(r"\(.*", "", word)) for word in words]


def difference(found, expected, allowed):
    a, b = numbers(found), numbers(expected)
    if len(a) != len(b):
        return f"{len(a)} elements, the interpreter has {len(b)}"
    scale = max((abs(y) for y in b if math.isfinite(y)), default=0) or 1
    for i, (x, y) in enumerate(zip(a, b)):
        is_equal = x == y or (math.isnan(x) and math.isnan(y))
        if not is_equal and not abs(x - y) <= allowed * scale:
            return f"element {i} is {x}, the interpreter has {y}"
    return ""


def find_problem(path, sizes):
    """Returns what is wrong, or nothing."""
    text = path.read_text()
    arguments = arguments_for(text, sizes)
    expected, problem = run(path, "interpreter", arguments)
    if path.name in REFUSED:
        return "" if "'window_strides' has 2 numbers, expected 1" in problem else f"expected to be refused: {problem}"
    if expected is None:
        return problem
    found, problem = run(path, "cpu", arguments)
    allowed = 1 / 32 if "bf16" in text else LARGEST_ERROR
    problem = problem if found is None else difference(found, expected, allowed)
    if problem:
        return problem
    found, problem = run(path, "cpu", arguments, "--buckets")
    problem = problem if found is None else difference(found, expected, allowed)
    return f"with buckets: {problem}" if problem else ""


def main():
    if not CORPUS.is_dir():
        print("no corpus; set BACKPLANE_SHARED to the folder that has it")
        return SKIPPED
    programs = sorted(CORPUS.glob("*.mlir"))
    chosen = programs if IS_FULL else programs[::len(programs) // SAMPLE]
    wrong = 0
    for path in chosen:
        for sizes in SIZES:
            if problem := find_problem(path, sizes):
                print(f"{path.name} at {sizes}: {problem}")
                wrong += 1
    print(f"{len(chosen)} programs at {len(SIZES)} sets of sizes: {wrong} problems")
    if wrong:
        return 1
    python = python_with("jax, ml_dtypes, numpy") if IS_FULL else None
    return subprocess.run([python, ROOT / "tools/oracle/dynamic_against_xla", CORPUS]).returncode if python else 0


if __name__ == "__main__":
    sys.exit(main())
