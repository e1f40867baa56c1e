# SPDX-License-Identifier: Apache-2.0
"""Loops and reductions."""

import ctypes
import functools
import itertools
import sys

from . import _native
from ._arguments import bounds, checked_grain, context_address, data_address, function_address
from ._limits import runtime, workers


# From then on Python refuses to run on a stack that is not its thread's.
_KNOWS_ITS_STACK = sys.version_info >= (3, 14)


class Cancelled(Exception):
    """A loop was stopped because its region was cancelled."""


def _check(status):
    if status == _native.OK:
        return
    kind = {
        _native.CANCELLED: Cancelled,
        _native.INVALID_ARGUMENT: ValueError,
        _native.NO_MEMORY: MemoryError,
    }.get(status, RuntimeError)
    raise kind(_native.last_error())


def _run(call, needs_global_lock):
    """The status. The GIL is released meanwhile."""
    return _native.library.sennit_python_run(runtime(), needs_global_lock, ctypes.byref(call))


def parallel_for(n, body, *arrays, context=None, grain=0):
    """Calls body for chunks that cover the indices 0 to n - 1, or those of a range without a step, in parallel.

    A compiled body is a C function void body(void* context, int64_t from, int64_t to): its address (an int), a function of
    ctypes or cffi, or a numba.cfunc. Its context is a table with the address of the data of each array, in order,
    void* const*; or it is `context`: an address, an array, or an object of ctypes. The body runs without the GIL, and may
    call the functions of sennit.h.

    A body in Python is called as body(from, to). It holds the GIL. So it is slow: such bodies run one after the other,
    except while they are in something that releases the GIL, such as an operation of NumPy on a large array. A loop that
    such a body begins runs in this body alone.

    grain: the iterations of a chunk. 0: for a compiled body by measured time, for one in Python a sixteenth of a worker's
    part.

    Raises what a body in Python raised, the one with the lowest index if several did; RuntimeError with the text that a
    compiled body gave sennit_fail(); TypeError and ValueError for wrong arguments. Later iterations may have run.
    """
    first, last = bounds(n)
    grain = checked_grain(grain)
    address = function_address(body, "body")
    if address is None:
        if arrays or context is not None:
            raise TypeError("sennit: a body in Python is called as body(from, to); use arrays in it directly")
        _for_in_python(first, last, body, grain)
        return
    where, held = context_address(arrays, context)
    if _native.in_runtime():
        if first < last:
            _native.LOOP_BODY(address)(where, first, last)
        return
    how = _native.Options(grain, 0, 0)
    call = _native.Call(first, last, address, where, None, None, ctypes.pointer(how))
    _check(_run(call, False))
    del held


def _for_in_python(first, last, body, grain):
    # Constructs may go on in another thread, which Python does not know of.
    if _native.in_runtime() or _KNOWS_ITS_STACK:
        if first < last:
            body(first, last)
        return
    raised = {}

    def chunk(_, begin, end):
        try:
            body(begin, end)
        except BaseException as error:
            raised[begin] = error
            _native.library.sennit_fail(repr(error).encode(errors="replace"))

    called = _native.LOOP_BODY(chunk)
    how = _native.Options(grain or max(1, (last - first) // (16 * workers())), 0, 0)
    call = _native.Call(first, last, ctypes.cast(called, ctypes.c_void_p), None, None, None, ctypes.pointer(how))
    status = _run(call, True)
    if raised:
        raise raised[min(raised)]
    _check(status)


_IDENTITIES = {
    "sum": {"f": 0.0, "i": 0},
    "product": {"f": 1.0, "i": 1},
    "minimum": {"f": float("inf"), "i": 2**63 - 1},
    "maximum": {"f": float("-inf"), "i": -(2**63)},
}
_KINDS = {"f": ("double", ctypes.c_double), "i": ("integer", ctypes.c_int64)}


def _kind_of(result):
    """"f": a double, "i": an int64, None: something else."""
    if isinstance(result, (ctypes.c_double, ctypes.c_int64)):
        return "f" if isinstance(result, ctypes.c_double) else "i"
    code = (getattr(result, "__array_interface__", None) or {}).get("typestr", "")
    return code[1] if code in ("<f8", "<i8") and result.nbytes == 8 else None


def _named_operation(combine, result):
    """The address of an operation, and an identity."""
    if combine not in _IDENTITIES:
        raise ValueError(f"sennit: combine is {combine!r}; give {', '.join(map(repr, _IDENTITIES))}, or a function's address")
    kind = _kind_of(result)
    if kind is None:
        raise TypeError(f"sennit: {combine!r} combines one double or one int64; result is another type: give a function as "
                        "combine, and an identity")
    name, number = _KINDS[kind]
    return _native.address_of(f"sennit_python_{combine}_{name}"), number(_IDENTITIES[combine][kind])


def parallel_reduce(n, add, result, *arrays, combine="sum", identity=None, context=None, grain=0, deterministic=False):
    """Adds what all iterations give to `result`, in the order of a serial loop, and returns it.

    With a compiled function, add is void add(void* context, void* value, int64_t from, int64_t to), which adds these
    iterations to the value. `result` is an array of NumPy or an object of ctypes, which has the first value, and then the
    result. combine is "sum", "product", "minimum" or "maximum" of one double or int64; or the address of void
    combine(void* context, void* left, const void* right), which appends the right value to the left one. Then `identity` is a
    value that combine leaves without effect, of the type of the result. Context, arrays, grain and errors are those of
    parallel_for().

    With functions in Python, add(from, to) returns the value of these iterations, `result` is any first value, and
    combine(left, right) returns a value. If n is 0, the result is the first value.

    deterministic: the same bits with any number of workers; for compiled functions.
    """
    first, last = bounds(n)
    grain = checked_grain(grain)
    address = function_address(add, "add")
    if address is None:
        if arrays or context is not None or deterministic or not callable(combine):
            raise TypeError("sennit: add is a function in Python, so combine is one, too, combine(left, right); and there are no "
                            "arrays, no context and no deterministic=True")
        parts = {}
        parallel_for(range(first, last), lambda begin, end: parts.__setitem__(begin, add(begin, end)), grain=grain)
        return functools.reduce(combine, itertools.chain([result], (parts[begin] for begin in sorted(parts))))
    if isinstance(combine, str):
        if identity is not None:
            raise TypeError(f"sennit: an identity is given, but that of {combine!r} is known")
        operation, identity = _named_operation(combine, result)
    else:
        operation = function_address(combine, "combine")
        if operation is None:
            raise TypeError("sennit: add is a compiled function, so combine is one, too, or a name such as 'sum'")
        if identity is None:
            raise TypeError("sennit: combine is a function, and identity is missing: a value that combine leaves without effect")
    _reduce(first, last, address, operation, result, identity, context_address(arrays, context), (grain, deterministic))
    return result


def _reduce(first, last, add, combine, result, identity, context, options):
    value, size, held_result = data_address(result, "result", written=True)
    start, size_of_identity, held_identity = data_address(identity, "identity")
    if size != size_of_identity or size == 0:
        raise ValueError(f"sennit: result has {size} bytes, and identity {size_of_identity}; give both the same type")
    where, held = context
    if _native.in_runtime():
        if first < last:
            ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)(add)(where, value, first, last)
        return
    what = _native.Reduction(size, None, add, combine, None, start)
    how = _native.Options(options[0], 0, int(options[1]))
    call = _native.Call(first, last, None, where, ctypes.pointer(what), value, ctypes.pointer(how))
    _check(_run(call, False))
    del held, held_result, held_identity
