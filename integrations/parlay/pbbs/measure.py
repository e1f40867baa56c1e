#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""PBBS on Sennit and on ParlayLib's own scheduler, from the same sources with the same flags. See README.md."""

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from statistics import geometric_mean, median

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(ROOT / "bench"))

from driver import charts, figures, machine, records, suite, table  # noqa: E402

OUT = ROOT / "out/bench"
WORKERS = (1, 2)
SYSTEMS = ("parlay", "sennit")
# PBBS's own, but for C++20, which Sennit needs.
FLAGS = "-mcx16 -O2 -std=c++20 -DNDEBUG -pthread -w -I.".split()
PATCH = re.compile(r"(inline void parallel_for\((?:std::)?size_t start, (?:std::)?size_t end, F&& f, long granularity, bool[^)]*\) \{\n)")
# With which status a program of PBBS ends that has found nothing wrong, where that is not 0.
STATUS = {"dedupTime": 1, "SACheck": 1}
NONE_MATCHES = 3


class Failure(Exception):
    """What a person has to know; the message says it."""

    def __init__(self, message, status=1):
        super().__init__(message)
        self.status = status


@dataclass(frozen=True)
class Program:
    name: str
    source: str = ""
    input: str = ""
    size: int = 0
    options: str = ""
    check: str = ""
    same: bool = False  # its answer is compared with that on ParlayLib's own scheduler, as PBBS's checker looks at nothing
    own: str = ""  # a program of this folder in the place of PBBS's, which checks its answer itself
    grains: bool = False  # of the table at several grains


@dataclass(frozen=True)
class Cell:
    system: str
    grain: int | None
    workers: int

    @property
    def variant(self):
        return "default" if self.grain is None else f"grain-{self.grain}"


def main():
    options = _options()
    text = tomllib.loads((HERE / "programs.toml").read_text())
    programs = [Program(**{("source" if key == "from" else key): value for key, value in entry.items()}) for entry in text["program"]]
    chosen = [program for program in programs if re.search(options.only, program.name)]
    if not chosen:
        raise Failure(f"no program has a name that matches '{options.only}'; there are: {', '.join(p.name for p in programs)}", NONE_MATCHES)
    suite_drawn = suite.Suite("pbbs", "PBBS", False, (), tuple(suite.Figure(**entry) for entry in text["figure"]))
    trees = Trees(options, chosen)
    if options.built:
        trees.require()
        failed = []
    else:
        failed = trees.build()
        failed += [program.name for program in chosen if program.name not in failed and not _attempted(trees.checked, program)]
    if options.samples:
        good = [program for program in chosen if program.name not in failed]
        failed += report(suite_drawn, options, programs, good, trees, text["grains"])
    return 1 if failed else 0


def report(drawn, options, programs, chosen, trees, grains):
    """Measures, and writes all there is after each program: a long run that is interrupted has something to show. The names
    of the programs that could not be measured."""
    path = options.out / "pbbs.json"
    about, commit = machine.machine(ROOT, {}, machine.load()), machine.commit(ROOT)
    about["systems"] = trees.versions()
    results = records.read(path)["results"] if path.is_file() else []
    failed, written = [], False
    for program in chosen:
        new = _attempted(trees.measured, program, grains, options)
        if new is None or not all(record["ok"] for record in new):
            failed.append(program.name)
        if new is None:
            continue
        for error in dict.fromkeys(record["error"] for record in new if not record["ok"]):
            print(f"failed pbbs/{program.name} ({program.source}, timed: {' '.join(error.split())})", flush=True)
        written = True
        results = _merged(results, new, programs)
        records.write(path, drawn, commit, about, results)
        path.with_suffix(".txt").write_text(f"{table.tables(results)}\n\n{means(results)}\n")
        charts.write(options.out, drawn, about, commit, results)
    if not written:
        print(f"pbbs: no program was measured; {path} is as it was", file=sys.stderr)
        return failed
    print(path.with_suffix(".txt").read_text())
    print(f"Wrote {path} and its pictures.")
    return failed


