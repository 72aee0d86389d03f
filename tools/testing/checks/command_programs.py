#!/usr/bin/env python3
"""The commands about programs: passes, debugging, checks inside of programs, memory, statistics, clusters."""

import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from command_line_cases import BACKEND, FAILED, HAS_NVPTX, MODEL, NEGATIVE, SANITIZED, SUCCESS, TINY
from command_line_tool import backplane, check, expect, fits, run_parts, written


def optimize():
    listed = [line.split()[0] for line in expect(["opt", "--list"], SUCCESS, "").out.split("\n\n")[0].splitlines()]
    for name in listed:  # each pass alone; its output must be a valid module
        found = expect(["opt", "good.hlo", f"--passes={name}"], SUCCESS, "")
        check("ROOT %b = f32[4]{0} negate(%a)" in found.out, f"opt --passes={name} printed\n{found.out}")
    unchanged = expect(["opt", str(MODEL), "--passes=none"], SUCCESS, "").out
    pathlib.Path("again.hlo").write_text(unchanged)
    check(expect(["opt", "again.hlo", "--passes=none"], SUCCESS, "").out == unchanged, "what opt prints does not print the same")
    whole = expect(["opt", str(MODEL), "--dump-dir", "passes"], SUCCESS, "").out
    dumped = sorted(pathlib.Path("passes").glob("*.hlo"))
    check(len(dumped) > 3 and dumped[0].name == "00-input.hlo", f"opt --dump-dir wrote {dumped}")
    check(dumped[0].read_text() == unchanged and dumped[-1].read_text() == whole, "the first or last dump is another module")
    for path in dumped:
        expect(["opt", str(path), "--passes=none"], SUCCESS, "")
    exact, inexact = expect(["opt", "--list-rules"], SUCCESS, "").out.split("\n\n")
    check("  x * 1 => x  " in exact and "  sqrt(x * x) => abs(x)  " in inexact, "opt --list-rules lacks rules, or has them in the wrong part")
    check("sqrt" in expect(["opt", "inexact.hlo"], SUCCESS, "").out, "opt uses an inexact rule without being told to")
    check(" abs(%x)" in expect(["opt", "inexact.hlo", "--allow-inexact", "--passes=simplify"], SUCCESS, "").out,
          "opt --allow-inexact leaves sqrt(x * x)")
    check("Buffer(" in expect(["opt", "good.hlo", "--emit=buffers"], SUCCESS, "").out, "opt --emit=buffers prints no Buffer")
    for form in ("buffers", "proto"):  # also for a module whose result is a parameter
        expect(["opt", "passing.hlo", "--passes=none", f"--emit={form}", "-o", "passing.out"], SUCCESS, "")
    expect(["opt", "tan.mlir", "--passes=none", "--emit=bytecode", "-o", "tan.mlirbc"], SUCCESS, "")
    text = [expect(["opt", name, "--passes=none", "--emit=stablehlo"], SUCCESS, "").out
            for name in ("tan.mlir", "tan.mlirbc")]
    check('"stablehlo.tan"' in text[0] and text[0] == text[1], f"opt --emit=bytecode wrote {text[1]}, not {text[0]}")
    check(b"StableHLO_v1.17.0" in pathlib.Path("tan.mlirbc").read_bytes(),
          "opt --emit=bytecode has another default version")
    check("copy" in expect(["opt", "passing.hlo", "--passes=none", "--emit=buffers"], SUCCESS, "").out,
          "a result that is a parameter has no copy")


    explained = ["opt", "doubling.hlo", "--passes=call-inlining"]
    whole = expect(explained, SUCCESS, "").out
    stopped = ("call-inlining stopped at first...: with copies of the called computations the module has ... "
               "instructions, expected at most 250000")
    check(expect([*explained, "--explain"], SUCCESS, stopped).out == whole, "opt --explain prints another module")
    check(0 < whole.count(" call(") < 44, f"opt inlines all or nothing of doubling.hlo:\n{whole}")
    expect(["opt", "good.hlo", "--explain"], SUCCESS, "")


