#!/usr/bin/env python3
"""Runs `backplane conform` from outside: the backends of this repository have no unexpected results, on a part of the
cases in normal runs and on all of them in full ones, and can be loaded a thousand times; the report, the page, the XML,
`verify` and `report` agree. conform_tests tests it with a plugin that misbehaves."""

import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
BUILD = pathlib.Path(os.environ.get("BACKPLANE_TEST_BUILD", ROOT / "build"))
FULL = bool(os.environ.get("BACKPLANE_TEST_FULL"))
TIME_LIMIT_SECONDS = 800
# The thread sanitizer makes the interpreter, which computes what is expected, twenty times slower.
MORE_TIME = ["--deadline", "4"] if "-fsanitize=" in (BUILD / "build.ninja").read_text() else []


def conform(*arguments):
    done = subprocess.run([BUILD / "tools/backplane", "conform", *arguments], cwd=ROOT, capture_output=True, text=True,
                          timeout=TIME_LIMIT_SECONDS)
    return done.returncode, done.stdout, done.stderr


class Tags(HTMLParser):
    """Finds problems of an HTML page: tags that are not closed, duplicate ids, references to missing ids."""

    EMPTY = {"br", "meta"}

    def __init__(self, text):
        super().__init__()
        self.open, self.ids, self.links, self.problems = [], set(), [], []
        self.feed(text)
        self.problems += [f"<{tag}> is not closed" for tag in self.open]
        self.problems += [f"{link} leads nowhere" for link in self.links
                          if not link.startswith("#") or link[1:] not in self.ids]

    def handle_starttag(self, tag, attributes):
        if tag not in self.EMPTY:
            self.open.append(tag)
        self.look_at(tag, attributes)

    def handle_startendtag(self, tag, attributes):
        self.look_at(tag, attributes)

    def handle_endtag(self, tag):
        if not self.open or self.open[-1] != tag:
            self.problems.append(f"{self.getpos()}: </{tag}>, expected </{self.open[-1] if self.open else 'nothing'}>")
        if tag in self.open:
            while self.open.pop() != tag:
                pass

    def look_at(self, tag, attributes):
        if tag in ("script", "link", "iframe", "img", "object"):
            self.problems.append(f"<{tag}> may want something from outside")
        for name, value in attributes:
            if name == "id":
                self.problems += [f"the id {value} is there twice"] if value in self.ids else []
                self.ids.add(value)
            elif name in ("href", "src"):
                self.links.append(value)


def check_page(name, page, cases):
    text = page.read_text()
    problems = [f"{name}: the page: {problem}" for problem in Tags(text).problems]
    if f"<b>{cases:,}</b>cases" not in text:
        problems.append(f"{name}: the page lacks the number of cases, {cases:,}")
    if re.search(r"https?://|url\(|@import", text):
        problems.append(f"{name}: the page wants something from outside")
    return problems


def check(name, arguments, folder):
    """Runs the suite on a plugin, and returns the problems."""
    report, page, xml = folder / f"{name}.jsonl", folder / f"{name}.html", folder / f"{name}.xml"
    code, out, err = conform(name, *arguments, *MORE_TIME, "-o", str(report), "--html", str(page), "--junit", str(xml))
    if code != 0:
        return [f"{name}: exit code {code}\n{out}{err}"]
    header, *records, totals = map(json.loads, report.read_text().splitlines())
    print(f"{name}: {out.splitlines()[-1]}")
    problems = []
    if sum(totals["totals"].values()) != len(records):
        problems.append(f"{name}: {len(records)} records, and the totals {totals}")
    counted = sum(int(suite.get("tests")) for suite in ElementTree.parse(xml).iter("testsuite"))
    if counted != len(records) or len(list(ElementTree.parse(xml).iter("testcase"))) != len(records):
        problems.append(f"{name}: {len(records)} records, and {counted} tests in the XML")
    problems += check_page(name, page, len(records))
    if header["plugin_sha256"] not in page.read_text():
        problems.append(f"{name}: the page lacks the hash of the plugin")
    code, out, err = conform("verify", str(report), "--sample", "5", *MORE_TIME)
    if code != 0 or "5 run again, 0 differ" not in out:
        problems.append(f"{name}: verify: exit code {code}\n{out}{err}")
    report.write_text(report.read_text().replace('"pass"', '"fail"', 1))
    code, out, err = conform("verify", str(report))
    if code != 3 or "have the SHA-256" not in err:
        problems.append(f"{name}: verify of a changed report: exit code {code}\n{out}{err}")
    return problems


