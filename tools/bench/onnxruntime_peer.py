#!/usr/bin/env python3
"""Measures the time of a net on ONNX Runtime (pip install onnxruntime onnx), for bench_race. Knows the nets of
onnx_nets.py by the names of their HLO files. The weights are constants of the net, as applications have them.
Usage: onnxruntime_peer.py MODEL.hlo FOLDER cpu REPEATS"""

import os
import pathlib
import time

import peer


def measure(model, folder, platform, repeats):
    if platform != "cpu":
        raise ValueError(f"the platform is {platform}, expected cpu")
    import numpy as np
    import onnxruntime

    import onnx_nets

    text = pathlib.Path(model).read_text()
    first, *others = (peer.read_array(folder, "input", number, shape, kind)
                      for number, (shape, kind) in enumerate(onnx_nets.parameters(text)))
    net = onnx_nets.build(pathlib.Path(model).stem, text, others).SerializeToString()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = len(os.sched_getaffinity(0))
    start = time.perf_counter()
    session = onnxruntime.InferenceSession(net, options, providers=["CPUExecutionProvider"])
    compile_seconds = time.perf_counter() - start
    results = session.run(None, {"x": first})
    if all(np.isnan(result).all() for result in results):
        raise ValueError("all results are NaN, which compares nothing")
    # The memory of the argument and the result is given once.
    binding = session.io_binding()
    binding.bind_ortvalue_input("x", onnxruntime.OrtValue.ortvalue_from_numpy(first))
    binding.bind_ortvalue_output(session.get_outputs()[0].name, onnxruntime.OrtValue.ortvalue_from_numpy(results[0]))
    return {
        "version": f"onnxruntime {onnxruntime.__version__}",
        "device": platform,
        "compile_seconds": compile_seconds,
        "difference": peer.difference(results, folder),
    } | peer.timed(repeats, lambda: binding, session.run_with_iobinding)


if __name__ == "__main__":
    peer.main(measure)
