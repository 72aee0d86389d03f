#!/usr/bin/env python3
"""Measures the time of a net on TVM (pip install apache-tvm onnx), for bench_race: its default pipeline for the processor
here, without a search for schedules. Knows the nets of onnx_nets.py by the names of their HLO files. The weights are
constants of the net, as applications have them.
Usage: tvm_peer.py MODEL.hlo FOLDER cpu REPEATS"""

import os
import pathlib
import time
import warnings

import peer


def measure(model, folder, platform, repeats):
    if platform != "cpu":
        raise ValueError(f"the platform is {platform}, expected cpu")
    threads = len(os.sched_getaffinity(0))
    os.environ["TVM_NUM_THREADS"] = str(threads)
    import numpy as np
    import tvm
    from tvm import relax
    from tvm.relax.frontend.onnx import from_onnx

    import onnx_nets

    warnings.simplefilter("ignore")  # onnx_nets leaves the shapes of results to the importer
    text = pathlib.Path(model).read_text()
    first, *others = (peer.read_array(folder, "input", number, shape, kind)
                      for number, (shape, kind) in enumerate(onnx_nets.parameters(text)))
    net = from_onnx(onnx_nets.build(pathlib.Path(model).stem, text, others))
    start = time.perf_counter()
    target = tvm.target.Target({"kind": "llvm", "mcpu": tvm.target.codegen.llvm_get_system_cpu(), "num-cores": threads})
    run = relax.VirtualMachine(tvm.compile(net, target), tvm.cpu())["main"]
    compile_seconds = time.perf_counter() - start
    argument = tvm.runtime.tensor(first)
    result = run(argument).numpy()
    if np.isnan(result).all():
        raise ValueError("all results are NaN, which compares nothing")
    return {
        "version": f"tvm {tvm.__version__}",
        "device": platform,
        "compile_seconds": compile_seconds,
        "difference": peer.difference([result], folder),
    } | peer.timed(repeats, lambda: argument, run)


if __name__ == "__main__":
    peer.main(measure)
