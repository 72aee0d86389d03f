"""Backends: loaded by name, they compile programs."""

import ctypes
import os
import time
from typing import Any, Mapping, Sequence

import numpy as np

from backplane.arrays import DeviceArray
from backplane.element_types import ArrayType
from backplane.errors import Code, Error, invalid
from backplane.executable import Executable
from backplane.handles import Closable, pointer_of
from backplane.library import Diag, check, library, log, options, text
from backplane.program import Program
from backplane.tensors import NDArray, Taken, lend, prepare

IN_PLACE = 1
MAX_FETCHING = 64  # programs of a backend that return their argument
IDENTITY = "HloModule fetch\nENTRY main {{ ROOT x = {} parameter(0) }}"


def as_text(value: Any) -> str:
    return os.fspath(value) if isinstance(value, os.PathLike) else str(int(value) if isinstance(value, bool) else value)


def given(values: Mapping[str, Any]) -> dict[str, str]:
    """Returns the options that are given, as text."""
    return {key: as_text(value) for key, value in values.items() if value is not None}


def compile_options(device_only: bool | None = None, memory_limit: int | None = None,
                    cache_dir: str | os.PathLike[str] | None = None, dump_dir: str | os.PathLike[str] | None = None,
                    deadline: float | None = None, keep_artifacts: bool | None = None,
                    host_functions: Sequence[str] | None = None) -> dict[str, str]:
    if isinstance(host_functions, str):
        raise invalid("host_functions is a string, expected a sequence of strings")
    return given({"device-only": device_only, "memory-limit": memory_limit, "cache-dir": cache_dir,
                  "dump-dir": dump_dir, "deadline": deadline, "keep-artifacts": keep_artifacts,
                  "host-functions": None if host_functions is None else ",".join(host_functions)})


