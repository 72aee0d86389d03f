#!/usr/bin/env python3
"""Runs every test of a build: unit tests, file tests and checks of the source tree.

A unit test is a Catch2 test case of an executable BUILD/NAME_tests. A file test is one part of a .hlo, .mlir or
.prototxt file under a testdata folder, run by BUILD/tools/filetest. A check is an executable file in
tools/testing/checks: exit code 0 is a pass, 77 a skip, anything else a failure. A unit test skips by printing a line
"skipped: REASON".
File tests of kind `run` also run on the backends that were built, as far as these claim their ops, and some of them,
all with --full, as code for other CPUs.
Results are shown as they come; the last line counts them.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import platform
import re
import shlex
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MOST_SHOWN = 10
TIME_LIMIT_SECONDS = 900  # for one executable or check
FULL_TIME_FACTOR = 12  # the matrix of mutants takes an hour on two processors
SANITIZED_TIME_FACTOR = 4  # slowdown by the thread sanitizer on an idle machine
UNCLAIMED = re.compile(r"backend (?P<backend>\S+) does not run \S+ \((?P<op>[\w-]+)\)")


class FileTestBackend:
    """A backend that also runs the file tests' programs, if it claims their ops."""

    def __init__(self, library, *settings, of_files=1, needs=""):
        self.library = library  # relative to the build folder
        self.settings = settings
        self.of_files = of_files  # without --full, one of this number of files is run
        self.needs = needs  # a requirement that this machine does not meet; then the tests are skipped


def cpu_backends():
    library, emulated = "plugins/cpu/libbackplane_cpu.so", "plugins/cpu/libbackplane_cpu_emulated.so"
    backends = [FileTestBackend(library)]
    if platform.machine() == "x86_64":
        flags = set(pathlib.Path("/proc/cpuinfo").read_text().split("flags", 1)[-1].split("\n", 1)[0].split())
        for level, flag in (("x86-64", "sse2"), ("x86-64-v3", "avx2"), ("x86-64-v4", "avx512vl")):
            needs = "" if flag in flags else f"a CPU with {flag}"
            backends.append(FileTestBackend(library, f"features={level}", of_files=5, needs=needs))
    if platform.machine() != "aarch64":
        missing = [tool for tool in ("qemu-aarch64", "aarch64-linux-gnu-gcc") if not shutil.which(tool)]
        backends.append(FileTestBackend(emulated, "target=aarch64-linux-gnu", of_files=15, needs=" and ".join(missing)))
    return backends


def gpu_backends():
    return [FileTestBackend("plugins/nvptx/libbackplane_nvptx.so", "emulate=1", "races=1", of_files=3)]


class Result:
    def __init__(self, name, status, seconds, text="", rerun=""):
        self.name, self.status, self.seconds, self.text, self.rerun = name, status, seconds, text, rerun


def time_limit(environment):
    """Returns the time limit of one process in seconds."""
    sanitized = " -fsanitize=" in (pathlib.Path(environment["BACKPLANE_TEST_BUILD"]) / "build.ninja").read_text()
    full = "BACKPLANE_TEST_FULL" in environment
    return TIME_LIMIT_SECONDS * (FULL_TIME_FACTOR if full else SANITIZED_TIME_FACTOR if sanitized else 1)


def run(command, environment):
    """Returns (exit code, standard output, standard error, seconds); a time-out is exit code 124."""
    start = time.monotonic()
    try:
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, timeout=time_limit(environment))
        code, out, err = done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired as expired:
        code, out, err = 124, expired.stdout or b"", (expired.stderr or b"") + b"\ntimed out"
    return code, out.decode(errors="replace"), err.decode(errors="replace"), time.monotonic() - start


