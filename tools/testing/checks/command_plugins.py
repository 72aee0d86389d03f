#!/usr/bin/env python3
"""The commands about plugins: what they list, whom they trust, layers, workers, operations."""

import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from command_line_cases import BACKEND, BAD_PLUGINS, BUILD, FAILED, MODEL, NEGATIVE, PLUGINS, SANITIZED, SUCCESS, TINY
from command_line_tool import backplane, check, expect, fits, run_parts, written


def plugins():
    out = expect(["plugins"], SUCCESS, "").out
    check("null  Null device" in out, f"backplane plugins does not list null:\n{out}")
    found = backplane("plugins", "--why", path=str(PLUGINS))
    check(found.code == SUCCESS and found.out.startswith(f"searched: {PLUGINS}\n"), f"plugins --why printed\n{found.out}")
    for fault in ("extra_exports", "no_manifest", "other_abi", "text_relocation"):
        path = f"{{plugins}}/libbackplane_{fault}.so"
        line = f"refused  {path}: {BAD_PLUGINS[path]}".replace("{plugins}", str(PLUGINS))
        check(line in found.out.splitlines(), f"backplane plugins --why does not say\n{line}\n{found.out}")
    for line in ("  static constructors that run when it is loaded: 2", "  built with sanitizers: address, memory, thread, undefined"):
        check(line in found.out.splitlines(), f"backplane plugins --why does not say\n{line}\n{found.out}")
    without = backplane("plugins", path=str(PLUGINS)).out
    check("refused; backplane plugins --why says why" in without, f"backplane plugins printed\n{without}")
    entries = [json.loads(line) for line in backplane("plugins", "--json", path=str(PLUGINS)).out.splitlines()]
    check(len(entries) == len(list(PLUGINS.glob("*.so"))), f"backplane plugins --json lists {len(entries)} files")
    check(all(("refusal" in entry) != entry["loadable"] for entry in entries), "plugins --json: refusal and loadable disagree")
    good = str(PLUGINS / "libbackplane_good.so")
    described = expect(["plugins", good], SUCCESS, "").out
    check("  option       speed (one of high, low; default: high): of the wheel\n" in described, f"plugins printed\n{described}")
    options = json.loads(expect(["plugins", good, "--json"], SUCCESS, "").out)["options"]
    check([option["key"] for option in options] == ["speed", "count", "weight", "dim"], f"plugins --json printed {options}")
    several = str(PLUGINS / "libbackplane_memory_spaces.so")
    described = [line for line in expect(["plugins", several], SUCCESS, "").out.splitlines() if line.startswith("  memory ")]
    check(described == ["  memory       shared: 2.00 MB, alignment 64, visible to the host, visible to other devices",
                        "  memory       own: 2.00 MB, alignment 64, 8 GB/s",
                        "  memory       pad: 1.00 KB, alignment 64, contents are lost after a run"],
          f"plugins printed {described}")
    spaces = json.loads(expect(["plugins", several, "--json"], SUCCESS, "").out)["spaces"]
    check([space["peer_visible"] for space in spaces] == [True, False, False], f"plugins --json printed {spaces}")
    null = json.loads(expect(["plugins", "null", "--json"], SUCCESS, "").out)
    check(null["spaces"] and null["queues"] and null["options"] == [], f"plugins null --json printed {null}")
    version = expect(["--version"], SUCCESS, "").out
    check(re.fullmatch(r"backplane \d+\.\d+\.\d+, ABI of plugins 1\.\d+\.\d+\n", version),
          f"--version printed {version!r}")
    unfound = backplane("run", "good.hlo", "--on", "cpu", path="/nowhere")
    check("\n  note: there is no directory to search: BACKPLANE_PATH is '/nowhere'\n  note: for a plugin" in unfound.err,
          f"run with a folder that is not there says\n{unfound.err}")
    nowhere = backplane("plugins", path="/nowhere")
    check(nowhere.code == SUCCESS and "no backend can be loaded" in nowhere.out, f"with no plugin: {nowhere.out}")