def _attempted(what, program, *more):
    """What `what` returns; None if the program cannot be built or run, or is not where PBBS had it. That is said."""
    try:
        return what(program, *more)
    except (Failure, OSError, LookupError, subprocess.SubprocessError) as error:
        told = f"no {error}" if isinstance(error, LookupError) else error
        print(f"failed pbbs/{program.name} ({program.source}: {told})", flush=True)
        return None


class Trees:
    """Copies of PBBS: as it is, and one whose loops can be given a grain where they name none."""

    def __init__(self, options, programs):
        self.work, self.pbbs, self.parlay, self.programs = options.work, options.pbbs, options.parlay, programs
        self.library = options.library
        self.with_grains = options.grains

    def build(self):
        """The names of the programs that could not be built."""
        self._copy("plain", self.parlay / "include")
        if any(self._tree(program) == "grain" for program in self.programs):
            self._copy("grain", self._grained())
        jobs = [(program, system) for program in self.programs for system in SYSTEMS]
        with ThreadPoolExecutor(int(os.environ.get("JOBS") or os.cpu_count())) as pool:
            ends = list(pool.map(lambda job: _attempted(self._compile, *job), jobs))
        return list(dict.fromkeys(program.name for (program, _), good in zip(jobs, ends) if not good))

    def checked(self, program):
        """Whether Sennit's answers pass PBBS's own check on each number of workers."""
        data, answer = self._input(program), self.work / f"{program.name}.answer"
        bench = self.work / "plain/benchmarks" / Path(program.source).parent / "bench"
        checker = self._makefile(program)["BENCH"] + "Check"
        log = self.work / f"{program.name}-check.log"
        if not program.own and not program.same and not _run(["make", "-s", checker], bench, log):
            raise Failure(f"its checker cannot be built; see {log}")
        good = True
        for workers in WORKERS:
            end = self._answered(program, "sennit", workers, answer)
            well = self._status(program)
            complaint = _complaint(end, well)
            if not complaint and program.same:
                other = answer.with_suffix(".parlay")
                complaint = _complaint(self._answered(program, "parlay", workers, other), well) or _difference(answer, other)
                other.unlink(missing_ok=True)
            elif not complaint and not program.own:
                end = _ended([bench / checker, *program.check.split(), data, answer], _environment(workers, None))
                said = [line for line in end.stdout.splitlines() if line and not line.startswith(":")]
                complaint = "\n".join(said) or _complaint(end, STATUS.get(checker, 0))
            good &= not complaint
            how = f"failed pbbs/{program.name}" if complaint else f"passed pbbs/{program.name}"
            print(f"{how} ({program.source}, {workers} workers)", flush=True)
            if complaint:
                (self.work / f"{program.name}-{workers}.log").write_text(complaint)
        answer.unlink(missing_ok=True)
        return good

    def _status(self, program):
        return 0 if program.own else STATUS.get(self._makefile(program)["BENCH"] + "Time", 0)

    def _answered(self, program, system, workers, answer):
        answer.unlink(missing_ok=True)
        command = [self._program(program, system), "-r", "1", "-o", answer, *program.options.split(), self._input(program)]
        return _ended(command, _environment(workers, None))

    def measured(self, program, grains, options):
        """Records of seconds and of ratios. Processes take turns, so that a slow minute hits all alike."""
        data = self._input(program)
        cells = [
            Cell(system, grain, workers)
            for workers in WORKERS
            for grain in ([None, *grains] if self._tree(program) == "grain" else [None])
            for system in SYSTEMS
            if options.variants is None or re.fullmatch(options.variants, Cell(system, grain, workers).variant)
        ]
        seconds, errors, well = {cell: [] for cell in cells}, {}, self._status(program)
        for turn in range(options.samples):
            print(f"pbbs: {program.name}, turn {turn + 1} of {options.samples}", file=sys.stderr, flush=True)
            for cell in (cells if turn % 2 == 0 else reversed(cells)):
                command = [self._program(program, cell.system), "-r", str(options.rounds), *program.options.split(), data]
                end = _ended(command, _environment(cell.workers, cell.grain))
                found = [float(time) for time in re.findall(r"^Parlay time: ([0-9.e+-]+)$", end.stdout, re.MULTILINE)]
                if _complaint(end, well) or len(found) < options.rounds:
                    errors[cell] = _complaint(end, well) or "it told no times"
                else:
                    seconds[cell] += found[-options.rounds :]
        return [record for cell in cells for record in _records(program, cell, seconds, errors)]

    def versions(self):
        return {"parlay": f"ParlayLib {machine.commit(self.parlay)}", "pbbs": f"PBBS {machine.commit(self.pbbs)}"}

    def require(self):
        """Refuses to time programs that were built from something else."""
        for tree in dict.fromkeys(self._tree(program) for program in self.programs):
            if not self._same_origin(tree):
                raise Failure(f"{self.work / tree} is no copy of {self.pbbs} as that is now; run without --built")

    def _origin(self):
        return {"pbbs": _state(self.pbbs), "parlay": _state(self.parlay)}

    def _same_origin(self, tree):
        path = self.work / f"{tree}.origin"
        return (self.work / tree).is_dir() and path.is_file() and path.read_text() == json.dumps(self._origin())

    def _copy(self, tree, include):
        """Anew if PBBS or ParlayLib is another one or has changed: then its inputs and programs may be others, too."""
        if self._same_origin(tree):
            return
        target, part, origin = self.work / tree, self.work / f"{tree}.part", self.work / f"{tree}.origin"
        origin.unlink(missing_ok=True)
        for old in (target, part, *(self.work / f"programs/{tree}-{system}" for system in SYSTEMS)):
            shutil.rmtree(old, ignore_errors=True)
        shutil.copytree(self.pbbs, part, symlinks=True, ignore=lambda _, names: {".git", "parlaylib"} & set(names))
        (part / "parlaylib").mkdir()
        (part / "parlaylib/include").symlink_to(include)
        part.rename(target)
        origin.write_text(json.dumps(self._origin()))

    def _grained(self):
        """ParlayLib's headers and Sennit's plug-in, with one line more in parallel_for."""
        target = self.work / "grained"
        if target.is_dir():
            shutil.rmtree(target)
        shutil.copytree(self.parlay / "include", target)
        (target / "sennit").mkdir()
        shutil.copy(HERE / "grain.hpp", target)
        for path, origin in (("parlay/parallel.h", self.parlay / "include/parlay/parallel.h"), ("sennit/parlay.hpp", ROOT / "integrations/parlay/include/sennit/parlay.hpp")):
            text, count = PATCH.subn(
                r"\1  if (start < end) granularity = pbbs_table::grain(end - start, granularity, num_workers());\n", origin.read_text()
            )
            if count == 0:
                raise Failure(f"{origin} has no parallel_for of the form expected")
            (target / path).write_text("#include <grain.hpp>\n" + text)
        return target

    def _makefile(self, program):
        text = (self.work / "plain/benchmarks" / program.source / "Makefile").read_text()
        return dict(re.findall(r"^(BENCH|OBJS) *= *(.*?) *$", text, re.MULTILINE)) | {"links": "MakeBenchLink" in text}

    def _tree(self, program):
        return "grain" if self.with_grains and program.grains else "plain"

    def _program(self, program, system):
        return self.work / f"programs/{self._tree(program)}-{system}" / program.name

    def _compile(self, program, system):
        made, tree = self._makefile(program), self._tree(program)
        target = self._program(program, system)
        target.parent.mkdir(parents=True, exist_ok=True)
        folder = self.work / tree / "benchmarks" / program.source
        include = self.work / "grained" if tree == "grain" else ROOT / "integrations/parlay/include"
        sources = [HERE / program.own] if program.own else [f"../bench/{made['BENCH']}Time.C"]
        flags = [*FLAGS, f"-I{include}"]
        if not program.own and made["links"]:
            sources += [source.replace(".o", ".C") for source in made["OBJS"].split()]
        elif not program.own:
            flags += ["-include", f"{made['BENCH']}.h"]
        if system == "sennit":
            flags = ["-include", "sennit/parlay.hpp", f"-I{ROOT / 'include'}", *flags]
            libraries = [self.library, *_said("pkg-config", "--libs", "hwloc", "numa", "fmt"), "-lboost_context"]
        else:
            libraries = []
        command = ["g++", *flags, *sources, "-o", target, *libraries, "-ldl", "-pthread"]
        asked, words = target.with_suffix(".command"), json.dumps([str(word) for word in command])
        if target.is_file() and asked.is_file() and asked.read_text() == words and target.stat().st_mtime > self._newest(program, system):
            return True
        asked.unlink(missing_ok=True)
        good = _run(command, folder, target.with_suffix(".log"))
        if good:
            asked.write_text(words)
        else:
            print(f"failed pbbs/{program.name} (compiling on {system}; see {target.with_suffix('.log')})", flush=True)
        return good

    def _newest(self, program, system):
        """When the last of the files changed that a program is made of, besides those of the copy."""
        parts = [HERE / program.own] if program.own else []
        parts += [HERE / "grain.hpp"] if self._tree(program) == "grain" else []
        folders = [self.parlay / "include"]
        if system == "sennit":
            parts.append(self.library)
            folders += [ROOT / "include", ROOT / "integrations/parlay/include"]
        parts += [path for folder in folders for path in folder.rglob("*") if path.is_file()]
        return max((path.stat().st_mtime for path in parts), default=0)

    def _input(self, program):
        kind, _, name = program.input.partition("/")
        folder = self.work / "plain/testData" / kind / "data"
        if not (folder / name).is_file():
            if "Delaunay" in name:  # the rule runs that program
                place = self.work / "plain/benchmarks/delaunayTriangulation/incrementalDelaunay"
                log = self.work / "delaunay.log"
                if not (place / "delaunay").is_file() and not _run(["make", "-s", "delaunay"], place, log):
                    raise Failure(f"PBBS's delaunay, which makes {program.input}, cannot be built; see {log}")
            log, made = self.work / f"{name}.log", False
            try:
                # make is to keep no part of a file, of those between either.
                made = _run(["make", "-s", "--eval=.DELETE_ON_ERROR:", name], folder, log) and _is_filled(folder / name)
            finally:
                if not made:
                    (folder / name).unlink(missing_ok=True)
            if not made:
                raise Failure(f"PBBS's generators did not make {program.input}; see {log}")
        return folder / name


