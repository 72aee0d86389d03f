#!/usr/bin/env python3
"""Checks that each rule of the headers has a test and a mutant, and that docs/rules.md, which this writes, is current.

docs/mutants.md has to list all mutants, and the README to state their number.

    rules.py [--page docs/rules.md]

Nothing is listed twice. Rules are found where a header of the ABI defines them. The cases that test a rule have it in
their names, or in the table of their stage (Stage::rules, `backplane conform PLUGIN --rules`). A mutant belongs to a
rule if the cases that are meant to catch it test the rule. Rules for the core alone are tested by unit tests and checks
that have the rule in their titles."""

import argparse
import fnmatch
import os
import pathlib
import re
import subprocess
import sys

from mutants import not_caught, plugin_file

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
BUILD = pathlib.Path(os.environ.get("BACKPLANE_TEST_BUILD", ROOT / "build"))
BACKPLANE = BUILD / "tools/backplane"
INCLUDE = ROOT / "plugin_api/include/backplane"
PAGE = ROOT / "docs/rules.md"
PLUGINS = ["kernels", "cpu", "npu", "null", "lines"]
RULE = r"BP-[A-Z]+-\d\d"

# Rules that no mutant can violate, with the reason.
CORE = "binds the core, not the plugin"
WITHOUT_MUTANT = {
    "BP-CONSTANT-04": CORE,
    "BP-DEVICE-01": CORE,
    "BP-DEVICE-06": CORE,
    "BP-INIT-03": "binds the core; nothing outside a plugin makes a correct init() fail",
    "BP-LAW-02": "binds those who change the headers",
    "BP-MODULE-01": CORE,
    "BP-MODULE-02": CORE,
    "BP-MODULE-03": CORE,
    "BP-MODULE-08": CORE,
    "BP-PARALLEL-02": CORE,
    "BP-THREADS-01": CORE,
}


def defined_rules():
    """Returns the header and the text by rule, in the order of the headers."""
    rules = {}
    for header in sorted(INCLUDE.rglob("*.h")):
        lines = header.read_text().splitlines()
        for at, line in enumerate(lines):
            found = re.search(rf"// (.*?)({RULE}): (.*)", line)
            if not found:
                continue
            text = found.group(3)
            for more in lines[at + 1:]:
                comment = re.fullmatch(r"\s*// ?(\s*)(.*)", more)
                if not comment or not comment.group(1).startswith("   ") or re.match(RULE, comment.group(2)):
                    break
                text += " " + comment.group(2)
            rules[found.group(2)] = (header.relative_to(INCLUDE), text)
    return rules


def told(*arguments):
    done = subprocess.run([BACKPLANE, "conform", *arguments], capture_output=True, text=True, check=True,
                          stdin=subprocess.DEVNULL)
    return [line.split("\t") for line in done.stdout.splitlines()]


def titled_tests():
    """Returns, by rule, the tests of the core that mention it in their titles."""
    tests = {}
    titles = []
    for folder in ("core", "plugins", "conformance"):
        for path in sorted((ROOT / folder).rglob("tests/*.cc")):
            titles += [(path, title) for title in re.findall(r'TEST_CASE\("([^"]*)"', path.read_text())]
    for path in [ROOT / "plugin_api/check/headers.py"]:
        titles.append((path, path.read_text().split('"""')[1]))
    for path, title in titles:
        for rule in re.findall(RULE, title):
            if path.relative_to(ROOT) not in tests.setdefault(rule, []):
                tests[rule].append(path.relative_to(ROOT))
    return tests


def outdated_counts(mutants):
    """Returns what is wrong with the mutants in docs/mutants.md and with their number in the README."""
    names = [name for name, *_ in mutants]
    page = re.findall(r"^\| ([a-z0-9-]+) \| [^|]+ \| \w+ \|", (ROOT / "docs/mutants.md").read_text(), re.MULTILINE)
    problems = [f"docs/mutants.md has no mutant {name}" for name in names if name not in page]
    problems += [f"docs/mutants.md has the mutant {name}, which does not exist" for name in page
                 if name not in names and name != "mutant"]
    caught = f"{len(names) - len(not_caught())} of {len(names)}"
    if f"| {caught} |" not in (ROOT / "README.md").read_text():
        problems.append(f"README.md does not say that the suite catches {caught} mutants")
    return problems


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    arguments.add_argument("--page", metavar="FILE.md")
    options = arguments.parse_args()
    missing = [name for name in PLUGINS if not plugin_file(name).exists()]
    if missing:
        print(f"this build has no {', '.join(missing)}")
        return 77
    rules = defined_rules()
    tested = {plugin: told(plugin_file(plugin), "--rules") for plugin in PLUGINS}
    mutants = told("--mutants")
    tests = titled_tests()
    problems = []
    lines = ["# Rules", "",
             "This page lists every rule of the plugin ABI that has an id, in the words of the headers",
             "(`plugin_api/include/backplane`), with the cases of `backplane conform` that test it, or the unit tests if the rule",
             "binds the core, and with the mutants that break it, which these cases catch ([mutants.md](mutants.md)).",
             "`tools/testing/checks/rules.py --page docs/rules.md` writes this page.", ""]
    header = None
    for rule, (where, text) in rules.items():
        cases, breakers = [], []
        for plugin in PLUGINS:
            patterns = [pattern for name, pattern in tested[plugin] if name == rule]
            cases += [pattern for pattern in patterns if pattern not in cases]
            breakers += [name for name, around, meant, *_ in mutants if around == plugin and patterns and
                         (rule in meant or any(fnmatch.fnmatchcase(meant, pattern) for pattern in patterns))]
        places = tests.get(rule, [])
        if not cases and not places:
            problems.append(f"{rule} ({where}) has no test: no case of the suite and no TEST_CASE names it")
        if not breakers and rule not in WITHOUT_MUTANT:
            problems.append(f"{rule} ({where}) has no mutant: none is meant for {', '.join(cases) or 'a case'}")
        if breakers and rule in WITHOUT_MUTANT:
            problems.append(f"{rule} has a mutant, but is listed among the rules that can have none")
        if where != header:
            lines += ([""] if header else []) + [f"## {where}", "", "| rule | text | tested by | broken by |", "|---|---|---|---|"]
            header = where
        by = [f"`{case}`" for case in cases] + [f"`{place}`" for place in places]
        lines.append(f"| {rule} | {text.replace('|', '/')} | {', '.join(by)} | "
                     f"{', '.join(breakers) or 'no mutant: ' + WITHOUT_MUTANT.get(rule, '?')} |")
    for rule in WITHOUT_MUTANT:
        if rule not in rules:
            problems.append(f"{rule} is listed among the rules that can have no mutant, but is not a rule")
    problems += outdated_counts(mutants)
    page = "\n".join(lines) + "\n"
    if options.page:
        pathlib.Path(options.page).write_text(page)
    elif not PAGE.exists() or PAGE.read_text() != page:
        problems.append("docs/rules.md is out of date; run: tools/testing/checks/rules.py --page docs/rules.md")
    print("\n".join(problems), end="")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
