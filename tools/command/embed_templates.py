#!/usr/bin/env python3
"""Writes a C++ table of files: embed_templates.py OUTPUT FOLDER=FILE..., for tools/command/new.cc."""

import pathlib
import sys


def main():
    lines = ['#include "tools/command/templates.h"', "", "namespace bp::command {", "namespace {", "",
             "constexpr Template all_templates[] = {"]
    for argument in sys.argv[2:]:
        folder, file = argument.split("=", 1)
        path = pathlib.Path(file)
        lines.append(f'    {{"{folder}", "{path.name}", R"--file--({path.read_text()})--file--"}},')
    lines += ["};", "", "}  // namespace", "", "std::span<const Template> templates() {", "  return all_templates;", "}", "",
              "}  // namespace bp::command", ""]
    pathlib.Path(sys.argv[1]).write_text("\n".join(lines))


if __name__ == "__main__":
    main()
