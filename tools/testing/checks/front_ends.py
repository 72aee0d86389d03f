#!/usr/bin/env python3
"""A front end in a library of its own, samples/08_front_end: it is found by the files that it reads, its Makefile builds
it from the headers alone, what is wrong with a program has its line, and the conformance suite passes."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
BUILD = pathlib.Path(os.environ.get("BACKPLANE_TEST_BUILD", ROOT / "build")).resolve()
BACKPLANE = BUILD / "tools/backplane"
SAMPLE = ROOT / "samples/08_front_end"
LIBRARY = BUILD / "samples/libbackplane_lines.so"
PROGRAM = (SAMPLE / "program.lines").read_text()
problems = []


def run(folder, *arguments):
    """Returns the exit code and the output of a command that finds plugins in the folder alone."""
    done = subprocess.run([BACKPLANE, *map(str, arguments)], capture_output=True, text=True, cwd=folder,
                          stdin=subprocess.DEVNULL, env={**os.environ, "BACKPLANE_PATH": str(folder)})
    return done.returncode, done.stdout + done.stderr


def expect(what, found, code, *texts):
    """Notes a problem unless the command ended with the code, and its output has the texts."""
    problems.extend(f"{what}: expected {text!r} in\n{found[1]}" for text in texts if text not in found[1])
    if found[0] != code:
        problems.append(f"{what}: ended with {found[0]}, expected {code}:\n{found[1]}")


def check_reading(folder):
    program = folder / "program.lines"
    program.write_text(PROGRAM)
    expect("formats", run(folder, "formats"), 0, "lines", "a program of Lines (.lines)", "begins with LINES ",
           str(folder / "libbackplane_lines.so"))
    expect("formats of a file", run(folder, "formats", "program.lines", "--why"), 0,
           "program.lines: a program of Lines (lines), 1 in it", "  lines: yes")
    expect("another file", run(folder, "formats", SAMPLE / "Makefile", "--why"), 0,
           "  lines: no, expected a name that ends in .lines or a file that begins with LINES ")
    code, text = run(folder, "formats", "--json")
    listed = [format for format in json.loads(text)["read"] if format["name"] == "lines"]
    if code != 0 or len(listed) != 1 or listed[0]["library"] != str(folder / "libbackplane_lines.so"):
        problems.append(f"formats --json has {listed}")
    (folder / "x.txt").write_text("{1, 2, 3}\n")
    (folder / "y.txt").write_text("{2, 3, 4}\n")
    expect("run", run(folder, "run", "program.lines", "--on", "interpreter", "--shape", "x=3", "--shape", "y=3", "--inputs",
                      "x.txt", "y.txt", "--print"), 0, "28")
    expect("StableHLO", run(folder, "opt", "program.lines", "--shape", "x=3", "--shape", "y=3", "--passes=none",
                            "--emit=stablehlo"), 0, "stablehlo.maximum", "tensor<3xf32>")
    expect("open sizes", run(folder, "opt", "program.lines"), 3, "program.lines")
    # Content alone is enough.
    (folder / "named_otherwise").write_text(PROGRAM.replace("?", "2"))
    expect("another name", run(folder, "formats", "named_otherwise"), 0, "a program of Lines (lines)")
    # So is the name of the format, where neither content nor ending says it.
    run_it = ("run", "--shape", "x=3", "--shape", "y=3", "--on", "interpreter", "--inputs", "x.txt", "y.txt", "--print")
    (folder / "hidden.lines").write_text(PROGRAM)
    expect("a format by name", run(folder, *run_it, "hidden.lines", "--format=lines"), 0, "28")
    expect("a format of the core by name", run(folder, "opt", "hidden.lines", "--format=hlo_text"), 3, "hidden.lines:1:7")
    expect("a format that does not exist", run(folder, "opt", "hidden.lines", "--format=line"), 3,
           "there is no format 'line', expected one of onnx, ", ", lines")


def check_errors(folder):
    wrong = folder / "wrong.lines"
    wrong.write_text(PROGRAM.replace("?", "3").replace("larger = maximum sum x", "larger = minimum sum x"))
    expect("an operation that does not exist", run(folder, "opt", "wrong.lines"), 3,
           "wrong.lines:5:1: there is no such operation, expected input, or add", "larger = minimum sum x")
    wrong.write_text("LINES 3\0")
    expect("a source that is no text", run(folder, "opt", "wrong.lines"), 3, "wrong.lines: offset 0: ")
    wrong.write_text("LINES 3\n" + "x = input\n" * 1000 + "return x\n")
    expect("too many lines", run(folder, "opt", "wrong.lines"), 3, "the program has more than 1000 lines")
    expect("a device", run(folder, "run", "named_otherwise", "--on", "lines"), 3, 'no plugin answers to "lines"')
    expect("a device by path", run(folder, "run", "named_otherwise", "--on", "./libbackplane_lines.so"), 3,
           "has no device, only front ends")
    expect("plugins", run(folder, "plugins"), 0, "lines", "front end")
    expect("inspect", run(folder, "inspect", "libbackplane_lines.so"), 0, "front end", "a program of Lines")
    # Two libraries, and a file that others can replace.
    second = folder / "libbackplane_zzz.so"
    shutil.copy(LIBRARY, second)
    expect("a name that is taken", run(folder, "formats"), 0, f"{second}: the name lines is taken by ")
    expect("the first of two", run(folder, "opt", "named_otherwise", "--format=lines"), 0, "maximum")
    second.unlink()
    library = folder / "libbackplane_lines.so"
    library.chmod(0o777)
    wrong.write_text(PROGRAM)
    expect("a library that others can write", run(folder, "formats", "program.lines"), 0, "HLO text")
    expect("the reason", run(folder, "formats", "program.lines", "--why"), 0, "lines: not asked: ",
           "others can replace this plugin")
    library.chmod(0o755)


def check_suite(folder):
    done = run(folder, "conform", "./libbackplane_lines.so")
    expect("conform", done, 0, "front_ends", "x_ray")
    expect("conform by name", run(folder, "conform", "lines", "--stage", "front_ends", "--list"), 0,
           "front_ends/lines/BP-FRONT-05", "front_ends/BP-FRONT-01")
    if "ops" in re.findall(r"\w+", done[1]):
        problems.append(f"conform speaks of operations of a library without a device:\n{done[1]}")


def make(folder, *replacements):
    """Builds the sample in the folder by its Makefile, with texts of its source replaced. Returns whether it could."""
    shutil.copytree(SAMPLE, folder)
    source = folder / "front_end.c"
    for text, replacement in replacements:
        if text not in source.read_text():
            problems.append(f"the sample has no {text!r}")
        source.write_text(source.read_text().replace(text, replacement))
    flags = f"-std=c11 -O2 -Wall -Wextra -Wpedantic -Werror -I{BUILD / 'include'} -fPIC -fvisibility=hidden"
    stub = folder / "pkg-config"
    options = f"-shared -Wl,--version-script={ROOT}/plugin_api/link/plugin.map"
    stub.write_text(f"#!/bin/sh\ncase $1 in --libs) echo {options};; esac\n")
    stub.chmod(0o755)
    done = subprocess.run(["make", "-C", folder, f"CFLAGS={flags}"], capture_output=True, text=True,
                          env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"})
    if done.returncode != 0:
        problems.append(f"make failed:\n{done.stdout}{done.stderr}")
    return done.returncode == 0


def check_wrong_libraries(folder):
    """Libraries that break a rule: the core refuses them or their answers, and the suite names the rule."""
    succeeds = folder / "succeeds"
    if make(succeeds, ("message);\n  return BP_INVALID;", "message);\n  return BP_OK;")):
        (succeeds / "wrong.lines").write_text(PROGRAM.replace("?", "none"))
        expect("an error with BP_OK", run(succeeds, "opt", "wrong.lines"), 3, "wrong.lines:1:1: this is no size")
        expect("an error with BP_OK in the suite", run(succeeds, "conform", "lines", "--stage", "front_ends"), 1,
               "BP-FRONT-07: read() reported an error and returned BP_OK, expected another status, or a warning")
    taken = folder / "taken"
    if make(taken, ('BP_FRONT_END_FRAME("lines"', 'BP_FRONT_END_FRAME("onnx"')):
        expect("a name of the core", run(taken, "formats", "program.lines", "--why"), 0, "HLO text",
               "onnx: not asked: ", "the name onnx is that of a front end of the core, expected another")
        expect("a name of the core in the suite",
               run(taken, "conform", "./libbackplane_lines.so", "--stage", "front_ends"), 1,
               "BP-FRONT-01: the name onnx is that of a front end of the core")
    damaged = folder / "damaged"
    damaged.mkdir()
    library = damaged / "libbackplane_lines.so"
    library.write_bytes(LIBRARY.read_bytes().replace(b'"front_ends"', b'"front_ends;'))
    (damaged / "program.lines").write_text(PROGRAM)
    expect("a damaged manifest", run(damaged, "formats", "program.lines", "--why"), 0, f"not asked: {library}: ",
           "manifest")


def check_makefile(folder):
    if not make(folder / "sample"):
        return
    expect("the library that make built", run(folder / "sample", "formats", "program.lines"), 0, "a program of Lines")
    lines = len((SAMPLE / "front_end.c").read_text().splitlines())
    if lines >= 150:
        problems.append(f"the sample has {lines} lines, expected less than 150, as docs/adding_a_front_end.md says")


def main():
    with tempfile.TemporaryDirectory() as path:
        folder = pathlib.Path(path).resolve()
        shutil.copy(LIBRARY, folder)
        for check in (check_reading, check_errors, check_suite, check_wrong_libraries, check_makefile):
            check(folder)
    print("\n".join(problems), end="")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
