#!/usr/bin/env python3
"""Runs JAX's own tests on a backend, through libbackplane_pjrt.so, and compares them with JAX's cpu platform.

Each file of tests runs in its own process of pytest. A crash or a test that takes too long ends that process; the test
is recorded as crashed or timed out, and another process goes on behind it. Each outcome is appended to a file of JSON
lines under BUILD/jax_results, so a run that is stopped goes on where it was.

The tests that count are those that pass on JAX's own cpu platform, where that was run too, but those that skip
themselves for want of several devices (that platform has eight). The table at the end shows how many of them pass on
the backend, and the failures grouped by their cause. Failures must be listed in the
expectations with a reason; one that is not listed, and a listed test that passes, make the exit status 1. The exit
status is 77 if JAX, pytest or the tests are missing.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

from jax_on_build import python_with

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TESTS = pathlib.Path(os.environ.get("BACKPLANE_SHARED", ROOT.parent / "shared")) / "corpus/jax/tests"
EXPECTATIONS = ROOT / "core/python/jax_backplane/tests/expectations.txt"
DOCUMENT = ROOT / "docs/jax.md"
BEGIN, END = "<!-- made by tools/testing/jax_tests.py: begin -->", "<!-- made by tools/testing/jax_tests.py: end -->"
SKIPPED = 77
POLL_SECONDS = 0.2
PROGRESS_SECONDS = 30
MOST_LOG_CHARACTERS = 2000  # of a crashed process's output
FAILURES = ("failed", "crashed", "timed out")
EXAMPLES = """examples:
  Run two files on JAX's cpu platform, which gives the tests that count, then on the backend cpu:
    tools/testing/jax_tests.py --python ~/jax/bin/python --platform cpu lax_vmap_test nn_test
    tools/testing/jax_tests.py --python ~/jax/bin/python lax_vmap_test nn_test
  Run the tests of one class on the backend npu:
    tools/testing/jax_tests.py --backend npu --test TestDtypes dtypes_test
  Get an impression of all tests in a short time:
    tools/testing/jax_tests.py --cases 2 --one-of 20
  Run what failed once more, after a change:
    tools/testing/jax_tests.py --rerun failed
  Show the table of earlier runs without running anything:
    tools/testing/jax_tests.py --report
