# SPDX-License-Identifier: Apache-2.0
"""Two builds of the same programs, interleaved: by how much each cell of a suite became slower or faster."""

from dataclasses import dataclass, field, replace
from statistics import geometric_mean, median

from .figures import ratio_interval
from .measure import Cell, calibrate, guarded, had_its_share, start, take

OURS = "sennit"


@dataclass
class Pair:
    """One cell in both builds."""

    kernel: str
    label: str
    before: list = field(default_factory=list)  # samples, of all processes
    after: list = field(default_factory=list)
    error: str | None = None

    @property
    def ratio(self):
        return median(self.after) / median(self.before)

    @property
    def interval(self):
        return ratio_interval(self.after, self.before)


def compare(kernel, before, after, processes, progress):
    """A pair for each cell of ours whose program both folders have. Each program is started so many times, as the time of
    a run depends on where the system puts its stack."""
    cells = [
        (system, workers)
        for system, workers in kernel.cells
        if system.name == OURS and all((f / f"{kernel.program}-{system.program}").is_file() for f in (before, after))
    ]
    pairs = [Pair(kernel.name, Cell(*cell).label) for cell in cells]
    work = kernel.work
    if cells and kernel.calibrate:
        progress(f"{kernel.name}: calibrating")
        work = calibrate(kernel, after)
    rounds = max(1, kernel.budget.rounds // processes)
    budget = replace(
        kernel.budget, rounds=rounds, seconds=kernel.budget.seconds / processes,
        kernel_seconds=kernel.budget.kernel_seconds / processes,
    )
    for turn in range(processes):
        # No build always comes first.
        for cell, pair in zip(cells, pairs):
            progress(f"{kernel.name}: {pair.label}, process {turn + 1} of {processes}")
            folders = [(before, pair.before), (after, pair.after)]
            _one_process(pair, cell, kernel, budget, work, folders if turn % 2 == 0 else folders[::-1])
    return pairs


def _one_process(pair, cell, kernel, budget, work, folders):
    runs = [(Cell(*cell), samples, folder) for folder, samples in folders]
    try:
        for run, _, folder in runs:
            guarded(run, lambda run=run, folder=folder: start(run, kernel, folder, work))
        for _ in range(budget.rounds):
            for run, _, _ in runs:
                if run.ok and not had_its_share(run, budget, sum(run.seconds)):
                    answer = guarded(run, run.program.sample)
                    if answer is not None:
                        take(run, answer)
    finally:
        for run, _, _ in runs:
            if run.program:
                run.program.kill()
    if runs[0][0].ok and runs[1][0].ok and runs[0][0].check != runs[1][0].check:
        pair.error = f"the builds differ: {runs[0][0].check} and {runs[1][0].check}"
    for run, samples, folder in runs:
        if run.error:
            pair.error = f"{folder}: {run.error}"
        samples += run.us if "us" in kernel.metrics else run.seconds


def table(pairs):
    """A line for each pair, the slowest first, then the mean."""
    good = [pair for pair in pairs if not pair.error]
    lines = [f"{'after / before':>14}  {'95% interval':>16}  kernel, cell"]
    for pair in sorted(good, key=lambda pair: -pair.ratio):
        low, high = pair.interval
        lines.append(f"{pair.ratio:14.3f}  {low:7.3f} to {high:5.3f}  {pair.kernel}: {pair.label}")
    lines += [f"{'failed':>14}  {'':16}  {pair.kernel}: {pair.label}: {pair.error}" for pair in pairs if pair.error]
    if good:
        lines.append(f"{geometric_mean([pair.ratio for pair in good]):14.3f}  {'':16}  geometric mean of {len(good)}")
    return "\n".join(lines)
