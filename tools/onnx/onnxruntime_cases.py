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
RELATIVE_BFLOAT16 = 2**-6  # two units in the last place, as in ONNX's own runner
ort.set_default_logger_severity(4)


def read_value(file, type_proto):
    data = file.read_bytes()
    kind = type_proto.WhichOneof("value")
    if kind == "sequence_type":
        return numpy_helper.to_list(onnx.SequenceProto.FromString(data))
    if kind == "optional_type":
        return numpy_helper.to_optional(onnx.OptionalProto.FromString(data))
    return onnx.TensorProto.FromString(data)


def is_foreign(data_type):
    """Whether NumPy has no such type, so that Python cannot give or take such arrays: bf16, floats of 8 bits and less,
    integers of less than 8 bits."""
    return data_type in range(onnx.TensorProto.FLOAT8E4M3FN, 32) or data_type == onnx.TensorProto.BFLOAT16


def declare_bfloat16(model, values):
    """Gives inputs that are stored as the bits of bf16 in u16, as test data of ONNX 1.12 has them, their type."""
    for info in model.graph.input:
        value = values.get(info.name)
        if isinstance(value, onnx.TensorProto) and value.data_type == onnx.TensorProto.UINT16 and \
                info.type.tensor_type.elem_type == onnx.TensorProto.BFLOAT16:
            value.data_type = onnx.TensorProto.BFLOAT16


def without_foreign_types(model, values):
    """Moves inputs of types that NumPy lacks into the model, as initializers, and converts outputs of such types to
    f32, which is exact. Returns the names of these outputs."""
    graph, converted = model.graph, set()
    for info in list(graph.input):
        value = values.get(info.name)
        if isinstance(value, onnx.TensorProto) and is_foreign(value.data_type):
            value.name = info.name
            graph.initializer.append(value)
            graph.input.remove(info)
            del values[info.name]
    for info in graph.output:
        if info.type.HasField("tensor_type") and is_foreign(info.type.tensor_type.elem_type):
            inner = f"{info.name}_before_conversion"
            for node in graph.node:
                node.output[:] = [inner if name == info.name else name for name in node.output]
            graph.node.append(onnx.helper.make_node("Cast", [inner], [info.name], to=onnx.TensorProto.FLOAT))
            info.type.tensor_type.elem_type = onnx.TensorProto.FLOAT
            converted.add(info.name)
    return converted


def as_wide(array):
    return np.asarray(array, dtype=np.float64) if array.dtype.kind not in "biufcOUS" else array


def widened(array):
    """Returns an array of a type that NumPy lacks as f32; u16 are the bits of bf16."""
    if array.dtype == np.uint16:
        return (array.astype(np.uint32) << 16).view(np.float32)
    return as_wide(array).astype(np.float32)


def agrees(found, expected, is_transform=False, is_bfloat16=False):
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
    relative = RELATIVE_BFLOAT16 if is_bfloat16 else RELATIVE
    return bool(np.allclose(as_wide(found), as_wide(expected), rtol=relative, atol=absolute, equal_nan=True))


def run_set(model, folder):
    graph = model.graph
    inputs = [(info, folder / f"input_{i}.pb") for i, info in enumerate(graph.input) if (folder / f"input_{i}.pb").exists()]
    values = {info.name: read_value(file, info.type) for info, file in inputs}
    names = [info.name for info in graph.output]
    are_bfloat16 = [info.type.tensor_type.elem_type == onnx.TensorProto.BFLOAT16 for info in graph.output]
    outputs = [read_value(folder / f"output_{i}.pb", info.type) for i, info in enumerate(graph.output)]
    outputs = [numpy_helper.to_array(value) if isinstance(value, onnx.TensorProto) else value for value in outputs]
    declare_bfloat16(model, values)
    converted = without_foreign_types(model, values)
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    feeds = {name: numpy_helper.to_array(value) if isinstance(value, onnx.TensorProto) else value
             for name, value in values.items()}
    found = session.run(None, feeds)
    outputs = [widened(value) if name in converted else value for name, value in zip(names, outputs)]
    is_transform = any(node.op_type in ("DFT", "STFT") for node in graph.node)
    return len(found) == len(outputs) and all(
        agrees(*pair, is_transform, is_bfloat16) for *pair, is_bfloat16 in zip(found, outputs, are_bfloat16))


def run_case(folder):
    try:
        for data in sorted(folder.glob("test_data_set_*")):
            if not run_set(onnx.load(folder / "model.onnx"), data):
                return "failed", "other results"
    except Exception as error:  # whatever it is, the case does not run
        return "skipped", str(error).split("\n")[0][:200]
    return "passed", ""


def main():
    folders = sorted(path.parent for path in pathlib.Path(sys.argv[1]).glob("*/model.onnx"))
    print(json.dumps({folder.name: run_case(folder) for folder in folders}))


if __name__ == "__main__":
    main()
