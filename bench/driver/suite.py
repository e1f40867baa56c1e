# SPDX-License-Identifier: Apache-2.0
"""What a suite measures, read from suites/NAME.toml and systems.toml."""

import tomllib
from dataclasses import dataclass, field, replace
from pathlib import Path

from .svg import LIGHT


class SuiteError(Exception):
    """The suite or its options make no sense; the message says which and why."""


@dataclass(frozen=True)
class Budget:
    """How much to measure: at most `rounds` samples a cell, and fewer once the seconds are used up."""

    rounds: int
    seconds: float
    kernel_seconds: float
    timeout: float


@dataclass(frozen=True)
class System:
    name: str
    variant: str = "default"
    program: str = ""
    serial: str = "default"
    workers: tuple | None = None  # what it runs with, whatever a kernel asks; None: what the kernel asks
    environment: dict = field(default_factory=dict)
    only_where_named: bool = False  # of few suites, which have it in their `with`
    tuned: bool = False  # by hand, for this kernel: only compared with, and only where several work

    @property
    def label(self):
        return self.name if self.variant == "default" else f"{self.name} {self.variant}"

    @property
    def has_own_program(self):
        """Then the program is the variant, such as that of another compiler."""
        return self.program != self.name


@dataclass(frozen=True)
class Kernel:
    name: str
    about: str
    program: str  # whose sources it has; kernels may share them
    input: str | None
    size: int
    warm_up: int
    twin: int | None
    twins: tuple | None  # systems that get one; None: all
    work: int | None
    expect: int | None
    metrics: tuple
    calibrate: dict | None
    budget: Budget
    cells: tuple  # of (System, workers)
    plain: dict  # the variant that a variant is compared with, if not the default
    peers: tuple  # systems of which the fastest is what `over_best` is relative to
    bytes_per_size: int | None = None  # memory of a program for each unit of the size, where programs could need too much
    bars: dict = field(default_factory=dict)  # what is asked of Sennit: see bars.py
    most_misses: float | None = None  # of what Sennit chooses, over those of the serial program: see misses.py


@dataclass(frozen=True)
class Figure:
    """A picture of one metric at one number of workers: rows kernels, in each of them a mark for every series."""

    name: str
    title: str
    axis: str  # what the numbers are, with their unit, and which way is better
    metric: str
    workers: int
    series: dict  # from its name to the labels of systems, of which a kernel's first one counts
    one: str = "serial"  # what 1 stands for
    inverse: bool = False  # speedups, out of ratios of times


@dataclass(frozen=True)
class Suite:
    name: str
    title: str
    quick: bool
    kernels: tuple
    figures: tuple
    mean_over_best: float | None = None  # of all kernels, what is asked of Sennit


def load(folder: Path, name: str, quick: bool = False, only=(), workers=()):
    """The suite called `name`; `only` names the kernels to keep, all if empty; `workers` are in the place of 1 and 2."""
    path = folder / "suites" / f"{name}.toml"
    if not path.is_file():
        known = ", ".join(sorted(file.stem for file in path.parent.glob("*.toml")))
        raise SuiteError(f"there is no suite '{name}'; there are: {known}")
    text = _read(path)
    systems = [_system(entry) for entry in _read(folder / "systems.toml")["system"]]
    entries = [_completed(entry, folder) for entry in text.get("kernel", ())]
    try:
        if not entries:
            raise KeyError("kernel")
        for entry in entries:
            _check_names(entry, text, systems, path)
        kernels = tuple(_kernel(entry, text, systems, quick, tuple(workers) or (1, 2)) for entry in entries)
        drawn = tuple(_figure(entry, path) for entry in text.get("figure", ()))
    except KeyError as missing:
        raise SuiteError(f"{path} lacks the key {missing}") from None
    unknown = set(only) - {kernel.name for kernel in kernels}
    if unknown:
        known = ", ".join(kernel.name for kernel in kernels)
        raise SuiteError(f"suite '{name}' has no kernel '{unknown.pop()}'; it has: {known}")
    kept = tuple(kernel for kernel in kernels if not only or kernel.name in only)
    return Suite(name, text["title"], quick, kept, drawn, text.get("bars", {}).get("mean_over_best"))


def _read(path: Path):
    try:
        return tomllib.loads(path.read_text())
    except tomllib.TOMLDecodeError as error:
        raise SuiteError(f"{path}: {error}") from None


