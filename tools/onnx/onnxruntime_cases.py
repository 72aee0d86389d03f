#!/usr/bin/env python3
"""Runs the cases of a folder on ONNX Runtime's CPU provider, and prints {name: [status, reason]}: passed, skipped (the
session cannot be created, or a value cannot be given to it), or failed. tools/onnx/node_tests calls it.
"""

import json
import pathlib
import sys

import numpy as np
import onnx
import onnxruntime as ort
from onnx import numpy_helper

RELATIVE, ABSOLUTE = 1e-3, 1e-7
ort.set_default_logger_severity(4)


def read_value(file, type_proto):
    data = file.read_bytes()
    kind = type_proto.WhichOneof("value")
    if kind == "sequence_type":
        return numpy_helper.to_list(onnx.SequenceProto.FromString(data))
    if kind == "optional_type":
        return numpy_helper.to_optional(onnx.OptionalProto.FromString(data))
    return onnx.TensorProto.FromString(data)


def ort_value(value):
    """Returns a tensor of any element type for ONNX Runtime."""
    array = numpy_helper.to_array(value)
    if array.dtype.kind in "biufcO" and array.dtype.type.__module__ == "numpy":
        return ort.OrtValue.ortvalue_from_numpy(array)
    width = array.dtype.itemsize
    raw = array.view({1: np.uint8, 2: np.uint16, 4: np.uint32}[width])
    return ort.OrtValue.ortvalue_from_numpy_with_onnx_type(raw, value.data_type)


def as_wide(array):
    return np.asarray(array, dtype=np.float64) if array.dtype.kind not in "biufcOUS" else array


def agrees(found, expected, is_transform=False):
    if isinstance(expected, (list, tuple)):
        return isinstance(found, (list, tuple)) and len(found) == len(expected) and all(map(agrees, found, expected))
    if expected is None or found is None:
        return found is expected
    found, expected = np.asarray(found), np.asarray(expected)
    if found.shape != expected.shape:
        return False
    if expected.dtype.kind in "OUS":
        return bool(np.array_equal(found.astype(str), expected.astype(str)))
    if expected.dtype.kind in "biu":
        return bool(np.array_equal(found, expected))
    absolute = ABSOLUTE
    if is_transform and expected.dtype == np.float32 and expected.size:
        # As conformance/check/onnx_case.cc: errors of a Fourier transform are relative to its largest element.
        absolute = max(absolute, float(np.nanmax(np.abs(expected))) * 16 * float(np.finfo(np.float32).eps))
    return bool(np.allclose(as_wide(found), as_wide(expected), rtol=RELATIVE, atol=absolute, equal_nan=True))


def run_set(session, graph, folder):
    inputs = [(info, folder / f"input_{i}.pb") for i, info in enumerate(graph.input) if (folder / f"input_{i}.pb").exists()]
    values = {info.name: read_value(file, info.type) for info, file in inputs}
    outputs = [read_value(folder / f"output_{i}.pb", info.type) for i, info in enumerate(graph.output)]
    outputs = [numpy_helper.to_array(value) if isinstance(value, onnx.TensorProto) else value for value in outputs]
    if all(isinstance(value, onnx.TensorProto) and value.data_type != onnx.TensorProto.STRING
           for value in values.values()):
        feeds = {name: ort_value(value) for name, value in values.items()}
        results = session.run_with_ort_values(None, feeds)
        found = []
        for result, expected in zip(results, outputs):
            if not result.is_tensor():
                found.append(result.numpy())
            elif isinstance(expected, np.ndarray) and expected.dtype.type.__module__ != "numpy":
                raw = np.from_dlpack(result._ortvalue) if hasattr(result._ortvalue, "__dlpack__") else result.numpy()
                found.append(np.asarray(raw).view(expected.dtype))
            else:
                found.append(result.numpy())
    else:
        feeds = {name: numpy_helper.to_array(value) if isinstance(value, onnx.TensorProto) else value
                 for name, value in values.items()}
        found = session.run(None, feeds)
    is_transform = any(node.op_type in ("DFT", "STFT") for node in graph.node)
    return all(agrees(*pair, is_transform) for pair in zip(found, outputs)) and len(found) == len(outputs)


def run_case(folder):
    try:
        model = onnx.load(folder / "model.onnx")
        session = ort.InferenceSession(str(folder / "model.onnx"), providers=["CPUExecutionProvider"])
    except Exception as error:  # whatever it is, the case does not run
        return "skipped", str(error).split("\n")[0][:200]
    try:
        for data in sorted(folder.glob("test_data_set_*")):
            if not run_set(session, model.graph, data):
                return "failed", "other results"
    except Exception as error:
        return "skipped", str(error).split("\n")[0][:200]
    return "passed", ""


def main():
    folders = sorted(path.parent for path in pathlib.Path(sys.argv[1]).glob("*/model.onnx"))
    print(json.dumps({folder.name: run_case(folder) for folder in folders}))


if __name__ == "__main__":
    main()
