"""libbackplane.so: where it is, its functions (backplane/runtime.h), and how they report errors."""

import ctypes
import functools
import logging
import os
import pathlib
import platform
from typing import Any

from backplane.errors import Code, Error, invalid

VARIABLE = "BACKPLANE_LIBRARY"
NAME = "libbackplane.so"
SYSTEM_NAME = "libbackplane.so.0"
INSTALLED = pathlib.Path(__file__).parent / "installed"  # a wheel has an installation of Backplane here
log = logging.getLogger("backplane")

REPORT = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int32, ctypes.c_uint32, ctypes.c_char_p)
reports: dict[int, list[str]] = {}  # by address of the receiver, which exists for one call


def receive(receiver: int, status: int, instruction: int, message: bytes | None) -> None:
    reports.setdefault(receiver, []).append((message or b"").decode(errors="replace"))


RECEIVE = REPORT(receive)


class Diag(ctypes.Structure):
    """bp_diag_t: receives the reports of one call."""

    _fields_ = [("ctx", ctypes.c_void_p), ("report", REPORT)]

    def __init__(self) -> None:
        super().__init__(None, RECEIVE)


class Option(ctypes.Structure):
    """bp_option_t"""

    _fields_ = [("key", ctypes.c_char_p), ("value", ctypes.c_char_p)]


class Array(ctypes.Structure):
    """backplane_array_t"""

    _fields_ = [("name", ctypes.c_char_p), ("dims", ctypes.POINTER(ctypes.c_int64)), ("size", ctypes.c_uint64),
                ("rank", ctypes.c_uint32), ("dtype", ctypes.c_uint16), ("reserved", ctypes.c_uint16)]


class Call(ctypes.Structure):
    """backplane_call_t"""

    _fields_ = [("target", ctypes.c_char_p), ("config", ctypes.c_char_p), ("inputs", ctypes.POINTER(Array)),
                ("outputs", ctypes.POINTER(Array)), ("input_data", ctypes.POINTER(ctypes.c_void_p)),
                ("output_data", ctypes.POINTER(ctypes.c_void_p)), ("input_count", ctypes.c_uint32),
                ("output_count", ctypes.c_uint32)]


class ListedPlugin(ctypes.Structure):
    """backplane_plugin_t"""

    _fields_ = [(name, ctypes.c_char_p) for name in ("name", "id", "aliases", "title", "version", "path", "refusal")]


RECEIVER = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.POINTER(ListedPlugin))
FUNCTION = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.POINTER(Call), ctypes.POINTER(Diag))

POINTER, STATUS, COUNT, SIZE, TEXT = ctypes.c_void_p, ctypes.c_int32, ctypes.c_uint32, ctypes.c_uint64, ctypes.c_char_p
ERRORS, OPTIONS, ARRAY = ctypes.POINTER(Diag), ctypes.POINTER(Option), ctypes.POINTER(Array)
MADE = POINTERS = ctypes.POINTER(ctypes.c_void_p)
COUNTER = ctypes.POINTER(ctypes.c_uint64)
# By function: the type of the result, and those of the parameters.
FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "version": (TEXT, []),
    "load": (STATUS, [TEXT, OPTIONS, COUNT, ERRORS, MADE]),
    "list_plugins": (STATUS, [RECEIVER, POINTER, ERRORS]),
    "release_backend": (None, [POINTER]),
    "compile_file": (STATUS, [POINTER, TEXT, OPTIONS, COUNT, ERRORS, MADE]),
    "compile_bytes": (STATUS, [POINTER, TEXT, SIZE, TEXT, OPTIONS, COUNT, ERRORS, MADE]),
    "release_executable": (None, [POINTER]),
    "save_package": (STATUS, [POINTER, TEXT, ERRORS]),
    "load_package": (STATUS, [POINTER, TEXT, TEXT, ERRORS, MADE]),
    "input_count": (COUNT, [POINTER]),
    "output_count": (COUNT, [POINTER]),
    "input": (ARRAY, [POINTER, COUNT]),
    "output": (ARRAY, [POINTER, COUNT]),
    "output_is_bounded": (COUNT, [POINTER, COUNT, COUNT]),
    "make_terms": (POINTER, [ctypes.c_double, ctypes.c_int32]),
    "cancel": (None, [POINTER]),
    "release_terms": (None, [POINTER]),
    "run_with_terms": (STATUS, [POINTER, POINTERS, POINTERS, POINTER, ERRORS]),
    "open_program": (STATUS, [POINTER, TEXT, SIZE, TEXT, OPTIONS, COUNT, COUNT, ERRORS, MADE]),
    "release_program": (None, [POINTER]),
    "specialize": (STATUS, [POINTER, ARRAY, POINTERS, COUNT, ERRORS, MADE]),
    "count_executables": (None, [POINTER, COUNTER, COUNTER, COUNTER]),
    "serve_function": (STATUS, [POINTER, TEXT, FUNCTION, POINTER, ERRORS]),
    "serve_infeed": (STATUS, [POINTER, FUNCTION, POINTER, ERRORS]),
    "serve_outfeed": (STATUS, [POINTER, FUNCTION, POINTER, ERRORS]),
    "run_dlpack": (STATUS, [POINTER, POINTERS, COUNT, POINTERS, ERRORS]),
    "send_dlpack": (STATUS, [POINTER, POINTER, COUNT, MADE, ERRORS]),
    "share_dlpack": (STATUS, [POINTER, MADE, ERRORS]),
    "dlpack_with_version": (POINTER, [POINTER]),
    "dlpack_without_version": (POINTER, [POINTER]),
}