def debugging():
    same = expect(["opt", "checked.hlo", "--check"], SUCCESS, "").out
    check("the results are the same" in same, f"opt --check printed\n{same}")
    staged = expect(["opt", "checked.hlo", "--check", "--passes=simplify,buffers", "--draws", "2"], SUCCESS, "").out
    check("on 2 draws: the results are the same" in staged, f"opt --check --passes printed\n{staged}")
    device = expect(["opt", "checked.hlo", "--check", "--on", BACKEND], SUCCESS, "").out
    check("the results are the same" in device, f"opt --check --on printed\n{device}")
    expect(["reduce", "checked.hlo", "--extract", "c", "--depth", "1", "-o", "slice.hlo"], SUCCESS, "")
    check("multiply" in written("slice.hlo"), "reduce --extract c wrote no multiply")
    pathlib.Path("has_sine.sh").write_text("grep -q sine $1\n")
    expect(["reduce", "checked.hlo", "--command", "sh ./has_sine.sh", "-o", "small.hlo"], SUCCESS, "")
    small = written("small.hlo")
    check(small.startswith("// rerun: sh ./has_sine.sh small.hlo\n") and small.count(" = ") == 2, f"reduce wrote\n{small}")
    expect(["opt", "small.hlo", "--passes=none"], SUCCESS, "")
    crash = "sh -c 'if grep -q sine $0; then kill -11 $$; fi'"
    expect(["reduce", "checked.hlo", "--command", crash, "--crashes", "-o", "crash.hlo"], SUCCESS, "")
    check(written("crash.hlo").count(" = ") == 2, "reduce --crashes left more than what crashes")
    fine = expect(["reduce", "checked.hlo", "--check", "-o", "none.hlo"], NEGATIVE, "").out
    check("checked.hlo does not show the problem: exit code 0\ntry: backplane opt checked.hlo --check" in fine,
          f"reduce of what is right printed\n{fine}")

    nothing = expect(["bisect", "checked.hlo", "--on", "interpreter"], NEGATIVE, "").out
    check("there is nothing to find" in nothing, f"bisect of what agrees printed\n{nothing}")
    wrong = ["--on", str(TINY), "--set", "ops=add,negate,maximum", "--set", "wrong=negate"]
    found = expect(["bisect", "chain.hlo", *wrong], SUCCESS, "").out
    check(fits(found, "... differs from interpreter: ...\nno pass changes results: ... were compared before and after\n"
                      "... computes second (negate) differently from the interpreter: relative error ...\n"
                      "rerun: backplane run chain.hlo --on ... --by-instruction --tolerance 0.0001\n"
                      "alone: backplane reduce chain.hlo --extract second --depth 1 -o second.hlo"),
          f"bisect of a wrong negate printed\n{found}")
    reduced = expect(["reduce", "chain.hlo", *wrong, "-o", "negate.hlo"], SUCCESS, "")
    check(written("negate.hlo").count(" = ") == 2, f"reduce of a wrong negate printed\n{reduced.out}")
    found = expect(["bisect", "chain.hlo", *wrong, "--set", "wrong-from=4"], SUCCESS, "").out
    check(fits(found, "... differs from interpreter: ...\nno pass changes results: ... were compared before and after\n"
                      "each instruction alone agrees\nwithout fusion it differs too: the difference is in how instructions "
                      "follow each other\nnext: backplane reduce chain.hlo --on ..."),
          f"bisect of what is wrong together printed\n{found}")
    fuzzed = expect(["fuzz", "--count", "3", "--seed", "1", "--size", "10"], SUCCESS, "").out
    check("3 programs of " in fuzzed and "seeds 1 to 3: 0 failed" in fuzzed, f"fuzz printed\n{fuzzed}")
    fuzzed = expect(["fuzz", *wrong, "--seed", "1", "--count", "300", "--failures", "1", "-o", "found"], NEGATIVE, "").out
    [file] = pathlib.Path("found").glob("*.hlo")
    small = file.read_text()
    rerun = re.match(r"// rerun: backplane (fuzz found/fuzz-(\d+)\.hlo --on .* --seed \2)\n// .*\n"
                     r"// plugin: libbackplane_tiny\.so, SHA-256 [0-9a-f]{64}\n// from random program \2 of size ", small)
    check(rerun is not None and small.count(" = ") <= 3, f"fuzz of a wrong negate printed\n{fuzzed}and wrote\n{small}")
    again = expect(rerun.group(1).split(), NEGATIVE, "").out
    check("elements are wrong" in again, f"{rerun.group(1)} printed\n{again}")
    again = expect(["fuzz", str(file), "--on", "interpreter", "--seed", "1"], SUCCESS, "").out
    check(again == f"{file}: no problem was found\n", f"fuzz of a program that is right printed\n{again}")


