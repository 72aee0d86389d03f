#!/usr/bin/env python3
"""docs/tutorial.md is correct: its `sh` blocks are run in order, in an empty folder, with an installation of this build
and without the source tree. A `text` block is the expected output of the block before it; "..." in it stands for any
text."""

import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from installation import ROOT, Installation, has_sanitizer

DOCUMENT = ROOT / "docs/tutorial.md"
BLOCK = re.compile(r"^```(sh|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def main():
    if has_sanitizer():
        print("what links this build would have to be built with its sanitizer")
        return 77
    blocks = BLOCK.findall(DOCUMENT.read_text())
    with tempfile.TemporaryDirectory() as folder:
        installation = Installation(folder)
        work = installation.folder / "work"
        work.mkdir()
        # One shell runs all blocks, so that `cd` persists; the output of each block goes to a separate file.
        commands = ["set -eu", "exec 2>&1"]
        for number, (kind, text) in enumerate(blocks):
            if kind == "sh":
                commands += [f"exec >{work}/{number}.printed", text]
        installation.run(["bash", "-c", "\n".join(commands)], work)
        for number, (kind, text) in enumerate(blocks):
            file = work / f"{number - 1}.printed"
            if kind == "text" and file.exists():
                printed = file.read_text()
                pattern = ".*".join(re.escape(part) for part in text.strip().split("..."))
                installation.check(re.search(pattern, printed, re.DOTALL),
                                   f"{DOCUMENT.name}: expected\n{text}\nbut it printed\n{printed}")
            elif kind == "text":
                installation.check(False, f"{DOCUMENT.name}: the block before this one was not run:\n{text}")
        return installation.finish()


if __name__ == "__main__":
    sys.exit(main())
