"""The examples of a page of documentation, run in order."""

import re

BLOCK = re.compile(r"^```([a-z]+(?: [a-z_]+)?)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SEPARATOR = "--- end of block ---"


class Page:
    """Blocks of a page in Markdown. A `text` block is the expected output of the block before it; "..." in it stands for
    any text."""

    def __init__(self, path):
        self.path, self.blocks = path, BLOCK.findall(path.read_text())

    def numbers_of(self, kinds):
        return [number for number, (kind, _) in enumerate(self.blocks) if kind in kinds]

    def script_of(self, kinds):
        """Returns a program of Python with all blocks of these kinds, so that names persist."""
        return f"print({SEPARATOR!r})\n".join(self.blocks[number][1] for number in self.numbers_of(kinds))

    def problems(self, kinds, output):
        """Returns how the output of the script differs from what the page says."""
        printed = dict(zip(self.numbers_of(kinds), output.split(SEPARATOR + "\n")))
        found = []
        for number, (kind, text) in enumerate(self.blocks):
            if kind == "text" and number - 1 in printed:
                pattern = ".*".join(re.escape(part) for part in text.strip().split("..."))
                if not re.fullmatch(pattern, printed[number - 1].strip(), re.DOTALL):
                    found.append(f"{self.path.name}: expected\n{text}\nbut it printed\n{printed[number - 1]}")
        return found
