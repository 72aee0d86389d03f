#!/usr/bin/env python3
"""What is compiled into files: packages, artifacts for other machines, code for people to read."""

import json
import pathlib
import platform
import resource
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from command_line_cases import ARM_MACHINE, BACKEND, BUILD, FAILED, HAS_NVPTX, MODEL, SUCCESS, TINY, X86_MACHINE
from command_line_tool import check, expect, fits, run_parts, written


def packages():
    """What one process compiles another runs, without compiling."""
    tiny = ["--on", str(TINY), "--set", "ops=negate,multiply"]
    never = [*tiny, "--set", "fault=never", "--set", "fault-in=compile"]
    for name in ("good.hlo", "checked.hlo", "chain.hlo"):  # the second and third also have steps on the host
        expect(["compile", name, *tiny, "-o", "packed.bpkg"], SUCCESS, "")
        printed = json.loads(expect(["run", "packed.bpkg", *never, "--print", "--json"], SUCCESS, "").out)
        original = json.loads(expect(["run", name, *tiny, "--print", "--json"], SUCCESS, "").out)
        check(printed["results"] == original["results"], f"{name} as a package gives {printed['results']}, expected {original['results']}")
        check("load_seconds" in printed and printed["module"] == original["module"], f"run --json of a package printed {printed}")
        compared = expect(["run", "packed.bpkg", *never, "--against", "interpreter"], SUCCESS, "").out
        check(": agrees\n" in compared and "\nload time: " in compared, f"run of a package printed\n{compared}")
    expect(["run", "packed.bpkg", *never, "--layer=trace=package.json"], SUCCESS, "...")
    check('"compile"' not in written("package.json"), "the trace of a package has a call of compile()")
    expect(["compile", "good.hlo", *tiny, "-o", "packed.bpkg"], SUCCESS, "")
    given = expect(["run", "packed.bpkg", *never, "--inputs", "four.txt", "--print"], SUCCESS, "").out
    check("{-1, -2, -3, -4}" in given, f"run of a package with inputs printed\n{given}")

    shown = expect(["inspect", "packed.bpkg"], SUCCESS, "").out
    for line in ("packed.bpkg: a package of m", "  backend       org.example.tiny 1 for the target tiny, plugin ",
                 "  parameters    a f32[4]", "  results       b f32[4]", "all bytes are as they were written"):
        check(line in shown, f"inspect of a package does not print {line!r}:\n{shown}")
    told = json.loads(expect(["inspect", "packed.bpkg", "--json"], SUCCESS, "").out)
    check(told["devices"][0]["target"] == "tiny" and told["programs"][0]["memory"]["peak"] == 32, f"inspect --json told {told}")
    expect(["run", "packed.bpkg", "--on", "interpreter"], FAILED,
           "backplane: packed.bpkg was compiled for org.example.tiny, but loaded for the interpreter: load it for "
           "org.example.tiny, or compile the model again\n  note: in the program m of packed.bpkg")
    for command in (["opt"], ["memory"], ["check"], ["compile", "-o", "again.bpkg"]):
        expect([*command, "packed.bpkg"], FAILED,
               "backplane: packed.bpkg: this is a package, which is compiled already, expected HLO or StableHLO\n"
               "  note: backplane run packed.bpkg runs it, and backplane inspect packed.bpkg shows what is in it")
    whole = pathlib.Path("packed.bpkg").read_bytes()
    pathlib.Path("changed.bpkg").write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    for command in ("run", "inspect"):
        expect([command, "changed.bpkg"], FAILED, "backplane: changed.bpkg: a damaged package: blob ... has another hash than ...")
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
    limited = subprocess.run([BUILD / "tools/backplane", "compile", "good.hlo", *tiny, "-o", "limited.bpkg"],
                             capture_output=True, text=True, preexec_fn=limit)
    check(limited.returncode == FAILED and fits(limited.stderr, "backplane: cannot write limited.bpkg...: File too large")
          and not list(pathlib.Path().glob("limited.bpkg*")), f"a package that may not grow: {limited.returncode} {limited.stderr}")
    expect(["run", "packed.bpkg", *never, "--signed-by", "public.pem"], FAILED,
           "backplane: packed.bpkg is not signed: there is no packed.bpkg.sig, expected a signature by the key 06e3fd8fda29bb60")
    expect(["compile", "good.hlo", *tiny, "-o", "packed.bpkg", "--sign", "key.pem"], SUCCESS, "")
    expect(["run", "packed.bpkg", *never, "--signed-by", "public.pem"], SUCCESS, "")
    signature = pathlib.Path("packed.bpkg.sig").read_bytes()
    expect(["compile", "chain.hlo", *tiny, "-o", "packed.bpkg"], SUCCESS, "")
    check(not pathlib.Path("packed.bpkg.sig").exists(), "the signature of a package stays when another replaces it")
    pathlib.Path("packed.bpkg.sig").write_bytes(signature)
    expect(["run", "packed.bpkg", *never, "--signed-by", "public.pem"], FAILED,
           "backplane: packed.bpkg is not what the key 06e3fd8fda29bb60 has signed: the package was changed, or another key "
           "has made packed.bpkg.sig")
    # Layers, and a worker, know the module of what they have not seen compiled.
    expect(["compile", "good.hlo", "--on", "npu", "-o", "npu.bpkg"], SUCCESS, "")
    for backend, package in ((tiny, "packed.bpkg"), (["--on", "npu"], "npu.bpkg")):
        expect(["run", package, *backend, "--layer=record=package.calls"], SUCCESS, "record: ... calls in package.calls")
        again = expect(["replay", "package.calls"], SUCCESS, "").out
        check(again.endswith(" calls repeated: as recorded\n"), f"replay of a package printed\n{again}")
        shown = expect(["replay", "package.calls", "--list"], SUCCESS, "").out
        check("module m, stage 4" in shown and "compiler.compile" not in shown, f"the recording of a package has\n{shown}")
        for layers, said in ([], ""), (["--layer=validate"], "validate: no rule was broken"):
            expect(["run", package, *backend, "--isolate", "--against", "interpreter", *layers], SUCCESS, said)
    expect(["run", "npu.bpkg", "--layer", "counters"], SUCCESS,
           "counted in 2 runs\ninstruction ... cycles (cycles) ... dma-bytes (bytes)\nb ... 142 ... 64\nsum ... 142 ... 64")
    # The backend is that of the package.
    for backend in (BACKEND, "kernels") if BACKEND == "cpu" else ("kernels",):
        expect(["compile", "product.hlo", "--on", backend, "-o", "named.bpkg"], SUCCESS, "")
        expect(["run", "named.bpkg", "--against", "interpreter"], SUCCESS, "")
    expect(["compile", "good.hlo", "--on", "interpreter", "-o", "host.bpkg"], SUCCESS, "")
    on_host = expect(["run", "host.bpkg"], SUCCESS, "").out
    check("interpreter (part of the core)" in on_host, f"run of a package of the interpreter printed\n{on_host}")
    expect(["compile", "several.hlo", *tiny, "-o", "several.bpkg"], SUCCESS, "")
    check(pathlib.Path("several.1.bpkg").exists() and pathlib.Path("several.2.bpkg").exists(), "several modules make several packages")
    if BACKEND == "cpu":
        # A package for another processor is made here, and refused with what to do.
        expect(["compile", "good.hlo", "--target=aarch64-linux-gnu", "-o", "arm.bpkg"], SUCCESS, "")
        if platform.machine() == "x86_64":
            expect(["run", "arm.bpkg"], FAILED, "backplane: ...\n  note: made by ... for the target aarch64-linux-gnu...\n"
                   "  note: here is ...: compile the model again for this target\n  note: in the program m of arm.bpkg")


