#!/usr/bin/env python3
"""The suite catches the mutants: plugins with one fault each (conformance/mutants), by the stage that is meant for it.
The plugins themselves pass these stages, or a catch would mean nothing. conformance/mutants/not_caught.txt lists the
mutants that no case catches yet, with reasons; one of them that is caught has to be removed from it.

    mutants.py [NAME...] [--all-stages] [--page FILE.md]
    mutants.py [NAME...] --seeds FIRST LAST [--results FILE.json]

Runs each mutant with the cases meant for it, until one of them fails. --all-stages runs every stage, which takes hours
and judges no more: it prints a line for each mutant. --page writes docs/mutants.md, the cases that caught the mutants.
--seeds runs each mutant with each of these seeds, with its cases and, if none of them fails, with its whole stage, and
prints how many are caught by stage and seed; --results keeps the answers, so that a run of hours can be continued."""

import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from installation import has_sanitizer

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
BUILD = pathlib.Path(os.environ.get("BACKPLANE_TEST_BUILD", ROOT / "build"))
BACKPLANE = BUILD / "tools/backplane"
JOBS = os.cpu_count() or 1


def not_caught():
    """Returns the reasons why no case catches a mutant, by name."""
    lines = (ROOT / "conformance/mutants/not_caught.txt").read_text().splitlines()
    return dict(line.split(maxsplit=1) for line in lines if line and not line.startswith("#"))


def plugin_file(name):
    """Returns the file of a plugin of this build, whether it exists or not."""
    folder = "samples" if name == "lines" else f"plugins/{name}"
    return BUILD / f"{folder}/libbackplane_{name}.so"


def conform(plugin, *arguments):
    """Returns the records of a run, and the finished process."""
    with tempfile.TemporaryDirectory() as folder:
        lines = pathlib.Path(folder, "results.jsonl")
        done = subprocess.run([BACKPLANE, "conform", plugin_file(plugin), "--jobs", "1", "-o", lines, *arguments],
                              capture_output=True, text=True, stdin=subprocess.DEVNULL)
        records = [json.loads(line) for line in lines.read_text().splitlines()] if lines.exists() else []
        return [record for record in records if "id" in record], done


def caught_by(mutant, stages):
    """Returns the first unexpected case of each stage, by stage; and an error if the run itself fails. Without stages,
    only the cases meant for the mutant are run."""
    caught = {}
    for stage in stages or [mutant["stage"]]:
        selection = ["--stage", stage] if stages else ["--case", mutant["cases"]]
        records, done = conform(mutant["around"], "--mutant", mutant["name"], *selection, "--fail-fast", "--deadline",
                                "0.2")
        if done.returncode not in (0, 1):
            return caught, f"conform ended with {done.returncode}: {done.stderr.strip()}"
        for record in records:
            if record["status"] in ("fail", "crashed", "timed_out"):
                caught[stage] = record
                break
    return caught, None


def is_caught_with(seed, mutant):
    """Whether a case of the mutant's stage fails with the seed; those that are meant for it are tried first."""
    for selection in (["--case", mutant["cases"]], ["--stage", mutant["stage"]]):
        records, _ = conform(mutant["around"], "--mutant", mutant["name"], *selection, "--fail-fast", "--deadline", "0.2",
                             "--seed", str(seed))
        if any(record["status"] in ("fail", "crashed", "timed_out") for record in records):
            return True
    return False


def run_seeds(mutants, seeds, path):
    """Prints a table of the shares of mutants that are caught, by stage and seed. Returns the exit status: 0 if at
    least 97 % are caught with each seed."""
    answers = json.loads(path.read_text()) if path and path.exists() else {}
    for seed in seeds:
        answered = answers.setdefault(str(seed), {})
        left = [mutant for mutant in mutants if mutant["name"] not in answered]
        with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
            for mutant, is_caught in zip(left, pool.map(lambda m: is_caught_with(seed, m), left)):
                answered[mutant["name"]] = is_caught
                if path:
                    path.write_text(json.dumps(answers))
        missed = [mutant["name"] for mutant in mutants if not answered[mutant["name"]]]
        print(f"seed {seed}: {len(mutants) - len(missed)} of {len(mutants)}; not {', '.join(missed) or 'one is missed'}",
              flush=True)
    stages = sorted({mutant["stage"] for mutant in mutants})
    print("\n| stage | mutants | " + " | ".join(f"seed {seed}" for seed in seeds) + " |")
    print("|---" * (2 + len(seeds)) + "|")
    worst = 1
    for stage in [*stages, "all"]:
        of_stage = [mutant["name"] for mutant in mutants if stage in ("all", mutant["stage"])]
        counts = [sum(answers[str(seed)][name] for name in of_stage) for seed in seeds]
        worst = min(counts) / len(of_stage) if stage == "all" else worst
        print(f"| {stage} | {len(of_stage)} | " + " | ".join(map(str, counts)) + " |")
    return 0 if worst >= 0.97 else 1


