#!/usr/bin/env python3
"""Tests tools/gpu_check on the emulated GPU: every step is made, the table contains the results, and the package
contains everything that the same run needs on another machine."""

import importlib.machinery
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from installation import has_sanitizer

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
BUILD = pathlib.Path(os.environ.get("BACKPLANE_TEST_BUILD", ROOT / "build"))
MOST_PACKED_BYTES = 64 << 20
PROGRAM = """HloModule doubled
ENTRY main { x = f32[1000] parameter(0)  ROOT y = f32[1000] add(x, x) }
"""
DOT = """HloModule product
ENTRY main {
  x = f32[30,50] parameter(0)
  y = f32[50,20] parameter(1)
  ROOT z = f32[30,20] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}
"""
SELF_CHECKING = """func.func @main() {
  %%x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %%y = stablehlo.add %%x, %%x : tensor<2xi32>
  check.expect_eq_const %%y, dense<[2, %d]> : tensor<2xi32>
  func.return
}
"""
# Replaces a Python interpreter with peers, and reports which libraries it would use.
PYTHON = """#!/bin/sh
echo "{\\"error\\": \\"peers use '$LD_LIBRARY_PATH'\\"}"
"""

problems = []


def expect(condition, problem):
    if not condition:
        problems.append(problem)


def gpu_check(*arguments, program=ROOT / "tools/gpu_check", libraries=""):
    """Runs gpu_check. `libraries` is the user's LD_LIBRARY_PATH."""
    environment = {**os.environ, "LD_LIBRARY_PATH": str(libraries)}
    return subprocess.run([program, *arguments], capture_output=True, text=True, env=environment)


def run(folder, *more, **where):
    """Starts a short run. `more` goes last, so that it can override the other arguments."""
    return gpu_check("run", "--emulate", "--case", "ops/add/f32/*", "performance/peak/memory", "--programs",
                     folder / "gelu.hlo", folder / "missing.hlo", "--python", folder / "python", "-o",
                     folder / "results", *more, **where)


def check_run(folder):
    from_build = ("--build-dir", BUILD, "--corpus", folder / "corpus")
    done = run(folder, *from_build, "--programs", folder / "gelu.hlo", folder / "product.hlo", folder / "missing.hlo")
    expect(done.returncode == 0, f"run ends with {done.returncode}: {done.stdout}{done.stderr}")
    if done.returncode:
        return
    results = json.loads((folder / "results/results.json").read_text())
    counts = results["conformance"]["counts"]
    in_tiles = 1  # which the device does not take
    expect(counts.get("pass", 0) > 3 and set(counts) <= {"pass", "weak", "unsupported"} and
           counts.get("unsupported", 0) <= in_tiles, f"conformance counts {counts}")
    expect(set(results["conformance"]["peaks"]) == {"memory"}, f"peaks are {results['conformance']['peaks']}")
    expect(0 <= done.stdout.find("-- performance") < done.stdout.find("-- conformance"), "peaks are not measured first")
    expect(results["check"]["counts"] == {"passed": 1}, f"check counts {results['check']}")
    ran, product, missing = results["races"]
    expect(ran["program"] == "gelu" and 0 < ran["run_seconds"] < 10, f"the race gives {ran}")
    expect(ran["work"] == {"bytes": 8000, "operations": {}}, f"the work of the sum is {ran['work']}")
    expect(product["work"] == {"bytes": 4 * (1500 + 1000 + 600), "operations": {"f32": 2 * 30 * 50 * 20}},
           f"the work of the dot is {product['work']}")
    expect("missing.hlo" in missing["error"], f"a file that is missing gives {missing}")
    table = (folder / "results/results.md").read_text()
    expect(re.search(r"\| gelu \| G3 \| [^|]* \| [\d.]+ GB/s, [\d.]+ % \|", table) and "| missing | " in table
           and "| a peak is missing |" in table and table in done.stdout, f"the table is {table}")

    (folder / "corpus/below/wrong.mlir").write_text(SELF_CHECKING % 5)
    done = run(folder, *from_build)
    expect(done.returncode == 1 and "1 failed" in done.stdout, f"a wrong program ends with {done.returncode}")
    (folder / "corpus/below/wrong.mlir").unlink()


def check_refusals(folder):
    def expect_refusal(done, *texts):
        missing = [text for text in texts if text not in done.stderr]
        expect(done.returncode == 1 and not missing and "-- " not in done.stdout,
               f"expected {missing} in:\n{done.stdout}{done.stderr}")

    expect_refusal(run(folder, "--build-dir", BUILD, "--minutes", "0"), "--minutes is 0")
    expect_refusal(run(folder, "--build-dir", folder), "is missing")
    (folder / "empty").mkdir()
    (folder / "empty/notes.txt").touch()
    for command in ("pack", "run"):
        done = gpu_check(command, "--build-dir", BUILD, "--corpus", folder / "empty", "-o", folder / command)
        expect_refusal(done, "no *.mlir and no *.hlo among 1 files", "expected programs")
    done = gpu_check("run", "--build-dir", BUILD, "-o", folder / "results", libraries=folder / "driver")
    expect_refusal(done, "nvptx: ", "expected: an NVIDIA GPU", "--emulate")