def means(results):
    """Geometric means of the ratios, and the worst."""
    lines = ["Time over ParlayLib's own scheduler at the same grain: geometric mean, worst program"]
    for workers in WORKERS:
        for variant in dict.fromkeys(record["variant"] for record in results):
            found = {
                record["kernel"]: record["median"]
                for record in results
                if record["metric"] == "over_parlay" and record["ok"] and record["workers"] == workers and record["variant"] == variant
            }
            if found:
                worst = max(found, key=found.get)
                what = "no grain" if variant == "default" else variant.replace("-", " ")
                lines.append(
                    f"  {workers} worker{'s' if workers > 1 else ' '}  {what:10}  {geometric_mean(found.values()):.3f} of {len(found)} programs; {worst} {found[worst]:.3f}"
                )
    return "\n".join(lines)


def _records(program, cell, seconds, errors):
    made = [_record(program, cell, "seconds", seconds[cell], errors.get(cell))]
    peer = Cell("parlay", cell.grain, cell.workers)
    if cell.system == "sennit" and peer in seconds:
        error = errors.get(cell) or errors.get(peer)
        below = median(seconds[peer]) if seconds[peer] else 1
        more = {}
        if not error and figures.near_one(median(seconds[cell]) / below):
            more["interval"] = [round(end, 5) for end in figures.ratio_interval(seconds[cell], seconds[peer])]
        made.append(_record(program, cell, "over_parlay", [sample / below for sample in seconds[cell]], error, **more))
    return made