"""

# Parts that differ between errors of one cause, with their replacements.
VARIATIONS = [
    (re.compile(r"0x[0-9a-f]+"), "N"),
    (re.compile(r"tensor<[^>]*>"), "TYPE"),
    (re.compile(r"\b(?:pred|[suf]\d+(?:e\d\w+)?|bf16|c64|c128|(?:b?float|u?int|complex)\d+(?:_\w+)?|bool)\[[^\]]*\]"
                r"(?:\{[^}]*\})?"), "TYPE"),
    (re.compile(r"\b(?:pred|[suif]\d+(?:e\d\w+)?|bf16|c64|c128|(?:b?float|u?int|complex)\d+(?:_\w+)?|bool)\b"),
     "TYPE"),
    (re.compile(r"[(\[]\s*(?:-?\d+\s*,\s*)*(?:-?\d+)?\s*,?[)\]]"), "SHAPE"),
    (re.compile(r"%[\w.$-]+"), "%NAME"),
    (re.compile(r"/[\w./-]+"), "PATH"),
    (re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?%?"), "N"),
]
# Reasons of tests to skip themselves that need several devices.
SEVERAL_DEVICES = re.compile(r"(?:\d+|multiple) (?:global |local )?devices|device_count\(\) >=|with 1 device|"
                             r">1 device|or more devices")
FATAL = re.compile(r"F\d+ |Check failed|Fatal Python error|terminate called")
UNTELLING = re.compile(r"^(?:\w+\.)*\w+(?:Error|Exception)?:?\s*$|Not equal to tolerance|Arrays are not equal")


def main():
    options = parse_arguments()
    label = "reference" if options.platform == "cpu" else options.backend
    variant = f"cases-{options.cases}{'-x64' if options.x64 else ''}"
    folder = (ROOT / options.build_dir).resolve() / "jax_results" / variant
    folder.mkdir(parents=True, exist_ok=True)
    files = find_files(options)
    if not options.report:
        missing = what_is_missing(options, files)
        if missing:
            print(f"skipped: {missing}")
            return SKIPPED
        run_files(files, folder, label, options)
    names = {path.name for path in files}
    results = read_results(folder / f"{label}.jsonl", names, options.test)
    if label == "reference":
        print_counts(results)
        return 0 if results else 1
    reference = read_results(folder / "reference.jsonl", names, options.test)
    return report(results, reference, options)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, epilog=EXAMPLES,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", metavar="FILE", help="files of tests, or parts of their names")
    parser.add_argument("--build-dir", default="build", help="build folder (default: build)")
    parser.add_argument("--backend", default="cpu", help="backend that runs the tests (default: cpu)")
    parser.add_argument("--platform", default="backplane,cpu",
                        help="JAX_PLATFORMS (default: backplane,cpu, as JAX calls Python functions back on its cpu "
                        "platform only); cpu runs the tests without Backplane, as the reference")
    parser.add_argument("--device-under-test", default="cpu", metavar="PLATFORM",
                        help="what JAX's tests take the device for (their flag jax_test_dut): many skip themselves "
                        "on a platform that they do not know (default: cpu; backplane shows those)")
    parser.add_argument("--tests", type=pathlib.Path, default=TESTS, help="folder of tests (default: %(default)s)")
    parser.add_argument("--test", action="append", metavar="TEXT", help="run tests whose name contains TEXT")
    parser.add_argument("--one-of", type=int, default=1, metavar="N", help="run one of N tests, always the same")
    parser.add_argument("--cases", type=int, default=10, help="cases of each generated test (default: 10)")
    parser.add_argument("--x64", action="store_true", help="enable types of 64 bits")
    parser.add_argument("--time-limit", type=float, default=120, metavar="SECONDS", help="for a test (default: 120)")
    parser.add_argument("--rerun", choices=("failed", "all"), help="run tests again that have an outcome")
    parser.add_argument("--report", action="store_true", help="only show the table of the recorded outcomes")
    parser.add_argument("--bless", action="store_true", help="write the figures into docs/jax.md")
    parser.add_argument("--groups", type=int, default=30, help="number of causes to show (default: 30)")
    parser.add_argument("--expectations", type=pathlib.Path, default=EXPECTATIONS, help="list of expected failures")
    parser.add_argument("--python", default=python_with("jax, pytest, absl") or sys.executable,
                        help="Python that has JAX and pytest (default: this one, $BACKPLANE_JAX_PYTHON or the build's)")
    return parser.parse_args()


def find_files(options):
    """Returns the files that are named, or whose names contain a given part."""
    found = sorted(options.tests.glob("*_test.py"))
    stems = {path.stem for path in found}
    parts = [pathlib.PurePath(name).name.removesuffix(".py") for name in options.files] or [""]
    matches = lambda stem, part: stem == part if part in stems else part in stem
    return [path for path in found if any(matches(path.stem, part) for part in parts)]


def what_is_missing(options, files):
    """Returns what keeps the tests from being run, or nothing."""
    if not options.tests.is_dir():
        return f"there is no folder {options.tests} of JAX's tests"
    if not files:
        return f"no file of {options.tests} has such a name"
    if subprocess.run([options.python, "-c", "import jax, pytest, absl"], capture_output=True).returncode != 0:
        return f"{options.python} lacks jax, pytest or absl-py; --python names another one"
    library = plugin_library(options)
    if options.platform != "cpu" and not library.exists():
        return f"{library} is not built"
    return ""


def plugin_library(options):
    return (ROOT / options.build_dir).resolve() / "core/pjrt/libbackplane_pjrt.so"


def environment_for(options):
    """Returns the environment in which JAX finds the tests' platform."""
    environment = dict(
        os.environ, JAX_PLATFORMS=options.platform, JAX_NUM_GENERATED_CASES=str(options.cases),
        JAX_SKIP_SLOW_TESTS="1", JAX_ENABLE_X64=str(options.x64).lower(), PYTHONDONTWRITEBYTECODE="1",
        PYTHONPATH=os.pathsep.join(filter(None, [str(ROOT / "tools/testing"), str(ROOT / "core/python"),
                                                 os.environ.get("PYTHONPATH")])))
    if options.platform != "cpu":
        plugins = (ROOT / options.build_dir).resolve() / "plugins"
        environment["BACKPLANE_BACKEND"] = options.backend
        environment["BACKPLANE_PATH"] = os.pathsep.join(str(path) for path in sorted(plugins.glob("*/")))
        environment["BACKPLANE_PJRT_LIBRARY"] = str(plugin_library(options))
    return environment


