"""Measures again what two cores can show: suites of bench/run, and `sennit run` for sweeps over grains."""

import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass

import kept

QUIET = 0.03  # the share of the CPUs' time that others may have
BENCH = kept.ROOT / "bench/run"


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

    def command(self):
        options = " ".join(self.options)
        return f"build/release/tools/sennit run {self.kernel} {options} --variant {self.variants[-1]} --tile {self.tiles[-1]}"

    def measure(self, programs, quick):
        options = self.quick_options if quick else self.options
        tool = kept.ROOT / "build/release/tools/sennit"
        records = []
        machine = {}
        for workers in self.workers:
            for variant in self.variants:
                for tile in self.tiles if variant != "nested" else self.tiles[:1]:
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
            sys.exit(f"evidence: {path} is missing; write it with: {self.how}")
        file = json.loads(path.read_text())
        return {"quiet": file["machine"]["load_before"] < 0.5, "others": None, **records_of(file, self.metrics)}


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
        for key, value in (("rounds", 9), ("seconds", 0.6), ("kernel_seconds", 9)):
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


def measure(runs, only, quick, programs):
    """`runs` by paper and name. What is measured is kept at once."""
    for paper, of_paper in runs.items():
        for name, run in of_paper.items():
            if only and f"{paper}/{name}" not in only and paper not in only:
                continue
            print(f"{paper}: measuring {name}", flush=True)
            others = Others()
            result = run.measure(programs, quick)
            share = others.share()
            known = kept.read(paper, "measured")
            known[name] = {"command": run.command(), "quick": quick, "quiet": share < QUIET, "others": share, **result}
            kept.write(paper, "measured", known)
