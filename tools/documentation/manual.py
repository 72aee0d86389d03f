#!/usr/bin/env python3
"""Writes the manual pages of the command: manual.py DESCRIPTION FOLDER makes a page for the command and one for each
subcommand. DESCRIPTION is the output of `backplane --describe`. SOURCE_DATE_EPOCH, if set, is the date of the pages."""

import datetime
import itertools
import os
import pathlib
import shutil
import sys

from description import Description

SPECIAL = {"\\": r"\e", "-": r"\-", "'": r"\(aq", "`": r"\(ga", "^": r"\(ha", "~": r"\(ti", '"': r"\(dq"}
VALUE_NAMES = {"file": "FILE", "folder": "FOLDER", "backend": "BACKEND", "pass": "PASS"}
# The options that stand in place of a subcommand.
OWN_OPTIONS = {
    "--help": "list the commands",
    "--version": "print the version",
    "--describe": "describe the commands and their options as JSON, one object per line; with `backends` or `passes`: "
                  "list the names of these, for the completion of command lines",
}


def escape(text):
    return "".join(SPECIAL.get(character, character) for character in text)


def bold(text):
    return rf"\fB{escape(text)}\fR"


def prose(text):
    """Returns the text with code, which is between backticks, in bold."""
    parts = " ".join(text.split()).split("`")
    return "".join(bold(part) if number % 2 else escape(part) for number, part in enumerate(parts))


def paragraphs(text, code_lines=lambda lines: lines):
    """Returns the lines of a page for a text in which indented lines are code, by default as it is."""
    lines = []
    for is_code, group in itertools.groupby(text.splitlines(), lambda line: line.startswith("  ")):
        if is_code:
            lines += [".PP", ".EX", *map(escape, code_lines(group)), ".EE"]
        else:
            lines += [".PP", prose(" ".join(group))]
    return lines[1:]  # a section begins a paragraph


def with_comments_below(examples):
    """Yields the lines of examples. A comment follows a command after two or more spaces, and gets its own line."""
    for line in examples:
        command, _, comment = line.strip().partition("  ")
        yield command
        if comment:
            yield "    " + comment.strip()


def option(described):
    """Returns the lines of one option: its names and its value, then its help."""
    name, completion = described["name"], described["completion"]
    value = VALUE_NAMES.get(completion, "VALUE") if isinstance(completion, str) else "VALUE"
    shown = {"none": "", "optional": rf"[=\fI{value}\fR]", "one": rf" \fI{value}\fR",
             "several": rf" \fI{value}\fR..."}[described["argument"]]
    letter = bold("-" + described["letter"]) + ", " if "letter" in described else ""
    default = f"; default: {described['default']}" if described.get("default") else ""
    return [".TP", letter + bold("--" + name) + shown, prose(described["help"] + default)]


def reference(name):
    return rf"\fB{escape(name.replace(' ', '-'))}\fR(1)"


def exit_status(codes):
    lines = [".SH EXIT STATUS"]
    for number, meaning in enumerate(codes):
        lines += [".TP", bold(str(number)), escape(meaning)]
    return lines


def page(name, summary, description, sections):
    """Returns the text of a page with a title and a name; `sections`: its other lines."""
    seconds = os.environ.get("SOURCE_DATE_EPOCH")
    date = datetime.datetime.fromtimestamp(int(seconds), datetime.timezone.utc) if seconds else datetime.datetime.now()
    title = name.replace(" ", "-")
    head = [f'.TH {escape(title.upper())} 1 {date:%Y-%m-%d} "backplane {description.version}" Backplane',
            ".SH NAME", rf"{escape(title)} \- {escape(summary)}"]
    return "\n".join(head + sections) + "\n"


def main_page(description):
    lines = [".SH SYNOPSIS", rf"{bold('backplane')} \fICOMMAND\fR [arguments]", ".br",
             bold("backplane --help") + " | " + bold("--version"), ".br",
             bold("backplane --describe") + " [backends | passes]", ".SH DESCRIPTION",
             "Compiles, runs and checks HLO programs on hardware backends, and checks the backends themselves.",
             "Each command has a page of its own.", ".SH COMMANDS"]
    for subcommand in description.subcommands:
        lines += [".TP", reference(f"backplane {subcommand['name']}"), escape(subcommand["summary"])]
    lines.append(".SH OPTIONS")
    for name, help_text in OWN_OPTIONS.items():
        lines += [".TP", bold(name), prose(help_text)]
    lines += exit_status(description.exit_codes)
    return page("backplane", "run programs on hardware backends", description, lines)


def subcommand_page(subcommand, description):
    name = f"backplane {subcommand['name']}"
    usage = subcommand["usage"].removeprefix(subcommand["name"])
    lines = [".SH SYNOPSIS", bold(name) + escape(usage), ".SH DESCRIPTION", *paragraphs(subcommand["description"]),
             ".SH OPTIONS"]
    for described in subcommand["options"]:
        lines += option(described)
    lines += [".SH EXAMPLES", *paragraphs(subcommand["examples"], with_comments_below),
              *exit_status(description.exit_codes), ".SH SEE ALSO"]
    parent = name.rsplit(" ", 1)[0]
    related = [parent, *(f"backplane {nested['name']}" for nested in description.nested(subcommand["name"]))]
    return page(name, subcommand["summary"], description, lines + [",\n".join(map(reference, related))])


def main():
    description, folder = Description(sys.argv[1]), pathlib.Path(sys.argv[2])
    if folder.exists():
        shutil.rmtree(folder)  # a page of a subcommand that is gone must not stay
    folder.mkdir(parents=True)
    (folder / "backplane.1").write_text(main_page(description))
    for subcommand in description.subcommands:
        file = f"backplane {subcommand['name']}.1".replace(" ", "-")
        (folder / file).write_text(subcommand_page(subcommand, description))


if __name__ == "__main__":
    main()
