#!/usr/bin/env python3
"""Makes a virtual environment in BUILD/python with JAX and what else the tests need from PyPI, once.

Without PyPI there is none, and the tests that need it are skipped; the exit status is 0 all the same. An interpreter
that BACKPLANE_JAX_PYTHON names takes its place.
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys

REQUIREMENTS = pathlib.Path(__file__).resolve().parent / "python_requirements.txt"
NAMED = "BACKPLANE_JAX_PYTHON"
EXAMPLES = """examples:
  What tools/test calls:
    tools/testing/python_environment.py --build-dir build
"""


def interpreter(build: pathlib.Path) -> pathlib.Path:
    return build / "python/bin/python"


def is_complete(build: pathlib.Path) -> bool:
    """Returns whether the environment has been made from the requirements as they are now."""
    made_from = build / "python/requirements.txt"
    return made_from.exists() and made_from.read_text() == REQUIREMENTS.read_text()


def make(build: pathlib.Path) -> str:
    """Makes the environment. Returns why it could not, or nothing."""
    folder = build / "python"
    shutil.rmtree(folder, ignore_errors=True)
    folder.parent.mkdir(parents=True, exist_ok=True)
    install = [interpreter(build), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "1",
               "--timeout", "15", "-r", REQUIREMENTS]
    for command in ([sys.executable, "-m", "venv", folder], install):
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode != 0:
            shutil.rmtree(folder, ignore_errors=True)
            return done.stdout.strip().splitlines()[-1] if done.stdout.strip() else f"exit status {done.returncode}"
    shutil.copy(REQUIREMENTS, folder / "requirements.txt")
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, epilog=EXAMPLES,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build-dir", type=pathlib.Path, default=pathlib.Path("build"),
                        help="build folder (default: build)")
    build = parser.parse_args().build_dir.resolve()
    if os.environ.get(NAMED) or is_complete(build):
        return 0
    print(f"Installing JAX and libraries of it in {build / 'python'}, for tests", flush=True)
    problem = make(build)
    if problem:
        print(f"There is no JAX for tests, which are skipped: {problem}\n"
              f"To run them, install {REQUIREMENTS.name} and set {NAMED} to that Python.", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
