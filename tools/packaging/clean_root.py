"""A clean root folder with the system that this machine runs, and commands in it. Needs root rights. Folders are
mounted in a name space of their own, which ends with each command, so that nothing stays mounted."""

import os
import pathlib
import re
import shutil
import subprocess

import build

# The tools of those who use the packages; not what the packages depend on.
TOOLS = ("ca-certificates", "cmake", "g++", "make", "man-db", "pkg-config", "python3-venv")
USER = "tester"
TIME_LIMIT_SECONDS = 1800
# Mounts folders of this machine, then runs a command: $0 is the root; pairs of folders end with an empty argument.
ENTER = r"""set -e
mount --rbind /dev "$0/dev"
mount -t proc proc "$0/proc"
while [ -n "$1" ]; do mkdir -p "$0$2"; mount --bind "$1" "$0$2"; shift 2; done
shift
exec chroot "$@"
"""
# Paths that change whenever a package is installed or removed.
CHANGING = re.compile(r"/(?:dev|proc|sys|tmp|run|home|root|packages|wheels)(?:/|$)|"
                      r"/var/(?:lib/(?:apt|dpkg|systemd)|cache|log|backups)(?:/|$)|/etc/ld\.so\.cache$")


class Failed(Exception):
    pass


def sources():
    """Returns the lines of this machine's apt sources that are Debian's, and the name of its release."""
    release = dict(re.findall(r'^(\w+)="?([^"\n]*)"?$', pathlib.Path("/etc/os-release").read_text(), re.M))
    done = subprocess.run(["apt-get", "indextargets", "--format", "$(ORIGIN)|deb $(REPO_URI) $(RELEASE) $(COMPONENT)",
                           "Created-By: Packages"], capture_output=True, text=True)
    lines = {line.partition("|")[2] for line in done.stdout.splitlines() if line.startswith("Debian|")}
    if not lines or "VERSION_CODENAME" not in release:
        raise build.Problem("apt has no sources of Debian: apt-get update may help")
    return sorted(lines), release["VERSION_CODENAME"]


class CleanRoot:
    """A root folder. `work`: where it is made, and kept as an archive for the next time. `mounts`: folders of this
    machine and where they are seen."""

    def __init__(self, work, mounts):
        self.folder = work / "root"
        self.home = self.folder / "home" / USER
        self.mounts = [part for pair in mounts.items() for part in map(str, pair)]
        archive = work / "root.tar"
        if not archive.exists():
            if shutil.which("mmdebstrap") is None:
                build.run(["apt-get", "install", "-y", "-qq", "--no-install-recommends", "mmdebstrap"])
            lines, release = sources()
            unfinished = archive.with_suffix(".part.tar")
            build.run(["mmdebstrap", "--quiet", "--variant=minbase", f"--include={','.join(TOOLS)}", release,
                       unfinished, *lines])
            unfinished.rename(archive)
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        build.run(["tar", "-xf", archive, "-C", self.folder, "--exclude=./dev/*"])
        for file in ("/etc/resolv.conf", "/etc/hosts", "/etc/ssl/certs/ca-certificates.crt"):
            if os.path.exists(file):
                shutil.copy(file, self.folder / file[1:])
        self.run(["useradd", "--create-home", "--shell", "/bin/bash", USER], user="root")

    def run(self, command, folder="/", user=USER, code=0, **variables):
        """Returns the output of a command. Raises Failed if it ends with another code."""
        home = "/root" if user == "root" else f"/home/{user}"
        environment = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": home,
                       "USER": user, "LC_ALL": "C.UTF-8", "NO_COLOR": "1", "DEBIAN_FRONTEND": "noninteractive"}
        environment |= {name: value for name, value in os.environ.items()
                        if name.lower().endswith("_proxy") or name in ("PIP_INDEX_URL", "PIP_CERT")}
        environment |= variables
        inside = ["env", "-i", *(f"{name}={value}" for name, value in environment.items()),
                  "sh", "-c", 'cd "$0" && exec "$@"', folder, *map(str, command)]
        shown = " ".join(map(str, command)).split("\n")[0]
        try:
            done = subprocess.run(["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", ENTER,
                                   str(self.folder), *self.mounts, "", f"--userspec={user}", str(self.folder), *inside],
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True, errors="replace", timeout=TIME_LIMIT_SECONDS)
        except subprocess.TimeoutExpired as expired:
            raise Failed(f"{shown} took more than {TIME_LIMIT_SECONDS} s") from expired
        if done.returncode != code:
            raise Failed(f"{shown} ended with {done.returncode}, expected {code}\n{done.stdout}")
        return done.stdout

    def apt(self, *arguments):
        return self.run(["apt-get", "-y", "-qq", "--no-install-recommends", *arguments], user="root")

    def contents(self):
        """Returns the paths of all files and folders but those that every installation changes."""
        paths = set()
        for folder, names, files in os.walk(self.folder):
            inside = folder.removeprefix(str(self.folder))
            names[:] = [name for name in names if not CHANGING.match(f"{inside}/{name}")]
            paths.update(f"{inside}/{name}" for name in [*names, *files] if not CHANGING.match(f"{inside}/{name}"))
        return paths
