# SPDX-License-Identifier: Apache-2.0
"""Measures again what two cores can show: suites of bench/run, and `sennit run` for sweeps over grains.

What is measured is kept at once. A run that was cut off goes on where it was, as out/evidence/unfinished.json says."""

import json
import os
import pathlib
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import tomllib
from dataclasses import dataclass

import kept

QUIET = 0.03  # the share of the CPUs' time that others may have
STEADY = 0.08  # how far the median of a serial run may be over its least sample
BENCH = kept.ROOT / "bench/run"
UNFINISHED = kept.ROOT / "out/evidence/unfinished.json"


@dataclass(frozen=True)
class Suite:
    """Kernels of a suite of bench/."""

    suite: str
    kernels: tuple
    metrics: tuple

    def command(self):
        return f"bench/run {self.suite} " + " ".join(f"--kernel {kernel}" for kernel in self.kernels)

    def measure(self, programs, quick):
        with tempfile.TemporaryDirectory() as folder:
            words = [BENCH, self.suite, "--out", folder, *(["--quick", "--suites", more_rounds(folder)] if quick else [])]
            words += [part for kernel in self.kernels for part in ("--kernel", kernel)]
            words += ["--programs", programs] if programs else []
            subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
            file = json.loads((pathlib.Path(folder) / f"{self.suite}.json").read_text())
        return records_of(file, self.metrics)


@dataclass(frozen=True)
class Grains:
    """A kernel of the gallery whose order has tiles: time over that of the serial elision of nested loops."""

    kernel: str
    options: tuple  # of `sennit run`
    quick_options: tuple
    variants: tuple
    tiles: tuple
    workers: tuple
    quick_tiles: tuple = (1, 16, 64, 128)

    def command(self):
        options = " ".join(self.options)
        return f"build/release/tools/sennit run {self.kernel} {options} --variant {self.variants[-1]} --tile {self.tiles[-1]}"

    def measure(self, programs, quick):
        options = self.quick_options if quick else self.options
        tiles = self.quick_tiles if quick else self.tiles
        tool = kept.ROOT / "build/release/tools/sennit"
        records = []
        machine = {}
        for workers in self.workers:
            for variant in self.variants:
                for tile in tiles if variant != "nested" else tiles[:1]:
                    with tempfile.TemporaryDirectory() as folder:
                        out = pathlib.Path(folder) / "run.json"
                        subprocess.run(
                            [
                                tool,
                                "run",
                                self.kernel,
                                *options,
                                "--variant",
                                variant,
                                "--tile",
                                str(tile),
                                "--workers",
                                str(workers),
                                "--no-forks",
                                "--json",
                                out,
                            ],
                            check=True,
                            stdout=subprocess.DEVNULL,
                        )
                        file = json.loads(out.read_text())
                    machine = file.get("machine", {})
                    for system in ("sennit", "serial"):
                        records.append(
                            [self.kernel, system, f"{variant} {tile}", "seconds", workers, *seconds_of(file, system)]
                        )
        return {
            "date": time.strftime("%Y-%m-%d"),
            "cpu": machine.get("cpu", processor()),
            "cpus": machine.get("cpus", processors()),
            "records": records,
        }


@dataclass(frozen=True)
class Written:
    """What another command has written to out/bench/."""

    suite: str
    metrics: tuple
    how: str

    def command(self):
        return self.how

    def measure(self, programs, quick):
        path = kept.ROOT / f"out/bench/{self.suite}.json"
        if not path.is_file():
            raise Unable(f"{path} is missing; write it with: {self.how}")
        file = json.loads(path.read_text())
        return {"quiet": file["machine"]["load_before"] < 0.5, "others": None, **records_of(file, self.metrics)}


def programs_of(suite, kernels):
    """The names of the kernels' programs, without their systems."""
    entries = tomllib.loads((BENCH.parent / f"suites/{suite}.toml").read_text())["kernel"]
    by_name = {entry["name"]: entry for entry in entries}
    for entry in (by_name[kernel] for kernel in kernels):
        if "from" in entry and "program" not in entry:
            yield from programs_of(entry["from"], (entry["name"],))
        else:
            yield entry.get("program", entry["name"])


def targets(runs, only):
    """What bench/ must have built."""
    suites = [run for run in chosen(runs, only).values() if isinstance(run, Suite)]
    return sorted({f"bench_{program}" for run in suites for program in programs_of(run.suite, run.kernels)})


class Unable(Exception):
    """A measurement needs what is not there; the message says what, and what helps."""


def records_of(file, metrics):
    """Of a file of bench/run: its medians and least samples."""
    machine = file["machine"]
    return {
        "date": machine["date"],
        "cpu": machine["cpu"],
        "cpus": machine["cpus"],
        "commit": file["commit"],
        "records": [
            [
                r["kernel"],
                r["system"],
                r["variant"],
                r["metric"],
                r["workers"],
                rounded(r["median"]),
                rounded(min(r["samples"])),
            ]
            for r in file["results"]
            if r["ok"] and r["metric"] in metrics
        ],
    }


