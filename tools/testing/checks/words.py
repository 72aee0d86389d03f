#!/usr/bin/env python3
"""Checks that code and documents can be read: lines of at most 120 columns, and sentences that stand alone.

- A line is at most 120 columns long, not counting strings, unless it is a comment. In documents, tables, code and the
  targets of links may be longer.
- A comment or a paragraph does not begin with a bare genitive or an ellipsis ("Of the floors ...", "What comes next
  ...", "As above"), which cannot be read without the line below.
- Documents do not use certain words in senses that English does not have.
- The last commits have subjects of at most 60 characters.
Generated files and test data are not checked.
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
# Documents: parts that are not prose, the beginnings of paragraphs and list items, and sentences after the first.
FENCE = re.compile(r"^ *```.*?^ *```", re.MULTILINE | re.DOTALL)
CODE_SPAN = re.compile(r"`[^`]*`")
LINK_TARGET = re.compile(r"\]\([^)]*\)")
ITEM = re.compile(r" *(?:[-*]|\d+\.) +")
LATER_SENTENCE = re.compile(r"[.:;] ((?:Of|What|Likewise|So many|That of|How many|How much) [^.?]*)\.")
MISUSED = {
    re.compile(r"\bbeside\b"): "next to, besides, except or compared with",
    re.compile(r"\bso many\b"): "a number or a quantity with a name",
    re.compile(r"\bwish(es)?\b"): "preference",
    re.compile(r"(?<!\bthere )\bis no (?!longer\b)"): "is not a",
    re.compile(r"\bof one's own\b"): "your own, or the owner",
}
QUOTING_PAGES = ("docs/mutants.md", "docs/op_coverage.md", "docs/ops.md", "docs/rules.md")  # tables quote other files
BARE_BEGINNING = re.compile(r"(Of|What|Likewise|So many|As such|As above|Those|That of|How many|How much|Such)\b")


def is_checked(path):
    relative = path.relative_to(ROOT).as_posix()
    return path.is_file() and (path.suffix in SUFFIXES or path.name == "meson.build") and relative not in GENERATED


def long_lines(text):
    """Numbers of lines that are too long with strings taken as empty; comments have apostrophes, not strings."""
    if all(len(line) <= MAX_COLUMNS for line in text.split("\n")):
        return []
    text = RAW_STRING.sub(lambda match: "\n" * match.group(0).count("\n"), text)
    return [number for number, line in enumerate(text.split("\n"), 1)
            if len(line) > MAX_COLUMNS and (COMMENT.match(line) or len(STRING.sub("", line)) > MAX_COLUMNS)]


def bare_comments(text):
    """Numbers of lines that begin a comment with a bare word."""
    numbers, is_inside = [], False
    for number, line in enumerate(text.split("\n"), 1):
        match = COMMENT.match(line)
        if match and not is_inside and BARE_BEGINNING.match(line[match.end():]):
            numbers.append(number)
        is_inside = match is not None
    return numbers


def documents():
    folders = ("docs", *FOLDERS)
    return [*sorted(ROOT.glob("*.md")), *(path for folder in folders for path in sorted((ROOT / folder).rglob("*.md")))]


def paragraphs(text):
    """Returns (number of the first line, text) of each paragraph, list item and table row, without code; and the numbers
    of the lines that are too long."""
    found, too_long, is_open = [], [], False
    text = FENCE.sub(lambda match: "\n" * match.group(0).count("\n"), text)
    for number, line in enumerate(text.split("\n"), 1):
        is_row, item = line.startswith("|"), ITEM.match(line)
        is_code = line.startswith("    ") and not is_open and not item
        if not line.strip() or line.startswith(("#", "<!--")) or is_code:
            is_open = False
            continue
        if len(line) > MAX_COLUMNS and not is_row and len(LINK_TARGET.sub("]", line)) > MAX_COLUMNS:
            too_long.append(number)
        prose = (line[item.end():] if item else line).strip()
        if is_open and not item and not is_row:
            found[-1] = (found[-1][0], f"{found[-1][1]} {prose}")
        else:
            found.append((number, prose))
        is_open = not is_row
    return found, too_long


def document_problems(path):
    where = path.relative_to(ROOT)
    found, too_long = paragraphs(path.read_text())
    problems = [f"{where}:{n}: the line has more than {MAX_COLUMNS} columns" for n in too_long]
    for number, text in ((number, CODE_SPAN.sub("`", LINK_TARGET.sub("]", text))) for number, text in found):
        if text.startswith("|") and where.as_posix() in QUOTING_PAGES:
            continue
        bare = BARE_BEGINNING.match(text) if "?" not in text else None
        for beginning in [text] * bool(bare) + LATER_SENTENCE.findall(text):
            problems.append(f"{where}:{number}: the sentence '{beginning[:40]}...' begins with a word that needs another "
                            "sentence, expected its subject or a condition")
        problems += [f"{where}:{number}: '{match.group(0).strip()}' is misused here, expected {better}"
                     for pattern, better in MISUSED.items() for match in pattern.finditer(text)]
    return problems


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
    for path in documents():
        problems += document_problems(path)
    problems += [f"the commit subject {subject!r} has {len(subject)} characters, expected at most {MAX_SUBJECT}"
                 for subject in subjects() if len(subject) > MAX_SUBJECT]
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