def _record(program, cell, metric, samples, error=None, **more):
    """One that has failed in some processes has no figures."""
    samples = [] if error else [float(f"{sample:.6g}") for sample in samples]
    return {
        "kernel": program.name,
        "params": {"size": program.size, "program": program.source, "input": program.input},
        "system": cell.system,
        "variant": cell.variant,
        "workers": cell.workers,
        "metric": metric,
        "unit": records.UNITS[metric],
        "samples": samples,
        "min": min(samples, default=None),
        "median": float(f"{median(samples):.6g}") if samples else None,
        "ok": not error,
        **({"error": error} if error else {}),
        **more,
    }


def _merged(old, new, programs):
    """New records in the place of old ones of the same cells; in the order of the programs. Those of programs that are no
    longer in the list go: after a change of name the means would count the program twice."""
    def key(record):
        return record["kernel"], record["system"], record["variant"], record["workers"], record["metric"]

    found = {key(record): record for record in [*old, *new]}
    order = [program.name for program in programs]
    known = [record for record in found.values() if record["kernel"] in order]
    return sorted(known, key=lambda record: (order.index(record["kernel"]), record["workers"], record["variant"] != "default"))


def _environment(workers, grain):
    own = {name: value for name, value in os.environ.items() if not name.startswith(("SENNIT_", "PARLAY_", "PBBS_"))}
    own |= {"SENNIT_WORKERS": str(workers), "PARLAY_NUM_THREADS": str(workers)}
    return own | ({} if grain is None else {"PBBS_GRAIN": str(grain)})


