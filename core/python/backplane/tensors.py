"""Arrays as DLPack tensors: lent to the library, and taken from it and from others."""

import ctypes
import itertools
import math
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from backplane.element_types import BY_DLPACK, BY_NAME, ArrayType, element_type_of
from backplane.errors import Code, Error, invalid
from backplane.library import library

NDArray = npt.NDArray[Any]

ALIGNMENT = 64  # of arrays that the library uses where they are
VERSION = (1, 1)
HOST = 1  # kDLCPU
READ_ONLY, PADDED = 1, 4  # flags
VERSIONED, USED_VERSIONED = b"dltensor_versioned", b"used_dltensor_versioned"
OLD, USED_OLD = b"dltensor", b"used_dltensor"
DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Tensor(ctypes.Structure):
    """DLTensor"""

    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("rank", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("sizes", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


class ManagedTensor(ctypes.Structure):
    """DLManagedTensorVersioned"""

    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("manager_ctx", ctypes.c_void_p),
                ("deleter", DELETER), ("flags", ctypes.c_uint64), ("tensor", Tensor)]


class OldManagedTensor(ctypes.Structure):
    """DLManagedTensor, of before DLPack 1.0"""

    _fields_ = [("tensor", Tensor), ("manager_ctx", ctypes.c_void_p), ("deleter", DELETER)]


class SupportsDlpack(Protocol):
    """An array of another library."""

    def __dlpack__(self) -> Any: ...

    def __dlpack_device__(self) -> tuple[int, int]: ...


# --- capsules: by address where they are being destroyed, so that nothing refers to them again ---

api = ctypes.pythonapi
new_capsule = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(
    ("PyCapsule_New", api))
rename_capsule = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_SetName", api))
is_capsule = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_IsValid", api))
capsule_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_GetPointer", api))
increment = ctypes.PYFUNCTYPE(None, ctypes.py_object)(("Py_IncRef", api))


def give_back_unused(capsule: int, is_capsule: Any = is_capsule, pointer: Any = capsule_pointer,
                     kinds: Any = ((VERSIONED, ManagedTensor), (OLD, OldManagedTensor))) -> None:
    """Releases the tensor of a capsule that nobody has taken. Called when the capsule is destroyed."""
    for name, managed in kinds:
        if is_capsule(capsule, name):
            address = pointer(capsule, name)
            managed.from_address(address).deleter(address)


# Arrays that the library has, by address of the tensor; and by the same, the tensor with what it points to.
lent: dict[int, tuple[Any, ...]] = {}
GIVE_BACK = DELETER(lambda address, lent=lent: lent.pop(address, None) and None)
GIVE_BACK_UNUSED = DELETER(give_back_unused)
# The library and others may call these until the process ends, when this module is gone.
increment(GIVE_BACK)
increment(GIVE_BACK_UNUSED)


def address_of(array: NDArray) -> int:
    """Returns where the elements of an array are; faster than array.ctypes."""
    address: int = array.__array_interface__["data"][0]
    return address


def lend(array: NDArray) -> int:
    """Returns a tensor of a row-major array without gaps. It belongs to the caller, and keeps the array."""
    element = element_type_of(array.dtype)
    sizes = (ctypes.c_int64 * max(array.ndim, 1))(*array.shape)
    flags = (PADDED if element.bits < 8 else 0) | (0 if array.flags.writeable else READ_ONLY)
    made = ManagedTensor(*VERSION, None, GIVE_BACK, flags,
                         Tensor(address_of(array), HOST, 0, array.ndim, element.code, element.bits, 1, sizes, None, 0))
    address = ctypes.addressof(made)
    lent[address] = (made, sizes, array)
    return address


def shape_of(managed: ManagedTensor) -> tuple[int, ...]:
    return tuple(managed.tensor.sizes[: managed.tensor.rank])


def type_of(managed: ManagedTensor) -> ArrayType:
    tensor = managed.tensor
    found = BY_DLPACK.get((tensor.code, tensor.bits))
    if found is None or tensor.lanes != 1 or (tensor.bits < 8 and not managed.flags & PADDED):
        raise Error(Code.UNSUPPORTED, f"a DLPack tensor has elements of type code {tensor.code}, {tensor.bits} bits "
                    f"and {tensor.lanes} lanes, expected a type that HLO has, unpacked, and 1 lane")
    return ArrayType(found.name, shape_of(managed))


class Taken:
    """A tensor that belongs to Python, which gives it back when nobody refers to it. NumPy reads its memory through
    the attribute __array_interface__, and refers to it as long as it does."""

    def __init__(self, address: int) -> None:
        self.address: int | None = address
        self.managed = ManagedTensor.from_address(address)
        self.deleter = self.managed.deleter

    def release(self) -> int:
        """Returns the tensor, which belongs to the caller now."""
        address, self.address = self.address, None
        assert address is not None
        return address

    def give_back(self) -> None:
        address, self.address = self.address, None
        if address is not None and self.deleter:
            self.deleter(address)

    def __del__(self) -> None:
        self.give_back()

    @property
    def shape(self) -> tuple[int, ...]:
        return shape_of(self.managed)

    @property
    def type(self) -> ArrayType:
        return type_of(self.managed)

    def expect_host(self) -> None:
        if self.managed.tensor.device_type != HOST:
            raise Error(Code.UNSUPPORTED, f"a DLPack tensor is in memory of device type "
                        f"{self.managed.tensor.device_type}, expected {HOST} (the host)")

    @property
    def is_dense(self) -> bool:
        """Whether the array is row-major without gaps."""
        tensor, expected = self.managed.tensor, 1
        if not tensor.strides or 0 in self.shape:
            return True
        for size, stride in zip(reversed(self.shape), reversed(tensor.strides[: tensor.rank])):
            if size != 1 and stride != expected:
                return False
            expected *= size
        return True

    def numpy(self) -> NDArray:
        """Returns the array where it is, on the host. It keeps this tensor."""
        self.expect_host()
        dtype, tensor, shape = self.type.dtype, self.managed.tensor, self.shape
        if math.prod(shape) == 0:
            return np.empty(shape, dtype)
        strides = None
        if tensor.strides and not self.is_dense:
            strides = tuple(stride * dtype.itemsize for stride in tensor.strides[: tensor.rank])
        # NumPy's protocol has no name for the types of ml_dtypes, so that it reads bytes of their size.
        standard = dtype.isbuiltin == 1
        read_as = dtype if standard else np.dtype(f"V{dtype.itemsize}")
        self.__array_interface__ = {"version": 3, "shape": shape, "typestr": read_as.str, "strides": strides,
                                    "data": (tensor.data + tensor.byte_offset, bool(self.managed.flags & READ_ONLY))}
        array = np.asarray(self)
        return array if standard else array.view(dtype)


def take(array: SupportsDlpack) -> Taken:
    """Takes a tensor of an array of another library. INVALID: its __dlpack__ raises an exception."""
    try:
        try:
            capsule = array.__dlpack__(max_version=VERSION)  # type: ignore[call-arg]
        except TypeError:  # from before DLPack 1.0
            capsule = array.__dlpack__()
    except Exception as error:
        raise invalid(f"an array of type {type(array).__name__} gives no DLPack tensor: {error}") from error
    for name, used in ((VERSIONED, USED_VERSIONED), (OLD, USED_OLD)):
        if is_capsule(id(capsule), name):
            pointer = capsule_pointer(id(capsule), name)
            rename_capsule(capsule, used)
            return Taken(pointer if name == VERSIONED else library().dlpack_with_version(pointer))
    raise invalid(f"__dlpack__ of an array of type {type(array).__name__} returns a {type(capsule).__name__}, expected "
                  "a capsule of a tensor that nobody has taken")


def capsule_of(tensor: int, has_version: bool) -> Any:
    """Returns a capsule that others take a tensor from, which it owns. Without a version it is of before DLPack 1.0."""
    pointer = tensor if has_version else library().dlpack_without_version(tensor)
    return new_capsule(pointer, VERSIONED if has_version else OLD, ctypes.cast(GIVE_BACK_UNUSED, ctypes.c_void_p))


def empty(shape: int | tuple[int, ...], dtype: npt.DTypeLike = np.float32) -> NDArray:
    """Returns an array of undefined elements at an address that is a multiple of 64, which NumPy does not promise.

    Executables use such arrays where they are; they copy others first.

    >>> empty((2, 3)).ctypes.data % 64
    0
    """
    made, sizes = np.dtype(dtype), (shape,) if isinstance(shape, int) else shape
    size = math.prod(sizes) * made.itemsize
    room = np.empty(size + ALIGNMENT, np.uint8)
    start = -address_of(room) % ALIGNMENT
    return room[start:start + size].view(made).reshape(sizes)


def aligned(array: npt.ArrayLike) -> NDArray:
    """Returns the array itself if executables use it where it is, else a copy that they do.

    >>> aligned([1.0, 2.0])
    array([1., 2.])
    """
    given = np.asarray(array)
    if given.flags.c_contiguous and address_of(given) % ALIGNMENT == 0:
        return given
    made = empty(given.shape, given.dtype)
    np.copyto(made, given)
    return made


# --- what is given for an input ---

KINDS = {"pred": "b", "s": "biu", "u": "biu", "c": "biufc"}  # NumPy's kinds of what becomes an element type


def convert(value: Any, wanted: ArrayType, what: str) -> NDArray:
    """Returns Python numbers, alone or in sequences, as an array of this type; only if it has all of them."""
    try:
        found = np.asarray(value)
    except (ValueError, OverflowError) as error:
        raise invalid(f"{what} is no array: {error}") from error
    name = wanted.element_type
    if found.size == 0:
        return np.empty(found.shape, wanted.dtype)
    if found.dtype.kind not in KINDS.get(name, KINDS.get(name[0], "biuf")):
        raise invalid(f"{what} has values of NumPy's type {found.dtype}, expected what becomes {name}")
    if name[0] in "su":
        bits = BY_NAME[name].bits
        least, most = (-(1 << bits - 1), (1 << bits - 1) - 1) if name[0] == "s" else (0, (1 << bits) - 1)
        if int(found.min()) < least or int(found.max()) > most:
            raise invalid(f"{what} has values from {found.min()} to {found.max()}, expected from {least} to {most} "
                          f"({name})")
    return found.astype(wanted.dtype)


def prepare(value: Any, wanted: ArrayType | None, what: str) -> NDArray | Taken:
    """Returns what is given for an input as a row-major array, or as a tensor of another library.

    `wanted`: the type of the input, which Python numbers are converted to; None: it is not known. INVALID: the value is
    no array, or is of another type.
    """
    if isinstance(value, (np.ndarray, np.generic)) or hasattr(value, "__array_interface__"):
        array = np.asarray(value)
    elif hasattr(value, "__dlpack__"):
        taken = take(value)
        if taken.managed.tensor.device_type == HOST and not taken.is_dense:
            return np.asarray(taken.numpy(), order="C")
        return taken
    elif hasattr(value, "__array__"):
        array = np.asarray(value)
    elif wanted is None:
        raise invalid(f"{what} is of type {type(value).__name__}, expected an array: nothing else says its type")
    else:
        array = convert(value, wanted, what)
    if not array.flags.c_contiguous:
        dense = empty(array.shape, array.dtype)
        np.copyto(dense, array)
        array = dense
    if wanted is not None:
        expect_type(ArrayType(element_type_of(array.dtype).name, array.shape), wanted, what)
    return array


def expect_type(found: ArrayType, wanted: ArrayType, what: str) -> None:
    if found.shape != wanted.shape or found.element_type != wanted.element_type:
        raise invalid(f"{what} has shape {found}, expected {wanted}")


def lend_all(prepared: "list[NDArray | Taken]") -> Any:
    """Returns an array of tensors, which the library takes over."""
    made = (ctypes.c_void_p * max(len(prepared), 1))()
    for number, value in zip(itertools.count(), prepared):
        made[number] = value.release() if isinstance(value, Taken) else lend(value)
    return made
