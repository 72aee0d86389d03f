#!/usr/bin/env python3
"""Installs headers and all headers that these include by their path in the repository, or relative to their own folder:
install_headers.py [--rename FOLDER=NEW]... [--without FOLDER] HEADERS FOLDER. Run by `meson install`. The headers of
the plugin ABI, which these include as backplane/..., are installed separately.

With --rename, what is in a folder of the repository is in folder NEW when it is installed, and is included from there.
With --without, what is in a folder is only included: it is installed separately, too."""

import argparse
import os
import pathlib
import re

INCLUDE = re.compile(r'^(\s*#\s*include\s+")([^"]+)(")', re.MULTILINE)
TOP_FOLDERS = ("core/", "plugin_api/", "plugins/")


def included_by(header, source, without):
    """Returns the paths of the headers that a header includes, without those of the ABI and of one folder."""
    folder = pathlib.PurePosixPath(header).parent
    paths = (found[2] for found in INCLUDE.finditer((source / header).read_text()))
    return {path if path.startswith(TOP_FOLDERS) else os.path.normpath(folder / path)
            for path in paths if not path.startswith(("backplane/", without + "/"))}


def renamed(path, names):
    for folder, name in names:
        if path.startswith(folder + "/"):
            return name + path.removeprefix(folder)
    return path


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rename", action="append", default=[], type=lambda text: text.split("="))
    parser.add_argument("--without", default="backplane")
    parser.add_argument("headers", nargs="+")
    parser.add_argument("folder")
    options = parser.parse_args()
    source = pathlib.Path(os.environ["MESON_SOURCE_ROOT"])
    target = pathlib.Path(os.environ["MESON_INSTALL_DESTDIR_PREFIX"], options.folder)
    waiting, known = list(options.headers), set(options.headers)
    while waiting:
        header = waiting.pop()
        included = included_by(header, source, options.without) - known
        waiting += included
        known |= included
    for header in sorted(known):
        to = target / renamed(header, options.rename)
        to.parent.mkdir(parents=True, exist_ok=True)
        text = (source / header).read_text()
        to.write_text(INCLUDE.sub(lambda found: found[1] + renamed(found[2], options.rename) + found[3], text))


if __name__ == "__main__":
    main()
