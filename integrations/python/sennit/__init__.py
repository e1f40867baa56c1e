# SPDX-License-Identifier: Apache-2.0
"""Parallel loops of compiled functions over NumPy arrays: the Sennit library, for Python.

    parallel_for(n, body, *arrays)            a loop
    parallel_reduce(n, add, result, *arrays)  the combined values of a loop
    limits(workers=n)                         how many workers calls in a block may use
    workers()                                 how many a call here would use

All packages of a process that import this module share its workers. The GIL is released during a call.
"""

from ._calls import Cancelled, parallel_for, parallel_reduce
from ._native import library_path, version as _version
from ._limits import limits, workers

__version__ = _version()
__all__ = ["Cancelled", "library_path", "limits", "parallel_for", "parallel_reduce", "workers"]
