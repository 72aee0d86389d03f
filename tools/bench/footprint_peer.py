#!/usr/bin/env python3
"""Runs a net once and prints its results, the most memory that the process had (VmHWM, in KiB), and what the runtime
needs: paths of libraries. For tools/bench/evidence footprint.
Usage: footprint_peer.py onnxruntime NET.onnx INPUT | xla NET.hlo INPUT | tvm NET.so INPUT | python NET INPUT
       footprint_peer.py compile-for-tvm NET.onnx NET.so"""

import json
import pathlib
import re
import sys


def folder_of(module):
    return pathlib.Path(module.__file__).resolve().parent


def onnxruntime(net, x):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(net, options, providers=["CPUExecutionProvider"])
    result = session.run(None, {"x": x})[0]
    # The module for Python has a copy of the library inside, which other programs link.
    return result, f"ONNX Runtime {onnxruntime.__version__}", list(folder_of(onnxruntime).glob("capi/libonnxruntime.so.*"))


def xla(net, x):
    import jax
    import jaxlib
    from jaxlib import _jax, xla_client

    device = jax.devices("cpu")[0]
    proto = xla_client.hlo.hlo_module_from_text(pathlib.Path(net).read_text()).as_serialized_hlo_module_proto()
    stablehlo = _jax.mlir.xla_computation_to_mlir_module(xla_client.XlaComputation(proto))
    executable = device.client.compile_and_load(stablehlo, _jax.DeviceList((device,)), xla_client.CompileOptions())
    result = executable.execute([jax.device_put(x, device)])[0]
    return result, f"XLA of jaxlib {jaxlib.__version__}", [folder_of(jaxlib) / "libjax_common.so"]


def tvm(net, x):
    """Uses the runtime without the compiler, which the module tvm would load."""
    import ctypes
    import importlib.metadata

    import numpy as np
    import tvm_ffi

    libraries = [folder_of(tvm_ffi).parent / "tvm/lib/libtvm_runtime.so", folder_of(tvm_ffi) / "lib/libtvm_ffi.so"]
    ctypes.CDLL(str(libraries[0]), ctypes.RTLD_GLOBAL)
    machine = tvm_ffi.load_module(net)["vm_load_executable"]()
    cpu, pooled = 1, 2
    machine["vm_initialization"](cpu, 0, pooled)
    result = np.from_dlpack(machine["main"](tvm_ffi.from_dlpack(x)))
    return result, f"TVM {importlib.metadata.version('apache-tvm')}, runtime", libraries


def python(net, x):
    import numpy as np

    return x, f"Python {sys.version.split()[0]} with NumPy {np.__version__} alone", []


def compile_for_tvm(net, library):
    import onnx
    import tvm as compiler
    from tvm.relax.frontend.onnx import from_onnx

    compiler.compile(from_onnx(onnx.load(net)), target="llvm").export_library(library)


def main():
    kind, net, path = sys.argv[1:]
    if kind == "compile-for-tvm":
        return compile_for_tvm(net, path)
    import numpy as np

    x = np.fromfile(path, np.float32).reshape(1, 28, 28, 1)
    result, name, libraries = {"onnxruntime": onnxruntime, "xla": xla, "tvm": tvm, "python": python}[kind](net, x)
    memory = int(re.search(r"VmHWM:\s*(\d+)", pathlib.Path("/proc/self/status").read_text())[1])
    print(json.dumps({"name": name, "kib": memory, "bytes": sum(path.stat().st_size for path in libraries),
                      "results": [float(value) for value in np.asarray(result).ravel()[:10]]}))


if __name__ == "__main__":
    main()
