#!/usr/bin/env python3
"""The classic nets of Caffe, made small, and nets of one layer give what OpenCV computes; see tools/caffe. Skipped where
no Python has OpenCV, one that BACKPLANE_CAFFE_PYTHON names among them.
"""

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
sys.path.insert(0, str(ROOT / "tools/testing"))
from jax_on_build import BUILD, found_or_skip


def main():
    python = found_or_skip("cv2, numpy", "'opencv-python-headless<5'", "BACKPLANE_CAFFE_PYTHON")
    status = 0
    for script in ("against_opencv.py", "layer_tests.py"):
        done = subprocess.run([python, ROOT / "tools/caffe" / script, BUILD / "tools/backplane", "--on", "cpu"],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        print(done.stdout)
        status = status or done.returncode
    return 1 if status else 0


if __name__ == "__main__":
    sys.exit(main())
