#!/usr/bin/env python3
"""Counts the instructions that programs take at a size n and at 8n, and says which grow by more than they may.

Nothing is timed: valgrind counts, so the answer is the same on any machine at any load. Counted are kernels of cpu
(one run, compiled for x86-64-v3, which valgrind knows), the interpreter, and the core: reading, verifying, each stage
of passes, the plan. The programs are those of each op (conformance/coverage), where counts are linear unless OPS says
otherwise, and the templates in programs, core and ../bench/kernels, which say themselves (templates.py).

Exit code 1 if something grows by more than it may, or fails; 77 if this machine cannot count.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import templates

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SKIP = 77
NOT_REACHED = "not reached"
UNFINISHED = ("not done in", "the runner ended")
FACTOR = 8
TOLERANCE = 1.15  # tolerated above the order: remainders of vector loops, and logarithms of whole levels
OPS_N = 2048
MEMORY = 12 << 30  # address space limit in bytes, so that unbounded growth does not exhaust the machine's memory
FEATURES = "x86-64-v3" if os.uname().machine == "x86_64" else "-"

EXAMPLES = """
examples:
  tools/growth/growth.py                              all
  tools/growth/growth.py cumsum sort                  programs whose names contain one of these
  tools/growth/growth.py --on core nested             of one backend
  tools/growth/growth.py --on core nested_whiles --by-pass --n 100
                                                      pass by pass, at 100 and 800
  tools/growth/growth.py --print nested_whiles 2000   the program, to look at or to time
  tools/growth/growth.py --json growth.json           the table for other programs
