#!/usr/bin/env python3
"""Writes C++ source of a function that returns files: embed.py OUTPUT FUNCTION FILES..."""

import pathlib
import sys

START = """// Made by embed.py. Do not edit.
#include "conformance/programs/embedded.h"

#pragma GCC diagnostic ignored "-Woverlength-strings"

namespace bp::conformance {
namespace {

const EmbeddedFile FUNCTION_files[] = {
"""
END = """};

}  // namespace

std::span<const EmbeddedFile> FUNCTION() {
  return FUNCTION_files;
}

}  // namespace bp::conformance
"""


def main():
    output, function, *names = sys.argv[1:]
    entries = []
    for path in sorted(map(pathlib.Path, names), key=lambda path: path.name):
        text = path.read_text()
        assert ')text"' not in text, path
        entries.append(f'    {{"{path.name}", R"text({text})text"}},\n')
    start, end = (part.replace("FUNCTION", function) for part in (START, END))
    pathlib.Path(output).write_text(start + "".join(entries) + end)


if __name__ == "__main__":
    main()