def more_rounds(folder):
    """A copy of bench/suites in which quick runs take more samples: those of the suites are for a first look."""
    copy = pathlib.Path(folder) / "bench"
    shutil.copytree(BENCH.parent / "suites", copy / "suites")
    shutil.copy(BENCH.parent / "systems.toml", copy)
    for path in (copy / "suites").glob("*.toml"):
        head, quick, rest = path.read_text().partition("[quick]")
        budget, mark, kernels = rest.partition("[[")
        for key, value in (("rounds", 7), ("seconds", 0.4), ("kernel_seconds", 6)):
            budget = re.sub(rf"^{key} = .*$", f"{key} = {value}", budget, flags=re.MULTILINE)
        path.write_text(head + quick + budget + mark + kernels)
    return copy


def seconds_of(file, system):
    """The median, and the least."""
    record = next(r for r in file["results"] if r["system"] == system and r["metric"] == "seconds")
    return rounded(record["median"]), rounded(record["min"])


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":")[1].strip()
    return "unknown"


def processors():
    return sum(line.startswith("processor") for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines())


def rounded(value):
    return float(f"{value:.4g}")


class Others:
    """How much of the machine others have had since this was made: the busy time of all CPUs, less that of our children."""

    def __init__(self):
        self.start = self.now()

    def now(self):
        numbers = [int(n) for n in pathlib.Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
        ours = resource.getrusage(resource.RUSAGE_CHILDREN)
        total = sum(numbers) / os.sysconf("SC_CLK_TCK")
        return total, (numbers[3] + numbers[4]) / os.sysconf("SC_CLK_TCK"), ours.ru_utime + ours.ru_stime

    def share(self):
        total, idle, ours = (now - then for now, then in zip(self.now(), self.start))
        return max(0.0, round((total - idle - ours) / max(total, 0.01), 3))


def noise(records):
    """How far the medians of serial runs are over their least samples: their median; None if there are none."""
    spreads = [
        median / least - 1
        for _, system, _, metric, _, median, least in records
        if system == "serial" and metric == "seconds" and least > 0
    ]
    return rounded(statistics.median(spreads)) if spreads else None


class Unfinished:
    """Which measurements of one command have been taken, in a file as long as some are missing."""

    def __init__(self, asked):
        self.asked = asked
        found = json.loads(UNFINISHED.read_text()) if UNFINISHED.is_file() else {}
        self.done = found.get("done", []) if found.get("asked") == asked else []

    def take(self, name):
        self.done.append(name)
        UNFINISHED.parent.mkdir(parents=True, exist_ok=True)
        UNFINISHED.write_text(json.dumps({"asked": self.asked, "done": self.done}) + "\n")

    def finish(self):
        UNFINISHED.unlink(missing_ok=True)


def chosen(runs, only):
    """Those of `only`, all if it is empty, by PAPER/NAME."""
    return {
        f"{paper}/{name}": run
        for paper, of_paper in runs.items()
        for name, run in of_paper.items()
        if not only or paper in only or f"{paper}/{name}" in only
    }


def measure(runs, only, quick, programs):
    """`runs` by paper and name. Returns those that failed, with the reason; one that needs more than the benchmarks only if it is asked for."""
    wanted = chosen(runs, only)
    unfinished = Unfinished({"quick": quick, "only": sorted(only)})
    if unfinished.done:
        print(f"evidence: {len(unfinished.done)} of {len(wanted)} are taken; to take them again, remove {UNFINISHED}")
    failed = {}
    begun = time.monotonic()
    for at, (name, run) in enumerate(wanted.items(), 1):
        if name in unfinished.done:
            continue
        print(f"{at} of {len(wanted)}, {time.monotonic() - begun:.0f} s: {name}", flush=True)
        try:
            keep(name, run, programs, quick)
        except Unable as error:
            print(f"evidence: {name} keeps its numbers: {error}", file=sys.stderr, flush=True)
            if only:
                failed[name] = str(error)
            continue
        except (subprocess.CalledProcessError, OSError, LookupError, ValueError) as error:
            failed[name] = str(error)
            print(f"evidence: {name} was not measured: {error}", file=sys.stderr, flush=True)
            continue
        unfinished.take(name)
    unfinished.finish()
    return failed


def keep(name, run, programs, quick):
    paper, _, key = name.partition("/")
    load = os.getloadavg()[0]
    others = Others()
    result = run.measure(programs, quick)
    share, spread = others.share(), noise(result["records"])
    state = {"quiet": share < QUIET and (spread or 0) < STEADY, "others": share, "noise": spread, "load": round(load, 2)}
    known = kept.read(paper, "measured")
    known[key] = {"command": run.command(), "quick": quick, **state, **result}
    kept.write(paper, "measured", known)
