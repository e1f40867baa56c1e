"""The deterministic twin of a ratio near 1: instructions, counted by callgrind, instead of seconds."""

import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor

from .measure import Cell, command
from .process import clean_environment
from .records import record_of, serial_of

TIMEOUT = 60


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


def _instructions(measurement, system, folder):
    """Of one sample: the difference between a run with two and a run with one; or what went wrong."""
    counts = []
    kernel = measurement.kernel
    for samples in (1, 2):
        words = command(folder, kernel, system, 1, kernel.twin, measurement.work)
        callgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *words]
        try:
            run = subprocess.run(
                [*callgrind, "--samples", str(samples)],
                capture_output=True,
                text=True,
                errors="replace",
                timeout=TIMEOUT,
                env=clean_environment(system.environment),
                check=False,
            )
        except subprocess.TimeoutExpired:
            return f"hung under callgrind for {TIMEOUT} s"
        found = re.search(r"Collected\s*:\s*(\d+)", run.stderr)
        if run.returncode != 0 or not found:
            return f"failed under callgrind with status {run.returncode}"
        counts.append(int(found[1]))
    return counts[1] - counts[0]
