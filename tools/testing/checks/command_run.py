#!/usr/bin/env python3
"""Programs that run: values from files and to files, several devices, modules and backends, recordings, the tool
`precision`."""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from command_line_cases import (
    BACKEND, BUILD, FAILED, MODEL, NEGATIVE, NOBODY, PRECISION_MISTAKES, SANITIZED, SUCCESS, TINY,
)
from command_line_tool import backplane, check, expect, run_parts, written


def exchanged_values():
    """Each run takes the values of --infeed from the first on, and the outfed values of the last run are printed."""
    # npu calls the application from inside of a program, unless it is in a worker or recorded.
    for where in (["interpreter"], [BACKEND], ["npu"], ["npu", "--isolate"], ["npu", "--layer", "record=exchange.calls"]):
        arguments = ["run", "exchange.hlo", "--infeed", "one.txt", "--print", "--repeat", "2", "--on", *where]
        said = "record: ...calls in exchange.calls" if "--layer" in where else ""
        out = expect(arguments, SUCCESS, said).out
        check(out.endswith("\noutfeed:          14\n-14\n"), f"run with an infeed on {where} printed\n{out}")
        printed = json.loads(expect([*arguments, "--json"], SUCCESS, said).out)
        check((printed["outfeed"], printed["results"]) == (["14"], ["-14"]), f"run --json with an infeed printed {printed}")


def run():
    found = expect(["run", str(MODEL), "--on", BACKEND, "--against", "interpreter", "--json", "--dump-dir", "dump"], SUCCESS, "")
    if found.code == SUCCESS:
        check(json.loads(found.out)["agrees"] is True, f"run --json printed {found.out}")
    for name in ("two.txt", "sized.txt"):
        out = expect(["run", "bounded.hlo", "--on", BACKEND, "--inputs", name, "--print"], SUCCESS, "").out
        check(out.endswith("\nsize 2: {-1, -2}\n"), f"run of a bounded size printed\n{out}")
    said = {text: expect(["run", "good.hlo", "--on", "interpreter", "--print", *text], SUCCESS, "").out for text in ((), ("--json",))}
    result = json.loads(said["--json",])["results"]
    check(len(result) == 1 and said[()].endswith(f"\n{result[0]}\n"), f"run --print printed\n{said}")
    if BACKEND == "cpu":  # moving the inputs by one unit in the last place changes the outputs
        strict = backplane("run", str(MODEL), "--on", BACKEND, "--against", "interpreter", "--tolerance", "0")
        check(strict.code == NEGATIVE and "weak evidence" in strict.out, f"with tolerance 0: {strict.code}\n{strict.out}")
        weak = expect(["run", "weak.hlo", "--on", BACKEND, "--against", "interpreter"], NEGATIVE, "").out
        check(": weak evidence\npassed through:   1 outputs " in weak and "\nweak evidence:    1 of 1 outputs; --seed " in weak,
              f"run of a program that says nothing printed\n{weak}")
        weak = expect(["run", "weak_alone.hlo", "--on", BACKEND, "--against", "interpreter"], NEGATIVE, "").out
        check("\nweak evidence:    the model computes nothing\n" in weak and "--seed" not in weak,
              f"run of a program without inputs that says nothing printed\n{weak}")
        found = json.loads(expect(["run", "weak.hlo", "--against", "interpreter", "--json"], NEGATIVE, "").out)
        check((found["agrees"], found["verdict"], found["outputs"][0]["verdict"], found["outputs"][1]["passed_through"])
              == (False, "weak evidence", "weak evidence", True), f"run --json of a program that says nothing printed {found}")
        nothing = expect(["bisect", "weak.hlo", "--on", BACKEND], NEGATIVE, "").out
        check("agree, on weak evidence: there is nothing to find" in nothing, f"bisect printed\n{nothing}")
        embedded = expect(["run", "embedded.hlo", "--on", BACKEND, "--against", "interpreter"], SUCCESS, "").out
        check("\non the host:      nothing\n" in embedded, f"an embedded op is not expanded\n{embedded}")
    for device in (["npu"], ["nvptx", "--set", "emulate=1"]):
        if not SANITIZED and (BUILD / f"plugins/{device[0]}/libbackplane_{device[0]}.so").exists():
            for tool, measured in ("backplane", ""), ("backplane_counting", ", 32 bytes measured, equal to the byte"):
                out = expect(["run", "good.hlo", "--on", *device], SUCCESS, "", tool=tool).out
                check(f"\nhost memory:      32 bytes predicted{measured}\n" in out, f"{tool} run on {device} printed\n{out}")
    dump = pathlib.Path("dump")
    for path in dump.glob("*.hlo"):
        expect(["opt", str(path), "--passes=none"], SUCCESS, "")
    for path in dump.glob("*.json"):
        json.loads(path.read_text())
    suffixes = {path.suffix for path in dump.iterdir()}
    wanted = {".hlo", ".json", ".txt", ".ll", ".o", ".artifact"} if BACKEND == "cpu" else {".hlo"}
    check(suffixes >= wanted, f"--dump-dir wrote {sorted(suffixes)}, expected at least {sorted(wanted)}")
    for path in dump.glob("*.o"):
        check(path.read_bytes().startswith(b"\x7fELF"), f"{path} is no object file")


