# SPDX-License-Identifier: Apache-2.0
"""Takes the samples of a kernel, interleaved between all cells, and checks each answer."""

import time
from dataclasses import dataclass, field, replace

from . import machine
from .process import Program, ProgramError
from .suite import System

FEWEST_SAMPLES = 3
SHARE_OF_MEMORY = 0.75  # of what is free, as the programs of a kernel are alive at once


@dataclass
class Cell:
    """One system at one number of workers: a row and a column of the table."""

    system: System
    workers: int
    seconds: list = field(default_factory=list)
    us: list = field(default_factory=list)
    figures: dict = field(default_factory=dict)  # metrics that the program itself tells, each with its samples
    peak_mib: float | None = None
    hello: dict = field(default_factory=dict)
    error: str | None = None  # why the figures, if any, must not be used
    program: Program | None = None
    check: int | None = None

    @property
    def label(self):
        return f"{self.system.label}, {self.workers} worker{'s' if self.workers > 1 else ''}"

    @property
    def ok(self):
        return self.error is None


@dataclass
class Measurement:
    kernel: object
    work: int | None
    cells: list
    absent: list  # systems for which there is no program
    note: str | None = None  # how it differs from what the suite says


def command(folder, kernel, system, workers, size, work=None, warm_up=None):
    words = [str(_path(folder, kernel, system)), "--workers", str(workers), "--size", str(size)]
    if kernel.input is not None:
        words += ["--input", kernel.input]
    if work is not None:
        words += ["--work", str(work)]
    if warm_up is not None:
        words += ["--warm-up", str(warm_up)]
    if system.variant != "default" and not system.has_own_program:
        words += ["--variant", system.variant]
    return words


def measure(kernel, folder, progress):
    """Runs all cells of the kernel whose programs are in `folder`."""
    built = [(system, workers) for system, workers in kernel.cells if _path(folder, kernel, system).is_file()]
    absent = sorted({system.program for system, workers in kernel.cells if (system, workers) not in built})
    cells = [Cell(system, workers) for system, workers in built]
    kernel, note = fitting(kernel, len(cells), machine.available_bytes())
    work = kernel.work
    if kernel.calibrate:
        progress(f"{kernel.name}: calibrating")
        work = calibrate(kernel, folder)
    try:
        for cell in cells:
            progress(f"{kernel.name}: starting {cell.label}")
            guarded(cell, lambda cell=cell: start(cell, kernel, folder, work))
        _rounds(kernel, cells, progress)
        for cell in cells:
            if cell.program and cell.ok:
                cell.peak_mib = guarded(cell, cell.program.finish)
    finally:
        for cell in cells:
            if cell.program:
                cell.program.kill()
    _check(kernel, cells)
    return Measurement(kernel, work, cells, absent, note)


def fitting(kernel, programs, available):
    """The kernel with its size halved until so many programs at once have room, and a note on it; itself where they have."""
    if kernel.bytes_per_size is None or available is None:
        return kernel, None
    size = kernel.size
    while size > 1 and programs * size * kernel.bytes_per_size > SHARE_OF_MEMORY * available:
        size //= 2
    if size == kernel.size:
        return kernel, None
    needed = programs * kernel.size * kernel.bytes_per_size
    note = (
        f"{kernel.name}: size {size} instead of {kernel.size}, for which {programs} programs need {_gib(needed)},"
        f" and {_gib(available)} are free"
    )
    return replace(kernel, size=size, warm_up=min(size, kernel.warm_up)), note


def _gib(size):
    return f"{size / 2**30:.1f} GiB"


def _path(folder, kernel, system):
    return folder / f"{kernel.program}-{system.program}"


def start(cell, kernel, folder, work):
    words = command(folder, kernel, cell.system, cell.workers, kernel.size, work, kernel.warm_up)
    cell.program = Program(words, kernel.budget.timeout, cell.system.environment)
    cell.hello = cell.program.hello


def _rounds(kernel, cells, progress):
    budget = kernel.budget
    began = time.monotonic()
    for turn in range(budget.rounds):
        # Another cell comes first in each round, so that none always follows the same neighbor.
        shift = turn * 5 % max(1, len(cells))
        for cell in cells[shift:] + cells[:shift]:
            if not cell.ok or had_its_share(cell, budget, time.monotonic() - began):
                continue
            progress(f"{kernel.name}: sample {turn + 1} of at most {budget.rounds}, {cell.label}")
            answer = guarded(cell, cell.program.sample)
            if answer is not None:
                take(cell, answer)


def had_its_share(cell, budget, elapsed):
    if elapsed >= 2 * budget.kernel_seconds:
        return len(cell.seconds) >= 1  # a machine this busy gives no better figures for more of them
    used = sum(cell.seconds) >= budget.seconds or elapsed >= budget.kernel_seconds
    return used and len(cell.seconds) >= FEWEST_SAMPLES


def take(cell, answer):
    if cell.check is not None and answer["check"] != cell.check:
        cell.error = f"wrong: once {cell.check}, then {answer['check']}"
    cell.check = answer["check"]
    cell.seconds.append(answer["seconds"])
    cell.us += answer.get("us", [])
    for name, value in answer.get("figures", {}).items():
        cell.figures.setdefault(name, []).append(value)


def _check(kernel, cells):
    expect = kernel.expect
    if expect is None:
        expect = next((cell.check for cell in cells if cell.system.name == "serial" and cell.ok), None)
    for cell in cells:
        if not cell.ok:
            continue
        if expect is None:
            cell.error = "unchecked: the serial program has given nothing to compare with"
        elif cell.check != expect:
            cell.error = f"wrong: {cell.check} instead of {expect}"


def calibrate(kernel, folder):
    """The amount of work for which the serial program takes `us_per_unit` for each of the `size` units."""
    guess = kernel.calibrate["work"]
    serial = next((system for system, _ in kernel.cells if system.name == "serial"), None)
    if serial is None or not _path(folder, kernel, serial).is_file():
        return guess
    try:
        program = Program(
            command(folder, kernel, serial, 1, kernel.size, guess, kernel.warm_up), kernel.budget.timeout
        )
        taken = min(program.sample()["seconds"] for _ in range(FEWEST_SAMPLES))  # noise only adds
        program.finish()
    except ProgramError:
        return guess  # the same failure will stand in the serial program's own row
    return max(1, round(guess * kernel.calibrate["us_per_unit"] * 1e-6 * kernel.size / taken))


def guarded(cell, step):
    try:
        return step()
    except ProgramError as error:
        cell.error = str(error)
        return None
