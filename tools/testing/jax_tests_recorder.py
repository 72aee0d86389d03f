"""The pytest plugin of jax_tests.py: it writes what happens to a test as lines of JSON.

A line {"test": ID, "outcome": "started"} comes before a test, and one with its outcome, seconds and, for failures and
skips, the reason comes after it. A test that only has the first line is the one that was running when the process
ended.
"""

import json
import pathlib
import sys
import zlib

MOST_LINES = 12  # of the reason of a failure
MOST_CHARACTERS = 2000
SEVERITY = ("passed", "skipped", "failed")  # the outcome of a test is the most severe one of its parts


def pytest_addoption(parser):
    parser.addoption("--record", metavar="FILE", help="file to append the lines of JSON to")
    parser.addoption("--omit", metavar="FILE", help="file with a JSON list of tests that are not run")
    parser.addoption("--contains", metavar="TEXT", action="append", help="run the tests whose name contains a text")
    parser.addoption("--one-of", metavar="N", type=int, default=1, help="run only one of N tests, always the same")
    parser.addoption("--device-under-test", metavar="PLATFORM", help="JAX's platform that the tests take this for")


def pytest_configure(config):
    if config.getoption("--device-under-test"):  # JAX takes its flags from here when it imports a file of tests
        sys.argv.append(f"--jax_test_dut={config.getoption('--device-under-test')}")
    if config.getoption("--record"):
        config.pluginmanager.register(Recorder(config))


def short_name(name):
    """Returns FILE::CLASS::TEST without the folder of the file."""
    file, *rest = name.split("::")
    return "::".join([pathlib.PurePath(file).name, *rest])


class Recorder:
    """Selects the tests of a session and records their outcomes."""

    def __init__(self, config):
        self.file = open(config.getoption("--record"), "a", encoding="utf-8")
        omit = config.getoption("--omit")
        self.omitted = set(json.loads(pathlib.Path(omit).read_text())) if omit else set()
        self.texts = config.getoption("--contains") or [""]
        self.one_of = config.getoption("--one-of")
        self.parts = []  # (outcome, reason, seconds) of the test that is running

    def write(self, **record):
        self.file.write(json.dumps(record) + "\n")
        self.file.flush()

    def is_wanted(self, name):
        is_drawn = zlib.crc32(name.encode()) % self.one_of == 0
        return is_drawn and name not in self.omitted and any(text in name for text in self.texts)

    def pytest_collectreport(self, report):
        if report.failed:
            self.write(test=short_name(report.nodeid), outcome="failed", seconds=0, reason=reason(report))

    def pytest_collection_modifyitems(self, config, items):
        kept = [item for item in items if self.is_wanted(short_name(item.nodeid))]
        config.hook.pytest_deselected(items=[item for item in items if not self.is_wanted(short_name(item.nodeid))])
        items[:] = kept
        self.write(collected=len(kept))

    def pytest_runtest_logstart(self, nodeid):
        self.parts = []
        print(f"\n=== {short_name(nodeid)}", file=sys.stderr, flush=True)
        self.write(test=short_name(nodeid), outcome="started")

    def pytest_runtest_logreport(self, report):
        self.parts.append((report.outcome, reason(report), report.duration))

    def pytest_runtest_logfinish(self, nodeid):
        outcome = max((part[0] for part in self.parts), key=SEVERITY.index, default="passed")
        text = next((part[1] for part in self.parts if part[0] == outcome), "")
        seconds = round(sum(part[2] for part in self.parts), 3)
        self.write(test=short_name(nodeid), outcome=outcome, seconds=seconds, reason=text)


def reason(report):
    """Returns the first lines of a failure's error or a skip's reason, and nothing for a pass."""
    if report.passed or report.longrepr is None:
        return ""
    if isinstance(report.longrepr, tuple):  # file, line and reason of a skip
        return report.longrepr[2][:MOST_CHARACTERS]
    crash = getattr(report.longrepr, "reprcrash", None)
    text = crash.message if crash else str(report.longrepr)
    lines = [line for line in text.splitlines() if line.strip()]
    return "\n".join(lines[:MOST_LINES] if crash else lines[-MOST_LINES:])[:MOST_CHARACTERS]