def self_checking():
    printed = backplane("check", "checks.hlo", "--on", BACKEND if BACKEND == "cpu" else "interpreter").out
    check(fits(printed, "failed checks.hlo part 2\n"
                        "  checks.hlo:14: 1 of 1 elements is not equal; [] is 2, expected 3 (1 apart)\n"
                        "  rerun: backplane check checks.hlo --part 2 --on ...\n1 passed, 1 failed, 0 skipped"),
          f"backplane check printed\n{printed}")
    refused = expect(["check", "cut.onnx", "--on", "interpreter"], NEGATIVE, "").out
    check("cut.onnx: no text, expected HLO with its expectations, or the folder of an ONNX test" in refused,
          f"backplane check cut.onnx printed\n{refused}")
    fed = expect(["check", "infeed.hlo", "--on", "interpreter"], SUCCESS, "").out
    check("skipped 1: takes an infeed, which nothing feeds\n" in fed, f"backplane check infeed.hlo printed\n{fed}")
    cases = json.loads(backplane("check", ".", "--on", "interpreter", "--part", "1", "--json").out)["cases"]
    status = {case["file"]: case["status"] for case in cases}
    check(status.get("./checks.hlo") == "passed" and status.get("./empty.hlo") == "failed",
          f"backplane check --json of a folder gives {status}")


def memory():
    text = expect(["memory", str(MODEL)], SUCCESS, "").out
    check(re.match(r"predicted peak +\d+ ", text) is not None, f"backplane memory printed\n{text}")
    plan = json.loads(expect(["memory", str(MODEL), "--json"], SUCCESS, "").out)
    check(plan, "backplane memory --json printed an empty plan")
    check("Buffer(" in expect(["memory", "good.hlo", "--plan"], SUCCESS, "").out, "memory --plan prints no Buffer")
    pathlib.Path("update.hlo").write_text(
        "ENTRY main {\n  p = f32[64] parameter(0)\n  u = f32[4] parameter(1)\n  i = s32[] parameter(2)\n"
        "  ROOT dus = f32[64] dynamic-update-slice(p, u, i)\n}\n")
    text = expect(["memory", "update.hlo", "--html", "update.html", "--capacity", "600"], SUCCESS, "").out
    check("dus, 256 bytes: p is a parameter that is not donated update.hlo:5" in text, f"memory printed\n{text}")
    check("fits into the capacity 600: 68 bytes are left" in text, f"memory --capacity printed\n{text}")
    page = written("update.html")
    check(page.startswith("<!doctype html>") and '"dus"' in page, "memory --html wrote no page with the values")
    check("src=" not in page and "href=" not in page and "http" not in page, "the page needs something from outside")
    text = expect(["memory", "update.hlo", "--capacity", "500"], NEGATIVE, "").out
    check("does not fit: 532 bytes are needed, 32 more than the capacity 500" in text, f"memory --capacity printed\n{text}")
    plan = json.loads(expect(["memory", "update.hlo", "--capacity", "500", "--json"], NEGATIVE, "").out)
    check(plan["capacity"]["largest"][0] == {"array": "p", "kind": "input", "bytes": 256, "source": "update.hlo:2"},
          f"memory --json says {plan['capacity']}")
    check(plan["updates_not_in_place"][0]["update"] == "dus", f"memory --json says {plan['updates_not_in_place']}")
    # The memory of a run on each device, on the device and on the host, is exactly as predicted; and a plan that does
    # not fit is refused.
    for device in ["npu", BACKEND] + (["nvptx"] if HAS_NVPTX else []):
        on = ["product.hlo", "--on", device] + (["--emulate"] if device == "nvptx" else [])
        plan = json.loads(expect(["memory", *on, "--json"], SUCCESS, "").out)["device"]
        run = json.loads(expect(["run", *on, "--json"], SUCCESS, "", tool="backplane_counting").out)
        check(device == "null" or (plan["programs"], plan["peak"], plan["staging"])
              == (1, run["predicted_peak_bytes"], run["predicted_staging_bytes"]), f"memory --on {device} says {plan}, run {run}")
        check(SANITIZED or (run["measured_peak_bytes"], run["measured_staging_bytes"])
              == (run["predicted_peak_bytes"], run["predicted_staging_bytes"]), f"run --on {device} says {run}")
        check((run["predicted_staging_bytes"] > 0) == (device in ("npu", "nvptx")), f"run --on {device} says {run}")
    if BACKEND == "cpu":
        plan = json.loads(expect(["memory", "product.hlo", "--on", "cpu", "--json"], SUCCESS, "").out)["device"]
        needed = str(plan["peak"])
        expect(["memory", "product.hlo", "--on", "cpu", "--capacity", needed], SUCCESS, "")
        for missing in 1, plan["peak"] - 10:
            capacity = str(plan["peak"] - missing)
            refused = expect(["memory", "product.hlo", "--on", "cpu", "--capacity", capacity], NEGATIVE, "").out
            check(f"does not fit: {needed} bytes are needed, {missing} more than" in refused,
                  f"memory --on cpu --capacity {capacity} printed\n{refused}")
    expect(["memory", "good.hlo", "--on", "interpreter"], FAILED,
           "backplane: the interpreter has no memory plan, expected a device for --on")
    expect(["run", "update.hlo", "--on", BACKEND, "--memory-limit", "532"], SUCCESS, "")
    if BACKEND == "cpu":
        expect(["run", "update.hlo", "--on", BACKEND, "--memory-limit", "531"], FAILED,
               "backplane: module main needs 532 bytes in memory space 0, 1 more than its capacity of 531; "
               "the largest arrays there:\n...256 bytes  input      p\n...256 bytes  output     dus\n"
               "...16 bytes  input      u\n...4 bytes  input      i")