def devices():
    simulated = ["run", "two_replicas.hlo", "--on", "interpreter", "--devices", "2", "--inputs", "four.txt"]
    out = expect([*simulated, "--print"], SUCCESS, "").out
    wanted = "".join(f"device {i} (replica {i}, partition 0):\n{{2, 4, 6, 8}}\n" for i in range(2))
    check(out.endswith(wanted), f"run --devices 2 --print printed\n{out}")
    found = json.loads(expect([*simulated, "--json"], SUCCESS, "").out)
    check(found["devices"] == 2, f"run --devices 2 --json printed {found}")


def several_modules():
    lines = expect(["run", "several.hlo", "--on", "null", "--json"], SUCCESS, "").out.splitlines()
    check([json.loads(line)["module"] for line in lines] == ["negate", "abs"], f"run --json of two modules printed {lines}")
    out = expect(["run", "several.hlo", "--on", BACKEND, "--print"], SUCCESS, "").out
    check("model:            several.hlo, negate\n" in out and "model:            several.hlo, abs\n" in out,
          f"run of two modules printed\n{out}")
    for name in ("several.hlo", "several.mlir"):
        out = expect(["opt", name], SUCCESS, "").out
        pathlib.Path("several_again.hlo").write_text(out)
        check(out.count("HloModule ") == 2 and expect(["opt", "several_again.hlo"], SUCCESS, "").out == out,
              f"opt of two modules printed\n{out}")
        second = expect(["opt", name, "--part=2"], SUCCESS, "").out
        check(out.endswith("// -----\n\n" + second), f"opt --part=2 of {name} printed\n{second}")
    if BACKEND == "cpu":
        expect(["compile", "several.hlo", "-o", "several.artifact"], SUCCESS, "")
        made = sorted(path.name for path in pathlib.Path(".").glob("several*.artifact"))
        check(made == ["several.1.artifact", "several.2.artifact"], f"compile of two modules wrote {made}")


def cache():
    tiny = ["--on", str(TINY), "--set", "ops=negate", "--cache-dir", "cache"]
    for expected in ("0 of 1", "1 of 1"):
        printed = expect(["run", "good.hlo", *tiny], SUCCESS, "").out
        check(f"from the cache:   {expected} programs\n" in printed, f"run --cache-dir, expected {expected}\n{printed}")


def several_backends():
    printed = expect(["run", "chain.hlo", "--on", f"kernels,{TINY}", "--set", "ops=negate", "--against", "interpreter"],
                     FAILED, "backplane: ...: backend dev.backplane.kernels has no option 'ops', expected none")
    printed = expect(["run", "checked.hlo", "--on", f"kernels,{BACKEND}", "--against", "interpreter"], SUCCESS, "").out
    check("\nassignment:       2 programs, in this order\n  dev.backplane.cpu: b\n  dev.backplane.kernels: z, c\n" in printed
          or BACKEND != "cpu", f"run --on kernels,cpu printed\n{printed}")
    expect(["compile", "chain.hlo", "--on", "kernels,null", "-o", "several.artifact"], FAILED,
           "backplane: the backends are kernels,null, expected a single one: an artifact is made by one backend")
    expect(["run", "chain.hlo", "--on", "kernels,nobody"], FAILED, NOBODY)


