# SPDX-License-Identifier: Apache-2.0
"""Whether what Sennit chooses by itself spares as many misses as a suite demands: bench/misses. Counted, so nothing has to be quiet."""

import argparse
import sys
from pathlib import Path

from . import suite, twin
from .main import ROOT
from .measure import Cell, Measurement

BENCH = ROOT / "bench"
COMPARED = ("serial", "sennit chosen")


def main(arguments=None):
    options = _options(arguments)
    try:
        kernels = suite.load(options.suites, "splice", options.quick, options.kernel).kernels
    except suite.SuiteError as error:
        print(f"misses: {error}", file=sys.stderr)
        return 2
    if not twin.available():
        print("misses: valgrind counts them; install it", file=sys.stderr)
        return 2
    failed = [kernel.name for kernel in kernels if kernel.most_misses is not None and not _holds(kernel, options.programs)]
    if failed:
        print(f"misses: more than there may be, or not counted: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


def _holds(kernel, folder):
    """Prints a line, too."""
    cells = [Cell(system, workers) for system, workers in kernel.cells if workers == 1 and system.label in COMPARED]
    (record,) = twin.misses(Measurement(kernel, kernel.work, cells, []), folder)
    if not record["ok"]:
        print(f"{kernel.name:24} {record['error']}", flush=True)
        return False
    share = record["samples"][0]
    print(f"{kernel.name:24} {share:.4f} of the serial program's, at most {kernel.most_misses}", flush=True)
    return share <= kernel.most_misses


def _options(arguments):
    parser = argparse.ArgumentParser(
        prog="bench/misses",
        description="Counts last-level misses of splices whose blocks the library chooses, and fails if there are too many.",
    )
    parser.add_argument("--quick", action="store_true", help="smaller sizes and fewer sweeps")
    parser.add_argument("--kernel", action="append", default=[], help="only this kernel; may be repeated")
    parser.add_argument(
        "--programs", type=Path, default=ROOT / "build/bench/bench", help="where the programs are"
    )
    parser.add_argument("--suites", type=Path, default=BENCH, help=argparse.SUPPRESS)
    return parser.parse_args(arguments)
