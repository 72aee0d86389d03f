"""Backplane from Python: load a backend by name, compile a program for it, and run it on arrays.

>>> import backplane
>>> import numpy as np
>>> backend = backplane.load("interpreter")
>>> executable = backend.compile('''HloModule sum
... ENTRY main { x = f32[3] parameter(0)  y = f32[3] parameter(1)  ROOT sum = f32[3] add(x, y) }''')
>>> executable(np.float32([1, 2, 3]), y=np.float32([10, 20, 30]))
array([11., 22., 33.], dtype=float32)

Everything that fails raises Error, with a code, a message and notes. Objects are released when nobody refers to them
any more; close() and `with` do that earlier. All of them may be used by several threads. A process that was forked must
not use objects of its parent. Messages for developers go to the logger "backplane" of the module logging.

The library is the one that BACKPLANE_LIBRARY names, that of the wheel, or the system's libbackplane.so.0.
"""

from backplane.arrays import DeviceArray
from backplane.backend import Backend, load
from backplane.element_types import ArrayType
from backplane.errors import Code, Error
from backplane.executable import Executable
from backplane.library import version
from backplane.plugins import Plugin, RefusedFile, plugins, refused_files
from backplane.program import Counts, Program
from backplane.tensors import aligned, empty
from backplane.terms import Call, Terms

__all__ = ["ArrayType", "Backend", "Call", "Code", "Counts", "DeviceArray", "Error", "Executable", "Plugin", "Program",
           "RefusedFile", "Terms", "aligned", "empty", "load", "plugins", "refused_files", "version"]