def check_goals():
    """The goals in the table are those in the documentation, and their programs exist."""
    loader = importlib.machinery.SourceFileLoader("gpu_check_tool", str(ROOT / "tools/gpu_check"))
    tool = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    sys.dont_write_bytecode = True
    loader.exec_module(tool)
    programs = {path.stem for path in (ROOT / "tools/bench/gpu").glob("*.hlo")}
    expect(set(tool.GOALS) <= programs, f"goals of no program: {set(tool.GOALS) - programs}")
    explained = {}
    for line in (ROOT / "docs/gpu_results.md").read_text().splitlines():
        if row := re.match(r"\| (G\d) \| .* \| (.*) \|$", line):
            explained.update((program, row[1]) for program in row[2].split(", "))
    expect(explained.pop("all", None) == "G6" and explained == tool.GOALS,
           f"docs/gpu_results.md has the goals {explained}, the table {tool.GOALS}")


def check_packed(folder):
    """The package runs elsewhere, without files of the build and without libraries of this system except glibc."""
    archive = folder / "gpu_check.tar.xz"
    done = gpu_check("pack", "--build-dir", BUILD, "--corpus", folder / "corpus", "-o", archive)
    expect(done.returncode == 0 and "2 self-checking programs" in done.stdout,
           f"pack ends with {done.returncode}: {done.stdout}{done.stderr}")
    if done.returncode:
        return
    size = archive.stat().st_size
    expect(size <= MOST_PACKED_BYTES, f"{size} bytes are packed, expected at most {MOST_PACKED_BYTES}")
    (folder / "elsewhere").mkdir()
    subprocess.run(["tar", "xf", archive, "-C", folder / "elsewhere"], check=True)
    packed = folder / "elsewhere/gpu_check"
    names = {"programs": ROOT / "tools/bench/gpu", "peers": ROOT / "tools/bench", "corpus": folder / "corpus"}
    for name, origin in names.items():
        ending = "*peer.py" if name == "peers" else "*.*"
        found, expected = ({path.relative_to(at) for path in (at.glob if name == "peers" else at.rglob)(ending)}
                           for at in (packed / name, origin))
        expect(found == expected, f"{name} has {sorted(found)}, expected {sorted(expected)}")
    for binary in ("backplane", "bench_race", "libbackplane_nvptx.so"):
        libraries = subprocess.run(["ldd", packed / binary], capture_output=True, text=True,
                                   env={**os.environ, "LD_LIBRARY_PATH": packed / "lib"}).stdout
        foreign = [line.strip() for line in libraries.splitlines()
                   if "=>" in line and str(packed) not in line and not re.match(r"\s*lib(c|m|dl|rt|pthread)\.so", line)]
        expect(not foreign, f"{binary} needs of this system {foreign}")

    done = run(folder, "-o", folder / "packed_results", program=packed / "gpu_check", libraries="/theirs")
    expect(done.returncode == 0, f"the packed run ends with {done.returncode}: {done.stdout}{done.stderr}")
    if done.returncode:
        return
    results = json.loads((folder / "packed_results/results.json").read_text())
    expect(results["check"]["counts"] == {"passed": 1}, f"the packed run checks {results['check']}")
    expect(results["races"][0]["peers"][0]["error"] == "peers use '/theirs'",
           f"the peer of the packed run says {results['races'][0]}")
    done = gpu_check("run", "-o", folder / "results", program=packed / "gpu_check", libraries=folder / "driver")
    expect(done.returncode == 1 and "there is no NVIDIA driver" not in done.stderr and "nvptx: " in done.stderr,
           f"with a driver in LD_LIBRARY_PATH: {done.stdout}{done.stderr}")

    facts = json.loads((packed / "packed.json").read_text())
    done = gpu_check("--help", program=packed / "gpu_check")
    expect(f"needs glibc {facts['glibc']} or later" in done.stdout, f"the help is {done.stdout}")
    (packed / "packed.json").write_text(json.dumps({**facts, "glibc": "99.1"}))
    done = run(folder, program=packed / "gpu_check")
    expect(done.returncode == 1 and "expected 99.1 or later" in done.stderr, f"an old glibc gives {done.stderr}")


def main():
    if not (BUILD / "plugins/nvptx/libbackplane_nvptx.so").exists():
        print("the NVIDIA backend was not built (it needs LLVM 19)")
        return 77
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        (folder / "gelu.hlo").write_text(PROGRAM)
        (folder / "product.hlo").write_text(DOT)
        (folder / "python").write_text(PYTHON)
        (folder / "python").chmod(0o755)
        (folder / "corpus/below").mkdir(parents=True)
        (folder / "corpus/below/right.mlir").write_text(SELF_CHECKING % 4)
        (folder / "corpus/disabled.mlir").write_text("// RUN-DISABLED\n" + SELF_CHECKING % 6)
        (folder / "driver").mkdir()
        (folder / "driver/libcuda.so.1").symlink_to(BUILD / "plugins/nvptx/libincomplete_driver.so")
        check_goals()
        check_run(folder)
        check_refusals(folder)
        if has_sanitizer() or "self_contained" not in (BUILD / "build.ninja").read_text():
            print("nothing is packed: this build has a sanitizer, or no LLVM to link with")
        else:
            check_packed(folder)
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
