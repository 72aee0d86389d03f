"""Builds Debian packages: copies the tree, adds tools/packaging/debian to it as debian, and runs dpkg-buildpackage."""

import email.utils
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "core/python"))
import make_wheel

TEMPLATES = ROOT / "tools/packaging/debian"
MAINTAINER = ("The maintainers of Backplane", "maintainers@backplane.invalid")
TOOLS = {"dpkg-buildpackage": "dpkg-dev", "dh": "debhelper", "lintian": "lintian"}
IMPLIED = ("g++", "binutils")  # by every build of a Debian package


class Problem(Exception):
    """A message for the user."""


def run(command, **options):
    """Runs a command, whose output is shown. Raises a Problem if it fails."""
    done = subprocess.run(list(map(str, command)), **options)
    if done.returncode != 0:
        raise Problem(f"{' '.join(map(str, command))} ended with {done.returncode}")


def build_dependencies():
    """Returns the lines of Build-Depends that tools/packages.txt states."""
    lines, profile = [], ""
    for line in (ROOT / "tools/packages.txt").read_text().splitlines():
        if line.startswith("# For tests alone"):
            profile = " <!nocheck>"
        elif line and not line.startswith("#") and line not in IMPLIED:
            lines.append(f" {line}{profile},")
    return "\n".join(lines)


def date():
    """Returns the date of the last commit, or without Git that of meson.build, so that packages can be reproduced."""
    done = subprocess.run(["git", "log", "-1", "--format=%cd", "--date=rfc"], cwd=ROOT, capture_output=True, text=True)
    return done.stdout.strip() or email.utils.formatdate((ROOT / "meson.build").stat().st_mtime)


def files():
    """Returns the paths of the tree's files, without those that Git ignores."""
    done = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                          capture_output=True, text=True)
    if done.returncode == 0:
        return {name for name in done.stdout.split("\0") if (ROOT / name).is_file()}
    return {str(path.relative_to(ROOT)) for path in ROOT.rglob("*")
            if path.is_file() and not path.relative_to(ROOT).parts[0].startswith(("build", ".git", ".cache"))}


def lay_out(tree):
    """Makes a folder a copy of the tree; files that have not changed keep their times, and the build stays."""
    wanted = files()
    for path in list(tree.rglob("*")):
        name = path.relative_to(tree)
        if not name.parts[0].startswith("obj-") and path.is_file() and str(name) not in wanted:
            path.unlink()
    for name in wanted:
        source, target = ROOT / name, tree / name
        if not target.exists() or source.read_bytes() != target.read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)


def add_debian(tree):
    """Writes the folder debian, whose templates have @NAME@ for what is stated elsewhere in the tree."""
    name, address = os.environ.get("DEBFULLNAME", MAINTAINER[0]), os.environ.get("DEBEMAIL", MAINTAINER[1])
    values = {"version": make_wheel.version(), "date": date(), "year": date().split()[3],
              "maintainer": f"{name} <{address}>", "build_depends": build_dependencies()}
    shutil.rmtree(tree / "debian", ignore_errors=True)
    shutil.copytree(TEMPLATES, tree / "debian")
    for file in ("control", "changelog", "copyright"):
        text = (tree / "debian" / file).read_text()
        for key, value in values.items():
            text = text.replace(f"@{key}@", value)
        (tree / "debian" / file).write_text(text)


def install_needed(tree):
    """Installs what the build needs, or says what is missing if that needs more rights."""
    missing = [package for tool, package in TOOLS.items() if shutil.which(tool) is None]
    lacks = subprocess.run(["dpkg-checkbuilddeps"], cwd=tree, capture_output=True, text=True) if not missing else None
    if lacks is not None and lacks.returncode == 0:
        return
    if os.getuid() != 0:
        says = f"apt-get install {' '.join(missing)}" if missing else f"apt-get build-dep {tree}"
        raise Problem(f"packages are missing. Install them, then run this again: sudo {says}")
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    run(["apt-get", "update", "-qq"], env=environment)
    if missing:
        run(["apt-get", "install", "-y", "-qq", "--no-install-recommends", *missing], env=environment)
    run(["apt-get", "build-dep", "-y", "-qq", "--no-install-recommends", tree], env=environment)


def build_environment(build_options):
    """Returns an environment in which nothing of the user's changes what is built."""
    environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8",
                   "DEB_BUILD_OPTIONS": build_options}
    environment |= {name: os.environ[name] for name in ("HOME", "USER", "TERM") if name in os.environ}
    if shutil.which("ccache"):  # debhelper gives the build another HOME
        done = subprocess.run(["ccache", "--get-config", "cache_dir"], capture_output=True, text=True)
        environment["CCACHE_DIR"] = done.stdout.strip()
    return environment


def build(options):
    """Builds the packages into options.output. `options`: those of tools/package."""
    tree = options.work / "tree"
    kinds = [*([] if options.tests else ["nocheck"]), "debug-symbols" if options.debug_symbols else "noautodbgsym"]
    # Meson does not configure a build again, so one with other options is of no use.
    configured, configuration = options.work / "configuration", " ".join(kinds)
    if options.clean or (configured.exists() and configured.read_text() != configuration):
        shutil.rmtree(tree, ignore_errors=True)
    tree.mkdir(parents=True, exist_ok=True)
    configured.write_text(configuration)
    lay_out(tree)
    add_debian(tree)
    install_needed(tree)
    for old in options.work.glob("*.*deb"):
        old.unlink()
    profiles = [] if options.tests else ["--build-profiles=nocheck"]
    run(["dpkg-buildpackage", "--build=binary", "--no-sign", "--no-pre-clean", f"--jobs={options.jobs}", *profiles],
        cwd=tree, env=build_environment(" ".join([*kinds, f"parallel={options.jobs}"])))
    run(["lintian", "--fail-on=error", *options.work.glob("*.changes")])
    options.output.mkdir(parents=True, exist_ok=True)
    for old in options.output.glob("*backplane*.*deb"):
        old.unlink()
    packages = sorted(options.work.glob("*.*deb"))
    for package in packages:
        shutil.copy(package, options.output)
    print(f"{len(packages)} packages in {options.output}")
