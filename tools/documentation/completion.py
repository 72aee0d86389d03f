#!/usr/bin/env python3
"""Writes the completion of the command for a shell: completion.py DESCRIPTION TEMPLATE FILE. DESCRIPTION is the output
of `backplane --describe`. The template is a file completion.SHELL of this folder, in which names in capital letters
between two @ stand for what differs between subcommands."""

import pathlib
import shlex
import sys

from description import Description

LONGEST_HELP = 70


def short(text):
    """Returns the beginning of a help text, at most up to a semicolon, for a list of options in a terminal."""
    text = text.split("; ")[0]
    return text if len(text) <= LONGEST_HELP else text[:LONGEST_HELP].rsplit(" ", 1)[0].rstrip(",:(") + " ..."


def argument_of(subcommand):
    """Returns what completes the positional arguments of a subcommand: a kind or a list of words; None: it has none."""
    return subcommand["arguments"][0]["completion"] if subcommand["arguments"] else None


def second_words(subcommand, description):
    return [nested["name"].split()[1] for nested in description.nested(subcommand["name"])]


class Bash:
    @staticmethod
    def words(completion):
        return {"nothing": ""}.get(completion, f"@{completion}") if isinstance(completion, str) else " ".join(completion)

    @staticmethod
    def parts(description):
        options = {"backplane": "--help --version"}
        values = {"backplane argument": " ".join(one["name"] for one in description.subcommands if " " not in one["name"])}
        for subcommand in description.subcommands:
            name = subcommand["name"]
            options[name] = " ".join(f"--{option['name']}" for option in subcommand["options"])
            for option in subcommand["options"]:
                names = [f"--{option['name']}"] + [f"-{option[key]}" for key in ("letter",) if key in option]
                values |= {f"{name} {spelled}": Bash.words(option["completion"]) for spelled in names
                           if option["argument"] in ("one", "several")}
            if subcommand["arguments"]:
                words = [Bash.words(argument_of(subcommand)), *second_words(subcommand, description)]
                values[f"{name} argument"] = " ".join(words)
        table = lambda rows: "\n".join(f"  [{shlex.quote(key)}]={shlex.quote(row)}" for key, row in rows.items())
        return {"OPTIONS": table(options), "VALUES": table(values)}


class Zsh:
    @staticmethod
    def action(completion):
        """Returns the message and the action of a value."""
        if not isinstance(completion, str):
            return f"value: _backplane_words {' '.join(completion)}"  # the space: no other arguments are passed to it
        return {"file": "file:_files", "folder": "folder:_files -/", "backend": "backend:_backplane_backends",
                "pass": "pass:_backplane_passes", "nothing": "value: "}[completion]

    @staticmethod
    def option(option):
        """Returns the specifications of an option for _arguments, one for each of its names."""
        name, kind = f"--{option['name']}", option["argument"]
        help_text = "".join("\\" + one if one in "[]\\" else one for one in short(option["help"]))
        separator, value = {"none": ("", ""), "optional": ("=-", "::"), "one": ("=", ":"),
                            "several": ("=", ":*-*:")}[kind]
        rest = f"[{help_text}]" + (value + Zsh.action(option["completion"]) if value else "")
        if "letter" not in option:
            return ["*" * option["is_repeated"] + name + separator + rest]
        letter = "-" + option["letter"]
        return [f"({letter} {name}){letter}{rest}", f"({letter} {name}){name}{separator}{rest}"]

    @staticmethod
    def function(subcommand, description):
        specifications = [spec for option in subcommand["options"] for spec in Zsh.option(option)]
        words = second_words(subcommand, description)
        if words:
            specifications.append("1:command or backend:{_backplane_words " + " ".join(words) + "; _backplane_backends}")
        elif subcommand["arguments"]:
            specifications.append("*:" + Zsh.action(argument_of(subcommand)))
        lines = [f"_backplane_{subcommand['name'].replace(' ', '_')}() {{", "  _arguments \\"]
        return "\n".join(lines + [" \\\n".join(f"    {shlex.quote(spec)}" for spec in specifications), "}"])

    @staticmethod
    def parts(description):
        listed = [f"{one['name']}:{one['summary']}" for one in description.subcommands if " " not in one["name"]]
        return {"FUNCTIONS": "\n\n".join(Zsh.function(one, description) for one in description.subcommands),
                "SUBCOMMANDS": "\n".join(f"    {shlex.quote(line)}" for line in listed)}


class Fish:
    @staticmethod
    def quote(text):
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"

    @staticmethod
    def values(completion):
        """Returns the arguments of `complete` for a value."""
        if not isinstance(completion, str):
            return f"-x -a '(__backplane_words {' '.join(completion)})'"
        return {"file": "-r -F", "folder": "-x -a '(__fish_complete_directories (commandline -ct))'",
                "backend": "-r -F -a '(__backplane_names backends)'", "pass": "-x -a '(__backplane_names passes)'",
                "nothing": "-x"}[completion]

    @staticmethod
    def parts(description):
        lines = []
        for subcommand in description.subcommands:
            name = subcommand["name"]
            *parent, word = name.split()
            lines.append(f"complete -c backplane -n '__backplane_is {' '.join(parent)}' -a {word} -d "
                         + Fish.quote(subcommand["summary"]))
            here = f"complete -c backplane -n '__backplane_is {name}'"
            for option in subcommand["options"]:
                letter = f" -s {option['letter']}" if "letter" in option else ""
                values = Fish.values(option["completion"]) + " " if option["argument"] in ("one", "several") else ""
                lines.append(f"{here}{letter} -l {option['name']} {values}-d {Fish.quote(short(option['help']))}")
            if subcommand["arguments"]:
                values = Fish.values(argument_of(subcommand))
                if values != "-x":
                    lines.append(f"{here} {values.removeprefix('-r ').removeprefix('-x ')}")
        nested = [Fish.quote(one["name"]) for one in description.subcommands if " " in one["name"]]
        return {"NESTED": " ".join(nested), "COMPLETIONS": "\n".join(lines)}


def main():
    description, template = Description(sys.argv[1]), pathlib.Path(sys.argv[2])
    text = template.read_text()
    shell = {".bash": Bash, ".zsh": Zsh, ".fish": Fish}[template.suffix]
    for name, part in shell.parts(description).items():
        text = text.replace(f"@{name}@", part)
    pathlib.Path(sys.argv[3]).write_text(text)


if __name__ == "__main__":
    main()
