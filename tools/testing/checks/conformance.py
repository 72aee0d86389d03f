#!/usr/bin/env python3
"""`backplane conform` from outside: the skeleton and a part of cpu have nothing unexpected, and the report, the page, the
XML and `verify` tell the same. conform_tests has a plugin that misbehaves."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
BUILD = pathlib.Path(os.environ.get("BACKPLANE_TEST_BUILD", ROOT / "build"))
FULL = bool(os.environ.get("BACKPLANE_TEST_FULL"))
TIME_LIMIT_SECONDS = 800


def conform(*arguments):
    done = subprocess.run([BUILD / "tools/backplane", "conform", *arguments], cwd=ROOT, capture_output=True, text=True,
                          timeout=TIME_LIMIT_SECONDS)
    return done.returncode, done.stdout, done.stderr


def check(name, arguments, folder):
    """Runs it, and returns what is wrong."""
    report, page, xml = folder / f"{name}.jsonl", folder / f"{name}.html", folder / f"{name}.xml"
    code, out, err = conform(name, *arguments, "-o", str(report), "--html", str(page), "--junit", str(xml))
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
    text = page.read_text()
    if header["plugin_sha256"] not in text or f"<b>{len(records)}</b>cases" not in text:
        problems.append(f"{name}: the page lacks the hash of the plugin or the number of cases")
    if re.search(r"<script|https?://", text):
        problems.append(f"{name}: the page wants something from outside")
    code, out, err = conform("verify", str(report), "--sample", "5")
    if code != 0 or "5 run again, 0 differ" not in out:
        problems.append(f"{name}: verify: exit code {code}\n{out}{err}")
    report.write_text(report.read_text().replace('"pass"', '"fail"', 1))
    code, out, err = conform("verify", str(report))
    if code != 3 or "have the SHA-256" not in err:
        problems.append(f"{name}: verify of a changed report: exit code {code}\n{out}{err}")
    return problems


def main():
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        problems += check("null", [] if FULL else ["--shard", "1/4"], folder)
        if (BUILD / "plugins/cpu/libbackplane_cpu.so").exists():
            problems += check("cpu", [] if FULL else ["--shard", "1/10"], folder)
        problems += check_interpreter()
    print("\n".join(problems))
    return 1 if problems else 0


def check_interpreter():
    code, out, err = conform("interpreter", "--stage", "programs")
    return [] if code == 0 else [f"interpreter: exit code {code}\n{out}{err}"]


if __name__ == "__main__":
    sys.exit(main())
