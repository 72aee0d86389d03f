#!/usr/bin/env python3
"""Runs cases of the conformance suite on XLA:CPU, and has the suite's judge compare the results (exchange.cc).

Reads ids from standard input, one a line. Writes a line of JSON for each case: its id, an outcome, the largest
distance from the interpreter's result in units in the last place, and a message. Outcomes are "same" (every bit),
"close" (what the suite allows), "differs", "refused" (by XLA), and "none" (the interpreter cannot run it either).
Arguments: the exchange and its options. XLA may end the process; against_xla starts another.
"""

import json
import re
import subprocess
import sys

import jax
import ml_dtypes
import numpy as np
from jaxlib import _jax, xla_client

jax.config.update("jax_enable_x64", True)
DEVICE = jax.devices("cpu")[0]

TYPES = {
    "pred": np.bool_, "bf16": ml_dtypes.bfloat16, "c64": np.complex64, "c128": np.complex128,
    **{f"s{bits}": np.dtype(f"int{bits}").type for bits in (8, 16, 32, 64)},
    **{f"u{bits}": np.dtype(f"uint{bits}").type for bits in (8, 16, 32, 64)},
    **{f"f{bits}": np.dtype(f"float{bits}").type for bits in (16, 32, 64)},
    "s1": ml_dtypes.int1, "s2": ml_dtypes.int2, "s4": ml_dtypes.int4,
    "u1": ml_dtypes.uint1, "u2": ml_dtypes.uint2, "u4": ml_dtypes.uint4,
    **{name.replace("float", "f").replace("_", ""): getattr(ml_dtypes, name)
       for name in dir(ml_dtypes) if name.startswith(("float4", "float6", "float8"))},
}
NAMES = {np.dtype(type_): name for name, type_ in TYPES.items()}
# Integers of less than a byte are exchanged as bytes, which NumPy extends by the sign.
STORAGE = {name: np.dtype("i1" if name[0] == "s" else "u1") for name in ("s1", "s2", "s4", "u1", "u2", "u4")}


class Exchange:
    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def line(self):
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"the exchange ended with {self.process.wait()}")
        return line.decode().rstrip("\n")

    def case(self, name):
        """Returns the program and its arguments, or None and a reason."""
        self.send(f"case {name}\n".encode())
        kind, rest = self.line().split(" ", 1)
        if kind == "none":
            return None, rest
        size, count = map(int, rest.split())
        text = self.process.stdout.read(size).decode()
        return text, [self.array() for _ in range(count)]

    def array(self):
        name, sizes, size = self.line().split()
        sizes = [] if sizes == "-" else [int(word) for word in sizes.split(",")]
        stored = np.frombuffer(self.process.stdout.read(int(size)), STORAGE.get(name, TYPES[name]))
        return stored.astype(TYPES[name], copy=False).reshape(sizes)

    def judge(self, arrays):
        """Returns the outcome, the distance and a message."""
        parts = [f"result {len(arrays)}\n".encode()]
        for array in arrays:
            name = NAMES[array.dtype]
            data = array.astype(STORAGE.get(name, array.dtype), copy=False).tobytes()
            sizes = ",".join(map(str, array.shape)) or "-"
            parts += [f"{name} {sizes} {len(data)}\n".encode(), data]
        self.send(b"".join(parts))
        status, same, ulp, message = self.line().split(" ", 3)
        outcome = "differs" if status == "fail" else "same" if same == "1" else "close"
        return outcome, None if ulp == "-" else float(ulp), message if outcome == "differs" else ""

    def send(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()


def compiled(text):
    if re.search(r"\b[su]1\[", text):
        raise ValueError("StableHLO, through which JAX gives programs to XLA, has no integers of one bit")
    module = xla_client.hlo.hlo_module_from_text(text)
    computation = xla_client.XlaComputation(module.as_serialized_hlo_module_proto())
    stablehlo = _jax.mlir.xla_computation_to_mlir_module(computation)
    return DEVICE.client.compile_and_load(stablehlo, _jax.DeviceList((DEVICE,)), xla_client.CompileOptions())


def main():
    exchange = Exchange(sys.argv[1:])
    last_text, executable = None, None
    for name in sys.stdin.read().split():
        text, arguments = exchange.case(name)
        if text is None:
            outcome = "none", None, arguments
        else:
            try:
                if text != last_text:
                    last_text, executable = None, None
                    executable = compiled(text)
                    last_text = text
                results = executable.execute([jax.device_put(argument, DEVICE) for argument in arguments])
                found = [np.asarray(result) for result in results]
            except Exception as error:  # whatever XLA says
                outcome = "refused", None, str(error)
            else:
                outcome = exchange.judge(found)
        print(json.dumps(dict(zip(("id", "outcome", "ulp", "message"), (name, *outcome)))), flush=True)


if __name__ == "__main__":
    main()
