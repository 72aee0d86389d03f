#!/usr/bin/env python3
"""Checks with libabigail that the published interfaces are unchanged: the structs of the plugin ABI and the functions
of the C face, compared with conformance/museum/1.0.0/*.abi. Additions are allowed. Skipped without abidiff (Debian:
abigail-tools). `abi.py --bless` writes the current headers' ABI there, which is right only for a new
version, in a folder of its own."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
MUSEUM = ROOT / "conformance/museum/1.0.0"
PLUGIN_API = ROOT / "plugin_api/include"
C_FACE = ROOT / "core/c/include"


def variables_of_structs():
    """Returns C source with a variable of each frozen struct of the stable headers."""
    headers = [h for h in sorted((PLUGIN_API / "backplane").rglob("*.h")) if "draft" not in h.parts]
    names = [name for header in headers for name in re.findall(r"^BP_FROZEN\((\w+),", header.read_text(), re.MULTILINE)]
    source = "".join(f'#include "{header.relative_to(PLUGIN_API)}"\n' for header in headers)
    return source + "".join(f"{name} published_{name};\n" for name in names)


def variables_of_functions():
    """Returns C source with a pointer to each function of the C face."""
    text = (C_FACE / "backplane/runtime.h").read_text()
    names = sorted(set(re.findall(r"^BP_EXPORT [^;(]*?\b(backplane_\w+)\(", text, re.MULTILINE)))
    source = '#include "backplane/runtime.h"\n'
    return source + "".join(f"__typeof__(&{name}) published_{name};\n" for name in names)


def describe(source, folder):
    """Returns the ABI of a library with these variables, as XML."""
    code, library = folder / "published.c", folder / "libpublished.so"
    code.write_text(source)
    compiler = os.environ.get("CC", "cc").split()
    subprocess.run(compiler + ["-std=gnu11", "-g", "-shared", "-fPIC", f"-I{PLUGIN_API}", f"-I{C_FACE}", str(code),
                               "-o", str(library)], check=True)
    options = ["--no-show-locs", "--no-comp-dir-path", "--no-corpus-path", "--no-architecture"]
    return subprocess.run(["abidw", *options, str(library)], check=True, capture_output=True, text=True).stdout


def main():
    if not shutil.which("abidiff"):
        print("skipped: there is no abidiff (apt-get install abigail-tools)")
        return 77
    problems = []
    for name, source in [("plugin_api.abi", variables_of_structs()), ("runtime.abi", variables_of_functions())]:
        if source.count("published_") < 10:
            problems.append(f"{name}: found only {source.count('published_')} structs or functions in the headers")
            continue
        published = MUSEUM / name
        with tempfile.TemporaryDirectory() as folder:
            today = pathlib.Path(folder) / name
            today.write_text(describe(source, pathlib.Path(folder)))
            if "--bless" in sys.argv[1:]:
                shutil.copy(today, published)
                continue
            done = subprocess.run(["abidiff", "--harmless", "--no-added-syms", str(published), str(today)], capture_output=True,
                                  text=True)
        if done.returncode != 0:
            problems.append(f"{published.relative_to(ROOT)} is not what the headers say:\n{done.stdout}{done.stderr}")
    print("\n".join(problems), end="")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
