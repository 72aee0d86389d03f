"""Programs of any size: HLO text with placeholders for everything that depends on n.

    $n              the value of a name
    $(2 * n + 1)    the value of a Python expression
    // for i in range(n)
    ...             lines, repeated for each i, up to
    // end

Besides Python's own names there are times("f32[8]", n): the text n times, separated by commas; names("x", n): x0, x1,
..., separated by commas; and prime(n), the smallest prime from n on. A comment at the beginning gives n and the allowed
growth:

    // n: 512
    // n: 64 instead of 4096, 8 instead of 1024   for a program without placeholders: 4096 is n, and 1024 is reduced
    // linear                                     the count at 8n is at most 8 times the count at n
    // interpreter: quadratic                     for one backend; for core also for one part: core parse
    // cpu: at most 60 n                          instructions
    // cpu: not run, as it is for the NPU         with the reason
    // core: stops, as that is too large          it is refused, and the parts before are counted
    // core plan: quadratic today, as lists are searched      worse than it should be, with the reason
"""

import math
import pathlib
import re

ORDERS = {
    "constant": lambda n: 1,
    "linear": lambda n: n,
    "n log n": lambda n: n * math.log2(n),
    "quadratic": lambda n: n**2,
    "cubic": lambda n: n**3,
}
RULE = re.compile(
    rf"(?:(?P<where>[\w-]+(?: [\w-]+)?): )?(?:(?P<order>{'|'.join(ORDERS)})(?: today, as (?P<because>.*))?"
    r"|at most (?P<most>\d+) n|not run, as (?P<reason>.*)|stops, as (?P<stop>.*))"
)


class Rules:
    """The rules for each section, such as "cpu" or "core plan", from a program's comment. Specific rules override
    general ones."""

    def __init__(self, lines):
        self.n = None
        self.instead = {}  # replacements for numbers in the text; the first one is n
        self.rules = []
        for line in lines:
            if match := re.fullmatch(r"n: (\d+)", line):
                self.n = int(match[1])
            elif re.fullmatch(r"n: \d+ instead of \d+(, \d+ instead of \d+)*", line):
                self.instead = {old: new for new, old in re.findall(r"(\d+) instead of (\d+)", line)}
                self.n = int(next(iter(self.instead.values())))
            elif match := RULE.fullmatch(line):
                self.rules.append(match.groupdict())

    def of(self, section):
        """Returns {"order", "today" (an order that is worse), "because", "most", "reason", "stop"}; None where there is
        no rule."""
        found = dict.fromkeys(("order", "today", "because", "most", "reason", "stop"))
        for where in (None, section.split()[0], section):
            for rule in self.rules:
                if rule["where"] == where:
                    said = dict(rule, today=rule["order"], order=None) if rule["because"] else rule
                    found.update({key: value for key, value in said.items() if key in found and value is not None})
        return found


class Template:
    def __init__(self, path):
        self.name = pathlib.Path(path).stem
        self.lines = pathlib.Path(path).read_text().splitlines()
        head = next((i for i, line in enumerate(self.lines) if not line.startswith("//")), len(self.lines))
        self.rules = Rules([line.removeprefix("//").strip() for line in self.lines[:head]])

    def text(self, n):
        names = {
            "n": n,
            "times": lambda text, count: ", ".join([text] * count),
            "names": lambda prefix, count: ", ".join(f"{prefix}{i}" for i in range(count)),
            "prime": lambda least: next(k for k in range(least, 2 * least + 2) if all(k % d for d in range(2, k))),
        }
        text = "\n".join(expand(self.lines, names, self.name)) + "\n"
        if instead := self.rules.instead:
            instead = instead | {next(iter(instead)): n}
            text = re.sub(r"\b\d+\b", lambda number: str(instead.get(number[0], number[0])), text)
        return text


def expand(lines, names, file):
    """Returns the lines with everything that depends on `names` filled in."""
    result = []
    at = 0
    while at < len(lines):
        loop = re.fullmatch(r"// for (\w+) in (.*)", lines[at])
        if not loop:
            result.append(fill(lines[at], names))
            at += 1
            continue
        end = next((i for i in range(at, len(lines)) if lines[i] == "// end"), None)
        if end is None:
            raise ValueError(f"{file}: '{lines[at]}' has no '// end'")
        for value in eval(loop[2], {}, names):
            result += expand(lines[at + 1 : end], names | {loop[1]: value}, file)
        at = end + 1
    return result


def fill(line, names):
    result = ""
    while (at := line.find("$")) >= 0:
        end = at + 1
        if line[end] == "(":
            depth = 0
            while True:
                depth += {"(": 1, ")": -1}.get(line[end], 0)
                end += 1
                if depth == 0:
                    break
        else:
            end = re.compile(r"\w+").match(line, end).end()
        result += line[:at] + str(eval(line[at + 1 : end], names.copy()))
        line = line[end:]
    return result + line