def check_report(folder):
    """The reports of two shards, merged in any order, and of one complete run are the same except for times."""
    parts = {"whole": [], "one": ["--shard", "1/2"], "two": ["--shard", "2/2"]}
    files = {}
    for part, shard in parts.items():
        files[part] = folder / f"{part}.jsonl"
        code, out, err = conform("interpreter", "--case", "ops/*/f32/one/*", *shard, "-o", str(files[part]))
        if code != 0:
            return [f"report: the run for {part}: exit code {code}\n{out}{err}"]
    results, problems = [], []
    for name, packages in (("all", ["whole"]), ("merged", ["one", "two"]), ("reversed", ["two", "one"])):
        lines, page, xml = (folder / f"{name}.{ending}" for ending in ("jsonl", "html", "xml"))
        code, out, err = conform("report", *(str(files[package]) for package in packages), "-o", str(lines), "--html",
                                 str(page), "--junit", str(xml))
        if code != 0 or " 0 unexpected" not in out:
            return [f"report of {packages}: exit code {code}\n{out}{err}"]
        _, *records, _ = without_times = [json.loads(line) | {"seconds": 0, "sha256": ""}
                                          for line in lines.read_text().splitlines()]
        results.append(without_times)
        problems += check_page(f"report of {packages}", page, len(records))
        if len(list(ElementTree.parse(xml).iter("testcase"))) != len(records):
            problems.append(f"report of {packages}: the XML does not have {len(records)} tests")
        code, out, err = conform("verify", str(lines), "--sample", "2")
        if code != 0 or "2 run again, 0 differ" not in out:
            problems.append(f"verify of the report of {packages}: exit code {code}\n{out}{err}")
    if not results[0] == results[1] == results[2]:
        problems.append("report: two shards and the whole run are not the same")
    code, out, err = conform("report", str(files["two"]), "--html", str(folder / "part.html"))
    if code != 3 or "missing: shard 1/2; found 2/2 in " not in err or (folder / "part.html").exists():
        problems.append(f"report of one shard of two: exit code {code}\n{out}{err}")
    return problems + check_diff(folder) + check_coverage(folder) + check_badge(folder)


def check_diff(folder):
    """Exit codes and output of `conform diff`, on the reports that check_report() has made."""
    same, part, worse = (str(folder / name) for name in ("merged.jsonl", "two.jsonl", "worse.jsonl"))
    header, *records, totals = map(json.loads, pathlib.Path(same).read_text().splitlines())
    changed = next(record for record in records if record["status"] == "pass")
    changed["status"] = "fail"
    totals["totals"]["pass"] -= 1
    totals["totals"]["fail"] += 1
    lines = "".join(json.dumps(line) + "\n" for line in [header, *records])
    totals["sha256"] = hashlib.sha256(lines.encode()).hexdigest()
    pathlib.Path(worse).write_text(lines + json.dumps(totals) + "\n")
    problems = []
    for arguments, expected, text in (
        ([same, str(folder / "reversed.jsonl")], 0, "\nall "),
        ([same, worse], 1, f"1 regressed\n  {changed['id']}: pass -> fail"),
        ([worse, same], 0, f"1 mended\n  {changed['id']}: fail -> pass"),
        ([same], 2, "1 files with results were given"),
        ([same, part], 3, "the old report is the whole run, the new one shard 2/2"),
        ([same, same, "--json"], 0, '"regressions":[]')):
        code, out, err = conform("diff", *arguments)
        if code != expected or text not in out + err or "\x1b" in out:
            problems.append(f"diff {arguments}: exit code {code}, expected {expected} and {text!r}\n{out}{err}")
    return problems