def stats():
    out = expect(["stats", "chain.hlo", "--top", "1"], SUCCESS, "").out
    check("\ninstructions, kernels                      3             1\n" in out, f"stats printed\n{out}")
    check("\nbytes read and written             128 bytes      32 bytes\n" in out, f"stats printed\n{out}")
    out = expect(["stats", "chain.hlo", "--no-fusion", "--top", "1"], SUCCESS, "").out
    check("\n2 more " in out and "\nsum " in out, f"stats --no-fusion --top printed\n{out}")
    out = expect(["stats", "endless.hlo"], SUCCESS, "").out
    check("\ncounted once, because the number of iterations is not known: w\n" in out, f"stats of a loop printed\n{out}")
    peaks = ["--peak-flops", "1e9", "--peak-bandwidth", "1e9"]
    out = expect(["stats", "chain.hlo", *peaks], SUCCESS, "").out
    check(" 32 ns memory" in out and "less than 1 operations per byte" in out, f"stats with peaks printed\n{out}")
    found = json.loads(expect(["stats", "chain.hlo", *peaks, "--json", "--on", str(TINY), "--set", "ops=add,negate"],
                              SUCCESS, "").out)
    check((found["on_host"], found["programs"], found["before"]["bytes"], found["after"]["operations"])
          == (["third"], 1, 128, 8), f"stats --json printed {found}")
    check(found["after"]["rows"][0]["limit"] == "memory" and sum(row["bytes"] for row in found["before"]["rows"]) == 128,
          f"stats --json printed {found}")


