"""The one exception of this package."""

import enum


class Code(enum.IntEnum):
    """What kind of failure it is: the values of `bp_status`, except for BP_OK."""

    UNSUPPORTED = 1  # the backend, or Backplane, does not do this
    INVALID = 2  # an argument is wrong, bytes are damaged, or a file cannot be read
    NO_MEMORY = 3
    DEVICE_LOST = 4  # the device has failed for good: load the backend again
    INTERNAL = 5  # any other failure
    CANCELLED = 6  # ended early, as its caller asked for


class Error(Exception):
    """A failure of Backplane.

    `str(error)` is the whole text: place, message, the line of the program, notes.

    >>> import backplane
    >>> try:
    ...     backplane.load("no-such-backend")
    ... except backplane.Error as error:
    ...     print(error.code.name, error.message[:46])
    INVALID no plugin answers to "no-such-backend", expect
    """

    __module__ = "backplane"  # where users import it from, and what tracebacks name

    code: Code
    message: str  # what was found, what was expected, and where
    notes: tuple[str, ...]  # what else helps to understand it

    def __init__(self, code: Code, text: str) -> None:
        """`text`: the message, and notes on lines of their own that begin with "  note: "."""
        super().__init__(code, text)
        self.code = code
        self.message, *notes = text.split("\n  note: ")
        self.notes = tuple(notes)

    def __str__(self) -> str:
        return "\n  note: ".join((self.message, *self.notes))


def invalid(text: str) -> Error:
    return Error(Code.INVALID, text)
