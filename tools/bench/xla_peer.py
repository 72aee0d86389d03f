#!/usr/bin/env python3
"""Times an HLO text file on XLA, through JAX (pip install jax==0.10.2), for bench_race.
Usage: xla_peer.py MODEL.hlo FOLDER cpu|gpu REPEATS"""

import time

import peer


def measure(model, folder, platform, repeats):
    import jax
    import jaxlib
    from jaxlib import _jax, xla_client

    device = jax.devices(platform)[0]
    with open(model) as file:
        proto = xla_client.hlo.hlo_module_from_text(file.read()).as_serialized_hlo_module_proto()
    computation = xla_client.XlaComputation(proto)
    inputs = [peer.read_array(folder, "input", number, shape.dimensions(), shape.numpy_dtype())
              for number, shape in enumerate(computation.program_shape().parameter_shapes())]
    stablehlo = _jax.mlir.xla_computation_to_mlir_module(computation)
    start = time.perf_counter()
    executable = device.client.compile_and_load(stablehlo, _jax.DeviceList((device,)), xla_client.CompileOptions())
    compile_seconds = time.perf_counter() - start

    def prepare():  # anew each time: the program may donate them
        return jax.block_until_ready([jax.device_put(value, device) for value in inputs])

    def run(arguments):
        return jax.block_until_ready(executable.execute(arguments))

    return {
        "version": f"jaxlib {jaxlib.__version__}",
        "device": device.device_kind,
        "compile_seconds": compile_seconds,
        "run_seconds": peer.median_seconds(repeats, prepare, run),
        "difference": peer.difference(run(prepare()), folder),
    }


if __name__ == "__main__":
    peer.main(measure)
