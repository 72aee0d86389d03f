#!/usr/bin/env python3
"""Lays out the plugin headers in a build folder as they are when installed, by links to the source tree:
link_headers.py SOURCE FOLDER makes FOLDER/backplane. Run when the build is configured, for `backplane new`."""

import pathlib
import sys


def main():
    source, folder = pathlib.Path(sys.argv[1]) / "plugin_api", pathlib.Path(sys.argv[2]) / "backplane"
    folder.mkdir(parents=True, exist_ok=True)
    for link in folder.iterdir():
        link.unlink()
    for target in [*(source / "include/backplane").iterdir(), source / "c", source / "cpp"]:
        (folder / target.name).symlink_to(target)


if __name__ == "__main__":
    main()
