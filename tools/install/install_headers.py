#!/usr/bin/env python3
"""Installs headers and all headers that these include by their path in the repository, or relative to their own folder:
install_headers.py HEADERS FOLDER. Run by `meson install`. The headers of the plugin ABI, which these include as
backplane/..., are installed separately."""

import os
import pathlib
import re
import shutil
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def included_by(header, source):
    """Returns the paths of the headers that a header includes, without those of the ABI."""
    folder = pathlib.PurePosixPath(header).parent
    paths = (path if path.startswith(("core/", "plugin_api/")) else os.path.normpath(folder / path)
             for path in INCLUDE.findall((source / header).read_text()) if not path.startswith("backplane/"))
    return set(paths)


def main():
    source = pathlib.Path(os.environ["MESON_SOURCE_ROOT"])
    target = pathlib.Path(os.environ["MESON_INSTALL_DESTDIR_PREFIX"], sys.argv[-1])
    waiting, known = sys.argv[1:-1], set(sys.argv[1:-1])
    while waiting:
        header = waiting.pop()
        included = included_by(header, source) - known
        waiting += included
        known |= included
    for header in sorted(known):
        (target / header).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source / header, target / header)


if __name__ == "__main__":
    main()