"""

# Rules for programs of ops that are not linear, or smaller than OPS_N; by op or by program.
OPS = {
    "sort": ["n: 64", "n log n"],
    "scan": ["n: 256"],
    "select-and-scatter": ["n: 256"],
    "custom-call": ["cpu: not run, as it asks for a routine of the interpreter"],
    "rng-bit-generator": ["not run, as it gives integers alone; see the templates rng_bits"],
} | {
    op: ["not run, as it needs another device or the host"]
    for op in ("infeed", "outfeed", "send", "send-done", "recv", "recv-done")
}
# Ops for which no program grows with n.
STILL = {
    "after-all": "a token has no size",
    "partition-id": "one number",
    "replica-id": "one number",
    "rng-get-and-update-state": "two numbers",
}


class Program:
    """A program to count at n and 8n: texts of a template, or files that the runner wrote."""

    def __init__(self, name, n, rules, text):
        self.name, self.n, self.rules, self.text = name, n, rules, text


def read_templates(folder):
    found = []
    for path in sorted(folder.glob("*.hlo")):
        template = templates.Template(path)
        if template.rules.n is None:
            raise ValueError(f"{path}: no comment in front says n")
        found.append(Program(template.name, template.rules.n, template.rules, template.text))
    return found


def read_ops(runner, folder):
    """Returns the programs of all ops, and the ops none of whose programs grows."""
    programs, growing, still = {}, set(), set()

    def texts(n):  # lines of the runner: op, program, whether it grows
        if not (folder / str(n)).is_dir():
            (folder / str(n)).mkdir()
            with (folder / f"{n}.list").open("w") as file:
                subprocess.run([runner, "ops", folder / str(n), str(n)], stdout=file, check=True)
        return (folder / f"{n}.list").read_text().splitlines()

    for line in texts(OPS_N):
        op, name, kind = line.split()
        (growing if kind == "grows" else still).add(op)
        if kind == "grows":
            rules = templates.Rules([f"n: {OPS_N}", "linear", *OPS.get(op, [])])
            text = lambda n, name=name: texts(n) and (folder / str(n) / f"{name}.hlo").read_text()
            programs[name] = Program(f"op.{name}", rules.n, rules, text)
    return list(programs.values()), still - growing


def ops_of(programs):
    """Returns the ops that occur in the texts of templates."""
    return {op for program in programs for op in re.findall(r" ([a-z][\w-]*)\(", program.text(program.n))}


class Counter:
    """Runs the runner under valgrind, in a folder of its own."""

    def __init__(self, build, folder):
        self.runner, self.folder = build / "tools/growth_runner", folder
        # Prevents `rep movsb` and `rep stosb`: one such instruction would be counted once for each byte.
        never = ":".join(f"glibc.cpu.x86_rep_{name}_threshold={1 << 40}" for name in ("movsb", "stosb"))
        self.environment = dict(os.environ, GLIBC_TUNABLES=never)

    def count(self, label, jobs, limit):
        """Returns {section: instructions} and {section: reason for failure}. A job is BACKEND, NAME, FILE."""
        lines = "".join(f"{' '.join(job)}\n" for job in jobs)
        out = self.folder / f"counts.{label}"
        arguments = [str(self.folder / "cache"), FEATURES]
        if any(job[0] == "cpu" for job in jobs):
            subprocess.run([self.runner, "compile", *arguments], input=lines, capture_output=True, text=True,
                           env=self.environment, cwd=ROOT)
        valgrind = ["valgrind", "--tool=callgrind", "--instr-atstart=no", "--dump-line=no",
                    f"--callgrind-out-file={out}", f"--log-file={self.folder / ('log.' + label)}"]

        def limits():  # of CPU time, which does not depend on the load of the machine
            resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))

        done = subprocess.run([*valgrind, self.runner, "count", *arguments], input=lines, capture_output=True,
                              text=True, env=self.environment, cwd=ROOT, preexec_fn=limits)
        said, why_not = done.stdout, ""
        if -done.returncode in (signal.SIGXCPU, signal.SIGKILL):
            why_not = f"not done in {limit} s"
        elif done.returncode != 0:
            why_not = f"the runner ended with {done.returncode}: {done.stderr.strip()[-300:]}"
        counts = {}
        for dump in sorted(out.parent.glob(out.name + ".*"), key=lambda path: int(path.suffix[1:])):
            text = dump.read_text()
            section = re.search(r"^desc: Trigger: Client Request: (.*)$", text, re.M)
            total = re.search(r"^totals: (\d+)$", text, re.M)
            if section and total:
                counts[section[1]] = counts.get(section[1], 0) + int(total[1])
        failed = dict(re.match(r"failed ([^:]*): (.*)", line).groups()
                      for line in said.splitlines() if line.startswith("failed "))
        reached = {line.split(" ", 1)[1] for line in said.splitlines() if line.startswith("done ")} | failed.keys()
        for job in jobs:
            section = f"{job[0]} {job[1]}"
            if section not in reached:
                failed[section] = why_not or NOT_REACHED
                why_not = ""
        return counts, failed


class Row:
    """The counts of one section at n and 8n, and the verdict on them."""

    def __init__(self, program, section, counts, problem="", is_judged=True):
        self.program, self.section, self.rules = program, section, program.rules.of(section)
        self.n, (self.small, self.large), self.problem = program.n, counts, problem
        self.grew = self.large / max(self.small, 1)
        self.allowed = self.growth_of(self.rules["today"] or self.rules["order"])
        if not problem and is_judged:
            self.problem = self.judge()

    def growth_of(self, order):
        return templates.ORDERS[order](FACTOR * self.n) / templates.ORDERS[order](self.n)

    def judge(self):
        if self.grew > self.allowed * TOLERANCE:
            return f"grew by {self.grew:.1f}, expected at most {self.allowed:.1f}"
        if self.rules["today"] and self.grew <= self.growth_of(self.rules["order"]) * TOLERANCE:
            return f"grew by {self.grew:.1f}, so it is '{self.rules['order']}', and not worse 'today'"
        if self.rules["most"] and self.large > int(self.rules["most"]) * FACTOR * self.n:
            return f"{self.large / FACTOR / self.n:.1f} for each of n, expected at most {self.rules['most']}"
        return ""

    def cells(self):
        counted = [f"{self.small:,}", f"{self.large:,}", f"{self.grew:.2f}"] if self.small else ["", "", ""]
        return [self.program.name, self.section, str(self.n), *counted, f"{self.allowed:.1f}", self.verdict()]

    def is_unreached(self):
        """Whether the section was not reached because an earlier one did not end."""
        return NOT_REACHED in self.problem and not any(text in self.problem for text in UNFINISHED)

    def verdict(self):
        if self.problem:
            return f"FAILED: {self.problem}"
        if self.rules["reason"]:
            return f"not run, as {self.rules['reason']}"
        return f"today, as {self.rules['because']}" if self.rules["because"] else ""

    def to_json(self):
        return {"program": self.program.name, "on": self.section, "n": self.n, "at_n": self.small, "at_8n": self.large,
                "grew": self.grew, "allowed": self.allowed, "problem": self.problem,
                "today": self.rules["because"] or "", "not_run": self.rules["reason"] or ""}


def rows_of(program, on, counts, failed):
    """Returns the rows of the sections of one program on one backend."""
    names = [f"{on} {program.name}@{n}" for n in (program.n, FACTOR * program.n)]
    problems = [f"at {name.split('@')[1]}: {failed[name]}" if name in failed else "" for name in names]
    stop = program.rules.of(on.replace("passes", "core"))["stop"]
    is_refused = [problem and not any(text in problem for text in (NOT_REACHED, *UNFINISHED)) for problem in problems]
    if stop and all(is_refused):
        problems = []
    elif stop and not any(problems):
        problems = ["it no longer stops"]
    parts = {}
    for i, name in enumerate(names):
        for section, count in counts.items():
            if section == name or section.startswith(name + " "):
                parts.setdefault(section.removeprefix(name).strip(), [0, 0])[i] = count
    problem = "; ".join(filter(None, problems))
    rows = [Row(program, f"{on} {part}".strip(), counted, problem, on != "passes") for part, counted in parts.items()
            if all(counted) or not stop]
    return rows or [Row(program, on, (0, 0), problem or "nothing was counted")]


def count_all(programs, counter, limit):
    """Returns the rows of [(program, backends)]; counts in one process for each backend, all at the same time."""
    jobs = {}
    rows = []
    for factor in (1, FACTOR):  # programs that do not end do so at 8n, so all are counted at n first
        for program, backends in programs:
            n = factor * program.n
            file = counter.folder / f"{program.name}@{n}.hlo"
            file.write_text(program.text(n))
            for on in backends:
                if not program.rules.of(on)["reason"]:
                    jobs.setdefault(on, []).append((on, f"{program.name}@{n}", str(file)))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        answers = {on: pool.submit(counter.count, on, jobs[on], limit) for on in sorted(jobs)}
    answers = {on: answer.result() for on, answer in answers.items()}
    for program, backends in programs:
        for on in backends:
            is_run = not program.rules.of(on)["reason"]
            rows += rows_of(program, on, *answers[on]) if is_run else [Row(program, on, (0, 0), "", False)]
    return rows


def print_table(rows):
    head = ["program", "on", "n", "at n", "at 8n", "grew", "may", ""]
    table = [head] + [row.cells() for row in rows]
    widths = [max(len(row[column]) for row in table) for column in range(len(head) - 1)]
    for row in table:
        cells = [cell.rjust(width) if 2 <= i <= 6 else cell.ljust(width)
                 for i, (cell, width) in enumerate(zip(row, widths))]
        print("  ".join([*cells, row[-1]]).rstrip())


def why_not_here(build):
    if not shutil.which("valgrind"):
        return "there is no valgrind"
    if not (build / "plugins/cpu/libbackplane_cpu.so").exists():
        return "the cpu backend was not built"
    asked = subprocess.run([build / "tools/growth_runner", "count", "-", "-"], stdin=subprocess.DEVNULL,
                           capture_output=True, text=True)
    if asked.returncode == SKIP:
        return asked.stderr.strip()
    options = json.loads((build / "meson-info/intro-buildoptions.json").read_text())
    sanitizer = next(option["value"] for option in options if option["name"] == "b_sanitize")
    return "" if sanitizer == "none" else "valgrind does not run what a sanitizer was built into"


def main():
    parser = argparse.ArgumentParser(description=__doc__, epilog=EXAMPLES,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="parts of names of programs; none: all programs")
    parser.add_argument("--on", action="append", choices=["cpu", "interpreter", "core"], help="any number; none: all")
    parser.add_argument("--n", type=int, help="another size than the programs say")
    parser.add_argument("--by-pass", action="store_true", help="of core, each pass; nothing is judged")
    parser.add_argument("--print", nargs=2, metavar=("TEMPLATE", "N"), help="writes that program to standard output")
    parser.add_argument("--failed", action="store_true", help="show failures, and what is allowed today, alone")
    parser.add_argument("--json", help="a file for the table")
    parser.add_argument("--limit", type=int, default=200, help="seconds of processor time for a backend")
    parser.add_argument("--build", default=os.environ.get("BACKPLANE_TEST_BUILD", ROOT / "build"), help="a folder")
    given = parser.parse_args()
    build = pathlib.Path(given.build).resolve()
    core = read_templates(HERE / "core")
    others = read_templates(HERE / "programs") + read_templates(ROOT / "tools/bench/kernels")
    if given.print:
        chosen = [program for program in core + others if program.name == given.print[0]]
        if not chosen:
            parser.error(f"there is no template {given.print[0]}; there are "
                         + ", ".join(program.name for program in core + others))
        print(chosen[0].text(int(given.print[1])), end="")
        return 0
    if reason := why_not_here(build):
        print(reason)
        return SKIP
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        ops, still = read_ops(build / "tools/growth_runner", folder)
        on = lambda backends: [one for one in backends if not given.on or one.replace("passes", "core") in given.on]
        programs = [(program, on(["passes" if given.by_pass else "core"])) for program in core]
        programs += [(program, on(["cpu", "interpreter"])) for program in ops + others]
        programs = [(program, backends) for program, backends in programs
                    if backends and (not given.names or any(part in program.name for part in given.names))]
        for program, _ in programs:
            program.n = given.n or program.n
        rows = count_all(programs, Counter(build, folder), given.limit)
    failed = [row for row in rows if row.problem]
    today = [row for row in rows if row.rules["because"]]
    shown = [row for row in rows if not given.failed or row in failed or row in today]
    print_table([row for row in shown if not row.is_unreached()])
    unexpected = sorted((still ^ STILL.keys()) - (ops_of(others) - STILL.keys()))
    if unexpected:
        print(f"FAILED: STILL says nothing of these, or too much: {', '.join(unexpected)}")
    not_run = sum(bool(row.rules["reason"]) for row in rows)
    print(f"{len({row.program.name for row in rows})} programs, {len(rows)} counts: {len(failed)} failed, {len(today)}"
          f" grow more than they should, {not_run} not run,"
          f" {sum(row.is_unreached() for row in rows)} not reached; {time.monotonic() - start:.0f} s")
    if given.json:
        pathlib.Path(given.json).write_text(json.dumps([row.to_json() for row in rows], indent=1) + "\n")
    return 1 if failed or unexpected or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
