# SPDX-License-Identifier: Apache-2.0
"""How many workers calls may use."""

import contextlib
import contextvars
import ctypes
import threading

from . import _native

_limit = contextvars.ContextVar("sennit_limit", default=None)
_runtimes = {}  # by the number of workers; kept, as idle workers cost nothing
_making = threading.Lock()


def _runtime_of(workers):
    with _making:
        if workers not in _runtimes:
            made = ctypes.c_void_p()
            if _native.library.sennit_runtime_create(workers, ctypes.byref(made)) != _native.OK:
                raise ValueError(_native.last_error())
            _runtimes[workers] = made
        return _runtimes[workers]


def limits(workers):
    """Calls in a `with` block, or in a function that is decorated, use no more than this number of workers.

    A limit can only lower the number: neither a block in a block nor one around all raises it. It holds for the calling
    thread, and for the asyncio task that it runs; a new thread begins without one. All blocks with the same number share
    a set of workers. To choose the number for the whole process, set the variable SENNIT_WORKERS of the environment
    before the first loop.

    With `with limits(workers=1):` loops run on the calling thread alone.
    """
    if isinstance(workers, bool) or not isinstance(workers, int):
        raise TypeError(f"sennit.limits: workers is {workers!r}; give a whole number from 1 to 1024")
    if not 1 <= workers <= 1024:
        raise ValueError(f"sennit.limits: workers is {workers}; give a number from 1 to 1024")
    return _limited(workers)


@contextlib.contextmanager
def _limited(number):
    token = _limit.set(min(number, workers()))
    try:
        yield
    finally:
        _limit.reset(token)


def _default_workers():
    count = _native.library.sennit_worker_count()
    if count == 0:
        raise RuntimeError(_native.last_error())
    return count


def workers():
    """How many workers a loop uses that begins here."""
    limit = _limit.get()
    return _default_workers() if limit is None else limit


def runtime():
    """What a call is to run in; None: the default runtime."""
    limit = _limit.get()
    return None if limit is None or limit == _default_workers() else _runtime_of(limit)
