"""Tries Debian packages in a clean root: installs them, uses each of them as its readers would, and removes them."""

import os
import shutil
import subprocess
import sys
import time

from build import ROOT, Problem
from clean_root import CleanRoot, Failed

sys.path.insert(0, str(ROOT / "tools/testing"))
import documented_commands
from installation import APPLICATIONS

EXAMPLES = "/usr/share/doc/backplane/examples"
PROGRAMS = "/usr/share/backplane/conformance"
JAX_PYTHON = "jax/bin/python"  # in the home folder
CONFORM = {"cpu": [], "npu": [], "nvptx": ["--emulate"], "kernels": [], "null": []}
CASES = ["--case", "x_ray/*", "--case", "life_cycle/*", "--case", "ops/add/*", "--case", "ops/dot/f32/*"]
PYTHON = """import backplane, numpy
executable = backplane.load("cpu").compile("ENTRY main { x = f32[3] parameter(0)  ROOT y = f32[3] add(x, x) }")
print(backplane.__file__, executable(numpy.arange(3, dtype=numpy.float32)))
"""
DOUBLE = "ENTRY main { x = f32[2] parameter(0)  ROOT y = f32[2] add(x, x) }"
JAX = """import jax
print(jax.devices(), jax.jit(lambda x, y: x * y + y)(2.0, 3.0))
"""
# Completes "backplane pl" as the shell would.
COMPLETION = """source /usr/share/bash-completion/completions/backplane.bash
COMP_WORDS=(backplane pl) COMP_CWORD=1 COMP_LINE="backplane pl" COMP_POINT=12
$(complete -p backplane | sed "s/.*-F \\([^ ]*\\).*/\\1/") backplane pl backplane
echo "${COMPREPLY[@]}"
"""
PLUGIN = """cmake_minimum_required(VERSION 3.13)
project(plugin C)
find_package(Backplane REQUIRED COMPONENTS plugin_api)
backplane_add_plugin(acme acme.c)
"""


class Skipped(Exception):
    pass


def check(condition, message):
    if not condition:
        raise Failed(message)


def wants(printed, *expected):
    for text in expected:
        check(text in printed, f"expected '{text}', but it printed\n{printed}")


def names(packages):
    """Returns the names of packages, by those of their files."""
    return [package.name.partition("_")[0] for package in packages]