def instances():
    npu = str(BUILD / "plugins/npu/libbackplane_npu.so")
    listed = expect(["instances", npu], SUCCESS, "").out
    first = """npu:0  SIM-0001  0000:01:00.0  Simulated NPU, first
  memory.total dram 67.1 MB
  memory.free dram  67.1 MB
  clock             1000000000 Hz
  driver.version    0.1.0
  firmware.version  simulated
  health            ok
npu:1  SIM-0002  0000:02:00.0  Simulated NPU, second
"""
    check(listed.startswith(first), f"backplane instances printed\n{listed}")
    entry = json.loads(expect(["instances", npu + ":SIM-0002", "--json"], SUCCESS, "").out)
    facts = entry.pop("facts")
    check(entry == {"backend": "npu", "instance": 1, "identity": "SIM-0002", "address": "0000:02:00.0",
                    "name": "Simulated NPU, second"}, f"instances --json printed {entry}")
    check({"name": "memory.free", "unit": "bytes", "value": 67108864, "space": "dram"} in facts and
          {"name": "health", "unit": "", "value": "ok"} in facts, f"instances --json printed {facts}")
    exist = "there is no such device, expected one of: 0 (SIM-0001), 1 (SIM-0002)"
    for command in (["instances"], ["run", "good.hlo", "--on"]):
        expect([*command, npu + ":2"], FAILED, f"backplane: {npu}:2: {exist}")
        expect([*command, npu + ":"], FAILED,
               f"backplane: the backend is '{npu}:', expected the number or the identity of an instance after the ':'")
    for instance in ("1", "SIM-0002"):
        for how in ([], ["--isolate"]):
            ran = backplane("run", "good.hlo", "--on", f"{npu}:{instance}", *how)
            check(ran.code == SUCCESS, f"run --on npu:{instance} {how} printed\n{ran.out}{ran.err}")
    everything = backplane("instances", "--json", path=str(pathlib.Path(npu).parent))
    check(everything.code == SUCCESS and len(everything.out.splitlines()) == 2, f"instances printed\n{everything.out}")
    nothing = backplane("instances", path="/nowhere")
    check(nothing.code == SUCCESS and nothing.out == "no device is present\n", f"instances printed\n{nothing.out}")


def trust():
    """Files that others can replace, and names of several files."""
    plugin = pathlib.Path("trusted/libbackplane_acme.so").absolute()
    plugin.parent.mkdir()
    shutil.copy(PLUGINS / "libbackplane_good.so", plugin)
    plugin.parent.chmod(0o755)
    plugin.chmod(0o757)
    how = (f"{plugin}: others can replace this plugin: the file {plugin} has the mode 0757, expected no write permission "
           f"for others: chmod o-w {plugin}")
    listed = backplane("plugins", path=str(plugin.parent)).out
    check(f"refused  {how}\n  note: BACKPLANE_TRUST=warn loads such plugins with a warning\n" in listed, f"plugins printed\n{listed}")
    entry = json.loads(backplane("plugins", "--json", path=str(plugin.parent)).out)
    check(not entry["loadable"] and entry["distrust"].startswith("others can replace"), f"plugins --json printed {entry}")
    named = backplane("plugins", "acme", path=str(plugin.parent))
    check(named.code == FAILED and named.err.startswith(f"backplane: {how}\n"), f"plugins acme said\n{named.err}")
    expect(["plugins", str(plugin)], SUCCESS, f"backplane: {how}")
    shown = backplane("inspect", str(plugin)).out
    check("\n  replaceable   by others: the file " in shown, f"inspect printed\n{shown}")
    os.environ["BACKPLANE_TRUST"] = "warn"
    listed = backplane("plugins", path=str(plugin.parent)).out
    check("\n  warning  others can replace this plugin: the file " in listed, f"plugins printed\n{listed}")
    os.environ["BACKPLANE_TRUST"] = "any"
    expect(["plugins", str(plugin)], SUCCESS, "")
    os.environ["BACKPLANE_TRUST"] = "none"
    expect(["plugins", str(plugin)], FAILED, f"backplane: {plugin}: BACKPLANE_TRUST is 'none', expected refuse, warn or any")
    del os.environ["BACKPLANE_TRUST"]

    plugin.chmod(0o755)
    older = pathlib.Path("older/libbackplane_acme.so").absolute()
    older.parent.mkdir()
    shutil.copy(plugin, older)
    path = f"{plugin.parent}:{older.parent}"
    both = f"{plugin} is used, not {older}; remove one, or give the other by its path"
    listed = backplane("plugins", path=path).out
    check(f'conflict  "org.example.test", "testing", "acme" are names of 2 files: {both}\n' in listed, f"plugins printed\n{listed}")
    conflicts = [json.loads(line)["conflicts"] for line in backplane("plugins", "--json", path=path).out.splitlines()]
    check(len(conflicts) == 2 and conflicts[0] == conflicts[1], f"plugins --json lists the conflicts {conflicts}")
    named = backplane("plugins", "acme", path=path)
    check(named.code == SUCCESS and named.err == f'backplane: "acme" is the name of 2 files: {both}\n', f"plugins acme said\n{named.err}")
    shutil.copy(plugin, plugin.parent / "libbackplane_npu.so")
    taken = backplane("run", "good.hlo", "--on", "npu", path=str(plugin.parent))
    check(fits(taken.err, 'backplane: .../libbackplane_npu.so takes the name "npu", expected another alias: that is the reference '
               "backend dev.backplane.npu; give its id org.example.test, or its path"), f"run --on npu said\n{taken.err}")