class Backend(Closable):
    """A backend that is ready for use. Executables and arrays stay valid when it is closed. Any thread may use it.

    Options of a compilation, which all methods that compile take by name:

    - `device_only`: UNSUPPORTED if the backend leaves anything to the host
    - `memory_limit`: maximum bytes for the program; NO_MEMORY if it needs more
    - `cache_dir`: a folder in which compiled artifacts are kept for later use
    - `dump_dir`: a folder for all intermediate results
    - `deadline`: maximum seconds; CANCELLED if it takes longer
    - `keep_artifacts`: whether Executable.save() can write a package
    - `host_functions`: targets of the custom calls that Terms serve, "infeed" and "outfeed": the backend may then call
      them from inside of a program, and is busy until they answer
    """

    def __init__(self, pointer: int, name: str) -> None:
        super().__init__(pointer, library().release_backend, "the backend")
        self.name = name  # as given to load()
        self._fetching: dict[ArrayType, Executable] = {}

    def compile(self, program: str | bytes | os.PathLike[str], *, name: str = "program",
                device_only: bool | None = None, memory_limit: int | None = None,
                cache_dir: str | os.PathLike[str] | None = None, dump_dir: str | os.PathLike[str] | None = None,
                deadline: float | None = None, keep_artifacts: bool | None = None,
                host_functions: Sequence[str] | None = None) -> Executable:
        """Compiles a program: HLO text, StableHLO as text or bytecode, an HLO protocol buffer, or ONNX; the format
        is detected. Instructions that the backend does not run itself run on the host.

        `program`: its text or bytes, or a pathlib.Path of its file. `name` stands for the file in messages. Errors:
        INVALID: it is no valid program, or the file cannot be read. UNSUPPORTED: sizes of inputs or results are known
        only when it runs.

        >>> import backplane
        >>> backend = backplane.load("interpreter")
        >>> backend.compile("HloModule m ENTRY main { x = s32[] parameter(0)  ROOT y = s32[] negate(x) }")(3)
        array(-3, dtype=int32)
        """
        settings = compile_options(device_only, memory_limit, cache_dir, dump_dir, deadline, keep_artifacts,
                                   host_functions)
        if isinstance(program, os.PathLike):
            return self._make("compile_file", os.fspath(program), (text(program, "the path"),), settings)
        return self._make("compile_bytes", name, self._content(program, name), settings)

    def compile_file(self, path: str | os.PathLike[str], *, device_only: bool | None = None,
                     memory_limit: int | None = None, cache_dir: str | os.PathLike[str] | None = None,
                     dump_dir: str | os.PathLike[str] | None = None, deadline: float | None = None,
                     keep_artifacts: bool | None = None, host_functions: Sequence[str] | None = None) -> Executable:
        """Compiles the program of a file, as compile() does."""
        settings = compile_options(device_only, memory_limit, cache_dir, dump_dir, deadline, keep_artifacts,
                                   host_functions)
        return self._make("compile_file", os.fspath(path), (text(path, "the path"),), settings)

    def open_program(self, program: str | bytes | os.PathLike[str], *, name: str = "program",
                     max_executables: int = 16, device_only: bool | None = None, memory_limit: int | None = None,
                     cache_dir: str | os.PathLike[str] | None = None, dump_dir: str | os.PathLike[str] | None = None,
                     deadline: float | None = None, keep_artifacts: bool | None = None,
                     host_functions: Sequence[str] | None = None) -> Program:
        """Reads a program, in StableHLO or ONNX, whose sizes are not all known. Nothing is compiled yet: that is done
        for the shapes that come, with these options.

        `max_executables`: how many executables the program keeps, at least 1; the least recently used one makes room.
        Errors: INVALID: it is no valid program, or the file cannot be read.
        """
        settings = compile_options(device_only, memory_limit, cache_dir, dump_dir, deadline, keep_artifacts,
                                   host_functions)
        if isinstance(program, os.PathLike):
            name = os.fspath(program)
            try:
                with open(program, "rb") as file:
                    program = file.read()
            except OSError as error:
                raise invalid(f"{name}: cannot be read: {error.strerror}") from error
        if not 1 <= max_executables < 2**32:
            raise invalid(f"max_executables is {max_executables}, expected at least 1")
        made, errors = ctypes.c_void_p(), Diag()
        with self._owned as backend:
            check(library().open_program(backend, *self._content(program, name), *options(settings), max_executables,
                                         errors, ctypes.byref(made)), errors)
        return Program(pointer_of(made), self)

    def load_package(self, path: str | os.PathLike[str], *,
                     signed_by: str | os.PathLike[str] | None = None) -> Executable:
        """Loads an executable that Executable.save() or `backplane compile -o FILE.bpkg` has written.

        A package contains machine code: load only those of people whom you trust. `signed_by`: the file of a public key
        (PEM, Ed25519) whose owner must have signed it; None: a signature is not demanded. The file may be replaced
        while the executable exists, but not shortened. Errors: INVALID: the file cannot be read, is damaged, was made
        for another backend or target, or is not signed as demanded.
        """
        made, errors = ctypes.c_void_p(), Diag()
        key = None if signed_by is None else text(signed_by, "the path of the key")
        with self._owned as backend:
            check(library().load_package(backend, text(path, "the path"), key, errors, ctypes.byref(made)), errors)
        return Executable(pointer_of(made), self)

    def send(self, array: Any, *, in_place: bool = False) -> DeviceArray:
        """Returns the array in the memory of the backend's device, so that runs do not copy it again: weights, for
        example. A backend that works in the host's memory uses it where it is, if it is aligned to 64 bytes.

        `array`: one of NumPy, or of another library with DLPack on the host. `in_place`: the device uses it where it
        is, such as in a file that was mapped (numpy.memmap); nobody may write to it as long as the result exists.
        Errors: UNSUPPORTED: the device cannot use it in place. INVALID: for that, it is not aligned to 64 bytes, or not
        in row-major order.
        """
        if isinstance(array, DeviceArray):
            tensor = array._share().release()
        else:
            prepared = prepare(array, None, "the array")
            if in_place and not isinstance(prepared, Taken) and prepared.size != 0 and not (
                    hasattr(array, "__array_interface__") and np.may_share_memory(prepared, np.asarray(array))):
                raise invalid("the array is not in row-major order, expected one that the device can use in place")
            tensor = prepared.release() if isinstance(prepared, Taken) else lend(prepared)
        made, errors = ctypes.c_void_p(), Diag()
        with self._owned as backend:
            check(library().send_dlpack(backend, tensor, IN_PLACE if in_place else 0, ctypes.byref(made), errors),
                  errors)
        return DeviceArray(pointer_of(made), self)

    def _fetch(self, array: DeviceArray) -> NDArray:
        """Returns a copy of an array of this backend's device in the host's memory. INVALID: the backend was closed."""
        # The C interface copies from a device only what a program returns.
        program = self._fetching.get(array.type)
        if program is None:
            if len(self._fetching) >= MAX_FETCHING:
                self._fetching.clear()
            program = self._fetching[array.type] = self.compile(IDENTITY.format(array.type), name="fetch")
        return program.run([array])[0]

    def _content(self, program: str | bytes, name: str) -> tuple[bytes, int, bytes]:
        if isinstance(program, str):
            content = program.encode(errors="surrogatepass")
        elif isinstance(program, (bytes, bytearray, memoryview)):
            content = bytes(program)
        else:
            raise invalid(f"the program is of type {type(program).__name__}, expected its text or bytes, or a "
                          "pathlib.Path of its file")
        if isinstance(program, str) and "\n" not in program and len(program) < 4096 and os.path.exists(program):
            raise invalid(f"the program is {program!r}, which is the name of a file, expected text\n  note: for a file "
                          "call compile_file(), or pass a pathlib.Path")
        return content, len(content), text(name, "the name")

    def _make(self, function: str, name: str, source: tuple[Any, ...], settings: dict[str, str]) -> Executable:
        made, errors = ctypes.c_void_p(), Diag()
        start = time.monotonic()
        with self._owned as backend:
            compile_it = getattr(library(), function)
            check(compile_it(backend, *source, *options(settings), errors, ctypes.byref(made)), errors)
        log.debug("%s: compiled for %s in %.3f seconds", name, self.name, time.monotonic() - start)
        return Executable(pointer_of(made), self)

    def __repr__(self) -> str:
        return f"<backplane.Backend {self.name}{' (closed)' if self.is_closed else ''}>"


