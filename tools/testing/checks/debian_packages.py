#!/usr/bin/env python3
"""tools/packaging/debian is current, as far as a build can tell without making packages: each file that is installed is
in exactly one package, each line that names files names some, the symbols are those that the library exports, and
libraries that packages need are those that Backplane is built with."""

import fnmatch
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
BUILD = pathlib.Path(os.environ.get("BACKPLANE_TEST_BUILD", ROOT / "build"))
DEBIAN = ROOT / "tools/packaging/debian"
NEED_LLVM = ("libbackplane-emit-dev", "backplane-plugin-cpu", "backplane-plugin-nvptx")


def lines(file):
    return [line for line in file.read_text().splitlines() if line and not line.startswith("#")]


def installed_files():
    """Returns the paths of installed files as Debian has them: usr/lib/*/ stands for the folder of libraries."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(["meson", "install", "-C", BUILD, "--no-rebuild", "--destdir", folder],
                              capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"meson install: {done.stdout}{done.stderr}")
        prefix = next(pathlib.Path(folder).rglob("bin/backplane")).parent.parent
        libraries = next(prefix.rglob("libbackplane_core.a")).parent
        return [f"usr/lib/ANY/{path.relative_to(libraries)}" if path.is_relative_to(libraries) else
                f"usr/{path.relative_to(prefix)}" for path in prefix.rglob("*") if not path.is_dir()]


def owners(files):
    """Returns the packages of each installed file, and lines that name nothing."""
    found, idle = {file: [] for file in files}, []
    has_llvm = any(file.endswith("/libbackplane_cpu.so") for file in files)
    for listing in [*sorted(DEBIAN.glob("*.install")), DEBIAN / "not-installed"]:
        for line in lines(listing):
            pattern = line.split()[0]
            if not pattern.startswith("usr/"):
                if not list(ROOT.glob(pattern)):
                    idle.append(f"{listing.name}: {line}")
                continue
            pattern = pattern.replace("usr/lib/*/", "usr/lib/ANY/")
            matching = [file for file in files if fnmatch.fnmatchcase(file, pattern) or
                        fnmatch.fnmatchcase(file, pattern + "/*")]
            for file in matching:
                found[file].append(listing.name.removesuffix(".install"))
            if not matching and listing.suffix and (has_llvm or listing.stem not in NEED_LLVM):
                idle.append(f"{listing.name}: {line}")
    return found, idle


def files_of_packages():
    found, idle = owners(installed_files())
    problems = [f"{line} names no file" for line in idle]
    for file, packages in sorted(found.items()):
        if len(packages) != 1:
            problems.append(f"{file} is in {' and '.join(packages) or 'no package'}, expected one line of one .install "
                            f"in {DEBIAN.relative_to(ROOT)}")
    return problems


def symbols():
    library = BUILD / "core/c/libbackplane.so"
    printed = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    exported = {line.split()[2] for line in printed.splitlines() if line.split()[1] == "T"}
    version = re.search(r"^runtime_soversion = '(\d+)'", (ROOT / "core/c/meson.build").read_text(), re.M)[1]
    file = DEBIAN / f"libbackplane{version}.symbols"
    if not file.exists():
        return [f"there is no {file}: the package has the number of libbackplane.so.{version}"]
    first, *stated = lines(file)
    expected = f"libbackplane.so.{version} libbackplane{version} #MINVER#"
    problems = [] if first == expected else [f"{file.name} begins with '{first}', expected '{expected}'"]
    stated = {line.split("@")[0].strip() for line in stated if line.startswith(" ")}
    problems += [f"{file.name} has {name}, which {library.name} does not export" for name in sorted(stated - exported)]
    problems += [f"{file.name} lacks {name}, which {library.name} exports" for name in sorted(exported - stated)]
    return problems


def libraries():
    """The libraries that dependent packages name are those of packages.txt."""
    built_with = set(lines(ROOT / "tools/packages.txt"))
    control = (DEBIAN / "control").read_text()
    own = re.findall(r"^Package: (\S+)", control, re.M)
    needed = set(re.findall(r"\b(?:lib|llvm)[\w.+-]+-dev\b", control)) - built_with.union(own)
    return [f"control names {name}, which is not in tools/packages.txt" for name in sorted(needed)]


def main():
    problems = [*files_of_packages(), *symbols(), *libraries()]
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
