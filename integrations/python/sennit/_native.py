# SPDX-License-Identifier: Apache-2.0
"""The shared object, and the types of sennit.h."""

import ctypes
import os
import pathlib
from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_int, c_int64, c_size_t, c_uint, c_void_p

OK, CANCELLED, INVALID_ARGUMENT, NO_MEMORY, FAILED = range(5)

LOOP_BODY = CFUNCTYPE(None, c_void_p, c_int64, c_int64)


class Options(Structure):
    _fields_ = [("grain", c_int64), ("static_partition", c_int), ("deterministic", c_int)]


class Reduction(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("make", c_void_p),
        ("add", c_void_p),
        ("combine", c_void_p),
        ("end", c_void_p),
        ("identity", c_void_p),
    ]


class Call(Structure):
    _fields_ = [
        ("first", c_int64),
        ("last", c_int64),
        ("body", c_void_p),
        ("context", c_void_p),
        ("what", POINTER(Reduction)),
        ("result", c_void_p),
        ("how", POINTER(Options)),
    ]


def _find():
    """PYTHON_SENNIT_LIBRARY names another one than the package's own: the tests do that."""
    return os.environ.get("PYTHON_SENNIT_LIBRARY") or str(pathlib.Path(__file__).parent / "sennit_native.so")


library_path = _find()
try:
    library = ctypes.CDLL(library_path)  # whose calls release the GIL
except OSError as error:
    raise ImportError(
        f"sennit: the shared object {library_path} cannot be loaded ({error}); build and install the package by "
        "`pip install integrations/python`"
    ) from None

# How each function is called: its result, and its arguments.
for name, result, *arguments in [
    ("sennit_fail", None, c_char_p),
    ("sennit_in_runtime", c_int),
    ("sennit_last_error", c_char_p),
    ("sennit_python_run", c_int, c_void_p, c_int, POINTER(Call)),
    ("sennit_runtime_create", c_int, c_uint, POINTER(c_void_p)),
    ("sennit_version", c_char_p),
    ("sennit_worker_count", c_uint),
]:
    function = getattr(library, name)
    function.restype, function.argtypes = result, arguments


def last_error():
    return library.sennit_last_error().decode(errors="replace")


def version():
    return library.sennit_version().decode()


def in_runtime():
    return library.sennit_in_runtime() != 0


def address_of(name):
    """The address of a function of the shared object."""
    return ctypes.cast(getattr(library, name), c_void_p).value
