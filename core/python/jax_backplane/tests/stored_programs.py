"""Runs the programs that JAX stored with their results, to see that they still run, on a Backplane platform.

They were exported over years, for JAX's cpu and for TPUs, some with calls of LAPACK. The default platform must be the
one to test. Prints a line per program: passed, failed, or skipped with the reason; the exit status is 1 if one failed.
"""

import importlib
import pkgutil
import sys

import jax
import numpy as np
from jax import export
from jax._src.internal_test_util import export_back_compat_test_data, export_back_compat_test_util

PLATFORMS = ("cpu", "tpu")  # those of programs without functions of a vendor's library
TOLERANCES = {"float32": 1e-4, "complex64": 1e-4, "float64": 1e-10, "complex128": 1e-10}
# The reasons why programs cannot run, by parts of their names.
SKIPPED = {
    "mosaic": "calls the compiler of Pallas for TPUs",
    "stablehlo_dynamic": "has dimensions of unknown size",
}


def records(value, name):
    """Yields the stored programs in a value of a module, with their names."""
    if isinstance(value, dict) and "mlir_module_serialized" not in value:
        for key, item in value.items():
            yield from records(item, f"{name}.{key}")
    elif isinstance(value, dict):
        yield name, export_back_compat_test_util.CompatTestBase().load_testdata(value)


def stored_programs():
    package = export_back_compat_test_data
    for found in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        module = importlib.import_module(found.name)
        for attribute, value in vars(module).items():
            if attribute.startswith(("data", "kernel", "semaphore")):
                yield from records(value, f"{found.name.rsplit('.', 1)[-1]}.{attribute}")


class Exported(export.Exported):
    """A program that runs on other platforms than that for which it was exported."""

    def __init__(self, **values):
        super().__init__(**{**values, "disabled_safety_checks": (export.DisabledSafetyCheck.platform(),)})


def run(data):
    export_back_compat_test_util._export.Exported = Exported
    return export_back_compat_test_util.CompatTestBase().run_serialized(data)


def adjoint(matrix):
    return np.conj(np.swapaxes(matrix, -1, -2))


def promised(name, results):
    """Returns what does not depend on the signs and phases of vectors, which are free."""
    results = [np.asarray(result) for result in results]
    lower = name.lower()
    if "eigh" in lower:
        vectors, values = results
        return [values, vectors * values[..., None, :] @ adjoint(vectors)]
    if "cpu_eig_" in lower:
        values, left, right = results
        return [values, right * values[..., None, :] @ np.linalg.inv(right),
                left * np.conj(values)[..., None, :] @ np.linalg.inv(left)]
    if "schur" in lower:
        triangle, vectors = results
        return [vectors @ triangle @ adjoint(vectors), np.abs(np.diagonal(triangle, axis1=-2, axis2=-1))]
    if "svd" in lower:
        left, values, right = results
        count = values.shape[-1]
        return [values, left[..., :count] * values[..., None, :] @ right[..., :count, :], left @ adjoint(left),
                right @ adjoint(right)]
    return results


def difference(results, expected):
    """Returns a sentence about the first result that is not as expected; None if all are."""
    for i, (x, y) in enumerate(zip(results, expected, strict=True)):
        if x.shape != y.shape or x.dtype != y.dtype:
            return f"result {i} is {x.dtype}{list(x.shape)}, expected {y.dtype}{list(y.shape)}"
        tolerance = TOLERANCES.get(str(x.dtype), 0)
        if not np.allclose(x, y, rtol=tolerance, atol=tolerance * np.max(np.abs(y), initial=0), equal_nan=True):
            return f"result {i} differs by up to {np.max(np.abs(x - y))} of {np.max(np.abs(y))}"
    return None


def reason_to_skip(name, data):
    if data.platform not in PLATFORMS:
        return f"was exported for {data.platform}"
    if data.nr_devices > 1:
        return f"is for {data.nr_devices} devices"
    return next((reason for part, reason in SKIPPED.items() if part in name), None)


def main():
    jax.config.update("jax_enable_x64", True)
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for name, data in stored_programs():
        outcome, detail = "skipped", reason_to_skip(name, data)
        if detail is None:
            try:
                results = jax.tree.leaves(run(data))
                detail = difference(promised(name, results), promised(name, jax.tree.leaves(data.expected_outputs)))
            except Exception as error:  # pylint: disable=broad-except
                detail = str(error).splitlines()[0]
            outcome = "passed" if detail is None else "failed"
        counts[outcome] += 1
        print(f"{outcome} {name}{': ' + detail if detail else ''}", flush=True)
    print(", ".join(f"{count} {outcome}" for outcome, count in counts.items()))
    return 1 if counts["failed"] or counts["passed"] < 50 else 0


if __name__ == "__main__":
    sys.exit(main())
