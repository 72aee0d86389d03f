"""Arrays in the memory of a backend's device."""

import ctypes
from typing import TYPE_CHECKING, Any

import numpy as np

from backplane.element_types import ArrayType
from backplane.handles import Closable, pointer_of
from backplane.library import Diag, check, library
from backplane.tensors import HOST, ManagedTensor, NDArray, Taken, capsule_of, empty, lend, type_of

if TYPE_CHECKING:
    from backplane.backend import Backend


class DeviceArray(Closable):
    """An array where the backend's device reads it, so that runs do not copy it again: made by Backend.send(), or by
    Executable.run(on_device=True). It cannot be changed. Any thread may use it, for any number of inputs and runs.

    If the device works in the host's memory, as that of cpu does, the array is there, and has DLPack.
    """

    def __init__(self, address: int, backend: "Backend") -> None:
        self._backend = backend
        managed = ManagedTensor.from_address(address)
        self._device = (managed.tensor.device_type, managed.tensor.device_id)
        super().__init__(address, managed.deleter, "the array")
        self.type: ArrayType = type_of(managed)

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes of the dimensions."""
        return self.type.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """NumPy's type of the elements."""
        return self.type.dtype

    def _share(self) -> Taken:
        """Returns another tensor of the array."""
        made, errors = ctypes.c_void_p(), Diag()
        with self._owned as tensor:
            check(library().share_dlpack(tensor, ctypes.byref(made), errors), errors)
        return Taken(pointer_of(made))

    def numpy(self) -> NDArray:
        """Returns the array in the host's memory: where it is, and then read-only, or a copy of what the device has.
        INVALID: it is a copy, and the backend was closed."""
        if self._device[0] == HOST:
            return self._share().numpy()
        return self._backend._fetch(self)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray:
        if copy is False and self._device[0] != HOST:
            raise ValueError("the array is in memory of the backend's device, expected that it may be copied")
        array = self.numpy()
        return array.astype(array.dtype if dtype is None else dtype, copy=bool(copy))

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._device

    def __dlpack__(self, *, stream: Any = None, max_version: tuple[int, int] | None = None,
                   dl_device: tuple[int, int] | None = None, copy: bool | None = None) -> Any:
        """Returns a capsule of a read-only tensor, without a copy. Readers of before DLPack 1.0, which do not know
        what is read-only, get a copy. BufferError: the array is in memory that only its backend can read, which
        numpy() copies."""
        if self._device[0] != HOST or dl_device not in (None, self._device):
            raise BufferError("the array is in memory of the backend's device, expected that numpy() is called first")
        has_version = max_version is not None and max_version[0] >= 1
        if has_version and not copy:
            return capsule_of(self._share().release(), has_version)
        copied = empty(self.shape, self.dtype)
        np.copyto(copied, self.numpy())
        return capsule_of(lend(copied), has_version)

    def __repr__(self) -> str:
        return f"<backplane.DeviceArray {self.type} on {self._backend.name}{' (closed)' if self.is_closed else ''}>"

