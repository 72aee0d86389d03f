#!/usr/bin/env python3
"""Writes the self-checking programs of this folder from cases.py. The expected results are computed by XLA:CPU, or by
NumPy where XLA cannot.

Needs JAX (pip install jax==0.10.2). Each case is one part of FAMILY.mlir. Usage: make.py
"""

import pathlib
import re
import sys

import jax
import numpy as np
from jaxlib import _jax, xla_client

jax.config.update("jax_enable_x64", True)
import cases  # noqa: E402  must follow the setting of the precision

FOLDER = pathlib.Path(__file__).resolve().parent
DEVICE = jax.devices("cpu")[0]
ELEMENT_TYPES = {"bool": "i1", "bfloat16": "bf16", "complex64": "complex<f32>", "complex128": "complex<f64>",
                 "float8_e4m3fn": "f8E4M3FN", "float8_e5m2": "f8E5M2", "float8_e4m3b11fnuz": "f8E4M3B11FNUZ"}


def element_type(dtype):
    name = str(dtype)
    return ELEMENT_TYPES.get(name) or name.replace("uint", "ui").replace("int", "i").replace("float", "f")


def tensor_type(array):
    return "tensor<" + "".join(f"{size}x" for size in array.shape) + element_type(array.dtype) + ">"


def print_scalar(value):
    if value.dtype == np.bool_:
        return "true" if value else "false"
    if np.issubdtype(value.dtype, np.complexfloating):
        return f"({print_scalar(value.real)}, {print_scalar(value.imag)})"
    if np.issubdtype(value.dtype, np.integer) or "int" in str(value.dtype):
        return str(int(value))
    if not np.isfinite(value.astype(np.float64)):
        bits = value.tobytes()[::-1].hex().upper()
        return "0x" + bits
    digits = 17 if value.dtype == np.float64 else 9
    text = f"{float(value):.{digits}g}"
    return text if "." in text or "e" in text else text + ".0"


def print_elements(array):
    if array.ndim == 0:
        return print_scalar(array[()])
    return "[" + ", ".join(print_elements(part) for part in array) + "]"


def constant(array):
    inside = print_elements(array) if array.size != 0 else ""
    return f"stablehlo.constant dense<{inside}> : {tensor_type(array)}"


def program_text(program, inputs):
    """Returns a module whose function @main computes the case."""
    if not isinstance(program, str):
        text = jax.jit(program).lower(*inputs).as_text()
        return re.sub(r" \{(jax|mhlo)\.[^}]*\}", "", re.sub(r"module @\w+ attributes \{[^}]*\} \{", "module {", text))
    arguments = ", ".join(f"%{i}: {tensor_type(x)}" for i, x in enumerate(inputs))
    *lines, last = program.strip().splitlines()
    types = last.split(" : ")[1]
    body = "\n".join("    " + line for line in (*lines, last))
    return f"module {{\n  func.func public @main({arguments}) -> ({types}) {{\n{body}\n  }}\n}}\n"


def run_on_xla(text, inputs):
    options = xla_client.CompileOptions()
    executable = DEVICE.client.compile_and_load(text, _jax.DeviceList((DEVICE,)), options)
    kept = [jax.device_put(x, DEVICE) for x in inputs]
    return [np.asarray(result) for result in executable.execute(kept)]


CHECKS = {"eq": "check.expect_eq {0}, {1} : {2}, {2}", "almost": "check.expect_almost_eq {0}, {1} : {2}, {2}"}


def check(rule, found, expected, array):
    kind = tensor_type(array)
    is_float = "int" not in str(array.dtype) and array.dtype != np.bool_
    if rule in CHECKS or not is_float:
        return CHECKS[rule if rule in CHECKS else "eq"].format(found, expected, kind)
    limit = rule.split()[1] if " " in rule else 3
    return f"check.expect_close {found}, {expected}, max_ulp_difference = {limit} : {kind}, {kind}"


def self_checking(name, program, inputs, rule, numpy):
    text = program_text(program, inputs)
    results = run_on_xla(text, inputs) if numpy is None else [np.asarray(x) for x in numpy(*inputs)]
    lines = [f"%input_{i} = {constant(x)}" for i, x in enumerate(inputs)]
    lines += [f"%expected_{i} = {constant(x)}" for i, x in enumerate(results)]
    names = ", ".join(f"%input_{i}" for i in range(len(inputs)))
    types = ", ".join(tensor_type(x) for x in inputs)
    result_types = ", ".join(tensor_type(x) for x in results)
    count = f":{len(results)}" if len(results) > 1 else ""
    lines.append(f"%found{count} = func.call @program({names}) : ({types}) -> ({result_types})")
    for i, x in enumerate(results):
        lines.append(check(rule, f"%found#{i}" if count else "%found", f"%expected_{i}", x))
    lines.append("return")
    main = "  func.func public @main() {\n" + "".join(f"    {line}\n" for line in lines) + "  }\n"
    text = text.replace("func.func public @main(", "func.func private @program(", 1)
    return f"// {name}\n" + text.rstrip().removesuffix("}") + main + "}\n"


def main():
    families = {}
    for family, name, *case in cases.CASES:
        try:
            families.setdefault(family, []).append(self_checking(name, *case))
        except Exception as problem:  # may come from any library used
            print(f"{family} {name}: {str(problem).splitlines()[0]}", file=sys.stderr)
    for family, parts in families.items():
        text = "// Made by make.py. Do not edit.\n" + "// -----\n".join(parts)
        (FOLDER / f"{family}.mlir").write_text(text)


if __name__ == "__main__":
    main()
