#!/usr/bin/env python3
"""Writes the expectations of file tests of kind `run` from what XLA:CPU computes, so that they are independent of us.

Needs jax and jaxlib from PyPI (pip install jax==0.10.2). Usage: expect_from_xla.py FILE.hlo...
A case that XLA:CPU refuses keeps its expectation and is named on stderr. One that says "By hand" or "By numpy" is left
alone: XLA:CPU cannot run it, or aborts over it.
"""

import re
import sys

import jax
import numpy as np
from jaxlib import _jax, xla_client

jax.config.update("jax_enable_x64", True)
DEVICE = jax.devices("cpu")[0]


def parse_literal(text, shape):
    """The array that a literal such as `{{1, nan}, {-inf, 2}}` writes."""
    dtype = shape.numpy_dtype()
    if np.issubdtype(dtype, np.complexfloating):
        parts = re.findall(r"\(([^,]+),([^)]+)\)", text)
        values = [complex(float(real), float(imag)) for real, imag in parts]
    else:
        words = re.findall(r"[^\s{},]+", text)
        if dtype == np.bool_:
            values = [word in ("true", "1") for word in words]
        elif np.issubdtype(dtype, np.integer) or "int" in str(dtype):
            return np.array([int(word) for word in words], dtype=dtype).reshape(shape.dimensions())
        else:
            values = [float(word) for word in words]
    return np.array(values).astype(dtype).reshape(shape.dimensions())


def print_element(value):
    if value.dtype == np.bool_:
        return "true" if value else "false"
    if np.issubdtype(value.dtype, np.complexfloating):
        return f"({print_element(value.real)}, {print_element(value.imag)})"
    if np.issubdtype(value.dtype, np.integer) or "int" in str(value.dtype):
        return str(int(value))
    digits = 17 if value.dtype == np.float64 else 9
    return f"{float(value):.{digits}g}"


def print_array(array):
    if array.ndim == 0:
        return print_element(array[()])
    return "{" + ", ".join(print_array(part) for part in array) + "}"


NAMES = {"bool": "pred", "float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64",
         "complex64": "c64", "complex128": "c128"}


def print_result(array):
    dtype = str(array.dtype)
    name = NAMES.get(dtype) or re.sub(r"^float(\d)", r"f\1", dtype.replace("uint", "u").replace("int", "s"))
    name = name.replace("float", "f").replace("_", "")
    return f"{name}[{','.join(map(str, array.shape))}] {print_array(array)}"


def run(text, inputs):
    module = xla_client.hlo.hlo_module_from_text(text)
    computation = xla_client.XlaComputation(module.as_serialized_hlo_module_proto())
    shapes = computation.program_shape().parameter_shapes()
    arguments = [jax.device_put(parse_literal(line, shape), DEVICE) for line, shape in zip(inputs, shapes, strict=True)]
    stablehlo = _jax.mlir.xla_computation_to_mlir_module(computation)
    executable = DEVICE.client.compile_and_load(stablehlo, _jax.DeviceList((DEVICE,)), xla_client.CompileOptions())
    return [print_result(np.asarray(result)) for result in executable.execute(arguments)]


def main():
    for path in sys.argv[1:]:
        with open(path) as file:
            cases = re.split(r"(?m)^// -----$\n?", file.read())
        for number, case in enumerate(cases):
            program = case.split("// expect:\n")[0]
            inputs = re.findall(r"(?m)^// input: (.*)$", program)
            if not re.search(r"(?m)^// test: run\b", program) or re.search(r"(?m)^// By (hand|numpy)", program):
                continue
            try:
                lines = run(program, inputs)
            except Exception as error:  # whatever XLA says
                print(f"{path}:{number + 1}: {str(error).splitlines()[0]}", file=sys.stderr)
                continue
            cases[number] = program + "// expect:\n" + "".join(f"// {line}\n" for line in lines)
        with open(path, "w") as file:
            file.write("// -----\n".join(cases))


if __name__ == "__main__":
    main()
