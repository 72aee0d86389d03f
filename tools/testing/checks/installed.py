#!/usr/bin/env python3
"""An installation is self-contained: with an installation in a temporary folder, and without the source tree,
applications in C and C++ are built and run, and every kind of backend that `backplane new` writes is built, run and
judged: the smallest one in C by the whole conformance suite, the others by a part of it, or by all of it with
--full."""

import os
import pathlib
import re
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from installation import APPLICATIONS, ROOT, Installation, has_sanitizer

FULL = bool(os.environ.get("BACKPLANE_TEST_FULL"))
# Tier and language, and the arguments that select a part of the suite; none: all of it.
BACKENDS = [("kernels", "c", []), ("kernels", "cpp", ["--shard", "1/20"]), ("compiler", "c", ["--shard", "2/20"]),
            ("compiler", "cpp", ["--shard", "3/20"]), ("memory", "c", ["--shard", "4/20"]),
            ("memory", "cpp", ["--shard", "5/20"]), ("queue", "c", ["--shard", "6/20"]),
            ("queue", "cpp", ["--shard", "7/20"])]
WARNINGS = "-O2 -fPIC -fvisibility=hidden -Wall -Wextra -Wpedantic -Werror"


def applications(installation):
    for name, expected in APPLICATIONS.items():
        folder = shutil.copytree(ROOT / "samples" / name, installation.folder / name)
        program = folder / "program.hlo"
        shutil.copy(ROOT / "samples/04_application_in_cpp/program.hlo", program)
        installation.run(["make"], folder)
        # An application that links the core statically is elsewhere, and this installation is not where it was
        # configured for.
        static = {"BACKPLANE_PATH": str(installation.plugins)} if name.endswith("cpp") else {}
        printed = installation.run(["./application", "kernels", program], folder, **static)
        installation.check([line.strip() for line in printed.splitlines()] == expected, f"{name} printed\n{printed}")


def backends(installation):
    for tier, language, part in BACKENDS:
        name = f"my-{tier}-{language}"
        installation.run(["backplane", "new", name, "--tier", tier, "--lang", language], installation.folder)
        folder = installation.folder / name
        compilers = ["CXX=false"] if language == "c" else []  # a backend in C needs no C++ compiler
        installation.run(["make", f"FLAGS={WARNINGS}", *compilers], folder)
        printed = installation.run(["make", "run"], folder)
        for expected in ("y (negate): there is no ", "against interpreter: agrees"):
            installation.check(expected in printed, f"{name}: make run printed no '{expected}':\n{printed}")
        isolated = ["backplane", "run", "program.hlo", "--on", name, "--isolate", "--against", "interpreter"]
        printed = installation.run(isolated, folder, BACKPLANE_PATH=".")
        installation.check("against interpreter: agrees" in printed, f"{name}: in a process of its own it printed\n{printed}")
        printed = installation.run(["make", "inspect"], folder)
        installation.check("can be loaded" in printed, f"{name}: make inspect printed\n{printed}")
        whole = FULL or not part
        conform = ["make", "conform"] if whole else ["backplane", "conform", name, *part]
        printed = installation.run(conform, folder, BACKPLANE_PATH=".")
        installation.check(" 0 unexpected" in printed, f"{name}: {' '.join(conform)} printed\n{printed}")


def ahead_of_time(installation):
    """The sample of programs that are compiled ahead of time builds with the installed command and files."""
    if not (installation.plugins / "libbackplane_cpu.so").exists():
        return
    folder = shutil.copytree(ROOT / "samples/06_program_without_backplane", installation.folder / "ahead_of_time")
    shutil.copy(ROOT / "samples/models/digits.hlo", folder)
    installation.run(["make", "MODEL=digits.hlo", "in_c", "in_cpp"], folder)
    for program in ("in_c", "in_cpp"):
        printed = installation.run([f"./{program}"], folder)
        installation.check(printed.startswith("the picture shows a 0"), f"{program} printed\n{printed}")


def documented_lines(installation):
    """The commands of the pages that build a plugin without a Makefile work."""
    for page, name, language in (("installing.md", "acme", "c"), ("writing_a_plugin.md", "acme-cpp", "cpp")):
        text = (ROOT / "docs" / page).read_text()
        command = re.search(r"^ +(c.*pkg-config --cflags backplane-plugin(?:.*\\\n)?.*)$", text, re.M)
        if command is None:
            installation.check(False, f"docs/{page} has no line with pkg-config --cflags backplane-plugin")
            continue
        line = re.sub(r"\bacme\.(cc?)|_acme\.so", lambda found: found[0].replace("acme", name), command[1])
        installation.run(["backplane", "new", name, "--tier", "kernels", "--lang", language], installation.folder)
        folder = installation.folder / name
        installation.run(["sh", "-c", line], folder)
        conform = ["backplane", "conform", name, "--stage", "x_ray,life_cycle"]
        printed = installation.run(conform, folder, BACKPLANE_PATH=".")
        installation.check(" 0 unexpected" in printed, f"built by `{line}`, backplane conform printed\n{printed}")


def pages(installation):
    """The pages of docs are installed, so that links between them work, and so are manual pages and completion."""
    missing = [page.name for page in (ROOT / "docs").rglob("*")
               if not (installation.prefix / "share/doc/backplane" / page.relative_to(ROOT / "docs")).exists()]
    installation.check(not missing, f"of docs, there is no {', '.join(missing)}")
    for file in ("man/man1/backplane.1", "man/man1/backplane-conform-verify.1", "zsh/site-functions/_backplane",
                 "bash-completion/completions/backplane.bash", "fish/vendor_completions.d/backplane.fish"):
        installation.check((installation.prefix / "share" / file).exists(), f"there is no share/{file}")


def main():
    if has_sanitizer():
        print("what links this build would have to be built with its sanitizer")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        installation = Installation(folder)
        applications(installation)
        backends(installation)
        ahead_of_time(installation)
        documented_lines(installation)
        pages(installation)
        return installation.finish()


if __name__ == "__main__":
    sys.exit(main())