class Trial:
    """The steps of a trial, in order. `packages`: the files; `wheels`: a folder, seen in the root as /wheels."""

    def __init__(self, root, packages, wheels):
        self.root, self.packages, self.wheels = root, packages, wheels
        self.before = root.contents()

    def files(self, *wanted):
        return [f"/packages/{package.name}" for package in self.packages
                if not wanted or package.name.partition("_")[0] in wanted]

    def work(self, name, *copied):
        """Returns a new folder in the home of the user, as seen in the root, with copies of files of the root."""
        self.root.run(["mkdir", name], folder=self.home())
        if copied:
            self.root.run(["cp", "-r", *copied, f"{self.home()}/{name}"])
        return f"{self.home()}/{name}"

    def home(self):
        return "/home/tester"

    def command_alone(self):
        """`backplane` runs programs without any other package of these but those that it depends on."""
        self.root.apt("update")
        self.root.apt("install", *self.files("backplane", "backplane-worker"))
        folder = self.work("alone")
        (self.root.home / "alone/double.hlo").write_text(DOUBLE)
        self.root.run(["backplane", "run", "double.hlo", "--on", "interpreter"], folder)
        wants(self.root.run(["backplane", "run", "double.hlo", "--on", "cpu"], folder, code=3), 'answers to "cpu"')

    def all_packages(self):
        self.root.apt("install", *self.files())
        self.root.run(["apt-get", "check"], user="root")
        listed = self.root.run(["dpkg-query", "-W", "-f", "${Status} ${Package}\n", *names(self.packages)])
        check(all(line.startswith("install ok installed ") for line in listed.splitlines()), listed)

    def files_of_packages(self):
        """Every file that a package lists is there as it was packed."""
        printed = self.root.run(["dpkg", "--verify", *names(self.packages)], user="root")
        check(not printed.strip(), f"dpkg --verify prints\n{printed}")

    def manual_and_completion(self):
        self.root.run(["mandb", "-q"], user="root")
        wants(self.root.run(["man", "backplane-run"]), "backplane run")
        wants(self.root.run(["bash", "-c", COMPLETION]), "plugins")

    def demo(self):
        """The models of the demo agree with the interpreter."""
        for model in ("convolutional_classifier", "transformer_block", "digits"):
            for backend in (["cpu"], ["npu"], ["nvptx", "--emulate"]):
                printed = self.root.run(["backplane", "run", f"{EXAMPLES}/models/{model}.hlo", "--on", *backend,
                                         "--against", "interpreter"])
                wants(printed, "against interpreter: agrees")

    def installing(self):
        """The commands of installing.md that are for installed packages."""
        self.document("installing.md", ["sh installed"])

    def python(self):
        wants(self.root.run(["python3", "-c", PYTHON]), "/usr/lib/python3/dist-packages/backplane", "[0. 2. 4.]")

    def wheel(self):
        """The wheel `backplane`, on NumPy of the system."""
        self.root.run(["python3", "-m", "venv", "--system-site-packages", "wheel"], self.home())
        self.root.run(["wheel/bin/pip", "install", "-q", "--no-index", self.wheel_file("backplane-")], self.home())
        wants(self.root.run(["wheel/bin/python", "-c", PYTHON], self.home()), "/home/tester/wheel/", "[0. 2. 4.]")

    def jax(self):
        """The wheel `jax-backplane`, with JAX from PyPI."""
        self.root.run(["python3", "-m", "venv", "jax"], self.home())
        try:
            self.root.run(["jax/bin/pip", "download", "-q", "--no-deps", "-d", "/tmp", "jax"], self.home())
        except Failed as problem:
            shutil.rmtree(self.root.home / "jax")
            if "No matching distribution found" not in str(problem):
                raise
            raise Skipped("PyPI cannot be reached") from problem
        self.root.run(["jax/bin/pip", "install", "-q", self.wheel_file("jax_backplane-")], self.home())
        wants(self.root.run([JAX_PYTHON, "-c", JAX], self.home(), JAX_PLATFORMS="backplane"), "backend=cpu", "9.0")

    def tutorial(self):
        has_jax = (self.root.home / JAX_PYTHON).exists()
        self.document("tutorial.md", ["sh", "sh jax"] if has_jax else ["sh"])

    def document(self, name, kinds):
        blocks = documented_commands.blocks(ROOT / "docs" / name)
        check(any(kind in kinds for kind, _ in blocks), f"docs/{name} has no commands")
        folder = self.work(name)
        path = f"{self.home()}/jax/bin:/usr/bin:/bin"
        script = documented_commands.script(blocks, kinds, folder)
        try:
            self.root.run(["bash", "-c", script], folder, PATH=path)
        except Failed as problem:
            printed = max((self.root.home / name).glob("*.printed"), key=lambda file: int(file.stem))
            raise Failed(f"{problem}\nblock {printed.stem} printed\n{printed.read_text()}") from problem
        problems = documented_commands.problems(blocks, kinds, self.root.home / name)
        check(not problems, "\n".join(problems))

    def application(self, build_system, *commands):
        """The samples of applications, built by `commands`, print what they should."""
        for name, expected in APPLICATIONS.items():
            folder = self.work(f"{name}_{build_system}", f"{EXAMPLES}/{name}/.")
            for command in commands:
                self.root.run(command, folder)
            program = f"{EXAMPLES}/04_application_in_cpp/program.hlo"
            printed = self.root.run(["./application", "kernels", program], folder)
            check([line.strip() for line in printed.splitlines()] == expected, f"{name} printed\n{printed}")

    def application_by_cmake(self):
        self.application("cmake", ["cmake", "."], ["cmake", "--build", "."])

    def application_by_pkg_config(self):
        self.application("pkg_config", ["make"])

    def plugin_by_cmake(self):
        folder = self.work("plugin")
        self.root.run(["backplane", "new", "acme"], folder)
        (self.root.home / "plugin/acme/CMakeLists.txt").write_text(PLUGIN)
        self.root.run(["cmake", "-B", "build"], f"{folder}/acme")
        self.root.run(["cmake", "--build", "build"], f"{folder}/acme")
        wants(self.root.run(["backplane", "inspect", "build/libbackplane_acme.so"], f"{folder}/acme"), "can be loaded")

    def ahead_of_time(self):
        folder = self.work("aot", f"{EXAMPLES}/06_program_without_backplane/.", f"{EXAMPLES}/models/digits.hlo")
        self.root.run(["make", "MODEL=digits.hlo"], folder)
        for program in ("in_c", "in_cpp"):
            wants(self.root.run([f"./{program}"], folder), "the picture shows a 0")
        self.root.run(["./bare"], folder, code=10)

    def emitters(self):
        folder = self.work("emitters", f"{EXAMPLES}/07_backend_for_an_llvm_target/.")
        self.root.run(["make"], folder)
        wants(self.root.run(["backplane", "inspect", "./libbackplane_riscv64.so"], folder), "can be loaded")

    def isolation(self):
        wants(self.root.run(["backplane", "run", f"{EXAMPLES}/models/digits.hlo", "--on", "npu", "--isolate",
                             "--against", "interpreter"]), "agrees")

    def programs(self):
        printed = self.root.run(["backplane", "check", f"{PROGRAMS}/programs", "--on", "cpu"])
        wants(printed, " 0 failed")

    def conform(self, name, arguments):
        wants(self.root.run(["backplane", "conform", name, *arguments, *CASES]), " 0 unexpected")

    def purge(self):
        """After the packages are removed, the root holds what it held before."""
        self.root.apt("purge", *names(self.packages))
        self.root.apt("autoremove", "--purge")
        listed = self.root.run(["dpkg-query", "-W", "-f", "${Package} ${Status}\n"])
        kept = [line for line in listed.splitlines() if "backplane" in line and not line.endswith(" not-installed")]
        check(not kept, f"dpkg still knows {kept}")
        after = self.root.contents()
        left, gone = sorted(after - self.before), sorted(self.before - after)
        check(not left and not gone, f"left: {left[:20]}; gone: {gone[:20]}")

    def wheel_file(self, prefix):
        return f"/wheels/{next(self.wheels.glob(prefix + '*.whl')).name}"

    def steps(self):
        """Yields a name and a function. The first three must pass for the others to be tried."""
        yield "the command alone", self.command_alone
        yield "all packages", self.all_packages
        yield "files of packages", self.files_of_packages
        yield "manual and completion", self.manual_and_completion
        yield "demo", self.demo
        yield "commands of installing.md", self.installing
        yield "application by CMake", self.application_by_cmake
        yield "application by pkg-config", self.application_by_pkg_config
        yield "plugin by CMake", self.plugin_by_cmake
        yield "program ahead of time", self.ahead_of_time
        yield "backend on the emitters", self.emitters
        yield "isolated backend", self.isolation
        yield "python3-backplane", self.python
        yield "wheel of backplane", self.wheel
        yield "wheel of jax-backplane", self.jax
        yield "tutorial", self.tutorial
        yield "self-checking programs", self.programs
        for name, arguments in CONFORM.items():
            yield f"conform {name}", lambda name=name, arguments=arguments: self.conform(name, arguments)
        yield "purge", self.purge


