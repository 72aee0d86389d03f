"""The terms of runs, and functions of the application that programs call."""

import ctypes
import logging
from dataclasses import dataclass
from typing import Any, Callable, Mapping

import numpy as np

from backplane.element_types import BY_NUMBER, ArrayType, element_type_of
from backplane.errors import Code, Error, invalid
from backplane.handles import Closable
from backplane.library import FUNCTION, Array, Diag, check, library, text
from backplane.library import Call as CallStruct
from backplane.tensors import NDArray, convert, expect_type

log = logging.getLogger("backplane")


def described(array: Array, bounded: frozenset[int] = frozenset()) -> ArrayType:
    return ArrayType(BY_NUMBER[array.dtype].name, tuple(array.dims[: array.rank]), (array.name or b"").decode(), bounded)


@dataclass(frozen=True)
class Call:
    """One execution of a custom call, infeed or outfeed, which a function of the application serves."""

    target: str | None  # custom_call_target; None: infeed or outfeed
    config: str  # backend_config of a custom call, or ""
    inputs: tuple[NDArray, ...]  # copies, which the function may keep; infeed has none
    outputs: tuple[ArrayType, ...]  # what the function returns; outfeed has none


Function = Callable[[Call], Any]


def memory(address: int | None, array: ArrayType) -> NDArray:
    """Returns the array at an address, which is valid during a call."""
    if array.nbytes == 0 or address is None:
        return np.empty(array.shape, array.dtype)
    room = np.ctypeslib.as_array(ctypes.cast(address, ctypes.POINTER(ctypes.c_uint8)), (array.nbytes,))
    return room.view(array.dtype).reshape(array.shape)


def serve(function: Function, call: CallStruct) -> None:
    """Calls the function, and copies what it returns."""
    inputs = [memory(call.input_data[i], described(call.inputs[i])).copy() for i in range(call.input_count)]
    outputs = [described(call.outputs[i]) for i in range(call.output_count)]
    target = None if call.target is None else call.target.decode()
    returned = function(Call(target, (call.config or b"").decode(), tuple(inputs), tuple(outputs)))
    results = () if returned is None else tuple(returned) if isinstance(returned, (tuple, list)) else (returned,)
    if len(results) != len(outputs):
        raise invalid(f"returned {len(results)} arrays, expected {len(outputs)}")
    for number, (result, output) in enumerate(zip(results, outputs)):
        is_typed = hasattr(result, "dtype")
        array = np.asarray(result) if is_typed else convert(result, output, f"output {number}")
        expect_type(ArrayType(element_type_of(array.dtype).name, array.shape), output, f"output {number}")
        memory(call.output_data[number], output)[...] = array


def served(function: Function) -> Any:
    """Returns the function as C calls it. Its exceptions become the error of the run, and are logged."""

    def run(_: int, call: Any, errors: Any) -> int:
        try:
            serve(function, call.contents)
            return 0
        except Error as error:
            code, why = error.code, str(error)
        except Exception as error:
            log.debug("a function of the application failed", exc_info=True)
            code, why = Code.INVALID, f"{type(error).__name__}: {error}"
        except BaseException as error:  # such as KeyboardInterrupt, which must not go on in C
            code, why = Code.CANCELLED, type(error).__name__
        errors.contents.report(ctypes.addressof(errors.contents), code, 0xFFFFFFFF, why.encode(errors="replace"))
        return code

    return FUNCTION(run)


class Terms(Closable):
    """Until when and how urgently runs are done, and which functions they call. One object may be given to any number
    of runs, also at the same time.

    `seconds`: until the deadline, counted from now; None: there is none; 0 or less: it has passed. `priority`: of runs
    that wait for the same device, those with a larger number begin first, if the backend heeds it. `functions`: by
    target, what serves custom calls; `infeed` and `outfeed`: what serves these. A function gets a Call, and returns an
    array, several in a sequence, or None if the instruction has no results. It runs on a thread of the run, at the same
    time for several runs. An exception fails the run: with INVALID, or with the code of an Error; CANCELLED ends the
    run as cancel() does. A function may run other executables, but not on a device with a run that waits for it. One
    that refers to its terms keeps them until they are closed.

    >>> import backplane
    >>> text = '''HloModule double
    ... ENTRY main { x = f32[2] parameter(0)  ROOT y = f32[2] custom-call(x), custom_call_target="double" }'''
    >>> with backplane.Terms(functions={"double": lambda call: 2 * call.inputs[0]}) as terms:
    ...     executable = backplane.load("interpreter").compile(text)
    ...     executable.run([[1, 2]], terms=terms)
    (array([2., 4.], dtype=float32),)
    """

    def __init__(self, seconds: float | None = None, *, priority: int = 0,
                 functions: Mapping[str, Function] | None = None, infeed: Function | None = None,
                 outfeed: Function | None = None) -> None:
        # For C, 0 means that there is no deadline.
        pointer = library().make_terms(0.0 if seconds is None else seconds or -1.0, priority)
        if pointer is None:
            raise Error(Code.NO_MEMORY, "there is no memory for terms")
        kept: list[Any] = []  # what C calls, as long as the terms exist
        release = library().release_terms

        def release_with_functions(terms: int) -> None:
            release(terms)
            kept.clear()

        super().__init__(pointer, release_with_functions, "the terms")
        serves: list[tuple[Any, tuple[bytes, ...], Function]] = [
            (library().serve_function, (text(target, "a target"),), function)
            for target, function in (functions or {}).items()]
        feeds = ((library().serve_infeed, infeed), (library().serve_outfeed, outfeed))
        serves += [(add, (), function) for add, function in feeds if function is not None]
        for add, target, function in serves:
            if not callable(function):
                raise invalid(f"a function is of type {type(function).__name__}, expected a callable")
            kept.append(served(function))
            errors = Diag()
            check(add(pointer, *target, kept[-1], None, errors), errors)

    def cancel(self) -> None:
        """Makes all runs with these terms end early, now and later, with the code CANCELLED. For any thread."""
        with self._owned as terms:
            library().cancel(terms)