def certificates():
    """The report that a manifest names is checked, and the stamp that verify leaves."""
    folder = pathlib.Path("certified").absolute()
    folder.mkdir()
    plugin, report = folder / "libbackplane_with_report.so", folder / "with_report.jsonl"
    shutil.copy(PLUGINS / plugin.name, plugin)

    def state():
        entry = json.loads(backplane("plugins", "--json", path=str(folder)).out)["conformance"]
        return entry["state"], entry.get("problem", ""), backplane("plugins", path=str(folder)).out

    counts = r"\d+ passed, 0 unsupported, 0 failed as expected"
    check("but not its hash: backplane conform attach" in state()[1], f"before attach: {state()}")
    expect(["conform", str(plugin), "--stage", "x_ray", "-o", str(report)], SUCCESS, "")
    inspected = backplane("inspect", str(plugin)).out
    check("\n  conformance   wrong: the manifest names with_report.jsonl, but not its hash" in inspected, f"inspect said\n{inspected}")
    attached = expect(["conform", "attach", str(report), str(plugin)], SUCCESS, "").out
    check(re.search(r"with_report.jsonl, " + counts + ": ship", attached), f"attach said {attached}")
    check(state()[0] == "claimed", f"after attach: {state()}")
    inspected = json.loads(backplane("inspect", "--json", str(plugin)).out)["conformance"]
    check(inspected["state"] == "claimed" and inspected["counts"]["fail"] == 0, f"inspect --json said {inspected}")
    check(re.search(r"\n  conformance claimed: \d+ cases of the quick suite, a part, --stage x_ray: " + counts + ", in ", state()[2]),
          f"after attach: {state()}")
    expect(["conform", "verify", str(report), "--sample", "0"], SUCCESS, "")
    check(state()[0] == "claimed", f"after verify without a case: {state()}")
    expect(["conform", "verify", str(report), "--sample", "2"], SUCCESS, "")
    today = time.strftime("%Y-%m-%d", time.gmtime())
    check(state()[0] == "checked" and f"\n  conformance checked on {today}: " in state()[2], f"after verify: {state()}")
    described = json.loads(expect(["plugins", str(plugin), "--json"], SUCCESS, "").out)["conformance"]
    check(described["date"] == today and described["rerun"] == 2, f"plugins NAME --json printed {described}")
    # Judged again, the plugin has the same hash in the report, although the hash in its manifest is another.
    expect(["conform", str(plugin), "--stage", "x_ray", "-o", "again.jsonl"], SUCCESS, "")
    hashes = [json.loads(path.read_text().splitlines()[0])["plugin_sha256"] for path in (report, pathlib.Path("again.jsonl"))]
    check(hashes[0] == hashes[1], f"the hash of a plugin depends on its report: {hashes}")

    good = report.read_text()
    report.write_text(good.replace('"pass"', '"fail"', 1))
    check("it is another report" in state()[1], f"with a changed report: {state()}")
    report.unlink()
    check("No such file or directory" in state()[1], f"without the report: {state()}")
    report.write_text(good)
    bytes_ = plugin.read_bytes()
    plugin.write_bytes(bytes_ + b"\0")
    check("it is another build" in state()[1], f"with another build: {state()}")
    refused = backplane("conform", "attach", str(report), str(plugin))
    check(refused.code == FAILED and "it is another build" in refused.err, f"attach to another build said {refused.err}")
    plugin.write_bytes(bytes_)
    # A report with a failure, whose own hash is right.
    lines = good.replace('"status":"pass"', '"status":"fail"', 1).splitlines(keepends=True)
    totals = json.loads(lines[-1])
    totals["totals"]["pass"] -= 1
    totals["totals"]["fail"] += 1
    totals["sha256"] = hashlib.sha256("".join(lines[:-1]).encode()).hexdigest()
    report.write_text("".join(lines[:-1]) + json.dumps(totals) + "\n")
    refused = backplane("conform", "attach", str(report), str(plugin))
    check(refused.code == FAILED and "has 1 unexpected results, expected none, such as x_ray/" in refused.err,
          f"attach of a report with a failure said {refused.err}")


