# SPDX-License-Identifier: Apache-2.0
"""What valgrind counts: instructions, the deterministic twin of a ratio near 1, and misses of a last-level cache that it simulates."""

import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from .measure import Cell, command
from .process import clean_environment
from .records import record_of, serial_of

TIMEOUT = 60
TIMEOUT_OF_MISSES = 400  # each access is simulated
FIRST_LEVEL = "32768,8,64"  # bytes, ways, bytes of a line
LAST_LEVEL = "1048576,16,64"
# The same for those programs that choose what they do by the caches they find.
TOPOLOGY = "synthetic:l2:1(size={}) l1d:1(size={}) core:1 pu:1".format(
    *(cache.split(",")[0] for cache in (LAST_LEVEL, FIRST_LEVEL))
)


def available():
    return shutil.which("valgrind") is not None


def twins(measurement, near, folder):
    """A record for each system in the `near` cells, for one worker: with more, waiting is counted, too."""
    kernel = measurement.kernel
    wanted = [cell for cell in near if kernel.twins is None or cell.system.name in kernel.twins]
    if not wanted or kernel.twin is None:
        return []
    systems = {(cell.system.name, cell.system.variant): cell for cell in wanted}
    pairs = [(cell, serial_of(measurement, cell)) for cell in systems.values()]
    counted = {id(cell): cell for pair in pairs for cell in pair}
    # Counts do not depend on what else runs, so all processors may be used.
    with ThreadPoolExecutor(max_workers=2) as pool:
        of_cells = pool.map(lambda cell: _instructions(measurement, cell.system, folder), counted.values())
        counts = dict(zip(counted, of_cells))
    return [_twin(measurement, cell, serial, counts) for cell, serial in pairs]


def _twin(measurement, cell, serial, counts):
    own, base = counts[id(cell)], counts[id(serial)]
    counted = Cell(
        cell.system, 1, error=next((count for count in (own, base) if isinstance(count, str)), None)
    )
    params = {"size": measurement.kernel.twin, "serial": serial.system.variant}
    ratio = [own / base] if counted.ok else []
    return record_of(measurement, counted, "instructions_over_serial", ratio, params)


def misses(measurement, folder):
    """A record for each system, for one worker: misses over those of the serial program."""
    metric = "last_level_misses_over_serial"
    wanted = metric in measurement.kernel.metrics and measurement.cells
    serial = serial_of(measurement, measurement.cells[0]) if wanted else None
    if serial is None:
        return []
    cells = [cell for cell in measurement.cells if cell.workers == 1 and cell.ok]
    with ThreadPoolExecutor(max_workers=2) as pool:
        # Of what is not timed: no step at all.
        rest = pool.submit(_misses, measurement, serial.system, folder, 0)
        of_cells = pool.map(lambda cell: _misses(measurement, cell.system, folder, measurement.work), cells)
        counts = {id(cell): count for cell, count in zip(cells, of_cells)}
    return [
        _miss_record(measurement, cell, metric, counts[id(cell)], counts[id(serial)], rest.result())
        for cell in cells
        if cell is not serial
    ]


def _miss_record(measurement, cell, metric, own, base, rest):
    errors = [count for count in (own, base, rest) if isinstance(count, str)]
    counted = Cell(cell.system, 1, error=next(iter(errors), None))
    ratio = [] if errors else [(own - rest) / (base - rest)]
    return record_of(measurement, counted, metric, ratio, {"cache": LAST_LEVEL})


def _misses(measurement, system, folder, work):
    kernel = measurement.kernel
    words = command(folder, kernel, system, 1, kernel.size, work, kernel.warm_up)
    tool = ["--tool=cachegrind", "--cache-sim=yes", "--cachegrind-out-file=/dev/null"]
    caches = [f"--D1={FIRST_LEVEL}", f"--LL={LAST_LEVEL}"]
    told = replace(system, environment={**system.environment, "SENNIT_TOPOLOGY": TOPOLOGY})
    return _of_one_sample([*tool, *caches, *words], told, TIMEOUT_OF_MISSES, r"LL misses:\s*([\d,]+)")


def _instructions(measurement, system, folder):
    kernel = measurement.kernel
    words = command(folder, kernel, system, 1, kernel.twin, measurement.work)
    tool = ["--tool=callgrind", "--callgrind-out-file=/dev/null"]
    return _of_one_sample([*tool, *words], system, TIMEOUT, r"Collected\s*:\s*(\d+)")


def _of_one_sample(words, system, timeout, pattern):
    """The difference between a run with two samples and a run with one; or what went wrong."""
    counts = []
    for samples in (1, 2):
        try:
            run = subprocess.run(
                ["valgrind", *words, "--samples", str(samples)],
                capture_output=True,
                text=True,
                errors="replace",
                timeout=timeout,
                env=clean_environment(system.environment),
                check=False,
            )
        except subprocess.TimeoutExpired:
            return f"hung under valgrind for {timeout} s"
        found = re.search(pattern, run.stderr)
        if run.returncode != 0 or not found:
            return f"failed under valgrind with status {run.returncode}"
        counts.append(int(found[1].replace(",", "")))
    return counts[1] - counts[0]