def run_files(files, folder, label, options):
    """Runs the tests that have no outcome yet and appends their outcomes to FOLDER/LABEL.jsonl."""
    record = folder / f"{label}.jsonl"
    logs = folder / label
    logs.mkdir(exist_ok=True)
    if options.rerun == "all":
        forget(record, {path.name for path in files}, options.test)
    start = time.monotonic()
    for index, path in enumerate(files):
        before = read_results(record, {path.name})
        again = FAILURES if options.rerun == "failed" else ()
        omitted = {name for name, result in before.items() if result["outcome"] not in again}
        run_file(path, record, logs / f"{path.stem}.log", omitted, options)
        after = read_results(record, {path.name}, options.test)
        print(f"[{index + 1}/{len(files)}] {path.name}: {counts(after)}, "
              f"{time.monotonic() - start:.0f} s since the start", flush=True)


def run_file(path, record, log, omitted, options):
    """Runs the tests of a file but the omitted ones, with a new process after each one that ends early."""
    omitted = set(omitted)
    log.unlink(missing_ok=True)
    while True:
        offset = record.stat().st_size if record.exists() else 0
        with tempfile.NamedTemporaryFile("w", suffix=".json") as list_of_omitted, open(log, "ab") as output:
            json.dump(sorted(omitted), list_of_omitted)
            list_of_omitted.flush()
            command = [options.python, "-X", "faulthandler", "-m", "pytest", "-q", "--capture=no", "--tb=short",
                       "-p", "no:cacheprovider", "-p", "jax_tests_recorder", "-p", "no:faulthandler",
                       f"--rootdir={path.parent}", f"--record={record}", f"--omit={list_of_omitted.name}",
                       f"--one-of={options.one_of}", f"--device-under-test={options.device_under_test}",
                       *(f"--contains={text}" for text in options.test or []), str(path)]
            # The tests of some files write to the current folder.
            with tempfile.TemporaryDirectory() as current:
                process = subprocess.Popen(command, cwd=current, env=environment_for(options), stdout=output,
                                           stderr=subprocess.STDOUT)
                try:
                    timed_out = wait(process, record, offset, path.name, options.time_limit)
                finally:
                    process.kill()  # after an interruption of this program
        lines = read_lines(record, offset)
        running = unfinished(lines)
        if process.returncode in (0, 1, 5) and not timed_out:  # all passed, some failed, none was selected
            return
        collected = any("collected" in line for line in lines)
        outcome = "timed out" if timed_out else "crashed"
        if process.returncode == 2 and any(line.get("test") == path.name for line in lines):
            return  # the file cannot be imported, as its record says
        name = running or (f"{path.name}::exit" if collected else path.name)
        text = f"the limit is {options.time_limit:g} s" if timed_out else ending(process.returncode)
        text += "\n" + log.read_text(errors="replace").rpartition("\n=== ")[2][:MOST_LOG_CHARACTERS]
        with open(record, "a", encoding="utf-8") as file:
            file.write(json.dumps({"test": name, "outcome": outcome, "seconds": 0, "reason": text}) + "\n")
        if not running:
            return
        omitted.update(read_finished(record, offset))


def wait(process, record, offset, name, time_limit):
    """Waits for a process that appends to the record, and returns whether a test of it took too long."""
    shown = changed = time.monotonic()
    size = offset
    while process.poll() is None:
        time.sleep(POLL_SECONDS)
        now = time.monotonic()
        new_size = record.stat().st_size if record.exists() else 0
        if new_size != size:
            size, changed = new_size, now
        if now - shown > PROGRESS_SECONDS:
            shown = now
            lines = read_lines(record, offset)
            selected = next((line["collected"] for line in lines if "collected" in line), "?")
            done = sum(line.get("outcome") in ("passed", "skipped", "failed") for line in lines)
            print(f"  {name}: {done} of {selected}, at {unfinished(lines) or 'the start'}", flush=True)
        if now - changed > time_limit:
            process.send_signal(signal.SIGABRT)  # faulthandler writes where the process was
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            return True
    return False


