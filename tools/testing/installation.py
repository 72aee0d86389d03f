"""An installation of a build in a temporary folder, and commands that are run in it without access to the source tree:
while they run, an empty file system is mounted over the source tree, including the build."""

import os
import pathlib
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(os.environ.get("BACKPLANE_TEST_BUILD", ROOT / "build"))
PYTHON = BUILD / "python"
TIME_LIMIT_SECONDS = 300
# The applications among the samples, and what they print.
APPLICATIONS = {
    "03_application_in_c": ["input x: type 11, sizes 4", "output y: type 11, sizes 4", "0 1.41421 2 2.44949"],
    "04_application_in_cpp": ["step 1: 1.4142135", "step 2: 1.6817929", "step 3: 1.8340081", "step 4: 1.9152066",
                              "step 5: 1.9571441"],
}


def has_sanitizer():
    """Whether the build has a sanitizer: programs that link the installation would have to be built with it too."""
    return " -fsanitize=" in (BUILD / "build.ninja").read_text()


def hidden_tree(python):
    """Returns a command prefix that runs a command with an empty source tree, and ""; or None and the reason if the
    system does not allow that. `python`: a folder that shows the virtual environment of the build, if that exists."""
    show = f"mount --bind {shlex.quote(str(PYTHON))} {shlex.quote(str(python))} && " if PYTHON.exists() else ""
    reasons = []
    for unshare in (["unshare", "--mount"], ["unshare", "--map-root-user", "--mount"]):
        prefix = [*unshare, "sh", "-c", show + 'mount -t tmpfs none "$0" && exec "$@"', str(ROOT)]
        try:
            done = subprocess.run([*prefix, "ls", "-A", str(ROOT)], cwd="/", capture_output=True, text=True)
        except FileNotFoundError:
            return None, "there is no unshare"
        if done.returncode == 0 and not done.stdout:
            return prefix, ""
        reasons.append(f"{' '.join(unshare)}: {(done.stderr + done.stdout).strip()}")
    return None, "; ".join(reasons)


class Installation:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.problems = []
        self.python = self.folder / "python_environment"
        self.python.mkdir()
        self.hidden, self.why_not_hidden = hidden_tree(self.python)
        done = subprocess.run(["meson", "install", "-C", BUILD, "--no-rebuild", "--destdir", folder],
                              capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"meson install: {done.stdout}{done.stderr}")
        self.prefix = next(self.folder.rglob("bin/backplane")).parent.parent
        self.plugins = next(self.folder.rglob("libbackplane_kernels.so")).parent
        # Compilers write the files they read here, except those of the system.
        self.read = self.folder / "read.d"
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("BACKPLANE")}
        self.environment |= {"PATH": f"{self.prefix}/bin:{os.environ['PATH']}", "DEPENDENCIES_OUTPUT": str(self.read),
                             "PKG_CONFIG_PATH": str(next(self.folder.rglob("pkgconfig"))), "NO_COLOR": "1",
                             "LC_ALL": "C"}
        # A build may have been configured for a single installation prefix.
        for file in self.folder.rglob("*.pc"):
            lines = [line for line in file.read_text().splitlines() if not line.startswith("prefix=")]
            file.write_text("\n".join([f"prefix={self.prefix}", *lines]) + "\n")

    def check(self, condition, problem):
        if not condition:
            self.problems.append(problem)

    def run(self, command, folder, code=0, **variables):
        """Returns the output of a command; an unexpected exit code is reported as a problem."""
        shown = f"{folder.name}: " + " ".join(map(str, command))
        try:
            done = subprocess.run([*(self.hidden or []), *command], cwd=folder, env=self.environment | variables,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  timeout=TIME_LIMIT_SECONDS)
        except (FileNotFoundError, subprocess.TimeoutExpired) as error:
            self.problems.append(f"{shown}: {error}")
            return ""
        self.check(done.returncode == code, f"{shown} ended with {done.returncode}, expected {code}\n{done.stdout}")
        self.check(str(ROOT) not in done.stdout, f"{shown} speaks of {ROOT}\n{done.stdout}")
        return done.stdout

    def finish(self):
        """Prints the problems and returns the exit code of the check. It is a skip if the source tree could not be
        hidden."""
        read = self.read.read_text() if self.read.exists() else ""
        self.check(str(self.prefix / "include") in read, "compilers did not say what they read")
        self.check(str(ROOT) not in read, f"a compiler read something of {ROOT}:\n{read}")
        print("\n\n".join(self.problems))
        if not self.problems and self.hidden is None:
            print(f"passed, but {ROOT} could not be hidden from it: {self.why_not_hidden}")
            return 77
        return 1 if self.problems else 0
