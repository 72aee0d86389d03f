#!/usr/bin/env python3
"""NumPy arrays go into runs, and results come back, as DLPack tensors through libbackplane.so, with and without version.

Skipped without NumPy 2.1, the first that reads tensors of DLPack 1.0."""

import ctypes
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from jax_on_build import BUILD, SKIPPED, python_or_skip

PYTHON = python_or_skip("numpy", "numpy")
if PYTHON != sys.executable:
    os.execv(PYTHON, [PYTHON, *sys.argv])

import numpy as np

if np.lib.NumpyVersion(np.__version__) < "2.1.0":
    print(f"NumPy is of version {np.__version__}, expected at least 2.1")
    sys.exit(SKIPPED)

VERSIONED, OLD = b"dltensor_versioned", b"dltensor"
USED = {VERSIONED: b"used_dltensor_versioned", OLD: b"used_dltensor"}
IN_PLACE = 1

BACKPLANE = ctypes.CDLL(str(BUILD / "core/c/libbackplane.so"))
BACKPLANE.backplane_dlpack_with_version.restype = ctypes.c_void_p
BACKPLANE.backplane_dlpack_without_version.restype = ctypes.c_void_p

NEW = ctypes.pythonapi.PyCapsule_New
NEW.restype, NEW.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
GET = ctypes.pythonapi.PyCapsule_GetPointer
GET.restype, GET.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
RENAME = ctypes.pythonapi.PyCapsule_SetName
RENAME.argtypes = [ctypes.py_object, ctypes.c_char_p]

REPORT = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int32, ctypes.c_uint32, ctypes.c_char_p)


class Diag(ctypes.Structure):
    """bp_diag_t: receives the report of an error."""
    _fields_ = [("ctx", ctypes.c_void_p), ("report", REPORT)]

    def __init__(self):
        self.told = []
        super().__init__(None, REPORT(lambda diag, status, instruction, text: self.told.append(text.decode())))


class Refused(Exception):
    pass


def call(function, *arguments):
    diag = Diag()
    if function(*arguments[:-1], ctypes.byref(diag), arguments[-1]) != 0:
        raise Refused(diag.told[0])


def take(array, name):
    """Returns the tensor of an array; it belongs to the caller."""
    capsule = array.__dlpack__(max_version=(1, 1)) if name == VERSIONED else array.__dlpack__()
    tensor = GET(capsule, name)
    RENAME(capsule, USED[name])
    if name == OLD:
        tensor = BACKPLANE.backplane_dlpack_with_version(ctypes.c_void_p(tensor))
    return ctypes.c_void_p(tensor)


class Produced:
    """What numpy.from_dlpack() takes: an owner of a tensor."""

    def __init__(self, tensor, name):
        self.name = name
        self.tensor = tensor
        if name == OLD:
            self.tensor = BACKPLANE.backplane_dlpack_without_version(ctypes.c_void_p(tensor))

    def __dlpack__(self, **_):
        return NEW(self.tensor, self.name, None)

    def __dlpack_device__(self):
        return (1, 0)


class Program:
    def __init__(self, backend, text):
        self.backend, self.executable = ctypes.c_void_p(), ctypes.c_void_p()
        call(BACKPLANE.backplane_load, backend.encode(), None, 0, ctypes.byref(self.backend))
        call(BACKPLANE.backplane_compile_bytes, self.backend, text.encode(), ctypes.c_uint64(len(text)), b"text", None, 0,
             ctypes.byref(self.executable))

    def run(self, tensor, name):
        inputs, outputs, diag = (ctypes.c_void_p * 1)(tensor), (ctypes.c_void_p * 1)(), Diag()
        if BACKPLANE.backplane_run_dlpack(self.executable, inputs, 0, outputs, ctypes.byref(diag)) != 0:
            raise Refused(diag.told[0])
        return np.from_dlpack(Produced(outputs[0], name))

    def send(self, tensor):
        sent, diag = ctypes.c_void_p(), Diag()
        if BACKPLANE.backplane_send_dlpack(self.backend, tensor, IN_PLACE, ctypes.byref(sent), ctypes.byref(diag)) != 0:
            raise Refused(diag.told[0])
        return sent


def aligned(values):
    """Returns the array at an address that is a multiple of 64."""
    room = np.empty(values.nbytes + 64, np.uint8)
    start = -room.ctypes.data % 64
    placed = room[start:start + values.nbytes].view(values.dtype).reshape(values.shape)
    placed[...] = values
    return placed


def main():
    npu = str(BUILD / "plugins/npu/libbackplane_npu.so")
    values = np.arange(20, dtype=np.float32).reshape(4, 5)
    text = "HloModule m\nENTRY main { x = f32[4,5] parameter(0)  ROOT r = f32[4,5] add(x, x) }"
    for backend in ("interpreter", npu):
        program = Program(backend, text)
        for name in (VERSIONED, OLD):
            for array in (aligned(values), values[:]):
                before = sys.getrefcount(array)
                result = program.run(take(array, name), name)
                assert np.array_equal(result, 2 * values), f"{backend} computed\n{result}"
                assert sys.getrefcount(array) == before, f"{backend} keeps a tensor after the run"
                if name == VERSIONED:  # NumPy never writes to others
                    result += 1
        sent = program.send(take(aligned(values), VERSIONED))
        assert np.array_equal(program.run(sent, VERSIONED), 2 * values), f"{backend} does not use an array in place"
        try:
            program.run(take(np.zeros((5, 4), np.float32).T, VERSIONED), VERSIONED)
            raise AssertionError("a transposed array is not refused")
        except Refused as refused:
            assert "make it contiguous, as by numpy.ascontiguousarray" in str(refused), refused
    flip = Program("interpreter", "HloModule m\nENTRY main { x = pred[3] parameter(0)  ROOT r = pred[3] not(x) }")
    flags = np.array([True, False, True])
    flipped = flip.run(take(flags, VERSIONED), VERSIONED)
    assert flipped.dtype == np.bool_ and np.array_equal(flipped, ~flags), f"not computed {flipped}"


if __name__ == "__main__":
    main()
