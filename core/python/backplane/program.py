"""Programs that leave sizes open."""

import ctypes
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from backplane.arrays import DeviceArray
from backplane.element_types import BY_NAME, ArrayType, element_type_of
from backplane.errors import invalid
from backplane.executable import Executable
from backplane.handles import Closable, pointer_of
from backplane.library import Array, Diag, check, library
from backplane.tensors import NDArray, Taken, address_of, prepare

if TYPE_CHECKING:
    from backplane.backend import Backend


class Counts(NamedTuple):
    """How often Program.specialize() was called."""

    hits: int  # an executable was found
    misses: int  # one was compiled, or could not be
    evictions: int  # executables that made room for others


class Program(Closable):
    """A program whose sizes are not all known, such as jax.export writes with symbolic shapes. It keeps executables
    for the shapes that came. They stay valid when it is closed. Any thread may use it.

    >>> import backplane
    >>> program = backplane.load("interpreter").open_program('''func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
    ...   %r = stablehlo.add %x, %x : tensor<?xf32>
    ...   return %r : tensor<?xf32>
    ... }''')
    >>> program(np.float32([1, 2])), program(np.float32([1, 2, 3]))
    (array([2., 4.], dtype=float32), array([2., 4., 6.], dtype=float32))
    >>> program.specialize(backplane.ArrayType("f32", (2,))).outputs[0].shape
    (2,)
    >>> program.counts
    Counts(hits=1, misses=2, evictions=0)
    """

    def __init__(self, pointer: int, backend: "Backend") -> None:
        super().__init__(pointer, library().release_program, "the program")
        self._backend = backend

    def __call__(self, /, *arrays: Any) -> NDArray | tuple[NDArray, ...]:
        """Runs the program on arrays in the order of its parameters, at their sizes, as Executable.__call__() does. The
        first run with other shapes compiles. Numbers and sequences of them have no type here, and are refused."""
        prepared = self._prepare(arrays)
        with self._specialize(prepared) as executable:
            return executable(*prepared)

    def specialize(self, *arrays: Any) -> Executable:
        """Returns the executable for these shapes, which is compiled if the program does not keep it; other threads
        that need the same one wait.

        `arrays`: for each parameter an array, or something else with `shape` and `dtype`, such as an ArrayType or a
        jax.ShapeDtypeStruct. If sizes depend on the elements of an integer array, it is needed itself, and the
        executable is for these elements. Errors: INVALID: the shapes contradict the program, or each other.
        UNSUPPORTED: a size is not known.
        """
        return self._specialize(self._prepare(arrays))

    @property
    def counts(self) -> Counts:
        """How often executables were found, compiled, and dropped."""
        counters = [ctypes.c_uint64() for _ in range(3)]
        with self._owned as program:
            library().count_executables(program, *map(ctypes.byref, counters))
        return Counts(*[counter.value for counter in counters])

    def _prepare(self, arrays: tuple[Any, ...]) -> list[Any]:
        """Returns arrays where arrays are given, else types."""
        prepared: list[Any] = []
        for number, given in enumerate(arrays):
            is_array = isinstance(given, (np.ndarray, np.generic)) or hasattr(given, "__dlpack__")
            if isinstance(given, (ArrayType, DeviceArray)):
                prepared.append(given)
            elif not is_array and hasattr(given, "shape") and hasattr(given, "dtype"):
                prepared.append(ArrayType(element_type_of(np.dtype(given.dtype)).name, tuple(map(int, given.shape))))
            else:
                taken = prepare(given, None, f"argument {number}")
                prepared.append(taken.numpy() if isinstance(taken, Taken) else taken)
        return prepared

    def _specialize(self, prepared: list[Any]) -> Executable:
        shapes = (Array * max(len(prepared), 1))()
        inputs = (ctypes.c_void_p * max(len(prepared), 1))()
        kept: list[Any] = []
        for number, given in enumerate(prepared):
            if isinstance(given, np.ndarray):
                array = ArrayType(element_type_of(given.dtype).name, given.shape)
            else:
                array = given.type if isinstance(given, DeviceArray) else given
            element = BY_NAME[array.element_type]
            # Sizes depend on integers only: others are not passed, because the library copies what it gets.
            if element.name[0] in "su" and not isinstance(given, ArrayType):
                elements = given.numpy() if isinstance(given, DeviceArray) else given
                kept.append(elements)
                inputs[number] = address_of(elements)
            if any(size < 0 or size >= 2**63 for size in array.shape):
                raise invalid(f"shape {number} is {array}, expected sizes of at least 0")
            sizes = (ctypes.c_int64 * max(len(array.shape), 1))(*array.shape)
            kept.append(sizes)
            shapes[number] = Array(None, sizes, array.nbytes, len(array.shape), element.number, 0)
        made, errors = ctypes.c_void_p(), Diag()
        with self._owned as program:
            check(library().specialize(program, shapes, inputs, len(prepared), errors, ctypes.byref(made)), errors)
        return Executable(pointer_of(made), self._backend)

    def __repr__(self) -> str:
        return f"<backplane.Program on {self._backend.name}{' (closed)' if self.is_closed else ''}>"