def clusters():
    device = ["--on", str(TINY), "--set", "ops=add,maximum"]
    out = expect(["opt", "chain.hlo", *device, "--explain-clusters"], SUCCESS, "").out
    check(out.startswith("m: 2 clusters on org.example.tiny, estimated at "), f"opt --explain-clusters printed\n{out}")
    check(out.endswith(" claimed\non the host:\n  second (negate): the op is not in the option ops\n"),
          f"opt --explain-clusters printed\n{out}")
    out = expect(["opt", "chain.hlo", *device, "--explain-clusters", "--cluster=auto"], SUCCESS, "").out
    check("  first (add): claimed, but it costs less on the host\n" in out, f"opt --explain-clusters printed\n{out}")
    divided = expect(["opt", "chain.hlo", *device, "--cluster=off"], SUCCESS, "").out
    check(divided.count(" call(") == 2 and divided.count("backend_config=") == 2, f"opt --cluster=off printed\n{divided}")
    pathlib.Path("divided.hlo").write_text(divided)
    expect(["run", "divided.hlo", "--on", "interpreter"], SUCCESS, "")
    expect(["opt", "chain.hlo", *device, "--cluster=off", "-o", "clusters.hlo"], SUCCESS, "")
    check(written("clusters.hlo") == divided, "opt --cluster=off -o wrote another module than it prints")
    expect(["opt", "chain.hlo", *device, "--explain-clusters", "-o", "clusters.txt"], SUCCESS, "")
    check(written("clusters.txt").startswith("m: 2 clusters on "), "opt --explain-clusters -o wrote no table")
    expect(["opt", "chain.hlo", *device, "--cluster=off", "--emit=module-proto", "-o", "clusters.pb"], SUCCESS, "")
    check(expect(["opt", "clusters.pb", "--passes=none"], SUCCESS, "").out.count("backend_config=") == 2,
          "opt --cluster=off --emit=module-proto wrote no clusters")
    plan = expect(["opt", "chain.hlo", *device, "--cluster=off", "--emit=buffers"], SUCCESS, "").out
    check("Buffer(" in plan, f"opt --cluster=off --emit=buffers printed\n{plan}")
    whole = expect(["opt", "chain.hlo", "--on", str(TINY), "--set", "ops=add,maximum,negate", "--explain-clusters"],
                   SUCCESS, "").out
    check(whole == "m: org.example.tiny runs all of it, as one program\n", f"opt --explain-clusters printed\n{whole}")
    nothing = expect(["opt", "chain.hlo", "--on", str(TINY), "--set", "ops=copy", "--explain-clusters"], SUCCESS, "").out
    check(nothing.startswith("m: org.example.tiny runs nothing of it\non the host:\n"), f"it printed\n{nothing}")
    out = expect(["run", "chain.hlo", *device, "--cluster-min=2"], SUCCESS, "").out
    check("first (add): claimed, but its cluster has 1 instructions, fewer than 2\n" in out, f"run printed\n{out}")


def pack():
    pathlib.Path("p.csv").write_text("id,lower,upper,size\na,0,3,4\nb,3,9,4\nc,0,9,4\n")
    text = expect(["pack", "p.csv", "-o", "packed.csv"], SUCCESS, "").out
    check("height:       8\nlower bound:  8 (reached" in text, f"backplane pack printed\n{text}")
    offsets = [line.split(",")[-1] for line in written("packed.csv").splitlines()]
    check(offsets in (["offset", "0", "0", "4"], ["offset", "4", "4", "0"]), f"backplane pack wrote offsets {offsets}")
    pathlib.Path("commanding.csv").write_text("id,lower,upper,size\na,0,3,\x1b[31m4\n")
    expect(["pack", "commanding.csv"], FAILED,
           "backplane: commanding.csv:2: size is '\\x1b[31m4', expected an integer from -2^62 to 2^62")
    figures = json.loads(expect(["pack", "p.csv", "--capacity", "8", "--json"], SUCCESS, "").out)
    check((figures["height"], figures["fits"]) == (8, True), f"backplane pack --json printed {figures}")
    text = expect(["pack", "p.csv", "--heap-limit", "4", "-o", "heaps.csv"], SUCCESS, "").out
    check("heaps:        2, of at most 4\nheights:      4, 4\n" in text, f"backplane pack printed\n{text}")
    places = [line.split(",", 5)[-1] for line in written("heaps.csv").splitlines()]
    check(places in (["offset,heap", "0,0", "0,0", "0,1"], ["offset,heap", "0,1", "0,1", "0,0"]),
          f"backplane pack wrote offsets and heaps {places}")
    figures = json.loads(expect(["pack", "p.csv", "--heap-limit", "8", "--json"], SUCCESS, "").out)
    check(figures["heights"] == [8], f"backplane pack --heap-limit --json printed {figures}")
    text = expect(["pack", "p.csv", "--capacity", "7"], NEGATIVE, "").out
    check("no packing fits: the lower bound is above the capacity" in text, f"backplane pack --capacity 7 printed\n{text}")
    pathlib.Path("bad.csv").write_text("id,lower,upper,size\na,3,0,4\n")
    expect(["pack", "bad.csv"], FAILED, "backplane: bad.csv:2: upper is 0, expected at least lower, 3")
    pathlib.Path("clash.csv").write_text("id,lower,upper,size,preset\na,0,3,4,0\nb,2,5,4,2\n")
    expect(["pack", "clash.csv"], FAILED,
           "backplane: clash.csv:3: preset of b is 2, expected one that is free at time 2: a of line 2 is preset from 0 to 4")


if __name__ == "__main__":
    sys.exit(run_parts(optimize, debugging, self_checking, memory, stats, clusters, pack))
