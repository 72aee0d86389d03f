"""Objects of the library that are released once, and never while a call uses them."""

import ctypes
import os
import threading
import types
import weakref
from typing import Any, Callable, Self

from backplane.errors import invalid


class Owned:
    """An object of the library, with the number of calls that use it."""

    def __init__(self, pointer: int, release: Callable[[int], None], what: str) -> None:
        self.pointer = pointer
        self.release = release
        self.what = what
        self.process = os.getpid()
        self.lock = threading.Lock()
        self.users = 0
        self.is_closed = False

    def __enter__(self) -> int:
        with self.lock:
            if self.is_closed:
                raise invalid(f"{self.what} was closed, expected one that is open")
            if self.process != os.getpid():
                raise invalid(f"{self.what} was made before this process was forked, expected one of this process")
            self.users += 1
        return self.pointer

    def __exit__(self, *_: object) -> None:
        with self.lock:
            self.users -= 1
            is_last = self.is_closed and self.users == 0
        if is_last:
            self.release(self.pointer)

    def close(self) -> None:
        # Threads of the library do not exist in a forked process: what belongs to its parent is left alone there.
        if self.process != os.getpid():
            return
        with self.lock:
            is_last = not self.is_closed and self.users == 0
            self.is_closed = True
        if is_last:
            self.release(self.pointer)


class Closable:
    """What has an object of the library. It is released by close(), at the end of a `with` block, when nobody refers to
    this any more, or when Python ends, whichever comes first. Calls of other threads that use it are waited for: the
    last one releases it."""

    def __init__(self, pointer: int, release: Callable[[int], None], what: str) -> None:
        self._owned = Owned(pointer, release, what)
        self._finalizer = weakref.finalize(self, self._owned.close)

    def close(self) -> None:
        """Releases the object. Later calls that need it raise an Error, INVALID. May be called several times."""
        self._finalizer()

    @property
    def is_closed(self) -> bool:
        return self._owned.is_closed

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None,
                 traceback: types.TracebackType | None) -> None:
        self.close()


def pointer_of(made: Any) -> int:
    """Returns the address that a function has stored."""
    assert isinstance(made, ctypes.c_void_p) and made.value is not None
    return made.value
