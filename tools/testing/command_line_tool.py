"""What the checks of the command line share: commands are run, and what they print is compared."""

import os
import pathlib
import re
import signal
import subprocess
import tempfile

from command_line_cases import BUILD, FILES, FILES_MADE_OF_PLUGINS, NEGATIVE, PLUGINS, ROOT, SUCCESS, TIME_LIMIT_SECONDS

problems = []


def check(condition, message):
    if not condition:
        problems.append(message)


class Outcome:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err


def backplane(*arguments, path="", stdout=subprocess.PIPE, tool="backplane"):
    environment = dict(os.environ, NO_COLOR="1", BACKPLANE_PATH=path)
    if not path:
        del environment["BACKPLANE_PATH"]
    try:
        done = subprocess.run([BUILD / "tools" / tool, *arguments], env=environment, stdout=stdout,
                              stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, timeout=TIME_LIMIT_SECONDS)
    except subprocess.TimeoutExpired:
        return Outcome(124, "", "timed out")
    # Sanitizers print these warnings because of their options.
    said = re.sub(rb"(?m)^==\d+==WARNING: \w+Sanitizer failed to allocate .*\n", b"", done.stderr)
    # Progress is printed on slow machines.
    said = re.sub(rb"(?m)^[a-z ]+: \d+ of \d+ \(\d+ s\).*\n", b"", said)
    return Outcome(done.returncode, (done.stdout or b"").decode(errors="replace"), said.decode(errors="replace"))


def fits(found, expected):
    """Whether the text matches; the wildcard ... stands for any text within a line."""
    pattern = "[^\n]*".join(re.escape(part) for part in expected.replace("{plugins}", str(PLUGINS)).split("..."))
    return re.fullmatch(pattern, found.rstrip("\n")) is not None


def expect(arguments, code, err, tool="backplane"):
    arguments = [argument.replace("{plugins}", str(PLUGINS)) for argument in arguments]
    found = backplane(*arguments, tool=tool)
    command = f"{tool} " + " ".join(arguments)
    check(found.code == code, f"{command}\n  ended with {found.code}, expected {code}; it printed\n{found.out}{found.err}")
    check(fits(found.err, err), f"{command}\n  standard error is\n{found.err}  expected\n{err}")
    check(code in (SUCCESS, NEGATIVE) or not found.out or not arguments, f"{command}\n  printed {found.out!r} before it failed")
    return found


def written(name):
    """Returns the text of a file that a command should have written. A missing file is reported as a problem."""
    path = pathlib.Path(name)
    check(path.exists(), f"{name} was not written")
    return path.read_text() if path.exists() else ""


def run_parts(*parts):
    """Calls the functions in a folder that has the files of command_line_cases.py. Returns the exit code of the check."""
    # Background processes of a shell ignore SIGINT, and the commands would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    good = (PLUGINS / "libbackplane_good.so").read_bytes()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.environ["XDG_CACHE_HOME"] = folder  # for the stamps of conform verify
        for name, content in FILES.items():
            pathlib.Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
        pathlib.Path("headers/backplane/c").mkdir(parents=True)
        pathlib.Path("headers/backplane/c/plugin_frame.h").touch()
        for name, change in FILES_MADE_OF_PLUGINS.items():
            pathlib.Path(name).write_bytes(change(good))
        for part in parts:
            part()
        os.chdir(ROOT)
    print("\n\n".join(problems))
    return 1 if problems else 0
