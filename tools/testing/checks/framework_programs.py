#!/usr/bin/env python3
"""Programs that PyTorch, TensorFlow and Keras wrote (conformance/frameworks) give the results that the framework
computed, on the interpreter and on cpu: within 1e-5 of the largest element of a result, integers exactly. Scripts in
tools/frameworks make them again."""

import array
import ast
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
BUILD = pathlib.Path(os.environ.get("BACKPLANE_TEST_BUILD", ROOT / "build"))
FOLDER = ROOT / "conformance/frameworks"
TOLERANCE = 1e-5
TYPES = {"<f4": "f", "<f8": "d", "<i4": "i", "<i8": "q", "<c8": "f", "<c16": "d", "|b1": "B", "|u1": "B"}
FEWEST = 12


def read_npy(content):
    """Returns type, shape, and elements of an array as NumPy stores it; complex ones as two numbers each."""
    if not content.startswith(b"\x93NUMPY\x01"):
        raise ValueError(f"{content[:8]!r} begins the file, expected an array of NumPy, version 1")
    size = struct.unpack("<H", content[8:10])[0]
    header = ast.literal_eval(content[10:10 + size].decode())
    if header["fortran_order"] and len(header["shape"]) > 1:
        raise ValueError("the array is column-major, expected row-major")
    elements = array.array(TYPES[header["descr"]])
    elements.frombytes(content[10 + size:])
    return header["descr"], header["shape"], elements


def read_npz(path):
    with zipfile.ZipFile(path) as archive:
        return [read_npy(archive.read(name)) for name in archive.namelist()]


def difference(found, expected):
    """Returns how an array differs, or nothing."""
    if found[:2] != expected[:2]:
        return f"{found[0]}{list(found[1])}, expected {expected[0]}{list(expected[1])}"
    pairs = list(zip(found[2], expected[2], strict=True))
    if expected[2].typecode not in "fd":
        return "" if found[2] == expected[2] else f"{sum(x != y for x, y in pairs)} of {len(pairs)} elements differ"
    scale = max((abs(y) for _, y in pairs), default=0.0)
    error = max((abs(x - y) for x, y in pairs), default=0.0)
    return "" if error <= TOLERANCE * scale else f"the largest error is {error:.2e}, expected {TOLERANCE} of {scale:.2e}"


def problems_of(folder, backend, results):
    program = next(folder.glob("program.*"))
    command = [BUILD / "tools/backplane", "run", program, "--on", backend, "--inputs", folder / "inputs.npz", "--save",
               results]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        return [done.stdout]
    found, expected = read_npz(results), read_npz(folder / "expected.npz")
    if len(found) != len(expected):
        return [f"{len(found)} results, expected {len(expected)}"]
    return [f"result {i}: {problem}" for i, pair in enumerate(zip(found, expected)) if (problem := difference(*pair))]


def main():
    plugin = BUILD / "plugins/cpu/libbackplane_cpu.so"
    folders = sorted(path for path in FOLDER.iterdir() if path.is_dir())
    problems = [] if len(folders) >= FEWEST else [f"{len(folders)} programs, expected at least {FEWEST}"]
    with tempfile.TemporaryDirectory() as made:
        for backend in ("interpreter", *([plugin] if plugin.exists() else [])):
            for folder in folders:
                problems += [f"{folder.name} on {backend}: {problem}"
                             for problem in problems_of(folder, backend, pathlib.Path(made, "results.npz"))]
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