def signatures():
    """Who has signed a report is said wherever it is read, and verify demands a key or a challenge."""
    folder = pathlib.Path("signed").absolute()
    folder.mkdir()
    plugin, report = folder / "libbackplane_with_report.so", folder / "with_report.jsonl"
    shutil.copy(PLUGINS / plugin.name, plugin)
    signer = "06e3fd8fda29bb60"
    expect(["conform", str(plugin), "--stage", "x_ray", "--challenge", "15 January", "-o", str(report)], SUCCESS, "")
    unsigned = report.read_text()
    expect(["conform", "verify", str(report), "--sample", "0", "--signed-by", "public.pem"], FAILED,
           f"backplane: {report}: is not signed, expected a signature of {signer}: backplane conform sign adds one")
    signed = expect(["conform", "sign", str(report), "key.pem"], SUCCESS, "").out
    check(signed == f"{report}: signed by {signer}\n", f"sign said {signed}")
    verified = expect(["conform", "verify", str(report), "--sample", "1", "--signed-by", "public.pem", "--challenge",
                       "15 January"], SUCCESS, "").out
    header = json.loads(unsigned.splitlines()[0])
    check(f"{report}: signed by {signer}\n{report}: the seed {header['seed']} follows from the challenge '15 January' and the "
          f"plugin with the SHA-256 {header['plugin_sha256']}\n" in verified, f"verify said {verified}")
    stated = hashlib.sha256((header["plugin_sha256"] + "15 January").encode()).hexdigest()[:13]
    check(header["seed"] == int(stated, 16), f"the seed is {header['seed']}, expected {int(stated, 16)}")
    told = expect(["conform", "verify", str(report), "--sample", "0"], SUCCESS, "").out
    check(f"signed by {signer}, whoever that is: --signed-by PUBLIC.pem demands a key\n" in told, f"verify said {told}")
    expect(["conform", "verify", str(report), "--sample", "0", "--challenge", "16 January"], FAILED,
           f"backplane: {report}: was made for the challenge '15 January', expected the challenge '16 January'")
    combined = expect(["conform", "report", str(report), "-o", "combined.jsonl"], SUCCESS, "").out
    check(f"signature    {report} is signed by {signer}\nsignature    combined.jsonl is not: backplane conform sign "
          "combined.jsonl KEY.pem\n" in combined, f"report said {combined}")
    check("signature" not in written("combined.jsonl"), "the combined results have a signature")
    expect(["conform", "attach", str(report), str(plugin)], SUCCESS, "")
    listed = json.loads(backplane("plugins", "--json", path=str(folder)).out)["conformance"]
    check(listed["signed_by"] == signer, f"plugins said {listed}")
    check(f", signed by {signer};" in backplane("plugins", path=str(folder)).out, "plugins does not say who has signed")


