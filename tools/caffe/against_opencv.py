#!/usr/bin/env python3
"""Runs the classic nets of Caffe on Backplane and on OpenCV, and compares.

    PYTHON tools/caffe/against_opencv.py BACKPLANE [--on BACKEND] [--full] [--folder FOLDER] [NET...]

PYTHON has numpy and the package opencv-python-headless (before 5.0, which reads Caffe).
"""

from __future__ import annotations

import argparse
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
from classic_nets import NETS, SMALL

LIMIT = 1e-5  # of the error, relative to the largest element of the result


def results_of(backplane: str, backend: str, prototxt: pathlib.Path, inputs: dict[str, np.ndarray],
               weights: pathlib.Path | None = None) -> list[np.ndarray]:
    """Returns what Backplane computes."""
    with tempfile.TemporaryDirectory() as folder:
        given, saved = pathlib.Path(folder) / "inputs.npz", pathlib.Path(folder) / "results.npz"
        np.savez(given, **inputs)
        run = subprocess.run([backplane, "run", str(weights or prototxt), "--on", backend, "--inputs", str(given),
                              "--save", str(saved)], capture_output=True, text=True)
        if run.returncode != 0:
            sys.exit(f"{prototxt}: {run.stderr}")
        with np.load(saved) as stored:
            return [stored[name] for name in stored.files]


def opencv_results(prototxt: pathlib.Path, inputs: dict[str, np.ndarray]) -> list[np.ndarray]:
    """Returns what OpenCV computes for the outputs of a net, in their order."""
    import cv2
    net = cv2.dnn.readNetFromCaffe(str(prototxt), str(prototxt.with_suffix(".caffemodel")))
    for name, array in inputs.items():
        net.setInput(array, name)
    return list(net.forward(net.getUnconnectedOutLayersNames()))


def relative_error(actual: np.ndarray, expected: np.ndarray) -> float:
    if actual.size != expected.size:
        sys.exit(f"the result has the sizes {actual.shape}, OpenCV's {expected.shape}")
    difference = np.abs(actual.reshape(-1).astype(np.float64) - expected.reshape(-1))
    return float(difference.max() / max(np.abs(expected).max(), 1e-30))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("backplane")
    parser.add_argument("nets", nargs="*", default=list(NETS))
    parser.add_argument("--on", default="cpu")
    parser.add_argument("--full", action="store_true", help="the nets as they are, in place of small ones")
    parser.add_argument("--folder", type=pathlib.Path, help="where the nets stay")
    arguments = parser.parse_args()
    failed = False
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.folder or pathlib.Path(temporary)
        for name in arguments.nets or list(NETS):
            net = NETS[name]() if arguments.full else NETS[name](*SMALL[name])
            prototxt = net.write(folder)
            inputs = {"data": np.random.default_rng(9).uniform(-1, 1, net.sizes["data"]).astype(np.float32)}
            begin = time.monotonic()
            actual = results_of(arguments.backplane, arguments.on, prototxt, inputs)
            seconds = time.monotonic() - begin
            expected = opencv_results(prototxt, inputs)
            if len(actual) != len(expected):
                sys.exit(f"{name}: {len(actual)} results, OpenCV has {len(expected)}")
            error = max(relative_error(a, e) for a, e in zip(actual, expected))
            failed = failed or not error <= LIMIT
            # Probabilities that are 0 and 1 would hide errors.
            if max(float(e.max()) for e in expected) > 0.99:
                sys.exit(f"{name}: the result says nothing: its largest element is 1")
            print(f"{name:12} {error:.1e} {'wrong' if not error <= LIMIT else 'ok'}  {seconds:.1f} s", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
