#!/usr/bin/env python3
"""The interpreter, which is the oracle, agrees with XLA:CPU on the sample models. Skipped where JAX is not installed.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
LARGEST_ERROR = 1e-5  # relative to the largest value; XLA adds in f32, the interpreter in f64

sys.path.insert(0, str(ROOT / "tools/testing"))
from jax_on_build import run_in_python_with

run_in_python_with("jax, numpy", "jax==0.10.2")
import jax
import numpy as np
from jaxlib import _jax, xla_client


def run_on_xla(text, arguments):
    device = jax.devices("cpu")[0]
    proto = xla_client.hlo.hlo_module_from_text(text).as_serialized_hlo_module_proto()
    stablehlo = _jax.mlir.xla_computation_to_mlir_module(xla_client.XlaComputation(proto))
    executable = device.client.compile_and_load(stablehlo, _jax.DeviceList((device,)), xla_client.CompileOptions())
    return [np.asarray(result) for result in executable.execute([jax.device_put(a, device) for a in arguments])]


def parameter_shapes(text):
    proto = xla_client.hlo.hlo_module_from_text(text).as_serialized_hlo_module_proto()
    return [shape.dimensions() for shape in xla_client.XlaComputation(proto).program_shape().parameter_shapes()]


def as_literal(array):
    if array.ndim == 0:
        return repr(float(array))
    return "{" + ", ".join(as_literal(part) for part in array) + "}"


def run_on_interpreter(model, arguments, folder):
    files = []
    for number, argument in enumerate(arguments):
        path = pathlib.Path(folder) / f"{number}.txt"
        path.write_text(as_literal(argument) + "\n")
        files.append(str(path))
    build = pathlib.Path(os.environ.get("BACKPLANE_TEST_BUILD", ROOT / "build"))
    command = [build / "tools" / "backplane", "run", model, "--on", "interpreter", "--print", "--inputs", *files]
    printed = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    literal = printed[printed.index("{"):]
    return np.array([float(word) for word in re.findall(r"[-+]?[0-9.]+(?:e[-+]?[0-9]+)?", literal)])


def main():
    random = np.random.default_rng(7)
    worst = 0.0
    for model in sorted((ROOT / "samples/models").glob("*.hlo")):
        text = model.read_text()
        arguments = []
        for dimensions in parameter_shapes(text):
            if len(dimensions) >= 2:
                fan_in = np.prod(dimensions[:-1])
                arguments.append((random.standard_normal(dimensions) / np.sqrt(fan_in)).astype(np.float32))
            else:
                arguments.append(random.uniform(0.5, 1.5, dimensions).astype(np.float32))
        (reference,) = run_on_xla(text, arguments)
        with tempfile.TemporaryDirectory() as folder:
            found = run_on_interpreter(model, arguments, folder)
        if found.size != reference.size or not np.all(np.isfinite(reference)) or np.ptp(reference) == 0:
            print(f"{model.name}: {found.size} values, expected {reference.size} finite ones that are not all equal")
            return 1
        error = np.max(np.abs(found - reference.ravel())) / np.max(np.abs(reference))
        print(f"{model.name}: largest error {error:.3g} of the largest value")
        worst = max(worst, error)
    return 0 if worst <= LARGEST_ERROR else 1


if __name__ == "__main__":
    sys.exit(main())
