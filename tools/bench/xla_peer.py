#!/usr/bin/env python3
"""Measures the time of an HLO text file on XLA, through JAX (pip install jax==0.10.2), for bench_race.
Usage: xla_peer.py MODEL.hlo FOLDER cpu|gpu REPEATS"""

import pathlib
import re
import time

import peer


def measure(model, folder, platform, repeats):
    import jax
    import jaxlib
    from jaxlib import _jax, xla_client

    device = jax.devices(platform)[0]
    text = pathlib.Path(model).read_text()
    proto = xla_client.hlo.hlo_module_from_text(text).as_serialized_hlo_module_proto()
    computation = xla_client.XlaComputation(proto)
    inputs = [peer.read_array(folder, "input", number, shape.dimensions(), shape.numpy_dtype())
              for number, shape in enumerate(computation.program_shape().parameter_shapes())]
    stablehlo = _jax.mlir.xla_computation_to_mlir_module(computation)
    start = time.perf_counter()
    executable = device.client.compile_and_load(stablehlo, _jax.DeviceList((device,)), xla_client.CompileOptions())
    compile_seconds = time.perf_counter() - start

    def put():
        return jax.block_until_ready([jax.device_put(value, device) for value in inputs])

    # The copies are XLA's own arrays. XLA may not overwrite memory of a numpy array, and would copy it during the run.
    copy = jax.jit(lambda values: [jax.numpy.copy(value) for value in values])
    resident = put()
    donates = re.search(r"^HloModule.*(input_output_alias|buffer_donor)", text, re.M) is not None

    def prepare():
        return jax.block_until_ready(copy(resident)) if donates else resident

    def run(arguments):
        return jax.block_until_ready(executable.execute(arguments))

    return {
        "version": f"jaxlib {jaxlib.__version__}",
        "device": device.device_kind,
        "compile_seconds": compile_seconds,
        "difference": peer.difference(run(prepare()), folder),
    } | peer.timed(repeats, prepare, run)


if __name__ == "__main__":
    peer.main(measure)