def candidates() -> list[str]:
    """Returns the paths or names of the library, in the order in which they are tried."""
    named = os.environ.get(VARIABLE)
    if named:
        return [named]
    return [*map(str, sorted(INSTALLED.rglob(NAME))), SYSTEM_NAME]


@functools.cache
def library() -> ctypes.CDLL:
    """Returns the library: the one that BACKPLANE_LIBRARY names, that of the wheel, or the system's.

    Its functions have no prefix here: `library().load`. They run without the lock of Python's interpreter.
    INVALID: there is no such library, it cannot be loaded, or it lacks a function.
    """
    problems = []
    for candidate in candidates():
        try:
            loaded = ctypes.CDLL(candidate)
        except OSError as error:
            problems.append(str(error))
            continue
        for name, (result, parameters) in FUNCTIONS.items():
            try:
                function = getattr(loaded, f"backplane_{name}")
            except AttributeError:
                raise invalid(f"{candidate} has no function backplane_{name}, expected a library of the version of "
                              "this package") from None
            function.restype, function.argtypes = result, parameters
            setattr(loaded, name, function)
        return loaded
    raise invalid("the library of Backplane cannot be loaded\n  note: " + "\n  note: ".join(problems) +
                  f"\n  note: install the wheel of backplane for {platform.machine()}, or Backplane itself, or set "
                  f"{VARIABLE} to the path of {NAME}")


def check(status: int, errors: Diag) -> None:
    """Raises what a function has reported if it failed."""
    texts = reports.pop(ctypes.addressof(errors), [])
    if status != 0:
        known = status in Code.__members__.values()
        raise Error(Code(status) if known else Code.INTERNAL, texts[0] if texts else f"failed with status {status}")
    for text in texts:
        log.warning("%s", text)


def text(value: str | os.PathLike[str], what: str) -> bytes:
    """Returns a string or path as C has it. INVALID: it contains a zero, where C's would end."""
    try:
        encoded = os.fspath(value).encode("utf-8", "surrogateescape")
    except (TypeError, AttributeError):
        raise invalid(f"{what} is of type {type(value).__name__}, expected a string") from None
    except UnicodeEncodeError:
        raise invalid(f"{what} is {value!r}, expected valid Unicode") from None
    if b"\0" in encoded:
        raise invalid(f"{what} is {value!r}, expected no character with the code 0")
    return encoded


def options(settings: dict[str, str]) -> tuple[Any, int]:
    """Returns an array of bp_option_t, and its length."""
    made = [Option(text(key, "the key of an option"), text(value, f"option {key}")) for key, value in settings.items()]
    return (Option * len(made))(*made), len(made)


def version() -> str:
    """Returns the version of the library, such as "0.1.0"."""
    number = library().version()
    assert isinstance(number, bytes)
    return number.decode()
