#!/usr/bin/env python3
"""The behaviour of the command line: with bad files, bad plugins and bad options, and the output of the commands.

The files and the mistakes are rows of tools/testing/command_line_cases.py. Whatever the input, the command must end by
itself and in time.
"""

import hashlib
import json
import os
import pathlib
import platform
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from command_line_cases import (
    ARM_MACHINE, BACKEND, BAD_MODELS, BAD_PLUGINS, BUILD, COMMANDS, FAILED, FILES, FILES_MADE_OF_PLUGINS,
    HAS_NVPTX, MISTAKES, MISUSES, MODEL, NEGATIVE, NOBODY, PLUGINS, PRECISION_MISTAKES, ROOT, SANITIZED, SUCCESS,
    TIME_LIMIT_SECONDS, TINY, USAGE, X86_MACHINE, model,
)

problems = []


def check(condition, message):
    if not condition:
        problems.append(message)


class Outcome:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err


def backplane(*arguments, path="", stdout=subprocess.PIPE, tool="backplane"):
    environment = dict(os.environ, NO_COLOR="1", BACKPLANE_PATH=path)
    if not path:
        del environment["BACKPLANE_PATH"]
    try:
        done = subprocess.run([BUILD / "tools" / tool, *arguments], env=environment, stdout=stdout,
                              stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, timeout=TIME_LIMIT_SECONDS)
    except subprocess.TimeoutExpired:
        return Outcome(124, "", "timed out")
    # Sanitizers print these warnings because of their options.
    said = re.sub(rb"(?m)^==\d+==WARNING: \w+Sanitizer failed to allocate .*\n", b"", done.stderr)
    # Progress is printed on slow machines.
    said = re.sub(rb"(?m)^[a-z ]+: \d+ of \d+ \(\d+ s\).*\n", b"", said)
    return Outcome(done.returncode, (done.stdout or b"").decode(errors="replace"), said.decode(errors="replace"))


def fits(found, expected):
    """Whether the text matches; the wildcard ... stands for any text within a line."""
    pattern = "[^\n]*".join(re.escape(part) for part in expected.replace("{plugins}", str(PLUGINS)).split("..."))
    return re.fullmatch(pattern, found.rstrip("\n")) is not None


def expect(arguments, code, err, tool="backplane"):
    arguments = [argument.replace("{plugins}", str(PLUGINS)) for argument in arguments]
    found = backplane(*arguments, tool=tool)
    command = f"{tool} " + " ".join(arguments)
    check(found.code == code, f"{command}\n  ended with {found.code}, expected {code}; it printed\n{found.out}{found.err}")
    check(fits(found.err, err), f"{command}\n  standard error is\n{found.err}  expected\n{err}")
    check(code in (SUCCESS, NEGATIVE) or not found.out or not arguments, f"{command}\n  printed {found.out!r} before it failed")
    return found


def written(name):
    """Returns the text of a file that a command should have written. A missing file is reported as a problem."""
    path = pathlib.Path(name)
    check(path.exists(), f"{name} was not written")
    return path.read_text() if path.exists() else ""


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


def main():
    # Background processes of a shell ignore SIGINT, and the commands would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    good = (PLUGINS / "libbackplane_good.so").read_bytes()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.environ["XDG_CACHE_HOME"] = folder  # for the stamps of conform verify
        for name, content in FILES.items():
            pathlib.Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
        pathlib.Path("headers/backplane/c").mkdir(parents=True)
        pathlib.Path("headers/backplane/c/plugin_frame.h").touch()
        for name, change in FILES_MADE_OF_PLUGINS.items():
            pathlib.Path(name).write_bytes(change(good))
        for part in (mistakes, helps, full_disk, plugins, instances, trust, certificates, signatures, inspect, ops,
                     optimize, debugging, self_checking, memory, stats, clusters, pack, exchanged_values, run, devices,
                     several_modules, cache, several_backends, layers, interrupted, little_memory, replay, exits,
                     quoted, limited_files, isolated, packages, precision):
            part()
        if BACKEND == "cpu":
            compile_for_others()
        if HAS_NVPTX:
            emit()
        os.chdir(ROOT)
    print("\n\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
