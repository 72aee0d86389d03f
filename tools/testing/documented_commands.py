"""Commands in a document, and the output that it promises. A block ```sh has commands, or ```sh WORD, for commands that
only some readers can run. A block ```text is the expected output of the block before it; "..." in it stands for any
text."""

import re

BLOCK = re.compile(r"^```(sh(?: \w+)?|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(document):
    """Returns pairs of the kind of a block and its text."""
    return BLOCK.findall(document.read_text())


def script(blocks, kinds, folder):
    """Returns a script of bash that runs the blocks of these kinds. One shell runs all, so that `cd` persists; the
    output of block N goes to FOLDER/N.printed."""
    commands = ["set -eu", "exec 2>&1"]
    for number, (kind, text) in enumerate(blocks):
        if kind in kinds:
            commands += [f"exec >{folder}/{number}.printed", text]
    return "\n".join(commands)


def problems(blocks, kinds, folder):
    """Returns what is wrong with the output of such a script, whose files are in `folder`."""
    found = []
    for number, (kind, text) in enumerate(blocks):
        if kind != "text" or blocks[number - 1][0] not in kinds:
            continue
        file = folder / f"{number - 1}.printed"
        if not file.exists():
            found.append(f"the block before this one was not run:\n{text}")
            continue
        printed = file.read_text()
        pattern = ".*".join(re.escape(part) for part in text.strip().split("..."))
        if not re.search(pattern, printed, re.DOTALL):
            found.append(f"expected\n{text}\nbut it printed\n{printed}")
    return found