def compile_for_others():
    for target, machine in ((["--target=aarch64-linux-gnu"], ARM_MACHINE), (["--target=x86_64-linux-gnu"], X86_MACHINE)):
        printed = expect(["compile", str(MODEL), *target, "-o", "made.artifact", "--dump-dir", "made"], SUCCESS, "").out
        check("\ntarget:           " + target[0].removeprefix("--target=") + ":\n" in printed, f"compile {target} printed\n{printed}")
        check(pathlib.Path("made.artifact").stat().st_size > 0, f"compile {target} wrote nothing")
        objects = [path.read_bytes() for path in pathlib.Path("made").glob("*.o")]
        check(objects and all(made[18:20] == machine for made in objects), f"compile {target} made objects for another machine")
        shutil.rmtree("made")


def emit():
    nvptx = ["compile", "chain.hlo", "--on", "nvptx", "--target=sm_80"]
    wanted = {"llvm": 'target triple = "nvptx64-nvidia-cuda"', "ptx": ".target sm_80\n", "plan": "0: launch kernel_0 <<<1, 1>>>("}
    for kind, fragment in wanted.items():
        text = expect([*nvptx, f"--emit={kind}"], SUCCESS, "").out
        check(fragment in text, f"compile --emit={kind} printed\n{text}")
        printed = expect([*nvptx, f"--emit={kind}", "-o", "chain.txt"], SUCCESS, "").out
        check("\ntext:             chain.txt, " in printed and written("chain.txt") == text, f"compile --emit={kind} -o printed\n{printed}")
    check(".entry" not in expect(["compile", "constant.hlo", *nvptx[2:], "--emit=ptx"], SUCCESS, "").out, "a constant has a kernel")


if __name__ == "__main__":
    sys.exit(run_parts(packages, *([compile_for_others] if BACKEND == "cpu" else []), *([emit] if HAS_NVPTX else [])))
