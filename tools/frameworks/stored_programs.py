"""Programs that frameworks write, with inputs and the results that the framework computes: compared with Backplane, and
stored for the normal tests (conformance/frameworks, tools/testing/checks/framework_programs.py)."""

import argparse
import pathlib
import sys

import numpy as np

import backplane

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDER = ROOT / "conformance/frameworks"
TOLERANCE = 1e-5  # relative to the largest element of a result


def arguments(description):
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--on", default="cpu", help="backend (default: cpu)")
    parser.add_argument("--store", action="store_true", help="write the small programs to conformance/frameworks")
    return parser.parse_args()


def without_paths(content):
    """Returns a program without the folders of this machine, in as many bytes, which formats with lengths need."""
    for folder in (ROOT, *map(pathlib.Path, [sys.prefix, *sys.path])):
        prefix = str(folder).encode()
        if len(folder.parts) > 2:
            content = content.replace(prefix, b"/python".ljust(len(prefix), b"_")[:len(prefix)])
    return content


def error_of(found, expected):
    """Returns the largest difference, relative to the largest element; infinite if types or shapes differ."""
    found, expected = np.asarray(found), np.asarray(expected)
    if found.shape != expected.shape or found.dtype != expected.dtype:
        return float("inf")
    if found.dtype.kind in "biu":
        return 0.0 if np.array_equal(found, expected) else float("inf")
    wide = np.complex128 if found.dtype.kind == "c" else np.float64
    scale = max(float(np.abs(expected.astype(wide)).max(initial=0)), 1e-30)
    return float(np.abs(found.astype(wide) - expected.astype(wide)).max(initial=0)) / scale


def save(path, names, arrays):
    np.savez(path, **{name: np.array(array, order="C") for name, array in zip(names, arrays, strict=True)})


class Programs:
    """Runs programs, and keeps what failed. `options`: of arguments()."""

    def __init__(self, options):
        self.options, self.failed = options, 0
        self.backend = backplane.load(options.on)

    def compare(self, name, content, ending, inputs, expected, store=False):
        """Runs a program, given as text or bytes, on inputs in the order of its parameters, and compares its results.
        `store`: whether it belongs to the normal tests."""
        content = content.encode() if isinstance(content, str) else content
        inputs = [np.asarray(value) for value in inputs]
        try:
            if ending == "onnx":  # its sizes may be open
                executable = self.backend.open_program(content, name=name).specialize(*inputs)
            else:
                executable = self.backend.compile(content, name=name)
            results = executable.run(inputs)
            errors = list(map(error_of, results, expected))
            error = max(errors) if len(results) == len(expected) else float("inf")
            outcome = (f"{error:.1e}" if error <= TOLERANCE else
                       f"{len(results)} results, expected {len(expected)}; errors {errors}")
        except backplane.Error as failure:
            error, outcome = float("inf"), str(failure)
        self.failed += error > TOLERANCE
        print(f"{'passed' if error <= TOLERANCE else 'FAILED'} {name}: {outcome}", flush=True)
        if store and self.options.store and error <= TOLERANCE:
            folder = FOLDER / name
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"program.{ending}").write_bytes(without_paths(content))
            save(folder / "inputs.npz", [to.name for to in executable.inputs], inputs)
            save(folder / "expected.npz", [f"result_{i}" for i in range(len(expected))], expected)
