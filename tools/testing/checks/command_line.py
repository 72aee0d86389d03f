#!/usr/bin/env python3
"""The behaviour of the command line with bad files, bad plugins and bad options, and where something is missing: disk,
memory, time.

The files and the mistakes are rows of tools/testing/command_line_cases.py. Whatever the input, the command must end by
itself and in time.
"""

import json
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from command_line_cases import (
    BACKEND, BAD_MODELS, BAD_PLUGINS, BUILD, COMMANDS, FAILED, HAS_NVPTX, MISTAKES, MISUSES, MODEL, SANITIZED,
    SUCCESS, TIME_LIMIT_SECONDS, TINY, USAGE, model,
)
from command_line_tool import backplane, check, expect, run_parts, written


def mistakes():
    for command in (["run"], ["compile", "-o", "bad.artifact"], ["opt"], ["memory"]):
        for name, message in BAD_MODELS.items():
            expect([*command, name], FAILED, "backplane: " + message)
    for plugin, message in BAD_PLUGINS.items():
        expect(["run", "good.hlo", "--on", plugin], FAILED, f"backplane: {plugin}: {message}")
    for arguments, code, err in MISTAKES:
        expect(arguments, code, err)
    for arguments, message in MISUSES:
        name = arguments[0]
        expect(arguments, USAGE, f"backplane: {message}\nUsage: backplane {name}...\nSee: backplane {name} --help")


def helps():
    out = backplane("--help").out
    for name in COMMANDS:
        check(f"\n  {name} " in out, f"backplane --help does not name {name}")
        found = expect([name, "--help"], SUCCESS, "")
        check(found.out.startswith(f"Usage: backplane {name}"), f"backplane {name} --help begins with {found.out[:40]!r}")
        check("\nExamples:\n" in found.out, f"backplane {name} --help has no examples")


def full_disk():
    """Every command, and every file that a command writes, fails on a full disk: as a named file, and as standard
    output."""
    printing = [["--help"], ["ops"], ["ops", "--markdown"], ["formats"], ["formats", "--json"], ["plugins"], ["instances"], ["inspect", str(TINY)],
                ["opt", "good.hlo"],
                ["opt", "large.hlo"], ["opt", "large.hlo", "--emit=proto"], ["opt", "large.hlo", "--emit=buffers"],
                ["opt", "good.hlo", "--check"], ["run", "good.hlo"], ["run", "good.hlo", "--json"], ["memory", "good.hlo"],
                ["memory", "good.hlo", "--json"], ["stats", "good.hlo"], ["stats", "good.hlo", "--json"], ["check", "checks.hlo", "--on", "interpreter"],
                ["fuzz", "--count", "1", "--size", "4"], ["pack", "p.csv"], ["conform", "null", "--list"],
                ["compile", "good.hlo", "--on", BACKEND, "-o", "unread"], ["new", "full", "--headers", "headers"], ["replay", "full.calls"],
                ["reduce", "checked.hlo", "--extract", "c", "-o", "unread"], ["bisect", "checked.hlo", "--on", "interpreter"]]
    check({arguments[0] for arguments in printing} >= set(COMMANDS) | {"conform"}, "not all commands are tried on a full disk")
    pathlib.Path("large.hlo").write_text(model("  x0 = f32[4] parameter(0)", *(
        f"  x{i} = f32[4] sine(x{i - 1})" for i in range(1, 2000)), "  ROOT r = f32[4] sine(x1999)"))
    pathlib.Path("p.csv").write_text("id,lower,upper,size\na,0,3,4\nb,3,9,4\nc,0,9,4\n")
    tiny = ["--on", str(TINY), "--set", "ops=negate"]
    expect(["run", "good.hlo", *tiny, "--layer", "record=full.calls"], SUCCESS, "record: ... calls in full.calls")
    for arguments in (["opt", "absent.hlo"], ["opt", "--fly"], ["opt", "good.hlo", "--timing"], ["run", "open.mlir"]):
        with open("/dev/full", "w") as full:
            done = subprocess.run([BUILD / "tools/backplane", *arguments], stdout=subprocess.DEVNULL, stderr=full)
        check(done.returncode == FAILED, f"with a standard error that cannot be written, {arguments} ended with {done.returncode}")
    for arguments in printing:
        with open("/dev/full", "w") as full:
            found = backplane(*arguments, stdout=full)
        message = "backplane: cannot write the standard output: No space left on device\n"
        check((found.code, found.err) == (FAILED, message), f"with a full disk, {arguments}: {found.code} {found.err!r}")
    writing = [["opt", "good.hlo", "-o"], ["opt", "large.hlo", "-o"], ["opt", "good.hlo", "--emit=proto", "-o"],
               ["compile", "good.hlo", "--on", BACKEND, "-o"], ["memory", "good.hlo", "--html"], ["pack", "p.csv", "-o"],
               ["reduce", "checked.hlo", "--extract", "c", "-o"], ["run", "good.hlo", *tiny, "--layer=trace=/dev/full"],
               ["run", "good.hlo", *tiny, "--layer=record=/dev/full"], ["run", "good.hlo", *tiny, "--layer=counters=/dev/full"],
               ["conform", "null", "--stage", "x_ray", "-o"], ["conform", "null", "--stage", "x_ray", "--html"],
               ["conform", "null", "--stage", "x_ray", "--junit"]]
    for arguments in writing:
        found = backplane(*arguments, *([] if "/dev/full" in arguments[-1] else ["/dev/full"]))
        check(found.code == FAILED and "backplane: cannot write /dev/full: No space left on device\n" in found.err,
              f"{arguments} to a full disk: {found.code} {found.err!r}")
    # A dump consists of many files, also from the backend.
    for suffix in (".hlo", ".ll", ".o") if BACKEND == "cpu" else ():
        folder = pathlib.Path("full_dump")
        shutil.rmtree(folder, ignore_errors=True)
        expect(["run", "good.hlo", "--on", BACKEND, "--dump-dir", str(folder)], SUCCESS, "")
        path = min(folder.glob("*" + suffix))
        path.unlink()
        path.symlink_to("/dev/full")
        found = backplane("run", "good.hlo", "--on", BACKEND, "--dump-dir", str(folder))
        check(found.code == FAILED and f"cannot write {path}: No space left on device" in found.err,
              f"a dump to a full disk: {found.code} {found.err!r}")


