"""How benchmarks write figures, and the machine that they are from."""

import math
import pathlib
import platform
import re


def processor():
    text = pathlib.Path("/proc/cpuinfo").read_text() if pathlib.Path("/proc/cpuinfo").exists() else ""
    found = re.search(r"^model name\s*: (.*)$", text, re.M)
    return found[1] if found else platform.machine()


def duration(seconds):
    for unit, size in (("s", 1), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def mean(ratios):
    """Returns the geometric mean."""
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else float("nan")


def write_between(page, begin, end, text):
    """Replaces what a page has between two markers."""
    old = page.read_text()
    page.write_text(old[:old.index(begin) + len(begin)] + "\n\n" + text.strip() + "\n\n" + old[old.index(end):])