def inspect():
    """Every plugin that the X-ray refuses is shown, with the rule that it violates."""
    for path, problem in {**BAD_PLUGINS, "{plugins}/libbackplane_good.so": None}.items():
        if not path.startswith("{plugins}"):
            continue
        path = path.replace("{plugins}", str(PLUGINS))
        found = backplane("inspect", path)
        told = backplane("inspect", "--json", path)
        rules = json.loads(told.out or "{}").get("rules", [])
        broken = [rule["problem"] for rule in rules if not rule["kept"]]
        check(found.code == told.code == (NEGATIVE if broken else SUCCESS), f"inspect {path} ended with {found.code}")
        check(len(rules) >= 9, f"inspect --json {path} told {len(rules)} rules, expected at least 9")
        # inspect does not find problems that only running the plugin shows.
        check(not broken or (problem and any(fits(text, problem) for text in broken)),
              f"inspect {path} found {broken}, expected {problem}")
        check(all(text in found.out for text in broken), f"inspect {path} printed\n{found.out}")
    path = str(PLUGINS / "libbackplane_extra_exports.so")
    check("broken one_symbol: exports 2 symbols besides bp_entry" in backplane("inspect", path).out,
          f"inspect {path} does not name the rule")


def ops():
    names = [line.split()[0] for line in expect(["ops"], SUCCESS, "").out.splitlines()]
    markdown = expect(["ops", "--markdown"], SUCCESS, "").out
    check(len(names) > 100 and names == sorted(set(names), key=names.index), "backplane ops lists too little, or twice")
    check(all(f"`{name}`" in markdown for name in names), "backplane ops --markdown lacks ops of backplane ops")


def layers():
    tiny = ["--on", str(TINY), "--set", "ops=negate"]
    expect(["run", "good.hlo", *tiny, "--layer", "validate", "--layer", "trace=trace.json"], SUCCESS,
           "trace: ... events in trace.json\nvalidate: no rule was broken")
    names = {event["name"] for event in json.loads(written("trace.json"))["traceEvents"]}
    check({"compiler.compile", "program.run", "device.destroy"} <= names, f"the trace has {sorted(names)}")
    expect(["run", "good.hlo", *tiny, "--set", "no-cost=1", "--layer", "validate"], FAILED,
           "validate: BP-CLAIM-04: compiler.claim gives no cost for b, or NaN\n"
           "backplane: good.hlo:4:8: backend org.example.tiny: claim gave no cost for b\nvalidate: 1 violations")
    expect(["run", "good.hlo", *tiny, "--layer", "trace=absent/trace.json"], FAILED,
           "backplane: cannot write absent/trace.json: No such file or directory")
    expect(["run", "good.hlo", *tiny, "--layer", "record=absent/calls"], FAILED,
           "backplane: cannot write absent/calls: No such file or directory")


