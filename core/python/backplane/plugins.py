"""The plugins that can be loaded by name, read from their files without running their code."""

import os
from dataclasses import dataclass
from typing import Any

from backplane.library import RECEIVER, Diag, check, library


@dataclass(frozen=True)
class Plugin:
    """A kind of device that a plugin has."""

    name: str  # what load() takes
    title: str  # "Simulated NPU"
    id: str  # "dev.backplane.npu"
    aliases: tuple[str, ...]
    version: str  # of the plugin
    path: str  # of its file


@dataclass(frozen=True)
class RefusedFile:
    """A file among the plugins that cannot be loaded."""

    path: str
    reason: str


def listed() -> list[Plugin | RefusedFile]:
    found: list[Plugin | RefusedFile] = []

    def receive(data: int, pointer: Any) -> None:
        plugin = pointer.contents
        path = os.fsdecode(plugin.path)
        if plugin.refusal is not None:
            found.append(RefusedFile(path, plugin.refusal.decode(errors="replace")))
        else:
            aliases = tuple(plugin.aliases.decode().split(",")) if plugin.aliases else ()
            found.append(Plugin(plugin.name.decode(), plugin.title.decode(), plugin.id.decode(), aliases,
                                plugin.version.decode(), path))

    errors = Diag()
    check(library().list_plugins(RECEIVER(receive), None, errors), errors)
    return found


def plugins() -> list[Plugin]:
    """Returns the plugins of the folders of BACKPLANE_PATH or, if that is not set, of the installation, in the order in
    which they are found. None of their code is run. "interpreter", which needs no plugin, is not listed.

    >>> import backplane
    >>> all(plugin.name for plugin in backplane.plugins())
    True
    """
    return [plugin for plugin in listed() if isinstance(plugin, Plugin)]


def refused_files() -> list[RefusedFile]:
    """Returns the files among the plugins that cannot be loaded, and why.

    >>> import backplane
    >>> all(file.reason for file in backplane.refused_files())
    True
    """
    return [file for file in listed() if isinstance(file, RefusedFile)]
