#!/usr/bin/env python3
"""Writes embedded.cc: embed.py OUTPUT FILES..."""

import pathlib
import sys

START = """// Made by embed.py. Do not edit.
#include "conformance/programs/embedded.h"

#pragma GCC diagnostic ignored "-Woverlength-strings"

namespace bp::conformance {
namespace {

const EmbeddedFile files[] = {
"""
END = """};

}  // namespace

std::span<const EmbeddedFile> embedded_programs() {
  return files;
}

}  // namespace bp::conformance
"""


def main():
    output, *names = sys.argv[1:]
    entries = []
    for path in sorted(map(pathlib.Path, names), key=lambda path: path.name):
        text = path.read_text()
        assert ')text"' not in text, path
        entries.append(f'    {{"{path.name}", R"text({text})text"}},\n')
    pathlib.Path(output).write_text(START + "".join(entries) + END)


if __name__ == "__main__":
    main()