def replay():
    tiny = ["--on", str(TINY), "--set", "ops=negate"]
    expect(["run", "good.hlo", *tiny, "--layer", "record=good.calls"], SUCCESS, "record: ... calls in good.calls")
    printed = expect(["replay", "good.calls"], SUCCESS, "").out
    check(printed.endswith(" calls repeated: as recorded\n"), f"replay printed\n{printed}")
    expect(["replay", "good.calls", "--on", str(TINY)], SUCCESS, "")
    listed = expect(["replay", "good.calls", "--list"], SUCCESS, "").out
    check(" factory.create(id org.example.tiny, instance 0, set ops=negate): there\n" in listed, f"replay --list printed\n{listed}")
    calls = [json.loads(line) for line in expect(["replay", "good.calls", "--list", "--json"], SUCCESS, "").out.splitlines()]
    check("program.run" in {call["function"] for call in calls}, f"replay --list --json printed {calls}")
    found = json.loads(expect(["replay", "good.calls", "--json"], SUCCESS, "").out or "{}")
    check(found == {"calls": len(calls), "differences": [], "ends_in": []}, f"replay --json printed {found}")
    # Cuts the recording as a crash would: in the middle of a call.
    whole = pathlib.Path("good.calls").read_bytes()
    at = 8
    while b"program.run" not in whole[at:at + 64]:  # a chunk consists of a kind, a size and a content
        at += 9 + int.from_bytes(whole[at + 1:at + 9], "little")
    at += 9 + int.from_bytes(whole[at + 1:at + 9], "little")
    pathlib.Path("crash.calls").write_bytes(whole[:at])
    # Cancelled work is cancelled again: it has no other end.
    for backend in {BACKEND, "npu"} - {"null"}:
        expect(["run", "endless.hlo", "--on", backend, "--deadline", "0.2", "--layer=record=endless.calls"], FAILED,
               "backplane: ...not done by its deadline\nrecord: ... calls in endless.calls")
        again = expect(["replay", "endless.calls"], SUCCESS, "").out
        check(again.endswith(" calls repeated: as recorded\n"), f"replay of a cancelled run on {backend} printed\n{again}")
    printed = expect(["replay", "crash.calls"], NEGATIVE, "replay: the recording ends in call ..., program.run\n"
                     "replay: making call ..., program.run, the end of which was not recorded").out
    check("  recorded no end, came ok\n" in printed, f"replay of a crash printed\n{printed}")
    pathlib.Path("cut.calls").write_bytes(whole[:at - 3])
    expect(["replay", "cut.calls", "--list"], SUCCESS, "replay: cut.calls is cut off at byte ...: it has ... calls, the "
           "end of the last ones may be missing")
    pathlib.Path("empty.calls").write_bytes(whole[:8])
    for arguments, code, err in (
            (["empty.calls"], FAILED, "backplane: empty.calls contains no calls, expected a file that --layer=record=FILE has written"),
            (["absent.calls"], FAILED, "backplane: cannot read absent.calls: No such file or directory"),
            (["good.hlo"], FAILED, "backplane: good.hlo: is not a recording, expected one that --layer=record=good.hlo writes"),
            (["good.calls", "--on", "nobody"], FAILED, NOBODY),
            (["good.calls", "--on", "null"], NEGATIVE, "")):
        expect(["replay", *arguments], code, err)


def precision():
    for arguments, code, err in PRECISION_MISTAKES:
        expect(arguments, code, "precision: " + err, tool="precision")
    check("\nExamples:\n" in expect(["--help"], SUCCESS, "", tool="precision").out, "precision --help has no examples")
    arguments = ["--on", "interpreter", "--op", "sign", "--type", "bf16", "--json", "found.json", "--worst", "worst.txt"]
    printed = expect(arguments, SUCCESS, "", tool="precision").out
    check("\n| sign | bf16 | all | 0 | 0 |" in printed, f"precision --op sign printed\n{printed}")
    found = json.loads(written("found.json") or "[]")
    check([(row["function"], row["inputs"]) for row in found] == [("sign", 65536)], f"precision --json wrote {found}")
    check(written("worst.txt") == "", "precision --worst wrote something, expected nothing")


if __name__ == "__main__":
    sys.exit(run_parts(exchanged_values, run, devices, several_modules, cache, several_backends, replay, precision))
