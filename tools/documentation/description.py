"""The description that `backplane --describe` prints: one JSON object per line, of the command, then of each
subcommand. tools/command/options.cc and describe.cc write it from the declarations that --help prints."""

import json
import pathlib


class Description:
    def __init__(self, path):
        command, *self.subcommands = map(json.loads, pathlib.Path(path).read_text().splitlines())
        self.version, self.exit_codes = command["version"], command["exit_codes"]
        summaries = {listed["name"]: listed["summary"] for listed in command["commands"]}
        for subcommand in self.subcommands:
            subcommand["summary"] = summaries.get(subcommand["name"]) or first_sentence(subcommand["description"])

    def nested(self, name):
        """Returns the subcommands of a subcommand, such as `conform verify` of `conform`."""
        return [one for one in self.subcommands if one["name"].startswith(name + " ")]


def first_sentence(text):
    """Returns the first sentence, up to a colon if it has one, in the form of a summary."""
    sentence = " ".join(text.replace("`", "").split()).split(". ")[0].split(": ")[0]
    return sentence[0].lower() + sentence[1:]
