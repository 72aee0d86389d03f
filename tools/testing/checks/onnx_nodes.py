#!/usr/bin/env python3
"""ONNX's own tests pass on cpu, except for those that tools/onnx/known_gaps.txt lists, and no result is wrong. Skipped
where neither Debian's libonnx-testdata nor the package onnx is installed.
"""

import importlib.machinery
import importlib.util
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
sys.path.insert(0, str(ROOT / "tools/testing"))
from jax_on_build import BUILD, python_with

MIN_CASES = 800  # of the smallest set


def load_node_tests():
    loader = importlib.machinery.SourceFileLoader("node_tests", str(ROOT / "tools/onnx/node_tests"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("node_tests", loader))
    loader.exec_module(module)
    return module


def main():
    node_tests = load_node_tests()
    python = python_with("onnx")
    sets = node_tests.find_sets([python] if python else [], BUILD)
    if not sets:
        print("neither libonnx-testdata nor the package onnx is installed")
        return 77
    gaps, used, problems, count = node_tests.read_gaps(), set(), [], 0
    for title, folders in sets.values():
        for kind, folder in folders.items():
            results = node_tests.run_backplane(BUILD / "tools/backplane", "cpu", folder)
            count += len(results)
            for case, (status, reason) in sorted(results.items()):
                if status == "failed" or (status == "skipped" and not node_tests.matching(gaps, case)):
                    problems.append(f"{title}, {kind}/{case}: {status}: {reason}")
                elif status != "passed":
                    used.update(node_tests.matching(gaps, case))
    if count < MIN_CASES:
        problems.append(f"{count} cases ran, expected at least {MIN_CASES}")
    problems += [f"{node_tests.GAPS}: no case needs the line '{gap}'" for gap in gaps if gap not in used and len(sets) == 2]
    print("\n".join(problems) or f"{count} cases")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
