#!/usr/bin/env python3
"""Writes C++ source with the text of a C program, in which the headers of the ABI stand in place of their includes:
embed_runner.py OUTPUT PROGRAM FOLDER_OF_HEADERS. OUTPUT.d says what was read."""

import pathlib
import re
import sys

INCLUDE = re.compile(r'^#include "([^"]+)"\n', re.MULTILINE)
SOURCE = """// Made by embed_runner.py. Do not edit.
#include "plugins/native/emulator/runner.h"

namespace bp::native {

const char *const runner_text = R"text(%s)text";

}  // namespace bp::native
"""


def whole_text(path, folder, seen):
    """Returns the text of a file, in which each header replaces the first include of it."""
    seen.append(path)

    def included(match):
        header = next(h for h in (path.parent / match[1], folder / match[1]) if h.exists()).resolve()
        return "" if header in seen else whole_text(header, folder, seen)
    return INCLUDE.sub(included, path.read_text().replace("#pragma once\n", ""))


def main():
    output, program, folder = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    seen = []
    output.write_text(SOURCE % whole_text(program, folder, seen))
    pathlib.Path(f"{output}.d").write_text(f"{sys.argv[1]}: {' '.join(map(str, seen))}\n")


if __name__ == "__main__":
    main()
