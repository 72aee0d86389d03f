"""The plugins that can be loaded by name, read from their files without running their code.

The C interface does not list them. This follows what backplane/manifest.h and backplane/base/status.h publish.
"""

import ctypes
import json
import os
import pathlib
import struct
from dataclasses import dataclass
from typing import Any, Iterator

from backplane.library import library

NOTE_NAME, NOTE_TYPE = b"Backplane\0", 1
PROGRAM_HEADER_NOTE = 4  # PT_NOTE
MAX_NOTES = 1 << 20  # bytes; a manifest has at most 64 KiB


@dataclass(frozen=True)
class Plugin:
    """A kind of device that a plugin's file describes."""

    name: str  # what load() takes
    title: str  # "Simulated NPU"
    id: str  # "dev.backplane.npu"
    aliases: tuple[str, ...]
    version: str  # of the plugin
    path: str  # of its file


class DynamicSymbol(ctypes.Structure):
    """Dl_info"""

    _fields_ = [("file", ctypes.c_char_p), ("base", ctypes.c_void_p), ("name", ctypes.c_char_p),
                ("address", ctypes.c_void_p)]


def library_path() -> pathlib.Path:
    """Returns the file of the loaded library."""
    found = DynamicSymbol()
    ctypes.CDLL(None).dladdr(ctypes.cast(library().backplane_version, ctypes.c_void_p), ctypes.byref(found))
    return pathlib.Path(os.fsdecode(found.file or b"")).resolve()


def folders() -> list[pathlib.Path]:
    """Returns the folders that are searched: those of BACKPLANE_PATH, or else that of the installation."""
    path = os.environ.get("BACKPLANE_PATH")
    if path:
        return [pathlib.Path(folder) for folder in path.split(":") if folder]
    return [library_path().parent / "backplane"]


def manifest(path: pathlib.Path) -> Any:
    """Returns the manifest in a plugin's file, or None if there is none."""
    with path.open("rb") as file:
        header = file.read(64)
        if header[:6] != b"\x7fELF\x02\x01" or len(header) < 64:  # of 64 bits, little-endian
            return None
        start, = struct.unpack_from("<Q", header, 32)
        size, count = struct.unpack_from("<HH", header, 54)
        file.seek(start)
        segments = file.read(size * count)
        for number in range(len(segments) // size if size >= 56 else 0):
            kind, _, offset, _, _, length = struct.unpack_from("<IIQQQQ", segments, number * size)
            if kind == PROGRAM_HEADER_NOTE and length <= MAX_NOTES:
                file.seek(offset)
                notes, at = file.read(length), 0
                while at + 12 <= len(notes):
                    name_size, content_size, note = struct.unpack_from("<III", notes, at)
                    name = notes[at + 12:at + 12 + name_size]
                    content = at + 12 + (name_size + 3) // 4 * 4
                    if name == NOTE_NAME and note == NOTE_TYPE:
                        return json.loads(notes[content:content + content_size].rstrip(b"\0"))
                    at = content + (content_size + 3) // 4 * 4
    return None


def listed(path: pathlib.Path) -> Iterator[Plugin]:
    try:
        read = manifest(path)
        for device in read["devices"] if read else ():
            aliases = tuple(device.get("aliases", ()))
            yield Plugin(aliases[0] if aliases else device["id"], device["name"], device["id"], aliases,
                         read["version"], str(path))
    except (OSError, ValueError, KeyError, TypeError):  # a file that load() refuses, with the reason
        return


def plugins() -> list[Plugin]:
    """Returns the plugins of the folders of BACKPLANE_PATH or, if that is not set, of the installation, in the order in
    which they are found. Nothing is run or judged: load() may still refuse one, as on a processor that lacks what it
    needs, and says why. "interpreter", which needs no plugin, is not listed.

    >>> import backplane
    >>> all(plugin.name for plugin in backplane.plugins())
    True
    """
    return [plugin for folder in folders() if folder.is_dir()
            for path in sorted(folder.iterdir()) if path.name.endswith(".so") for plugin in listed(path)]
