#!/usr/bin/env python3
"""ONNX's own tests pass on cpu, except for those that tools/onnx/known_gaps.txt lists, and no result is wrong. Skipped
where neither Debian's libonnx-testdata nor the package onnx is installed.
"""

import fnmatch
import importlib.machinery
import importlib.util
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
sys.path.insert(0, str(ROOT / "tools/testing"))
from jax_on_build import BUILD, python_with

GAPS = ROOT / "tools/onnx/known_gaps.txt"
MIN_CASES = 800  # of the smallest set


def load_node_tests():
    loader = importlib.machinery.SourceFileLoader("node_tests", str(ROOT / "tools/onnx/node_tests"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("node_tests", loader))
    loader.exec_module(module)
    return module


def read_gaps():
    """Returns the patterns of cases that do not run."""
    gaps = []
    for number, line in enumerate(GAPS.read_text().splitlines(), 1):
        if line and not line.startswith("#"):
            parts = [part.strip() for part in line.split(" | ")]
            if len(parts) != 2 or not all(parts):
                sys.exit(f"{GAPS}:{number}: expected CASES | REASON")
            gaps.append(parts[0])
    return gaps


def main():
    node_tests = load_node_tests()
    sets = node_tests.find_sets(python_with("onnx"))
    if not sets:
        print("neither libonnx-testdata nor the package onnx is installed")
        return 77
    gaps, used, problems, count = read_gaps(), set(), [], 0
    for name, (title, folder) in sets.items():
        for kind in node_tests.KINDS:
            if not (folder / kind).is_dir():
                continue
            results = node_tests.run_backplane(BUILD / "tools/backplane", "cpu", folder / kind)
            count += len(results)
            for case, (status, reason) in sorted(results.items()):
                matching = [gap for gap in gaps if fnmatch.fnmatch(case, gap)]
                if status == "failed" or (status == "skipped" and not matching):
                    problems.append(f"{title}, {kind}/{case}: {status}: {reason}")
                elif status == "skipped":
                    used.update(matching)
    if count < MIN_CASES:
        problems.append(f"{count} cases ran, expected at least {MIN_CASES}")
    problems += [f"{GAPS}: no case needs the line '{gap}'" for gap in gaps if gap not in used and len(sets) == 2]
    print("\n".join(problems) or f"{count} cases")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
