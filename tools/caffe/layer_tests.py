#!/usr/bin/env python3
"""Compares the layers of layer_cases.py on Backplane, in NumPy and in OpenCV, and writes them as file tests.

    PYTHON tools/caffe/layer_tests.py BACKPLANE [--on BACKEND] [NAME...]    compares
    PYTHON tools/caffe/layer_tests.py --write                               core/import/caffe/testdata/*.prototxt

PYTHON has numpy and the package opencv-python-headless (before 5.0, which reads Caffe). Expectations of layers are
NumPy's, with which OpenCV must agree, unless the case says why not; that of the net small_net.prototxt is OpenCV's.
"""

from __future__ import annotations

import argparse
import pathlib
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool

import numpy as np
from against_opencv import opencv_results, results_of
from classic_nets import every_kind
from layer_cases import CASES, Case
from net_writer import LAYER_BLOBS, LAYER_NAME, LAYER_TYPE, NET_LAYER, Net, blob, bytes_field, text_field

TESTDATA = pathlib.Path(__file__).resolve().parent.parent.parent / "core/import/caffe/testdata"
LIMIT = 2e-6  # of the error, relative to the largest element


def dims(array: np.ndarray) -> str:
    return " ".join(f"dim: {size}" for size in array.shape)


def number(value: np.floating) -> str:
    text = np.format_float_positional(np.float32(value), unique=True, trim="-")
    return text if "." not in text or len(text) < 14 else f"{np.float32(value):.8g}"


def literal(array: np.ndarray) -> str:
    if array.ndim == 0:
        return number(array[()])
    return "{" + ", ".join(literal(part) for part in array) + "}"


def inputs_text(case: Case) -> str:
    return "".join(f'layer {{ name: "{name}" type: "Input" top: "{name}" input_param {{ shape {{ {dims(array)} }} }} }}\n'
                   for name, array in case.inputs.items())


def blob_text(array: np.ndarray) -> str:
    return f"  blobs {{ shape {{ {dims(array)} }} data: [{', '.join(number(v) for v in array.flat)}] }}\n"


def text_of(case: Case, has_blobs: bool) -> str:
    return inputs_text(case) + case.layers.replace("BLOBS", "".join(map(blob_text, case.blobs)) if has_blobs else "")


def weights_of(case: Case) -> bytes:
    type = case.layers.split('type: "')[1].split('"')[0]
    fields = text_field(LAYER_NAME, case.layer) + text_field(LAYER_TYPE, type)
    blobs = [np.atleast_1d(b) for b in case.blobs]  # OpenCV does not read arrays without dimensions
    return bytes_field(NET_LAYER, fields + b"".join(bytes_field(LAYER_BLOBS, blob(b)) for b in blobs))


def test_of(case: Case) -> str:
    given = "".join(f"# input: {literal(array)}\n" for array in case.inputs.values())
    expected = "".join(f"# f32[{','.join(map(str, array.shape))}] {literal(np.asarray(array, np.float32))}\n"
                       for array in case.results)
    note = f"# {case.name.replace('_', ' ')}\n"
    return f"# test: run tolerance=1e-6\n{given}{note}{text_of(case, True)}# expect:\n{expected}"


def test_of_net(net: Net) -> str:
    """Returns a file test of a net, with OpenCV's result."""
    for layer in net.layers:
        layer.blobs = [np.round(b * 64) / np.float32(64) for b in layer.blobs]
    image = np.round(np.random.default_rng(4).uniform(-2, 2, net.sizes["data"]) * 8).astype(np.float32) / 8
    with tempfile.TemporaryDirectory() as folder:
        expected = opencv_results(net.write(pathlib.Path(folder)), {"data": image})[0]
    text = "".join(layer.text.removesuffix("}\n") + "".join(map(blob_text, layer.blobs)) + "}\n"
                   for layer in net.layers)
    return (f"# test: run tolerance=1e-6\n# input: {literal(image)}\n# a net, with the result of OpenCV\n{text}# expect:\n"
            f"# f32[{','.join(map(str, expected.shape))}] {literal(expected)}\n")


def write_tests() -> None:
    TESTDATA.mkdir(parents=True, exist_ok=True)
    for name in dict.fromkeys(case.file for case in CASES):
        tests = [test_of(case) for case in CASES if case.file == name]
        (TESTDATA / f"{name}.prototxt").write_text("# -----\n".join(tests))
    (TESTDATA / "small_net.prototxt").write_text(test_of_net(every_kind()))
    print(f"{len(CASES)} cases and a net in {TESTDATA}")


def error_of(actual: np.ndarray, expected: np.ndarray, is_shaped: bool = True) -> float:
    if actual.shape != expected.shape if is_shaped else actual.size != expected.size:
        return float("inf")
    largest = max(float(np.abs(expected).max(initial=0)), 1e-30)
    difference = np.abs(actual.astype(np.float64).reshape(-1) - expected.reshape(-1)).max(initial=0)
    return float(difference) / largest


def opencv_error(case: Case, prototxt: pathlib.Path) -> float | str:
    import cv2
    tops = [line.split('"')[1] for line in case.layers.splitlines() if line.startswith("  top")]
    # OpenCV's outputs are layers, and a layer may have several tops.
    ends = "".join(f'layer {{ name: "end_{top}" type: "Power" bottom: "{top}" top: "end_{top}" }}\n' for top in tops)
    prototxt.write_text(text_of(case, False) + (ends if len(tops) > 1 else ""))
    weights = prototxt.with_suffix(".caffemodel")
    weights.write_bytes(weights_of(case))
    try:
        net = cv2.dnn.readNetFromCaffe(str(prototxt), str(weights))
        for name, array in case.inputs.items():
            net.setInput(array, name)
        outputs = list(net.forward(net.getUnconnectedOutLayersNames()))
    except cv2.error as problem:
        return str(problem).strip().splitlines()[0][-110:]
    return max(error_of(a, e, False) for a, e in zip(outputs, case.results))


def compare(backplane: str, backend: str, names: list[str]) -> int:
    problems = 0
    cv2_path = pathlib.Path(tempfile.mkdtemp())
    for case in CASES:
        if names and case.name not in names and case.file not in names:
            continue
        path = cv2_path / f"{case.file}_{case.name}.prototxt"
        path.write_text(text_of(case, True))
        actual = results_of(backplane, backend, path, case.inputs)
        own = max(error_of(a, e) for a, e in zip(actual, case.results)) if len(actual) == len(case.results) else np.inf
        try:
            with ProcessPoolExecutor(1) as pool:
                theirs = pool.submit(opencv_error, case, path).result()
        except BrokenProcessPool:
            theirs = "the process ends"
        agrees = isinstance(theirs, float) and theirs <= LIMIT
        verdict = "wrong" if not own <= LIMIT else "ok"
        if agrees == bool(case.opencv):
            verdict += ", OpenCV differs" if not agrees else ", OpenCV agrees, though the case says it does not"
        problems += verdict != "ok"
        shown = f"{theirs:.1e}" if isinstance(theirs, float) else theirs
        print(f"{case.file}/{case.name}: {own:.1e} {verdict}; OpenCV {shown}"
              + (f" ({case.opencv})" if case.opencv else ""), flush=True)
    return 1 if problems else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("backplane", nargs="?")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--on", default="interpreter")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    if arguments.write:
        write_tests()
        return 0
    if arguments.backplane is None:
        parser.error("no backplane is given, and not --write")
    return compare(arguments.backplane, arguments.on, arguments.names)


if __name__ == "__main__":
    sys.exit(main())