def isolated():
    good = expect(["run", "checked.hlo", "--on", "kernels", "--isolate", "--against", "interpreter"], SUCCESS, "").out
    check(": agrees\n" in good, f"run --isolate printed\n{good}")
    for backend in ("kernels", "npu", BACKEND):
        expect(["run", str(MODEL), "--on", backend, "--isolate=100", "--against", "interpreter", "--tolerance", "0.1"], SUCCESS, "")
    tiny = ["--on", str(TINY), "--set", "ops=negate", "--set", "fault-in=run", "--isolate=2"]
    # Sanitizers trace their own process, which is then not restricted, and reserve terabytes of address space.
    if not SANITIZED:
        expect(["run", "good.hlo", *tiny, "--isolate-strict", "--set", "fault=trespass"], SUCCESS, "")
        expect(["run", "good.hlo", *tiny, "--isolate-memory=100000000000"], SUCCESS, "")
        small = backplane("run", "good.hlo", *tiny, "--isolate-memory=1000000")
        check(small.code == FAILED and small.err.startswith("backplane: "), f"with 1 MB of memory: {small.code} {small.err}")
    expect(["run", "good.hlo", *tiny, "--set", "fault=crash"], FAILED,
           "backplane: plugin org.example.tiny: run: device lost: org.example.tiny crashed (SIGSEGV) in program.run; "
           "load the backend again for a new device, in a new process")
    expect(["run", "good.hlo", *tiny, "--set", "fault=hang"], FAILED,
           "backplane: plugin org.example.tiny: run: device lost: org.example.tiny was ended: it took longer than 2 s in "
           "program.run; load the backend again for a new device, in a new process")
    # Each program of a check gets a new backend, so one that crashes fails alone.
    crashed = expect(["check", "checks.hlo", "--jobs", "1", "--on", str(TINY), "--set", "ops=add", "--isolate", "--set", "fault-in=run",
                      "--set", "fault=crash", "--set", "fault-once=crashed"], NEGATIVE, "").out
    check(crashed.count("crashed (SIGSEGV) in program.run") == 1 and "is 2, expected 3" in crashed, f"check --isolate printed\n{crashed}")
    # A copy of the command in a folder without a worker.
    pathlib.Path("alone/bin").mkdir(parents=True)
    shutil.copy(BUILD / "tools/backplane", "alone/bin/backplane")
    alone = subprocess.run(["alone/bin/backplane", "run", "good.hlo", "--isolate", "--on", TINY], capture_output=True, text=True)
    check(alone.returncode == SUCCESS or fits(alone.stderr, "backplane: ...: init: internal error: there is no program to isolate "
          "backends in, expected ...backplane-worker; BACKPLANE_WORKER may name it"), f"without a worker: {alone.stderr}")
    # The recording of a crash is replayed, including the crash.
    expect(["run", "good.hlo", *tiny, "--set", "fault=crash", "--layer=record=lost.calls"], FAILED,
           "backplane: plugin org.example.tiny: run: device lost: ...\nrecord: ... calls in lost.calls")
    printed = expect(["replay", "lost.calls", "--isolate"], SUCCESS, "").out
    check(printed.endswith(" calls repeated: as recorded\n"), f"replay --isolate printed\n{printed}")
    # A worker that was asked for is not replaced by another one.
    asked = subprocess.run([BUILD / "tools/backplane", "run", "good.hlo", "--isolate", "--on", TINY], capture_output=True, text=True,
                           env=dict(os.environ, BACKPLANE_WORKER="/nonexistent"))
    check(asked.returncode == FAILED and "expected an executable file /nonexistent; BACKPLANE_WORKER names it" in asked.stderr, f"without its worker: {asked.stderr}")
    # A crash in a function without a status is shown.
    expect(["run", "good.hlo", *tiny, "--set", "fault-in=destroy", "--set", "fault=crash"], SUCCESS,
           "backplane: org.example.tiny crashed (SIGSEGV) in device.destroy; load the backend again for a new device, in a new process")
    # The tools that look for a problem in a program take a crash for one.
    crash = ["good.hlo", *tiny, "--set", "fault=crash"]
    expect(["bisect", *crash], FAILED, "backplane: plugin org.example.tiny: run: device lost: ...\n"
           "  note: the run failed, so there is no difference to find; for a crash: backplane reduce good.hlo ... --crashes -o small.hlo")
    expect(["reduce", *crash, "--crashes", "-o", "small.hlo"], SUCCESS, "")
    check(" --isolate=2 " in written("small.hlo"), f"reduce --isolate wrote\n{written('small.hlo')}")
    found = expect(["reduce", *crash, "-o", "unread"], NEGATIVE, "").out
    check("; it crashes, which --crashes looks for\n" in found, f"reduce of a crash printed\n{found}")
    # When an application is killed, its worker ends.
    hanging = subprocess.Popen([BUILD / "tools/backplane", "run", "good.hlo", *tiny[:-1], "--isolate", "--set", "fault=hang"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    children = pathlib.Path(f"/proc/{hanging.pid}/task/{hanging.pid}/children")
    until = time.monotonic() + 60
    while not (worker := children.read_text().split()) and time.monotonic() < until:
        time.sleep(0.01)
    time.sleep(0.2)
    hanging.kill()
    hanging.wait()
    status = pathlib.Path(f"/proc/{worker[0]}/status") if worker else None
    while status and status.exists() and "\nState:\tZ" not in status.read_text() and time.monotonic() < until:
        time.sleep(0.01)
    check(worker and time.monotonic() < until, "the worker of a killed application lives on")


if __name__ == "__main__":
    sys.exit(run_parts(plugins, instances, trust, certificates, signatures, inspect, ops, layers, isolated))