def check_coverage(folder):
    """Exit codes and output of `conform coverage`, on a plan and on the report that check_report() has made."""
    merged = str(folder / "merged.jsonl")
    problems = []
    for arguments, expected, text in (
        ([], 0, "The quick run with seed 0\n"),
        (["--seed", "3", "--markdown"], 0, "| pad | "),
        ([merged], 0, "passed by "),
        ([merged, "--json"], 0, '"op":"pad","kinds":'),
        ([merged, "--full"], 2, "the results say how they were made, expected no --full"),
        ([str(folder / "absent.jsonl")], 3, "absent.jsonl")):
        code, out, err = conform("coverage", *arguments)
        if code != expected or text not in out + err or "\x1b" in out:
            problems.append(f"coverage {arguments}: exit code {code}, expected {expected} and {text!r}\n{out}{err}")
    return problems


def check_badge(folder):
    badge = folder / "badge.svg"
    code, out, err = conform("report", str(folder / "merged.jsonl"), "--badge", str(badge))
    if code != 0 or "of 100, in part" not in "".join(ElementTree.parse(badge).getroot().itertext()):
        return [f"badge: exit code {code}\n{out}{err}"]
    return []


# Ops that need a communication partner, a routine, or a state that a device keeps between runs.
NOT_OF_PRIMITIVES = {"custom-call", "rng", "rng-get-and-update-state", "send", "send-done", "recv", "recv-done", "infeed",
                     "outfeed"}


def check_primitives(folder):
    """A device that claims only the primitives passes every operation, thanks to the core's expanders."""
    patterns = ["ops/*"] if FULL else [
        "ops/*/f32/prime/*", "ops/*/f32/fixed/*", "ops/*/-/fixed/*", "ops/*/s32/prime/random", "ops/*/bf16/prime/edge",
        "ops/*/f32/*transposed/random"]
    cases = [part for pattern in [*patterns, "life_cycle/*"] for part in ("--case", pattern)]
    report = folder / "primitives.jsonl"
    code, out, err = conform("primitives", *cases, "-o", str(report))
    records = [json.loads(line) for line in report.read_text().splitlines()[1:-1]]
    print(f"primitives: {out.splitlines()[-1]}")
    passed = {record["op"] for record in records if record["stage"] == "ops" and record["status"] in ("pass", "weak")}
    missing = {record["op"] for record in records if record["stage"] == "ops"} - passed - NOT_OF_PRIMITIVES
    problems = [] if code == 0 else [f"primitives: exit code {code}\n{out}{err}"]
    return problems + [f"primitives: no case of {op} passes" for op in sorted(missing)]


# Number of shards per backend; in runs that are not full, only one of them is run.
SHARDS = {"interpreter": 1, "null": 8, "kernels": 8, "npu": 10, "cpu": 10, "nvptx": 8}
SETTINGS = {"nvptx": ["--emulate"]}


def is_built(name):
    return name == "interpreter" or (BUILD / f"plugins/{name}/libbackplane_{name}.so").exists()


def check_lives(name):
    """The plugin can be loaded, run and unloaded a thousand times."""
    code, out, err = conform(name, "--full", "--case", "life_cycle/BP-ENTRY-03")
    return [] if code == 0 and "1 cases" in out and "1 pass" in out else [f"{name}: exit code {code}\n{out}{err}"]


def main():
    with tempfile.TemporaryDirectory() as cache:
        os.environ["XDG_CACHE_HOME"] = cache  # for the stamps of verify
        return check_all()


def check_all():
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for name, shards in SHARDS.items():
            if is_built(name):
                part = [] if FULL or shards == 1 else ["--shard", f"1/{shards}"]
                problems += check(name, SETTINGS.get(name, []) + part, folder)
        if FULL and is_built("nvptx"):  # its kernels differ from those of the default, sm_90a; takes 100 s of CPU time
            problems += check("nvptx", [*SETTINGS["nvptx"], "--set", "target=sm_75"], folder)
        if is_built("cpu"):
            problems += check_primitives(folder)
        problems += check_report(folder)
    for name in ("kernels", "npu", "cpu") if FULL else ("kernels", "npu"):  # one iteration takes 10 ms with cpu
        if is_built(name):
            problems += check_lives(name)
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
