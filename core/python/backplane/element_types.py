"""Element types: HLO's names, the numbers of the C interface (BP_DTYPE_), and the types of NumPy and of DLPack."""

import functools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from backplane.errors import Code, Error, invalid

# Codes of DLPack.
SIGNED, UNSIGNED, FLOAT, BFLOAT, COMPLEX, BOOL = 0, 1, 2, 4, 5, 6


@dataclass(frozen=True)
class ElementType:
    name: str  # HLO's: "f32"
    number: int  # BP_DTYPE_
    numpy: str  # the name of the type in NumPy, or in ml_dtypes
    code: int  # DLPack's
    bits: int

    @property
    def size(self) -> int:
        """Bytes of an element in memory; those of fewer than 8 bits take a byte each."""
        return max(self.bits // 8, 1)

    @functools.cached_property
    def dtype(self) -> np.dtype[Any]:
        """NumPy's type. UNSUPPORTED: NumPy needs ml_dtypes for it, which is not installed or too old."""
        own = getattr(np, self.numpy, None)
        if own is None:
            try:
                import ml_dtypes
                own = getattr(ml_dtypes, self.numpy)
            except (ImportError, AttributeError):
                raise Error(Code.UNSUPPORTED, f"NumPy has no type for elements of type {self.name}, expected that "
                            f"ml_dtypes is installed and has {self.numpy}: pip install -U ml_dtypes") from None
        made: np.dtype[Any] = np.dtype(own)
        return made


ELEMENT_TYPES = [
    ElementType("pred", 1, "bool_", BOOL, 8),
    ElementType("s1", 30, "int1", SIGNED, 1), ElementType("s2", 26, "int2", SIGNED, 2),
    ElementType("s4", 21, "int4", SIGNED, 4), ElementType("s8", 2, "int8", SIGNED, 8),
    ElementType("s16", 3, "int16", SIGNED, 16), ElementType("s32", 4, "int32", SIGNED, 32),
    ElementType("s64", 5, "int64", SIGNED, 64),
    ElementType("u1", 31, "uint1", UNSIGNED, 1), ElementType("u2", 27, "uint2", UNSIGNED, 2),
    ElementType("u4", 22, "uint4", UNSIGNED, 4), ElementType("u8", 6, "uint8", UNSIGNED, 8),
    ElementType("u16", 7, "uint16", UNSIGNED, 16), ElementType("u32", 8, "uint32", UNSIGNED, 32),
    ElementType("u64", 9, "uint64", UNSIGNED, 64),
    ElementType("f4e2m1fn", 32, "float4_e2m1fn", 17, 4),
    ElementType("f6e2m3fn", 36, "float6_e2m3fn", 15, 6), ElementType("f6e3m2fn", 35, "float6_e3m2fn", 16, 6),
    ElementType("f8e3m4", 29, "float8_e3m4", 7, 8), ElementType("f8e4m3", 28, "float8_e4m3", 8, 8),
    ElementType("f8e4m3b11fnuz", 23, "float8_e4m3b11fnuz", 9, 8),
    ElementType("f8e4m3fn", 20, "float8_e4m3fn", 10, 8), ElementType("f8e4m3fnuz", 25, "float8_e4m3fnuz", 11, 8),
    ElementType("f8e5m2", 19, "float8_e5m2", 12, 8), ElementType("f8e5m2fnuz", 24, "float8_e5m2fnuz", 13, 8),
    ElementType("f8e8m0fnu", 33, "float8_e8m0fnu", 14, 8),
    ElementType("bf16", 16, "bfloat16", BFLOAT, 16), ElementType("f16", 10, "float16", FLOAT, 16),
    ElementType("f32", 11, "float32", FLOAT, 32), ElementType("f64", 12, "float64", FLOAT, 64),
    ElementType("c64", 15, "complex64", COMPLEX, 64), ElementType("c128", 18, "complex128", COMPLEX, 128),
]
BY_NUMBER = {element.number: element for element in ELEMENT_TYPES}
BY_NAME = {element.name: element for element in ELEMENT_TYPES}
BY_NUMPY = {element.numpy: element for element in ELEMENT_TYPES} | {"bool": ELEMENT_TYPES[0]}
BY_DLPACK = {(element.code, element.bits): element for element in ELEMENT_TYPES}


@functools.lru_cache(maxsize=256)
def element_type_of(dtype: np.dtype[Any]) -> ElementType:
    """Returns the element type for a type of NumPy. UNSUPPORTED: there is none, as for text, or it is byte-swapped."""
    found = BY_NUMPY.get(dtype.name)
    if found is None or not dtype.isnative:
        raise Error(Code.UNSUPPORTED, f"elements are of NumPy's type {dtype}, expected one that HLO has, in the "
                    "machine's byte order")
    return found


@dataclass(frozen=True)
class ArrayType:
    """The type of an array: what an executable takes or gives, or what an open program is specialized for.

    >>> ArrayType("f32", (4, 5), "x")
    ArrayType(element_type='f32', shape=(4, 5), name='x', bounded=frozenset())
    >>> print(ArrayType("f32", (4, 5)), ArrayType("f32", (4, 5)).nbytes)
    f32[4,5] 80
    """

    element_type: str  # HLO's name
    shape: tuple[int, ...]  # sizes of the dimensions; () for a scalar
    name: str = ""  # of the parameter, or of the result's instruction; "x{1}" is the second element of a tuple
    bounded: frozenset[int] = frozenset()  # dimensions whose size a run tells: at most that of the shape

    def __post_init__(self) -> None:
        if self.element_type not in BY_NAME:
            raise invalid(f"the element type is {self.element_type!r}, expected one of {', '.join(BY_NAME)}")

    @property
    def dtype(self) -> np.dtype[Any]:
        """NumPy's type of the elements. UNSUPPORTED: it is one of ml_dtypes, which is not installed."""
        return BY_NAME[self.element_type].dtype

    @property
    def nbytes(self) -> int:
        """Bytes of the array in memory, row-major without gaps. Elements of fewer than 8 bits take a byte each."""
        return math.prod(self.shape) * BY_NAME[self.element_type].size

    def __str__(self) -> str:
        sizes = (f"{'<=' if i in self.bounded else ''}{size}" for i, size in enumerate(self.shape))
        return f"{self.element_type}[{','.join(sizes)}]"