def run_unit_tests(executable, filters, environment):
    """Runs an executable in one process; a crash fails the test case that was running, with the exit code as the
    message."""
    group = executable.name.removesuffix("_tests")
    listed = subprocess.run([executable, "--list-test-names-only"], capture_output=True, text=True, env=environment)
    names = [line.strip() for line in listed.stdout.splitlines() if line.strip()]
    wanted = [name for name in names if matches(f"{group}/{name}", filters)]
    if not wanted:
        return []
    selection = [] if len(wanted) == len(names) else [",".join(f'"{pattern(name)}"' for name in wanted)]
    code, out, err, seconds = run([executable, "-r", "xml", "-d", "yes", *selection], environment)
    rerun = lambda name: f"{os.path.relpath(executable, ROOT)} {shlex.quote(pattern(name))}"
    ending = f"the process ended with code {code}\n{err[-4000:]}"
    failure = lambda name, seconds: Result(f"{group}/{name}", "failed", seconds, ending, rerun(name))
    results = []
    try:
        cases = ElementTree.fromstring(out).iter("TestCase")
    except ElementTree.ParseError:
        cases = ElementTree.fromstring(repair(out)).iter("TestCase")
    for case in cases:
        overall = case.find("OverallResult")
        name = case.get("name")
        if overall is None:
            results.append(failure(name, seconds))
            continue
        text = (overall.findtext("StdOut") or "") + (overall.findtext("StdErr") or "")
        status = "passed" if overall.get("success") == "true" else "failed"
        skip_lines = [line for line in text.splitlines() if line.startswith("skipped: ")]
        if status == "passed" and skip_lines:
            status, text = "skipped", skip_lines[0]
        elif status == "failed":
            text = describe_failures(case) + text
        results.append(Result(f"{group}/{name}", status, float(overall.get("durationInSeconds", 0)), text, rerun(name)))
    reported = {result.name for result in results}
    for name in wanted:
        if f"{group}/{name}" not in reported:
            results.append(failure(name, 0))
    if code != 0 and all(result.status != "failed" for result in results):
        results.append(Result(f"{group}/exit", "failed", seconds, ending, str(executable)))
    return results


def pattern(name):
    """Returns a Catch2 pattern for one name: commas and brackets have a special meaning and are escaped."""
    return name.replace("\\", "\\\\").replace(",", "\\,").replace("[", "\\[")


def repair(xml):
    """Closes the elements that a crashed process left open, so that its results are not lost."""
    cut = xml.rfind("</TestCase>")
    return xml[: cut + len("</TestCase>")] + "</Group></Catch>" if cut >= 0 else "<Catch/>"


def describe_failures(case):
    lines = []
    for expression in case.iter("Expression"):
        if expression.get("success") == "false":
            original = (expression.findtext("Original") or "").strip()
            expanded = (expression.findtext("Expanded") or "").strip()
            lines.append(f"{expression.get('filename')}:{expression.get('line')}: {original}\n    with: {expanded}")
    for tag in ("Failure", "FatalErrorCondition", "Exception"):
        for failure in case.iter(tag):
            lines.append(f"{failure.get('filename')}:{failure.get('line')}: {(failure.text or '').strip()}")
    for info in list(case.iter("Info"))[-5:]:
        lines.append(f"    info: {(info.text or '').strip()}")
    return "\n".join(lines) + "\n" if lines else ""


def run_file_tests(program, filters, options, environment, backend=None, build=None):
    """Runs the file test program, which prints one JSON object per case: name, status, seconds, text, rerun."""
    # Files of StableHLO are about its import alone.
    suffixes = (".hlo", ".prototxt") if backend else (".hlo", ".mlir", ".prototxt")
    files = sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("**/testdata/**/*")
                   if path.suffix in suffixes and not is_foreign(path))
    files = [name for name in files if matches(name, filters)] if filters else files
    if not files:
        return []
    mode = ["--bless"] if options.bless else []
    if backend:
        library = build / backend.library
        mode = ["--on", str(library) if backend.settings else library.stem.removeprefix("libbackplane_")]
        mode += [argument for setting in backend.settings for argument in ("--set", setting)]
        files = files if options.full or filters else files[::backend.of_files]
        if backend.needs:
            return [Result(f"filetest {' '.join(mode)}", "skipped", 0, f"skipped: there is no {backend.needs}")]
    command = [program, "--json", *mode, *files]
    code, out, err, _ = run(command, environment)
    results = []
    lines = out.splitlines()
    if code not in (0, 1) or (out and not out.endswith("\n")):  # after a crash the last line may be incomplete
        ending = f"the process ended with code {code}\n{err[-4000:]}"
        results.append(Result("filetest", "failed", 0, ending, " ".join(map(str, command))))
        lines = [line for line in lines if line.endswith("}")]
    for line in lines:
        case = json.loads(line)
        text, rerun = case.get("text", ""), case.get("rerun", "")
        if backend and backend.settings and UNCLAIMED.search(text):
            continue  # same as without settings
        results.append(Result(case["name"], case["status"], case["seconds"], text, rerun))
    return results


