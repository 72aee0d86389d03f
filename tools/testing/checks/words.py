#!/usr/bin/env python3
"""Checks that code can be read: lines of at most 120 columns, and comments that stand alone.

- A line is at most 120 columns long, not counting what exceeds them inside a string.
- A comment does not begin with a bare genitive or an ellipsis ("Of the floors ...", "What comes next ...", "As above"),
  which cannot be read without the line below.
- The last commits have subjects of at most 60 characters.
Generated files, test data and documents are not checked.
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
MAX_COLUMNS = 120
MAX_SUBJECT = 60
CHECKED_SUBJECTS = 20
FOLDERS = ("core", "plugin_api", "plugins", "conformance", "tools", "samples")
SUFFIXES = (".cc", ".h", ".c", ".def", ".py", ".rs", ".sh")
GENERATED = ("plugin_api/include/backplane/op_ids.h", "plugin_api/c/op_facts.h")
# Raw strings of C++, and strings of Python that hold programs: not those that begin a line, which are documentation.
RAW_STRING = re.compile(r'R"(\w*)\((?:.|\n)*?\)\1"|[,=(] ?"{3}(?:.|\n)*?"{3}')
STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'')
COMMENT = re.compile(r"^\s*(?://+|#|/\*+)\s+(?=\S)")
BARE_BEGINNING = re.compile(r"(Of|What|Likewise|So many|As such|As above|Those|That of|How many|How much|Such)\b")


def is_checked(path):
    relative = path.relative_to(ROOT).as_posix()
    return path.is_file() and (path.suffix in SUFFIXES or path.name == "meson.build") and relative not in GENERATED


def long_lines(text):
    """Numbers of lines that are too long with strings taken as empty."""
    if all(len(line) <= MAX_COLUMNS for line in text.split("\n")):
        return []
    text = RAW_STRING.sub(lambda match: "\n" * match.group(0).count("\n"), text)
    return [number for number, line in enumerate(text.split("\n"), 1)
            if len(line) > MAX_COLUMNS and len(STRING.sub("", line)) > MAX_COLUMNS]


def bare_comments(text):
    """Numbers of lines that begin a comment with a bare word."""
    numbers, is_inside = [], False
    for number, line in enumerate(text.split("\n"), 1):
        match = COMMENT.match(line)
        if match and not is_inside and BARE_BEGINNING.match(line[match.end():]):
            numbers.append(number)
        is_inside = match is not None
    return numbers


def subjects():
    """Subjects of the last commits; none where there is no history, as in a released archive."""
    command = ["git", "log", f"-{CHECKED_SUBJECTS}", "--no-merges", "--format=%s"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    return done.stdout.splitlines() if done.returncode == 0 else []


def main():
    problems = []
    for path in (path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*")) if is_checked(path)):
        where, text = path.relative_to(ROOT), path.read_text()
        problems += [f"{where}:{n}: the line has more than {MAX_COLUMNS} columns" for n in long_lines(text)]
        problems += [f"{where}:{n}: the comment begins with a word that needs the line below, expected a noun or a "
                     "sentence" for n in bare_comments(text)]
    problems += [f"the commit subject {subject!r} has {len(subject)} characters, expected at most {MAX_SUBJECT}"
                 for subject in subjects() if len(subject) > MAX_SUBJECT]
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