def false_alarms(plugin, mutants):
    """Returns an error if the plugin without a mutant fails the cases that its mutants are judged by."""
    cases = [part for pattern in sorted({mutant["cases"] for mutant in mutants}) for part in ("--case", pattern)]
    _, done = conform(plugin, *cases)
    return [] if done.returncode == 0 else [f"{plugin} itself does not pass:\n{done.stdout}{done.stderr}"]


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    arguments.add_argument("names", nargs="*")
    arguments.add_argument("--all-stages", action="store_true")
    arguments.add_argument("--page", metavar="FILE.md")
    arguments.add_argument("--seeds", nargs=2, type=int, metavar=("FIRST", "LAST"))
    arguments.add_argument("--results", metavar="FILE.json", type=pathlib.Path)
    options = arguments.parse_args()
    if has_sanitizer():
        print("a sanitizer ends the process at what mutants do")
        return 77
    listed = subprocess.run([BACKPLANE, "conform", "--mutants"], capture_output=True, text=True, check=True).stdout
    mutants = [dict(zip(("name", "around", "cases", "kind", "what", "source"), line.split("\t")))
               for line in listed.splitlines()]
    for mutant in mutants:
        mutant["stage"] = mutant["cases"].split("/")[0]
    plugins = {plugin: plugin_file(plugin).exists() for plugin in {mutant["around"] for mutant in mutants}}
    mutants = [mutant for mutant in mutants if plugins[mutant["around"]]
               and (not options.names or mutant["name"] in options.names)]
    if options.seeds:
        return run_seeds(mutants, range(options.seeds[0], options.seeds[1] + 1), options.results)
    stages = subprocess.run([BACKPLANE, "conform", "--stages"], capture_output=True, text=True, check=True).stdout.split()
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        results = []
        asked = stages if options.all_stages else None
        for mutant, result in zip(mutants, pool.map(lambda m: caught_by(m, asked), mutants)):
            results.append(result)
            if options.all_stages:
                print(f"{len(results)}/{len(mutants)} {mutant['name']}: {', '.join(result[0]) or 'nothing'}", flush=True)
        correct = pool.map(lambda plugin: false_alarms(plugin, [m for m in mutants if m["around"] == plugin]),
                           sorted({mutant["around"] for mutant in mutants}))
        problems = [problem for problems_of_plugin in correct for problem in problems_of_plugin]
    missed, known = [], not_caught()
    for mutant, (caught, error) in zip(mutants, results):
        if mutant["name"] in known and mutant["stage"] in caught:
            missed.append(f"{mutant['name']} is caught by {mutant['cases']}: remove it from "
                          "conformance/mutants/not_caught.txt")
        elif mutant["name"] not in known and (error or mutant["stage"] not in caught):
            missed.append(f"{mutant['name']} ({mutant['what']}) is not caught by {mutant['cases']}"
                            + (f": {error}" if error else "") + f"\n  {BACKPLANE} conform {mutant['around']} --mutant "
                            f"{mutant['name']} --case '{mutant['cases']}'")
    if options.page:
        write_page(options.page, mutants, results)
    survivors = sum(mutant["name"] in known for mutant in mutants)
    print(f"{len(mutants) - len(missed) - survivors} of {len(mutants)} mutants caught, {survivors} known not to be")
    problems += missed
    print("\n".join(problems), end="")
    return 1 if problems else 0


def link(source):
    """Returns a link to the report of a fault in a real product; our own faults have none."""
    repository, _, number = source.partition("#")
    return f"[{source}](https://github.com/{repository}/issues/{number})" if number else source


def write_page(file, mutants, results):
    total = sum(mutant["stage"] in caught for mutant, (caught, _) in zip(mutants, results))
    lines = ["# Mutants", "",
             "How good is the conformance suite? It is tested with mutants: plugins with one planted fault each, made from a",
             "correct plugin by a layer around it or by a change to its file (`conformance/mutants`). The suite must find each",
             "fault. `backplane conform PLUGIN --mutant NAME` runs one mutant. [rules.md](rules.md) shows which rules of the",
             "headers they break. `tools/testing/checks/mutants.py --page docs/mutants.md` writes this page.", "",
             f"**{total} of {len(mutants)}** mutants are caught by the stage that is meant to catch them. The file",
             "`conformance/mutants/not_caught.txt` says what would show the others. The last column names the report of "
             "such a fault",
             "in a real product; the others are our own.", "",
             "| mutant | fault | around | caught by | source |", "|---|---|---|---|---|"]
    for mutant, (caught, _) in zip(mutants, results):
        cases = ", ".join(f"`{record['id']}` ({record['status'].replace('_', ' ')})" for record in caught.values())
        lines.append(f"| {mutant['name']} | {mutant['what']} | {mutant['around']} | {cases or '**nothing**'} | "
                     f"{link(mutant['source'])} |")
    pathlib.Path(file).write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    sys.exit(main())
