#!/usr/bin/env python3
"""Times an HLO text file on XLA:CPU, the peer that the benchmarks compare with.

Needs jax and jaxlib from PyPI (pip install jax==0.10.2). Usage: xla_cpu.py MODEL.hlo [REPEATS]
Prints one JSON object: version, threads, compile_seconds, run_seconds (all runs, in order).
"""

import json
import os
import sys
import time

import jax
import jaxlib
import numpy as np
from jaxlib import _jax, xla_client


def arguments_of(module_text, client, seed=1):
    """Random arguments for the parameters of the entry, as device buffers."""
    random = np.random.default_rng(seed)
    computation = xla_client.hlo.hlo_module_from_text(module_text).as_serialized_hlo_module_proto()
    shapes = xla_client.XlaComputation(computation).program_shape().parameter_shapes()
    device = jax.devices("cpu")[0]
    buffers = []
    for shape in shapes:
        type_ = shape.numpy_dtype()
        if np.issubdtype(type_, np.floating) or "bfloat" in str(type_):
            values = random.standard_normal(shape.dimensions(), dtype=np.float32) * 0.1
            if len(shape.dimensions()) < 2:
                values = random.uniform(0.5, 1.5, shape.dimensions()).astype(np.float32)
            value = values.astype(type_)
        else:
            value = np.zeros(shape.dimensions(), dtype=type_)
        buffers.append(jax.device_put(value, device))
    return buffers


def main():
    path, repeats = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 7
    text = open(path).read()
    device = jax.devices("cpu")[0]
    client = device.client
    proto = xla_client.hlo.hlo_module_from_text(text).as_serialized_hlo_module_proto()
    stablehlo = _jax.mlir.xla_computation_to_mlir_module(xla_client.XlaComputation(proto))
    start = time.perf_counter()
    executable = client.compile_and_load(stablehlo, _jax.DeviceList((device,)), xla_client.CompileOptions())
    compile_seconds = time.perf_counter() - start
    runs = []
    for _ in range(repeats + 1):
        arguments = arguments_of(text, client)  # anew each time: the program may donate them
        jax.block_until_ready(arguments)
        start = time.perf_counter()
        results = executable.execute(arguments)
        for result in results:
            result.block_until_ready()
        runs.append(time.perf_counter() - start)
    print(json.dumps({
        "version": jaxlib.__version__,
        "threads": len(os.sched_getaffinity(0)),
        "compile_seconds": compile_seconds,
        "run_seconds": runs[1:],  # the first run warms up
    }))


if __name__ == "__main__":
    main()