def is_foreign(path):
    return any(part.startswith("build") or part == ".git" for part in path.relative_to(ROOT).parts)


def run_check(path, filters, environment):
    name = f"check/{path.stem}"
    if not matches(name, filters):
        return []
    code, out, err, seconds = run([path], environment)
    status = {0: "passed", 77: "skipped"}.get(code, "failed")
    return [Result(name, status, seconds, out + err if status != "passed" else "", os.path.relpath(path, ROOT))]


def matches(name, filters):
    return not filters or any(text in name for text in filters)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build-dir", default="build")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--bless", action="store_true")
    parser.add_argument("filters", nargs="*")
    options = parser.parse_args()
    build = (ROOT / options.build_dir).resolve()
    environment = dict(os.environ, BACKPLANE_TEST_BUILD=str(build))
    for sanitizer in ("ASAN_OPTIONS", "TSAN_OPTIONS"):  # tests expect an error for requests that are too large
        environment[sanitizer] = ":".join(filter(None, ["allocator_may_return_null=1", environment.get(sanitizer)]))
    # Without this, findings of UBSan would only be printed.
    environment["UBSAN_OPTIONS"] = ":".join(filter(None, ["halt_on_error=1:print_stacktrace=1",
                                                          environment.get("UBSAN_OPTIONS")]))
    environment["TSAN_OPTIONS"] += ":atexit_sleep_ms=0"  # shortens the exit, which would otherwise look like a hang
    shared = ROOT.parent / "shared"
    if "BACKPLANE_SHARED" not in environment and shared.is_dir():
        environment["BACKPLANE_SHARED"] = str(shared)
    if options.full:
        environment["BACKPLANE_TEST_FULL"] = "1"

    colour = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    paint = lambda code, text: f"\033[{code}m{text}\033[0m" if colour else text
    results = []
    unclaimed_ops = collections.defaultdict(collections.Counter)  # by backend, for skipped file tests
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
        jobs = []
        for executable in sorted(build.glob("*_tests")):
            jobs.append(pool.submit(run_unit_tests, executable, options.filters, environment))
        filetest = build / "tools" / "filetest"
        if filetest.exists():
            jobs.append(pool.submit(run_file_tests, filetest, options.filters, options, environment))
            for backend in cpu_backends() + gpu_backends():
                if (build / backend.library).exists() and not options.bless:
                    jobs.append(pool.submit(run_file_tests, filetest, options.filters, options, environment, backend,
                                            build))
        for path in sorted((ROOT / "tools/testing/checks").glob("*")):
            if os.access(path, os.X_OK) and path.is_file():
                jobs.append(pool.submit(run_check, path, options.filters, environment))
        for job in concurrent.futures.as_completed(jobs):
            for result in job.result():
                results.append(result)
                if result.status == "failed":
                    print(paint("31", f"FAILED {result.name}"))
                    print("  " + result.text.strip().replace("\n", "\n  "))
                    print(f"  rerun: {result.rerun}", flush=True)
                elif result.status == "skipped":
                    unclaimed = UNCLAIMED.search(result.text)
                    if unclaimed:
                        unclaimed_ops[unclaimed["backend"]][unclaimed["op"]] += 1
                        continue
                    reason = result.text.strip().removeprefix("skipped: ")
                    print(paint("33", f"skipped {result.name}: {reason}"), flush=True)

    for backend, ops in unclaimed_ops.items():
        shown = ", ".join(f"{op} {number}" for op, number in ops.most_common(MOST_SHOWN))
        print(paint("33", f"skipped {ops.total()} file tests with an op that {backend} does not claim, mostly {shown}"))
    print(f"The {MOST_SHOWN} slowest:")
    for result in sorted(results, key=lambda r: -r.seconds)[:MOST_SHOWN]:
        print(f"  {result.seconds:7.2f} s  {result.name}")
    count = lambda status: sum(result.status == status for result in results)
    skipped = f", {count('skipped')} skipped" if count("skipped") else ""
    print(f"{count('passed')} passed, {count('failed')} failed{skipped}")
    return 1 if count("failed") or not results else 0


if __name__ == "__main__":
    sys.exit(main())
