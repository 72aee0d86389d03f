#!/usr/bin/env python3
"""The manual pages and the completion of shells say what the command says of itself: every subcommand of --help has a
page with all its options, the pages are well-formed, and bash completes command lines in the ways that CASES lists.
Tools that are missing here (groff, mandoc, zsh, fish) are left out, with a message."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
BUILD = pathlib.Path(os.environ.get("BACKPLANE_TEST_BUILD", ROOT / "build"))
COMMAND = BUILD.resolve() / "tools/backplane"
SOURCE = ROOT / "tools/documentation"
FILES = ["model.hlo", "a model.hlo", "folder/inner.hlo"]
# The words of a command line, the last of which is completed; and candidates, all of them or, before ..., some.
CASES = [
    (["r"], ["run", "reduce", "replay"]),
    (["che"], ["check"]),
    (["--v"], ["--version"]),
    (["run", "--on"], ["--on"]),
    (["run", "--on", "interp"], ["interpreter"]),
    (["run", "--on", "=", ""], ["interpreter", "null", "..."]),
    (["run", "--on", "=", "null,interp"], ["null,interpreter"]),
    (["run", "model.hlo", "--against", "nu"], ["null"]),
    (["run", ""], [*{file.split("/")[0] for file in FILES}]),
    (["run", "--dump-dir", ""], ["folder"]),
    (["run", "--seed", ""], []),
    (["run", "--layer", "va"], ["validate"]),
    (["run", "--layer", "trace", "=", "mod"], ["model.hlo"]),
    (["run", "--cluster", "=", ""], ["auto", "marked", "off"]),
    (["check", "--policy", ""], ["strict", "device"]),
    (["opt", "--passes", "simplify,dead-code"], ["simplify,dead-code-elimination"]),
    (["opt", "model.hlo", "-o", "mod"], ["model.hlo"]),
    (["opt", "--emit", "=", "st"], ["stablehlo"]),
    (["conform", "ver"], ["verify"]),
    (["conform", "--stage", "x_ray,life"], ["x_ray,life_cycle"]),
    (["conform", "verify", "--sam"], ["--sample"]),
    (["conform", "verify", "mod"], ["model.hlo"]),
    (["new", ""], []),
    (["new", "--lang", ""], ["c", "cpp"]),
    (["ops", ""], ["--markdown", "--help", "..."]),
    (["nobody", ""], []),
]
problems = []


def check(condition, problem):
    if not condition:
        problems.append(problem)


def run(*command, **more):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)


def backplane(*arguments):
    done = run(COMMAND, *arguments)
    check(done.returncode == 0, f"backplane {' '.join(arguments)} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


def make(folder):
    """Makes the pages and completion files as the build does."""
    description = folder / "backplane.json"
    description.write_text(backplane("--describe"))
    subprocess.run([SOURCE / "manual.py", description, folder / "man1"], check=True)
    for shell in ("bash", "zsh", "fish"):
        command = [SOURCE / "completion.py", description, SOURCE / f"completion.{shell}", folder / f"completion.{shell}"]
        subprocess.run(command, check=True)


def long_options(text):
    return re.findall(r"^  (?:-\w \[ )?(--[\w-]+)", text, re.MULTILINE)


def pages(folder, skipped):
    names = re.findall(r"^  (\w+) +\w", backplane("--help"), re.MULTILINE)
    check(len(names) > 10, f"backplane --help lists {names}")
    for name in names:
        page = folder / f"man1/backplane-{name}.1"
        if not page.exists():
            problems.append(f"{page.name} was not made")
            continue
        text = page.read_text().replace("\\-", "-").replace("\\fR", "").replace("\\fB", "")
        lacking = [option for option in long_options(backplane(name, "--help")) if option not in text]
        check(not lacking, f"{page.name} has no {', '.join(lacking)}")
    for checker in (["groff", "-man", "-Tutf8", "-ww", "-z"], ["mandoc", "-T", "lint", "-W", "warning"]):
        if not shutil.which(checker[0]):
            skipped.append(checker[0])
            continue
        for page in sorted((folder / "man1").iterdir()):
            printed = run(*checker, page).stdout
            check(not printed, f"{' '.join(checker)} {page.name} printed\n{printed}")


def completed_by_bash(folder, words):
    """Returns the candidates for the last word. `words` is the command line as Readline divides it."""
    script = """
        source "$1"; shift
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _backplane
        for candidate in "${COMPREPLY[@]}"; do echo "$candidate"; done
    """
    done = run("bash", "--norc", "-c", script, "bash", folder / "completion.bash", COMMAND, *words, cwd=folder / "files")
    return done.stdout.splitlines()


def completion(folder, skipped):
    for file in (folder / "files" / name for name in FILES):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    for words, expected in CASES:
        found = completed_by_bash(folder, words)
        is_complete = "..." not in expected
        lacking = set(expected) - {"..."} - set(found)
        check(not lacking and (not is_complete or len(found) == len(expected)),
              f"backplane {' '.join(words)}: bash completes {found}, expected {expected}")
    for shell in ("bash", "zsh", "fish"):
        if shutil.which(shell):
            printed = run(shell, "-n", folder / f"completion.{shell}").stdout
            check(not printed, f"{shell} -n completion.{shell} printed\n{printed}")
        else:
            skipped.append(shell)


def main():
    skipped = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        make(folder)
        pages(folder, skipped)
        completion(folder, skipped)
    if problems:
        print("\n\n".join(problems))
        return 1
    if skipped:
        print(f"passed, but not judged by {', '.join(skipped)}, which are not installed")
        return 77
    return 0


if __name__ == "__main__":
    sys.exit(main())
