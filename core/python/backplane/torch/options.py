"""The options of torch.compile(..., backend="backplane")."""

import functools
import os
from dataclasses import dataclass, field, fields
from typing import Any, Mapping

from backplane.backend import Backend, load
from backplane.errors import invalid

FALLBACKS = ("warn", "silent", "error")


@dataclass(frozen=True)
class Options:
    """What torch.compile(..., options={...}) takes, by name."""

    #: The name of the backend, as load() takes it.
    device: str = field(default_factory=lambda: os.environ.get("BACKPLANE_BACKEND", "cpu"))
    #: Settings of the backend, as load() takes them.
    settings: Mapping[str, str | int | float] = field(default_factory=dict)
    #: When a graph cannot be compiled: "warn": it runs on PyTorch, with a warning; "silent": without one; "error":
    #: raises an Error.
    fallback: str = "warn"
    #: Whether weights are constants of programs for inference, which are faster. They are compiled again when weights
    #: have changed, except by `tensor.data` and NumPy, which PyTorch does not count as changes.
    constant_weights: bool = False

    @staticmethod
    def of(given: Mapping[str, Any] | None, mode: str | None) -> "Options":
        """Returns the options. INVALID: a name or a value is wrong."""
        if mode not in (None, "default"):
            raise invalid(f"mode is {mode!r}, expected none: modes of torch.compile are settings of inductor")
        names = [option.name for option in fields(Options)]
        for name in given or {}:
            if name not in names:
                raise invalid(f"there is no option {name!r} of the backend backplane, expected one of: "
                              f"{', '.join(names)}")
        made = Options(**(given or {}))
        if made.fallback not in FALLBACKS:
            raise invalid(f"option fallback is {made.fallback!r}, expected one of: {', '.join(FALLBACKS)}")
        made.backend()
        return made

    def backend(self) -> Backend:
        """Returns the backend, which is loaded once. INVALID: there is no such backend."""
        return loaded(self.device, tuple(sorted((key, str(value)) for key, value in self.settings.items())))


@functools.cache
def loaded(device: str, settings: tuple[tuple[str, str], ...]) -> Backend:
    return load(device, dict(settings))