def _completed(entry, folder):
    """With what it does not say itself from the kernel of that name in the suite `from`."""
    if "from" not in entry:
        return entry
    path = folder / "suites" / f"{entry['from']}.toml"
    others = _read(path).get("kernel", ()) if path.is_file() else ()
    for other in others:
        if other["name"] == entry["name"]:
            return {**other, **entry}
    raise SuiteError(f"kernel '{entry['name']}' is to be taken from suite '{entry['from']}', which has none of that name")


def _system(entry):
    if "workers" in entry:
        entry = dict(entry, workers=tuple(entry["workers"]))
    return System(**{"program": entry["name"], **entry})


def _kernel(entry, text, systems, quick, workers):
    mode = "quick" if quick else "full"
    budget = dict(text[mode])
    if "rounds" in entry:
        budget["rounds"] = entry["rounds"][mode]
    size = entry["size"][mode]
    expect = entry.get("expect")
    return Kernel(
        name=entry["name"],
        about=entry["about"],
        program=entry.get("program", entry["name"]),
        input=entry.get("input"),
        size=size,
        warm_up=entry["size"].get("warm_up", size),
        twin=entry["size"].get("twin"),
        twins=tuple(text["twins"]) if "twins" in text else None,
        work=entry["work"][mode] if "work" in entry else None,
        expect=size if expect == "size" else (expect or {}).get(str(size)),
        metrics=tuple(entry["metrics"]),
        calibrate=entry.get("calibrate"),
        budget=Budget(**budget),
        cells=tuple(_cells(entry, systems, text, workers)),
        plain=entry.get("plain", {}),
        peers=tuple(text.get("peers", ())),
        bytes_per_size=entry.get("bytes_per_size"),
        bars={**text.get("bars", {}), **entry.get("bars", {})},
        most_misses=entry.get("most_misses", {}).get(mode),
    )


def _check_names(entry, text, systems, path):
    """A system or a variant that nobody knows would be left out in silence."""
    names = {system.name for system in systems}
    labels = names | {system.label for system in systems}
    variants = [*entry.get("variants", {}), *entry.get("tuned", {})]

    def check(where, given, known, what):
        for name in given:
            if name not in known:
                raise SuiteError(
                    f"{path}, kernel '{entry['name']}': {where} names the {what} '{name}'; there are: {', '.join(sorted(known))}"
                )

    for key in ("without", "with", "twins", "peers"):
        check(key, [*text.get(key, ()), *entry.get(key, ())], labels, "system")
    check("only_variants", entry.get("only_variants", ()), names, "system")
    for key in ("variants", "tuned"):
        for variant, of in entry.get(key, {}).items():
            check(f"{key}.{variant}", of, names, "system")
    check("several", entry.get("several", ()), variants, "variant")
    known = {"default", *variants, *(system.variant for system in systems)}
    plain = entry.get("plain", {})
    check("plain", [*plain, *plain.values()], known, "variant")


def _figure(entry, path):
    try:
        figure = Figure(**entry)
    except TypeError as error:
        raise SuiteError(f"{path}, figure '{entry.get('name', '')}': {str(error).partition(' ')[2]}") from None
    if len(figure.series) > len(LIGHT):
        raise SuiteError(f"{path}, figure '{figure.name}': more than {len(LIGHT)} series cannot be told apart")
    return figure


def _cells(entry, systems, text, workers):
    # A kernel's own number is that of the machine that it simulates, or what it is about.
    asked = entry.get("workers", [count for count in workers if count >= entry.get("fewest_workers", 1)])
    without = (*text.get("without", ()), *entry.get("without", ()))
    named = (*text.get("with", ()), *entry.get("with", ()))
    for system in systems:
        if system.name in without or system.label in without:
            continue
        if system.only_where_named and system.name not in named and system.label not in named:
            continue
        variants = [system]
        if system.variant == "default":
            if system.name in entry.get("only_variants", ()):
                variants = []
            for variant, names in entry.get("variants", {}).items():
                if system.name in names:
                    variants.append(replace(system, variant=variant))
            for variant, names in entry.get("tuned", {}).items():
                if system.name in names:
                    variants.append(replace(system, variant=variant, tuned=True))
        for variant in variants:
            for workers in variant.workers or asked:
                # One worker has no colors but its own.
                needs_others = variant.tuned or variant.variant in entry.get("several", ())
                if not (needs_others and workers == 1):
                    yield variant, workers
