#!/usr/bin/env python3
"""Writes the node tests of the package onnx, from version 1.23 on, whose packages make them instead of having them: a
folder for each case, with model.onnx and test_data_set_0. tools/onnx/node_tests calls it.

Example: PYTHON tools/onnx/generate_node_cases.py /tmp/onnx_1.23/node
"""

import pathlib
import shutil
import sys
import warnings

import onnx
from onnx import numpy_helper
from onnx.backend.test.loader import load_node_model_tests


def serialized(value, info):
    """Returns a value of an input or output of the graph in the form that its type has in files."""
    if isinstance(value, onnx.TensorProto):
        return value.SerializeToString()
    convert = {"sequence_type": numpy_helper.from_list, "optional_type": numpy_helper.from_optional,
               "map_type": numpy_helper.from_dict}.get(info.type.WhichOneof("value"), numpy_helper.from_array)
    return convert(value, info.name).SerializeToString()


def write_case(case, folder):
    folder.mkdir(parents=True)
    (folder / "model.onnx").write_bytes(case.model.SerializeToString())
    for number, values in enumerate(case.data_sets):
        data = folder / f"test_data_set_{number}"
        data.mkdir()
        for kind, infos, given in zip(("input", "output"), (case.model.graph.input, case.model.graph.output), values):
            for index, (info, value) in enumerate(zip(infos, given, strict=True)):
                (data / f"{kind}_{index}.pb").write_bytes(serialized(value, info))


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    warnings.simplefilter("ignore")
    folder = pathlib.Path(sys.argv[1])
    shutil.rmtree(folder, ignore_errors=True)
    for case in load_node_model_tests():
        write_case(case, folder / case.name)


if __name__ == "__main__":
    main()