def make_wheels(build_folder, folder):
    """Writes the wheels of a build into an empty folder."""
    shutil.rmtree(folder, ignore_errors=True)
    for package in ("backplane", "jax-backplane"):
        done = subprocess.run([ROOT / "core/python/make_wheel.py", "--package", package, "--build-dir", build_folder,
                               "-o", folder], capture_output=True, text=True)
        if done.returncode != 0:
            raise Problem(f"make_wheel.py: {done.stdout}{done.stderr}")


def try_packages(folder, work):
    """Tries the packages in a folder; `work` is the folder of their build. Returns 1 if a step failed."""
    if os.getuid() != 0:
        raise Problem("a clean root needs root rights: sudo tools/package --try --no-build")
    packages = sorted(package for package in folder.glob("*.deb") if "-dbgsym_" not in package.name)
    if not packages:
        raise Problem(f"there are no packages in {folder}")
    builds = list((work / "tree").glob("obj-*"))
    if not builds:
        raise Problem(f"there is no build in {work}, of which the wheels are made: tools/package builds it")
    make_wheels(builds[0], work / "wheels")
    start = time.monotonic()
    root = CleanRoot(work, {folder: "/packages", work / "wheels": "/wheels"})
    print(f"a clean root in {root.folder} ({time.monotonic() - start:.0f} s)", flush=True)
    trial = Trial(root, packages, work / "wheels")
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for number, (name, step) in enumerate(trial.steps()):
        start, detail = time.monotonic(), ""
        try:
            step()
            result = "passed"
        except Skipped as reason:
            result, detail = "skipped", f": {reason}"
        except Failed as problem:
            result, detail = "failed", f"\n{problem}"
        counts[result] += 1
        print(f"{result:8}{name} ({time.monotonic() - start:.0f} s){detail}", flush=True)
        if result == "failed" and number < 3:
            break
    print(", ".join(f"{count} {result}" for result, count in counts.items()))
    return 1 if counts["failed"] else 0