def ending(code):
    return f"the process ended by {signal.Signals(-code).name}" if code < 0 else f"the process ended with code {code}"


def read_lines(record, offset=0):
    """Returns the records from a position in the file on; a line that is not complete is left out."""
    if not record.exists():
        return []
    with open(record, "rb") as file:
        file.seek(offset)
        return [json.loads(line) for line in file.read().splitlines(keepends=True) if line.endswith(b"}\n")]


def unfinished(lines):
    """Returns the test that was started and has no outcome."""
    last = next((line for line in reversed(lines) if "test" in line), {})
    return last["test"] if last.get("outcome") == "started" else ""


def read_finished(record, offset=0):
    return {line["test"]: line for line in read_lines(record, offset) if line.get("outcome", "started") != "started"}


def read_results(record, files, texts=None):
    """Returns the last record of each test of the files by its name."""
    return {name: line for name, line in read_finished(record).items()
            if name.split("::")[0] in files and any(text in name for text in texts or [""])}


def forget(record, files, texts):
    forgotten = read_results(record, files, texts)
    kept = [line for name, line in read_finished(record).items() if name not in forgotten]
    record.write_text("".join(json.dumps(line) + "\n" for line in kept), encoding="utf-8")


def counts(results):
    count = collections.Counter(result["outcome"] for result in results.values())
    return ", ".join(f"{count[outcome]} {outcome}" for outcome in ("passed", "skipped", *FAILURES) if count[outcome])


def print_counts(results):
    by_file = collections.defaultdict(dict)
    for name, result in results.items():
        by_file[name.split("::")[0]][name] = result
    for file, those in sorted(by_file.items()):
        print(f"{file}: {counts(those)}")
    print(f"in all: {counts(results)}")


def report(results, reference, options):
    """Prints the table, the causes and what differs from the expectations; returns the exit status."""
    if not results:
        print("no test was run")
        return 1
    print_table(results, reference)
    unknown = len(results.keys() - reference.keys())
    if unknown:
        print(f"{unknown} tests have no outcome on JAX's cpu platform{', and do not count' if reference else ''}: "
              "--platform cpu runs them there")
    passes_there = lambda name: not reference or reference.get(name, {}).get("outcome") == "passed"
    failures = {name: result for name, result in results.items()
                if result["outcome"] in FAILURES and passes_there(name)}
    print_causes(failures, options.groups)
    listed = read_expectations(options.expectations)
    unexpected = [name for name in failures if not any(pattern.fullmatch(name) for pattern, _ in listed.values())]
    stale = []
    is_whole = options.one_of == 1 and not options.test
    for text, (pattern, _) in listed.items():
        if "*" in text and not is_whole:
            continue  # the tests that fail may not have been run
        outcomes = {result["outcome"] for name, result in results.items() if pattern.fullmatch(name)}
        if "passed" in outcomes and not outcomes & set(FAILURES):
            stale.append(text)
    for title, names in (("fail and are not listed", unexpected), ("are listed and pass", stale)):
        if names:
            print(f"\n{len(names)} tests {title} in {options.expectations}:")
            print("\n".join(f"  {name}" for name in sorted(names)))
    if options.bless:
        bless(results, reference, listed)
    return 1 if unexpected or stale else 0


def bless(results, reference, listed):
    """Writes into the documentation how many tests pass, and the reasons of those that do not."""
    counted = {name: result for name, result in results.items()
               if reference.get(name, {}).get("outcome") == "passed" and not needs_several_devices(result)}
    passed = sum(result["outcome"] == "passed" for result in counted.values())
    apart = sum(needs_several_devices(result) for name, result in results.items()
                if reference.get(name, {}).get("outcome") == "passed")
    reasons = collections.Counter()
    for name, result in counted.items():
        if result["outcome"] != "passed":
            reasons[next((reason for pattern, reason in listed.values() if pattern.fullmatch(name)), "not known")] += 1
    share = f"{100 * passed / len(counted):.1f} %"
    text = (f"{passed:,} of the {len(counted):,} tests that pass on JAX's own cpu pass ({share}). {apart:,} more skip "
            "themselves for\nwant of several devices.\n\n| tests that do not pass | reason |\n|---|---|\n"
            + "".join(f"| {count} | {reason} |\n" for reason, count in reasons.most_common()))
    document = DOCUMENT.read_text()
    before, _, rest = document.partition(BEGIN)
    DOCUMENT.write_text(f"{before}{BEGIN}\n{text}{END}{rest.partition(END)[2]}")


