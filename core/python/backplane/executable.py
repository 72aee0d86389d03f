"""Programs that can be run."""

import ctypes
import os
from typing import TYPE_CHECKING, Any, Literal, Mapping, Sequence, overload

import numpy as np

from backplane.arrays import DeviceArray
from backplane.element_types import ArrayType
from backplane.errors import Code, Error, invalid
from backplane.handles import Closable
from backplane.library import Diag, check, library, text
from backplane.tensors import NDArray, Taken, address_of, expect_type, lend_all, prepare
from backplane.terms import Terms, described

if TYPE_CHECKING:
    from backplane.backend import Backend

ON_DEVICE = 1
# Bytes of arguments and results of a program for which a copy takes less time than tensors, which Python has to make.
MAX_COPIED = 1 << 16


class Executable(Closable):
    """A compiled program. It stays valid when its backend is closed. Any thread may run it, several at the same time;
    runs do not hold the lock of Python's interpreter.

    Arguments are NumPy arrays, arrays of other libraries with DLPack on the host, DeviceArrays, or numbers and
    sequences of numbers. Arrays must have the type of the input: nothing is rounded in secret. Those that are
    row-major, without gaps and aligned to 64 bytes (empty(), aligned()) are used where they are, unless all arrays of
    the program together are small; others are copied. They are not changed, and nobody may change them during the run.
    Results are NumPy arrays that belong to the caller; they stay valid when the executable is closed. A result of type
    f32[<=8] has the size that the run told.

    >>> import backplane
    >>> executable = backplane.load("interpreter").compile('''HloModule difference
    ... ENTRY main { x = f32[2] parameter(0)  y = f32[2] parameter(1)  ROOT r = f32[2] subtract(x, y) }''')
    >>> executable([3, 4], y=[1, 1])
    array([2., 3.], dtype=float32)
    >>> print(*executable.inputs, *executable.outputs)
    f32[2] f32[2] f32[2]
    >>> executable([3, 4, 5], y=[1, 1])
    Traceback (most recent call last):
    backplane.Error: input x has shape f32[3], expected f32[2]
    """

    def __init__(self, pointer: int, backend: "Backend") -> None:
        super().__init__(pointer, library().release_executable, "the executable")
        self._backend = backend
        of = library()
        #: The parameters in order, with tuples flattened and without tokens.
        self.inputs: tuple[ArrayType, ...] = tuple(
            described(of.input(pointer, i).contents) for i in range(of.input_count(pointer)))
        #: The results, likewise.
        self.outputs: tuple[ArrayType, ...] = tuple(
            described(output, frozenset(k for k in range(output.rank) if of.output_is_bounded(pointer, i, k)))
            for i, output in enumerate(of.output(pointer, i).contents for i in range(of.output_count(pointer))))
        self._is_bounded = any(output.bounded for output in self.outputs)
        self._bytes = sum(array.nbytes for array in self.inputs + self.outputs)
        self._numbers = {array.name: number for number, array in enumerate(self.inputs)}

    def __call__(self, /, *arrays: Any, **named: Any) -> NDArray | tuple[NDArray, ...]:
        """Runs the program on arguments in order, and by the names of parameters. Returns the result, or a tuple if the
        program does not have exactly one.

        Errors: INVALID, as for an argument of another type; those of run().
        """
        results = self._run(self._bind(arrays, named), None)
        return results[0] if len(results) == 1 else results

    @overload
    def run(self, arguments: Sequence[Any] | Mapping[str, Any] = (), *, terms: Terms | None = None,
            on_device: Literal[False] = False) -> tuple[NDArray, ...]: ...

    @overload
    def run(self, arguments: Sequence[Any] | Mapping[str, Any] = (), *, terms: None = None,
            on_device: Literal[True]) -> tuple[DeviceArray, ...]: ...

    def run(self, arguments: Sequence[Any] | Mapping[str, Any] = (), *, terms: Terms | None = None,
            on_device: bool = False) -> tuple[NDArray, ...] | tuple[DeviceArray, ...]:
        """Runs the program on arguments in order, or by name. Returns all results.

        `terms`: the deadline and more; with terms all arrays are copied. `on_device`: whether results stay in the
        memory of the device. Errors: INVALID, as for an argument of another type; CANCELLED, by the terms; DEVICE_LOST;
        NO_MEMORY; UNSUPPORTED for `on_device` or results with run-time sizes with terms, and for arrays of devices
        other than the backend's.
        """
        if isinstance(arguments, Mapping):
            bound = self._bind((), arguments)
        elif isinstance(arguments, (str, bytes)) or not isinstance(arguments, Sequence):
            raise invalid(f"arguments are of type {type(arguments).__name__}, expected a sequence of arrays, or arrays "
                          "by name")
        else:
            bound = self._bind(arguments, {})
        if on_device:
            if terms is not None:
                raise Error(Code.UNSUPPORTED, "a run with terms leaves no results on the device, expected one of both")
            tensors = self._run_tensors(self._prepare(bound), ON_DEVICE)
            return tuple(DeviceArray(tensor.release(), self._backend) for tensor in tensors)
        return self._run(bound, terms)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a package, from which Backend.load_package() loads the executable without compiling. An existing file
        is replaced. Errors: UNSUPPORTED: it was not compiled with keep_artifacts=True. INVALID: the file cannot be
        written."""
        errors = Diag()
        with self._owned as executable:
            check(library().save_package(executable, text(path, "the path"), errors), errors)

    def _bind(self, arrays: Sequence[Any], named: Mapping[str, Any]) -> list[Any]:
        """Returns an argument for each input."""
        if len(arrays) > len(self.inputs):
            raise invalid(f"{len(arrays)} arguments are given, expected {len(self.inputs)}")
        missing = object()
        bound = [*arrays, *[missing] * (len(self.inputs) - len(arrays))]
        for name, array in named.items():
            number = self._numbers.get(name)
            if number is None:
                raise invalid(f"there is no input {name!r}, expected one of: {', '.join(self._numbers) or 'none'}")
            if bound[number] is not missing:
                raise invalid(f"input {name} is given twice, by position and by name")
            bound[number] = array
        absent = [array.name for array, value in zip(self.inputs, bound) if value is missing]
        if absent:
            raise invalid(f"{', '.join(absent)}: no argument is given, expected {len(self.inputs)}")
        return bound

    def _run(self, bound: list[Any], terms: Terms | None) -> tuple[NDArray, ...]:
        prepared = self._prepare(bound)
        if terms is not None and self._is_bounded:
            raise Error(Code.UNSUPPORTED, "sizes of results are known only after a run, expected one without terms")
        if terms is None:
            are_tensors = any(isinstance(array, (Taken, DeviceArray)) for array in prepared)
            if self._is_bounded or self._bytes > MAX_COPIED or are_tensors:
                return tuple(tensor.numpy() for tensor in self._run_tensors(prepared, 0))
            return self._run_copied(prepared, None)
        arrays = [array.numpy() if isinstance(array, (Taken, DeviceArray)) else array for array in prepared]
        for array, wanted in zip(arrays, self.inputs):
            prepare(array, wanted, f"input {wanted.name}")  # the type of a tensor was not looked at
        with terms._owned as given:
            return self._run_copied(arrays, given)

    def _run_copied(self, arrays: Sequence[Any], terms: int | None) -> tuple[NDArray, ...]:
        results = [np.empty(output.shape, output.dtype) for output in self.outputs]
        inputs = (ctypes.c_void_p * max(len(arrays), 1))(*map(address_of, arrays))
        outputs = (ctypes.c_void_p * max(len(results), 1))(*map(address_of, results))
        errors = Diag()
        with self._owned as executable:
            check(library().run_with_terms(executable, inputs, outputs, terms, errors), errors)
        return tuple(results)

    def _prepare(self, bound: list[Any]) -> list[NDArray | Taken | DeviceArray]:
        prepared: list[NDArray | Taken | DeviceArray] = []
        for array, wanted in zip(bound, self.inputs):
            what = f"input {wanted.name}"
            if isinstance(array, DeviceArray):
                expect_type(array.type, wanted, what)
                prepared.append(array)
            else:
                prepared.append(prepare(array, wanted, what))
        return prepared

    def _run_tensors(self, prepared: "list[NDArray | Taken | DeviceArray]", flags: int) -> list[Taken]:
        tensors = [array._share() if isinstance(array, DeviceArray) else array for array in prepared]
        outputs, errors = (ctypes.c_void_p * max(len(self.outputs), 1))(), Diag()
        with self._owned as executable:
            inputs = lend_all(tensors)
            check(library().run_dlpack(executable, inputs, flags, outputs, errors), errors)
        return [Taken(address) for address in outputs[: len(self.outputs)] if address is not None]

    def __repr__(self) -> str:
        inputs = ", ".join(f"{array.name}: {array}" for array in self.inputs)
        return (f"<backplane.Executable ({inputs}) -> ({', '.join(map(str, self.outputs))}) on {self._backend.name}"
                f"{' (closed)' if self.is_closed else ''}>")
