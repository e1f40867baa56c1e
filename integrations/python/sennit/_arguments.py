# SPDX-License-Identifier: Apache-2.0
"""Addresses of what callers give: functions, arrays, contexts."""

import ctypes

_NEEDS_GLOBAL_LOCK = 4  # a flag of ctypes: PYFUNCTYPE


def function_address(function, what):
    """The address of a compiled function, or None if this is a function in Python."""
    if isinstance(function, bool):
        raise TypeError(f"sennit: {what} is {function}; give the address of a compiled function, or a callable")
    if isinstance(function, int):
        if function <= 0:
            raise ValueError(f"sennit: {what} is {function}, which is no address of a function")
        return function
    if isinstance(function, ctypes._CFuncPtr):
        if function._flags_ & _NEEDS_GLOBAL_LOCK:
            raise TypeError(f"sennit: {what} is a function of ctypes.PyDLL or PYFUNCTYPE, which may be called with the GIL only; "
                            "load it by ctypes.CDLL, or make it by CFUNCTYPE")
        return function_address(ctypes.cast(function, ctypes.c_void_p).value or 0, what)
    if type(function).__module__ == "_cffi_backend":
        import cffi

        return function_address(int(cffi.FFI().cast("uintptr_t", function)), what)
    address = getattr(function, "address", None)  # numba.cfunc
    if isinstance(address, int) and not isinstance(address, bool):
        return function_address(address, what)
    if callable(function):
        return None
    raise TypeError(f"sennit: {what} is {function!r}; give the address of a compiled function (an int, a function of ctypes or "
                    "cffi, a numba.cfunc), or a callable")


def data_address(array, what, written=False):
    """(the address of the data, its bytes, what has to live on while the address is used)"""
    interface = getattr(array, "__array_interface__", None)
    if interface is not None:
        if interface.get("strides") is not None:
            raise ValueError(f"sennit: {what} is an array whose elements are not one after the other; "
                             "give numpy.ascontiguousarray() of it, or its address in `context`")
        if written and interface["data"][1]:
            raise ValueError(f"sennit: {what} is an array that is read-only; give one that can be written to, as copy() does")
        return interface["data"][0], array.nbytes, array
    if isinstance(array, (ctypes.Array, ctypes.Structure, ctypes.Union, ctypes._SimpleCData)):
        return ctypes.addressof(array), ctypes.sizeof(array), array
    try:
        view = memoryview(array)
    except TypeError:
        raise TypeError(f"sennit: {what} is {type(array).__name__}; give an array of NumPy, an object of ctypes, or "
                        "something with a buffer that can be written to") from None
    if view.readonly or not view.c_contiguous:
        raise ValueError(f"sennit: {what} is a buffer that is read-only or not contiguous")
    if view.nbytes == 0:
        return 0, 0, view
    held = (ctypes.c_char * view.nbytes).from_buffer(array)
    return ctypes.addressof(held), view.nbytes, held


def context_address(arrays, context):
    """(the context's address, what has to live on)"""
    if arrays and context is not None:
        raise TypeError("sennit: arrays and a context are given; give the one or the other")
    if arrays:
        held = [data_address(array, f"array {k}") for k, array in enumerate(arrays)]
        addresses = (ctypes.c_void_p * len(held))(*(address for address, _, _ in held))
        return ctypes.addressof(addresses), (addresses, held)
    if context is None:
        return None, None
    if isinstance(context, int):
        return context, None
    address, _, held = data_address(context, "context")
    return address, held


def bounds(n):
    """The first index and the one behind the last, of a number or a range."""
    if isinstance(n, range):
        if n.step != 1:
            raise ValueError(f"sennit: {n!r} has a step; give a range without, and have the body multiply")
        first, last = n.start, n.stop
    else:
        try:
            first, last = 0, n.__index__()
        except AttributeError:
            raise TypeError(f"sennit: n is {n!r}; give a number of iterations, or a range") from None
    if not -(2**62) <= first <= 2**62 or not last - first < 2**62:
        raise ValueError(f"sennit: {n!r} has too many iterations; a loop has fewer than 2**62")
    return first, max(first, last)


def checked_grain(grain):
    grain = grain.__index__()
    if not 0 <= grain < 2**62:
        raise ValueError(f"sennit: grain is {grain}; give the iterations of a chunk, or 0: by measured time")
    return grain