def load(name: str = "cpu", settings: Mapping[str, str | int | float] | None = None, *, threads: int | None = None,
         isolate: float | None = None, isolate_memory: int | None = None,
         isolate_strict: bool | None = None) -> Backend:
    """Loads a backend.

    `name`: "interpreter", which needs no plugin; or one that a plugin answers to (plugins() lists them), searched for
    in the folders of BACKPLANE_PATH or, if that is not set, where Backplane was installed; or the path of a plugin,
    with a '/'. "npu:1" is the device with this number, "npu:SIM-0002" the one with this identity. Several names,
    separated by commas, share programs. `settings`: the backend's own (`backplane plugins NAME` lists them).
    `threads`: how many threads a run may use, including the caller's; 0: one for each processor that it may use.
    `isolate`: runs the backend in a separate process; if it crashes, later calls fail with DEVICE_LOST, and it has to
    be loaded again. The value is the maximum number of seconds for one of its calls; 0: no limit. `isolate_memory`:
    maximum bytes of address space of that process. `isolate_strict`: an error if the system cannot restrict what that
    process may do; otherwise that is a warning.

    Errors: INVALID: there is no such plugin, it may not be loaded, or a setting is wrong.

    >>> with load("interpreter") as backend:
    ...     backend
    <backplane.Backend interpreter>
    """
    all_settings = given(settings or {})
    if any(key.startswith("isolate") for key in all_settings):
        raise Error(Code.INVALID, "isolation is given as a setting, expected the arguments isolate, isolate_memory or "
                    "isolate_strict")
    all_settings |= given({"threads": threads, "isolate": isolate, "isolate-memory": isolate_memory,
                           "isolate-strict": isolate_strict})
    made, errors = ctypes.c_void_p(), Diag()
    start = time.monotonic()
    check(library().load(text(name, "the name"), *options(all_settings), errors, ctypes.byref(made)), errors)
    log.debug("%s: loaded in %.3f seconds", name, time.monotonic() - start)
    return Backend(pointer_of(made), name)