def _complaint(end, well=0):
    """What is wrong by the way a program of PBBS has ended; `well`: the status it has if nothing is."""
    if end.returncode < 0:
        return f"signal {-end.returncode}: {end.stderr}"
    return end.stderr or ("" if end.returncode in (0, well) else f"status {end.returncode}")


def _difference(answer, other):
    """Of two answers whose lines may be in any order; empty: there is none."""
    lines, others = (sorted(path.read_bytes().splitlines()) for path in (answer, other))
    return "" if lines == others else f"{len(lines)} lines that differ from the {len(others)} on ParlayLib's own scheduler"


def _ended(command, environment):
    try:
        return subprocess.run(command, capture_output=True, text=True, errors="replace", env=environment, timeout=300)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 124, "", "it did not end in 300 s")


def _state(folder):
    """Which files a clone has: where it is, its commit, and a checksum of what was changed since then."""
    changes = subprocess.run(["git", "-C", folder, "diff", "HEAD"], capture_output=True).stdout
    return [str(folder), machine.commit(folder).removesuffix("+changes"), hashlib.sha256(changes).hexdigest()]


def _is_filled(path):
    return path.is_file() and path.stat().st_size > 0


def _run(command, folder, log):
    with log.open("w") as out:
        return subprocess.run(command, cwd=folder, stdout=out, stderr=subprocess.STDOUT).returncode == 0


def _said(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout.split()


def _options():
    parser = argparse.ArgumentParser(prog="measure.py", description=__doc__)
    parser.add_argument("pbbs", type=lambda text: Path(text).resolve(), help="a clone of PBBS (pbbsbench)")
    parser.add_argument("parlay", type=lambda text: Path(text).resolve(), help="a clone of ParlayLib")
    parser.add_argument("--only", default="", metavar="REGEX", help="programs whose name matches; results of others stay")
    parser.add_argument("--variants", metavar="REGEX", help="measure these alone: default, grain-64, ...")
    parser.add_argument("--grains", action="store_true", help="at several grains, too")
    parser.add_argument("--samples", type=int, default=3, help="processes of each cell; 0: only build and check")
    parser.add_argument("--rounds", type=int, default=3, help="rounds that a process times")
    parser.add_argument("--built", action="store_true", help="neither build nor check")
    parser.add_argument("--work", type=Path, default=ROOT / "build/foreign/pbbs", help="where copies and programs go")
    parser.add_argument("--out", type=Path, default=OUT, help="where pbbs.json, its text and its pictures go; out/bench if not given")
    parser.add_argument("--library", type=Path, default=ROOT / "build/release/src/libsennit.a", help=argparse.SUPPRESS)
    options = parser.parse_args()
    for path, what in ((options.pbbs / "benchmarks", "PBBS"), (options.parlay / "include/parlay", "ParlayLib")):
        if not path.is_dir():
            parser.error(f"{path} does not exist; is that a clone of {what}?")
    options.work.mkdir(parents=True, exist_ok=True)
    options.work = options.work.resolve()
    return options


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (Failure, OSError) as failure:
        print(f"pbbs: {failure}", file=sys.stderr)
        sys.exit(getattr(failure, "status", 1))