def needs_several_devices(result):
    return result["outcome"] == "skipped" and bool(SEVERAL_DEVICES.search(result["reason"] or ""))


def print_table(results, reference):
    """Prints a row for each file: there is JAX's own cpu platform, and new passes are tests that fail there. Tests that
    need several devices are in a column of their own."""
    rows = collections.defaultdict(collections.Counter)
    for name, result in results.items():
        unknown = "" if result["outcome"] == "skipped" else "passed"
        there = reference.get(name, {}).get("outcome") if reference else unknown
        for row in (rows[name.split("::")[0]], rows["in all"]):
            if there == "passed" and needs_several_devices(result):
                row["several devices"] += 1
            elif there == "passed":
                row["there"] += 1
                row["here" if result["outcome"] == "passed" else result["outcome"]] += 1
            elif there in FAILURES and result["outcome"] == "passed":
                row["new"] += 1
    print(f"\n{'file':40} {'passed there':>12} {'passed here':>12} {'share':>7} {'skipped':>8} {'failed':>7} "
          f"{'crashed':>8} {'timed out':>10} {'new passes':>11} {'several devices':>16}")
    for name, row in sorted(rows.items(), key=lambda item: (item[0] == "in all", item[0])):
        share = f"{100 * row['here'] / row['there']:.1f} %" if row["there"] else "-"
        there = row["there"] if reference else "?"
        print(f"{name:40} {there:>12} {row['here']:12} {share:>7} {row['skipped']:8} {row['failed']:7} "
              f"{row['crashed']:8} {row['timed out']:10} {row['new']:11} {row['several devices']:16}")


def print_causes(failures, most):
    """Prints the groups of failures of one cause, those with the most tests first, each with an example."""
    groups = collections.defaultdict(list)
    for name, result in failures.items():
        groups[cause(result)].append(name)
    ordered = sorted(groups.items(), key=lambda item: (-len(item[1]), item[0]))
    if ordered:
        print(f"\n{len(failures)} failures of {len(groups)} causes:")
    for text, names in ordered[:most]:
        shortest = min(names, key=lambda name: (len(name), name))
        print(f"{len(names):6}  {text}\n        in {shortest}")
    if len(ordered) > most:
        print(f"        and {len(ordered) - most} causes that --groups {len(ordered)} shows")


def cause(result):
    """Returns the first telling lines of an error, without what differs between errors of one cause."""
    lines = [line.strip() for line in result["reason"].splitlines() if line.strip()] or ["no message"]
    count = 1
    while count < min(3, len(lines)) and UNTELLING.search(lines[count - 1]):
        count += 1
    if result["outcome"] == "crashed":
        fatal = [line for line in lines[1:] if FATAL.match(line)]
        lines, count = [lines[0], *fatal], 1 + bool(fatal)
    text = " | ".join(lines[:count])
    for variation, replacement in VARIATIONS:
        text = variation.sub(replacement, text)
    return f"{result['outcome']}: {text}" if result["outcome"] != "failed" else text


def read_expectations(path):
    """Returns the patterns of tests that are known to fail, and the reasons, by the text of the pattern: `*` in it
    stands for any characters.

    A line is FILE::CLASS::TEST, two spaces or more, and the reason; `#` begins a comment.
    """
    expectations = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines() if path.exists() else [], 1):
        if not line.strip() or line.startswith("#"):
            continue
        name, gap, reason = line.partition("  ")
        if not reason.strip():
            sys.exit(f"{path}:{number}: expected FILE::CLASS::TEST, two spaces and a reason")
        expectations[name] = re.compile(re.escape(name).replace(r"\*", ".*")), reason.strip()
    return expectations


if __name__ == "__main__":
    sys.exit(main())
