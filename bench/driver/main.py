# SPDX-License-Identifier: Apache-2.0
"""The command line."""

import argparse
import sys
import time
from pathlib import Path

from . import bars, charts, machine, picture, records, suite, table, twin
from .measure import measure

BENCH = Path(__file__).resolve().parent.parent
ROOT = BENCH.parent
OUT = ROOT / "out/bench"


def main(arguments=None):
    options = _options(arguments)
    try:
        chosen = suite.load(options.suites, options.suite, options.quick, options.kernel, options.workers)
    except suite.SuiteError as error:
        _say(error)
        return 2
    if options.draw:
        return _draw_again(chosen, (options.out or OUT) / f"{chosen.name}.json")
    if not options.programs.is_dir():
        _say(f"{options.programs} does not exist; build it with: make bench SUITE={chosen.name}")
        return 2
    start = time.monotonic()
    progress = _progress()
    busy = machine.load()
    if busy > 0.5:
        _say(f"the load is {busy}: something else is running, and the figures will show it")

    results, hellos, missing, notes = [], {}, set(), []
    for kernel in chosen.kernels:
        measurement = measure(kernel, options.programs, progress)
        notes += [measurement.note] if measurement.note else []
        of_kernel = records.records(measurement)
        if twin.available():
            progress(f"{kernel.name}: counting instructions")
            of_kernel += twin.twins(measurement, _near_one(measurement, of_kernel), options.programs)
            of_kernel += twin.misses(measurement, options.programs)
        results += of_kernel
        hellos |= {cell.system.label: cell.hello for cell in measurement.cells if cell.hello}
        missing.update(f"{kernel.program}-{program}" for program in measurement.absent)
    progress("")

    kernels = "\n".join(f"  {kernel.name}({kernel.size}): {kernel.about}" for kernel in chosen.kernels)
    print(f"{chosen.title}{', quick' if chosen.quick else ''}\n{kernels}\n\n{table.tables(results)}")
    if asked := bars.tables(chosen, results):
        print(f"\n{asked}")
    for note in notes:
        print(f"\n{note}")
    _print_absent(missing, machine.absent(options.programs))
    if not twin.available():
        print("\nNo instruction counts: valgrind is not installed.")
    if options.out or not options.kernel:
        path = (options.out or OUT) / f"{chosen.name}.json"
        commit, about = machine.commit(ROOT), machine.machine(options.programs, hellos, busy)
        records.write(path, chosen, commit, about, results)
        _draw(path, chosen, commit, about, results)
        print(f"\nWrote {path} and its pictures in {time.monotonic() - start:.0f} s.")
    return _status(results)


def _draw(path, chosen, commit, about, results):
    """The pictures beside the file of results."""
    title = f"{chosen.title}{', quick' if chosen.quick else ''}"
    drawn = [path.with_suffix(".svg")] if picture.write(path.with_suffix(".svg"), title, results) else []
    for picture_path in [*drawn, *charts.write(path.parent, chosen, about, commit, results)]:
        print(f"Drew {picture_path}")


def _draw_again(chosen, path):
    if not path.is_file():
        _say(f"{path} does not exist; write it with: make bench SUITE={chosen.name}")
        return 2
    try:
        file = records.read(path)
        _draw(path, chosen, file["commit"], file["machine"], file["results"])
    except (ValueError, KeyError, TypeError) as error:
        _say(f"{path} is not a file of results ({error!r}); write it again with: make bench SUITE={chosen.name}")
        return 2
    return 0


def _say(text):
    print(f"bench: {text}", file=sys.stderr, flush=True)


def _options(arguments):
    parser = argparse.ArgumentParser(prog="bench/run", description="Runs a benchmark suite.")
    parser.add_argument("suite", help="a file of bench/suites, without .toml")
    parser.add_argument("--quick", action="store_true", help="fewer samples and smaller sizes")
    parser.add_argument(
        "--kernel",
        action="append",
        default=[],
        help="only this kernel; may be repeated; writes files only with --out",
    )
    parser.add_argument(
        "--workers",
        action="append",
        default=[],
        type=_workers,
        help="measure with so many workers instead of with 1 and 2; may be repeated",
    )
    parser.add_argument(
        "--draw", action="store_true", help="measure nothing, draw the pictures again from SUITE.json"
    )
    parser.add_argument(
        "--programs", type=Path, default=ROOT / "build/bench/bench", help="where the programs are"
    )
    parser.add_argument(
        "--out", type=Path, help="where SUITE.json and its pictures go; out/bench if not given"
    )
    parser.add_argument("--suites", type=Path, default=BENCH, help=argparse.SUPPRESS)
    return parser.parse_args(arguments)


def _workers(text):
    if not text.isdigit() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"'{text}' is no number of workers, which are at least 1")
    return int(text)


def _progress():
    """A line that overwrites itself on a terminal, and silence elsewhere except for each kernel's name."""
    if sys.stderr.isatty():
        return lambda text: print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)
    seen = set()

    def plain(text):
        kernel = text.partition(":")[0]
        if kernel and kernel not in seen:
            seen.add(kernel)
            _say(kernel)

    return plain


def _near_one(measurement, results):
    near = {(r["system"], r["variant"]) for r in results if r["ok"] and "interval" in r and r["metric"] != "over_best"}
    return [cell for cell in measurement.cells if (cell.system.name, cell.system.variant) in near]


def _print_absent(missing, reasons):
    if not missing:
        return
    print("\nNot built, and so not measured:")
    for program in sorted(missing):
        print(f"  {program}: {reasons.get(program, 'no such program')}")


def _status(results):
    """A peer's failure is reported; our own and the yardstick's make the command fail."""
    ours = [record for record in results if record["system"] in ("sennit", "serial")]
    return 0 if ours and all(record["ok"] for record in ours) else 1