def interrupted():
    """A trace and a recording are usable when the command ends prematurely."""
    tiny = [BUILD / "tools/backplane", "run", "good.hlo", "--on", str(TINY), "--set", "ops=negate", "--set", "fault-in=run",
            "--layer", "trace=cut.json", "--layer", "record=cut.calls"]
    for fault in ("hang", "crash"):
        process = subprocess.Popen([*tiny, "--set", f"fault={fault}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until = time.monotonic() + 60
        calls = pathlib.Path("cut.calls")
        while fault == "hang" and not (calls.exists() and b"program.run" in calls.read_bytes()) and time.monotonic() < until:
            time.sleep(0.01)
        if fault == "hang":
            process.send_signal(signal.SIGINT)
        check(process.wait() != SUCCESS, f"a {fault} was no failure")
        names = [event["name"] for event in json.loads(written("cut.json"))["traceEvents"]]
        check("compiler.load" in names, f"after a {fault} the trace has {names}")
        listed = expect(["replay", "cut.calls", "--list"], SUCCESS, "replay: the recording ends in call ..., program.run").out
        check("program.run" in listed.splitlines()[-1], f"after a {fault} the recording has\n{listed}")
        calls.unlink()


def little_memory():
    """However little memory there is, a compilation ends with a result or a message."""
    if SANITIZED:  # sanitizers reserve terabytes of address space
        return
    targets = [["--on", BACKEND]] + ([["--on", "nvptx", "--target=sm_90"]] if HAS_NVPTX else [])
    for target in targets:
        endings = set()
        for kilobytes in range(150_000, 600_000, 15_000):
            limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (kilobytes * 1024, kilobytes * 1024))
            done = subprocess.run([BUILD / "tools/backplane", "compile", MODEL, *target, "-o", "little.artifact"],
                                  capture_output=True, text=True, preexec_fn=limit, timeout=TIME_LIMIT_SECONDS)
            endings.add(done.returncode)
            check(done.returncode in (SUCCESS, FAILED) or "error while loading shared libraries" in done.stderr,
                  f"with {kilobytes} KiB, compile {target} ended with {done.returncode}: {done.stderr}")
        check({SUCCESS, FAILED} <= endings, f"compile {target} in little memory ended with {endings}")


def exits():
    """A plugin that calls exit(0) does not make the command a success."""
    tiny = ["--on", str(TINY), "--set", "ops=negate,add", "--set", "fault=leave", "--set", "fault-in=run", "--set", "fault-once=left"]
    message = "backplane: exit(0) was called before the command was done, probably by a plugin; --isolate shows whether it was"
    pathlib.Path("left").touch()
    expect(["run", "good.hlo", *tiny, "--layer", "record=left.calls"], SUCCESS, "record: ... calls in left.calls")
    for arguments in (["run", "good.hlo", *tiny], ["check", "checks.hlo", *tiny], ["replay", "left.calls"]):
        pathlib.Path("left").unlink()
        expect(arguments, FAILED, message)
        check(pathlib.Path("left").exists(), f"{arguments}: the plugin did not exit")
    at_once = ["run", "good.hlo", "--on", str(TINY), "--set", "ops=negate", "--set", "fault=exit", "--set", "fault-in=run"]
    expect(at_once, FAILED, message.replace("exit(0)", "_exit(7)"))
    pathlib.Path("left").unlink()
    expect(["run", "good.hlo", *tiny, "--isolate"], FAILED, "backplane: ...org.example.tiny ended the process (exit code 0) in program.run; ...")


def quoted():
    """A printed command can be pasted into a shell."""
    made = expect(["new", "acme", "-o", "it's new", "--headers", "headers"], SUCCESS, "").out
    check("cd 'it'\\''s new' && make" in made, f"new printed {made}")
    shutil.copy("good.hlo", "a good one.hlo")
    found = expect(["bisect", "a good one.hlo", "--on", str(TINY), "--set", "ops=negate", "--set", "wrong=negate", "--tolerance", "0"], SUCCESS, "").out
    check("\nrerun: backplane run 'a good one.hlo' --on " in found, f"bisect printed\n{found}")


def limited_files():
    """A file that may not grow as large as needed is an error."""
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
    for layer in ("record=limited.calls", "trace=limited.json"):
        done = subprocess.run([BUILD / "tools/backplane", "run", "good.hlo", "--on", TINY, "--set", "ops=negate", "--layer", layer],
                              capture_output=True, text=True, preexec_fn=limit)
        name = layer.split("=")[1]
        check((done.returncode, done.stderr) == (FAILED, f"backplane: cannot write {name}: File too large\n"),
              f"with a limit of the size of files, {layer}: {done.returncode} {done.stderr!r}")


if __name__ == "__main__":
    sys.exit(run_parts(mistakes, helps, full_disk, interrupted, little_memory, exits, quoted, limited_files))
