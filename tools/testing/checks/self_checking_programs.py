#!/usr/bin/env python3
"""The checks in the StableHLO programs of conformance/programs and of the corpus hold on the interpreter, on cpu, and
on the emulated GPU of nvptx, except for a few, which are listed here with a reason. With --full (BACKPLANE_TEST_FULL)
also in code for other CPUs (baseline x86-64, and aarch64 in an emulator) and for older GPUs.

The corpus is left out if it is missing (BACKPLANE_SHARED, or ../shared next to the checkout). A program that is listed
although its checks hold is also a failure: its line has to be removed. On cpu a run must also use exactly the predicted
memory, to the byte.
"""

import collections
import json
import os
import pathlib
import platform
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
BUILD = pathlib.Path(os.environ.get("BACKPLANE_TEST_BUILD", ROOT / "build"))
PROGRAMS = ROOT / "conformance/programs"
CORPUS = pathlib.Path(os.environ.get("BACKPLANE_SHARED", ROOT.parent / "shared")) / "corpus/stablehlo"
DYNAMIC = CORPUS / "dynamic"  # its sizes depend on inputs that are in no file
CPU, EMULATED = BUILD / "plugins/cpu/libbackplane_cpu.so", BUILD / "plugins/cpu/libbackplane_cpu_emulated.so"
HAS_CPU = CPU.exists()
HAS_NVPTX = (BUILD / "plugins/nvptx/libbackplane_nvptx.so").exists()
FULL = bool(os.environ.get("BACKPLANE_TEST_FULL"))


def other_cpus():
    """Returns arguments of --on for other CPUs."""
    if not FULL or not HAS_CPU:
        return []
    others = [["cpu", "--features=x86-64"]] if platform.machine() == "x86_64" else []
    if shutil.which("qemu-aarch64") and shutil.which("aarch64-linux-gnu-gcc"):
        others.append([str(EMULATED), "--target=aarch64-linux-gnu"])
    else:
        print("no qemu-aarch64 or no aarch64-linux-gnu-gcc: nothing is run for aarch64")
    return others


def gpus():
    """Returns arguments of --on for GPUs."""
    if not HAS_NVPTX:
        return []
    older = [f"--target={target}" for target in ("sm_75", "sm_80")] if FULL else []
    return [["nvptx", "--emulate"], *(["nvptx", "--emulate", target] for target in older)]


EXPECTED_FAILURES = {}  # names with reasons, by backend and folder

# Number of skipped programs by reason, by backend and folder. docs/self_checking_programs.md explains the reasons.
SKIPPED_ON_DEVICES = {
    "contains no check": 5,
    "looks inside a loop or a call, which only the interpreter shows": 1,
}
SKIPPED = {
    ("interpreter", CORPUS): {"contains no check": 5},
    ("cpu", CORPUS): SKIPPED_ON_DEVICES,
    ("nvptx", CORPUS): SKIPPED_ON_DEVICES,
}


def check(backend, arguments, folder):
    on = " ".join(arguments)
    command = "backplane_counting" if "--memory" in arguments else "backplane"
    done = subprocess.run([BUILD / "tools" / command, "check", folder, "--on", *arguments, "--json"],
                          capture_output=True, text=True)
    if done.returncode not in (0, 1):
        return [f"{command} check --on {on} ended with {done.returncode}:\n{done.stderr}"]
    problems, expected = [], dict(EXPECTED_FAILURES.get((backend, folder), {}))
    counts, skipped = {"passed": 0, "failed": 0, "skipped": 0}, collections.Counter()
    for case in json.loads(done.stdout)["cases"]:
        if case["disabled"] or DYNAMIC in pathlib.Path(case["file"]).parents:
            continue
        counts[case["status"]] += 1
        if case["status"] == "skipped":
            skipped.update(case["messages"])
        name = f"{pathlib.Path(case['file']).relative_to(folder)} part {case['part']}"
        is_expected = expected.pop(name, None) is not None
        if is_expected and case["status"] != "failed":
            problems.append(f"{name} on {on} is expected to fail, but {case['status']}")
        elif case["status"] == "failed" and not is_expected:
            problems += [f"{name} on {on}:", *("  " + message for message in case["messages"])]
    problems += [f"{name} is expected to fail on {on}, but there is no such program" for name in expected]
    expected_skips = SKIPPED.get((backend, folder), {})
    if skipped != expected_skips:
        problems.append(f"{folder.name} on {on}: skipped {dict(skipped)}, expected {expected_skips}")
    print(f"{folder.name} on {on}: " + ", ".join(f"{count} {status}" for status, count in counts.items()))
    return problems


def main():
    folders = [PROGRAMS]
    if CORPUS.is_dir():
        folders.append(CORPUS)
    else:
        print("no corpus; set BACKPLANE_SHARED to the folder that has it")
    runs = [("interpreter", ["interpreter"])] + ([("cpu", ["cpu", "--memory"])] if HAS_CPU else [])
    runs += [("cpu", arguments) for arguments in other_cpus()]
    runs += [("nvptx", arguments) for arguments in gpus()]
    problems = [problem for folder in folders for run in runs for problem in check(*run, folder)]
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
