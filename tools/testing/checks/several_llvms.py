#!/usr/bin/env python3
"""Plugins with LLVM versions other than cpu's, one linked dynamically and one statically, are loaded and run in one
process with it (plugins/llvm/tests/other_llvm). Uses any llvm-config of another major version; skipped without one. If
one of the two kinds of libraries is missing, the other is tested, and the check reports what it left out."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from installation import has_sanitizer

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
BUILD = pathlib.Path(os.environ.get("BACKPLANE_TEST_BUILD", ROOT / "build"))
BACKPLANE = BUILD / "tools/backplane"
CPU = BUILD / "plugins/cpu/libbackplane_cpu.so"
PROGRAM = """HloModule several
ENTRY main { x = f32[1000] parameter(0)  y = f32[1000] parameter(1)
  a = f32[1000] add(x, y)  m = f32[1000] multiply(a, y)  s = f32[1000] subtract(m, x)  ROOT r = f32[1000] add(s, s) }
"""


def told(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


def other_llvm(own):
    """Returns an llvm-config of another major version than cpu's, or None."""
    for version in range(22, 12, -1):
        tool = shutil.which(f"llvm-config-{version}")
        if version != own and tool and pathlib.Path(told(tool, "--includedir")[0], "llvm-c/Core.h").exists():
            return tool
    return None


def link_flags(tool, static):
    """Returns the linker flags, and the reason if a library is missing: llvm-config knows which libraries are
    installed."""
    done = subprocess.run([tool, "--link-static" if static else "--link-shared", "--ldflags", "--libs", "core",
                           "executionengine", "mcjit", "native", "--system-libs"], capture_output=True, text=True)
    return (done.stdout.split(), None) if done.returncode == 0 else (None, done.stderr.strip() or f"{tool} says nothing")


def build(folder, name, adds, tool, flags):
    library = folder / f"libbackplane_{name}.so"
    source = ROOT / "plugins/llvm/tests/other_llvm/plugin.c"
    compiled = folder / f"{name}.o"
    compilation = ["cc", "-c", "-O1", "-fPIC", "-fvisibility=hidden", f'-DPLUGIN="{name}"', f"-DADDS={adds}", f"-I{ROOT}",
                   f"-I{ROOT}/plugin_api/include", f"-I{told(tool, '--includedir')[0]}", source, "-o", compiled]
    subprocess.run(compilation, check=True)
    link = ["c++", "-shared", "-o", library, compiled, *flags, f"-Wl,--version-script={ROOT}/plugin_api/link/plugin.map",
            "-Wl,-z,now,-z,noexecstack,-z,text", "-Wl,--gc-sections", "-lpthread"]
    linked = subprocess.run(link, capture_output=True, text=True)
    if linked.returncode != 0:
        sys.exit(f"{tool} has the libraries of {name}, but it does not link:\n{linked.stderr}")
    return library


def main():
    if has_sanitizer():
        print("a sanitizer wants the whole process built with it")
        return 77
    if not CPU.exists():
        print("this build has no cpu backend")
        return 77
    needed = subprocess.run(["ldd", CPU], capture_output=True, text=True).stdout
    own = re.search(r"libLLVM(?:-|\.so\.)(\d+)", needed)
    tool = other_llvm(int(own.group(1)) if own else 0)
    if tool is None:
        print("there is no development package of a second LLVM, such as llvm-14-dev")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        plugins, left_out = [], []
        for name, adds, static in (("dynamic-llvm", 1, False), ("static-llvm", 0, True)):
            flags, reason = link_flags(tool, static)
            if reason:
                left_out.append(f"{name}: {reason}")
            else:
                plugins.append(build(folder, name, adds, tool, flags))
        if not plugins:
            print(f"{tool} has no libraries: {'; '.join(left_out)}")
            return 77
        (folder / "program.hlo").write_text(PROGRAM)
        # Loads them in different orders.
        for order in ([*plugins, CPU], [CPU, *plugins], [*reversed(plugins), CPU]):
            names = ",".join(map(str, order))
            done = subprocess.run([BACKPLANE, "run", folder / "program.hlo", "--on", names, "--against", "interpreter"],
                                  capture_output=True, text=True, timeout=120)
            shown = done.stdout + done.stderr
            if done.returncode != 0:
                print(f"run --on {names} ended with {done.returncode}:\n{shown}")
                return 1
            if order[0] != CPU and not all(f"org.example.{plugin.stem.removeprefix('libbackplane_')}" in shown
                                           for plugin in plugins):
                print(f"run --on {names} does not use all of them:\n{shown}")
                return 1
        for plugin in plugins:
            done = subprocess.run([BACKPLANE, "conform", plugin, "--stage", "x_ray,contract"],
                                  capture_output=True, text=True, timeout=300)
            if done.returncode != 0:
                print(f"conform {plugin.name} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
                return 1
    if left_out:
        print(f"passed, but was left out: {'; '.join(left_out)}")
        return 77
    return 0


if __name__ == "__main__":
    sys.exit(main())
