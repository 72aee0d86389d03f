#!/usr/bin/env python3
"""What is installed is enough: an installation in a temporary folder, and nothing of the source tree, builds and runs
applications in C and C++. What compilers read is written down by them, and must lie in the installation."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
BUILD = pathlib.Path(os.environ.get("BACKPLANE_TEST_BUILD", ROOT / "build"))
TIME_LIMIT_SECONDS = 300
APPLICATIONS = {
    "03_application_in_c": ["input x: type 11, sizes 4", "output y: type 11, sizes 4", "0 1.41421 2 2.44949"],
    "04_application_in_cpp": ["step 1: 1.4142135", "step 2: 1.6817929", "step 3: 1.8340081", "step 4: 1.9152066",
                              "step 5: 1.9571441"],
}

problems = []


def check(condition, problem):
    if not condition:
        problems.append(problem)


class Installation:
    """The build, installed below a folder."""

    def __init__(self, folder):
        self.folder = folder
        done = subprocess.run(["meson", "install", "-C", BUILD, "--no-rebuild", "--destdir", folder],
                              capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"meson install: {done.stdout}{done.stderr}")
        self.prefix = next(folder.rglob("bin/backplane")).parent.parent
        self.plugins = next(folder.rglob("libbackplane_kernels.so")).parent
        self.read = folder / "read.d"  # what compilers read
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("BACKPLANE")}
        self.environment |= {"PATH": f"{self.prefix}/bin:{os.environ['PATH']}", "DEPENDENCIES_OUTPUT": str(self.read),
                             "PKG_CONFIG_PATH": str(next(folder.rglob("pkgconfig")))}
        # Also of an installation that was configured for one place.
        for file in folder.rglob("*.pc"):
            lines = file.read_text().splitlines()
            file.write_text("\n".join([f"prefix={self.prefix}", *(l for l in lines if not l.startswith("prefix="))]) + "\n")

    def run(self, command, folder, code=0, **variables):
        """Returns what it printed; a command that ends otherwise is a problem."""
        shown = " ".join(map(str, command))
        try:
            done = subprocess.run(command, cwd=folder, env=self.environment | variables, capture_output=True, text=True,
                                  timeout=TIME_LIMIT_SECONDS)
        except FileNotFoundError as error:
            problems.append(f"{folder.name}: {shown}: {error}")
            return ""
        check(done.returncode == code, f"{folder.name}: {shown} ended with {done.returncode}\n{done.stdout}{done.stderr}")
        check(str(ROOT) not in done.stdout + done.stderr, f"{folder.name}: {shown} speaks of {ROOT}")
        return done.stdout


def applications(installation):
    for name, expected in APPLICATIONS.items():
        folder = shutil.copytree(ROOT / "samples" / name, installation.folder / name)
        program = folder / "program.hlo"
        shutil.copy(ROOT / "samples/04_application_in_cpp/program.hlo", program)
        installation.run(["make"], folder)
        # What links the core statically lies elsewhere, and this installation is not where it was built for.
        static = {"BACKPLANE_PATH": str(installation.plugins)} if name.endswith("cpp") else {}
        printed = installation.run(["./application", "kernels", program], folder, **static)
        check([line.strip() for line in printed.splitlines()] == expected, f"{name} printed\n{printed}")


def main():
    if " -fsanitize=" in (BUILD / "build.ninja").read_text():
        print("applications would have to be built with the sanitizer of this build")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        installation = Installation(pathlib.Path(folder))
        applications(installation)
        read = installation.read.read_text()
        check("include/backplane-cpp/core/backplane.h" in read, "compilers did not say what they read")
        check(str(ROOT) not in read, f"a compiler read something of {ROOT}:\n{read}")
    print("\n\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
