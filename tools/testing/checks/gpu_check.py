#!/usr/bin/env python3
"""tools/gpu_check on the emulated GPU: every step is made, and what comes out is what it found."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
BUILD = pathlib.Path(os.environ.get("BACKPLANE_TEST_BUILD", ROOT / "build"))
PROGRAM = """HloModule doubled
ENTRY main { x = f32[1000] parameter(0)  ROOT y = f32[1000] add(x, x) }
"""
SELF_CHECKING = """func.func @main() {
  %%x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %%y = stablehlo.add %%x, %%x : tensor<2xi32>
  check.expect_eq_const %%y, dense<[2, %d]> : tensor<2xi32>
  func.return
}
"""


def main():
    if not (BUILD / "plugins/nvptx/libbackplane_nvptx.so").exists():
        print("the NVIDIA backend was not built (it needs LLVM 19)")
        return 77
    problems = []

    def expect(condition, problem):
        if not condition:
            problems.append(problem)

    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        (folder / "doubled.hlo").write_text(PROGRAM)
        (folder / "corpus").mkdir()
        (folder / "corpus/right.mlir").write_text(SELF_CHECKING % 4)

        def run(*more):
            return subprocess.run([ROOT / "tools/gpu_check", "run", "--emulate", "--build-dir", BUILD, "--case",
                                   "ops/add/f32/*", "--programs", folder / "doubled.hlo", folder / "missing.hlo",
                                   "--corpus", folder / "corpus", "--python", sys.executable, "-o", folder / "results",
                                   *more], capture_output=True, text=True)

        done = run()
        expect(done.returncode == 0, f"run ends with {done.returncode}: {done.stdout}{done.stderr}")
        results = json.loads((folder / "results/results.json").read_text())
        counts = results["conformance"]["counts"]
        expect(counts.get("pass", 0) > 3 and set(counts) == {"pass"}, f"conformance counts {counts}")
        expect(results["check"]["counts"] == {"passed": 1}, f"check counts {results['check']}")
        ran, missing = results["races"]
        expect(ran["program"] == "doubled" and 0 < ran["run_seconds"] < 10, f"the race gives {ran}")
        expect("missing.hlo" in missing["error"], f"a file that is missing gives {missing}")
        table = (folder / "results/results.md").read_text()
        expect("| doubled | " in table and "| missing | " in table and table in done.stdout, f"the table is {table}")

        (folder / "corpus/wrong.mlir").write_text(SELF_CHECKING % 5)
        done = run()
        expect(done.returncode == 1 and "1 failed" in done.stdout, f"a wrong program ends with {done.returncode}")
        done = run("--minutes", "0")
        expect(done.returncode == 1 and "--minutes is 0" in done.stderr, f"no minutes give {done.stderr}")
        done = run("--build-dir", folder)
        expect(done.returncode == 1 and "is missing" in done.stderr, f"no build gives {done.stderr}")
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
