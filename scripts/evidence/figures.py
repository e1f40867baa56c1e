# SPDX-License-Identifier: Apache-2.0
"""What a page says of a figure or table of a paper."""

from dataclasses import dataclass

MEASURED, COUNTED, SIMULATED, MISSING = "measured", "counted", "simulated", "not reproduced"
READ = "read"  # a listing beside a program


@dataclass(frozen=True)
class Claim:
    """One statement of the paper and what it is here. `theirs` and `ours` are numbers or words; None of ours: not known."""

    what: str
    theirs: object
    where: str  # in the paper
    ours: object = None
    how: str = MEASURED
    note: str = ""  # what differs: the size, the number of workers

    def word(self):
        """How well the two agree, or '' where words cannot be compared by a script."""
        if self.ours is None or isinstance(self.theirs, str) or isinstance(self.ours, str):
            return ""
        ratio = self.ours / self.theirs if self.theirs else None
        if self.ours == self.theirs or (ratio is not None and 0.75 <= ratio <= 1.25):
            return "within 25%"
        return f"{ratio:.2g} of it" if ratio is not None else "differs"

    def distance(self):
        """By what factor the two differ."""
        ratio = abs(self.ours / self.theirs)
        return max(ratio, 1 / ratio) if ratio else float("inf")

    def same_side(self):
        """Whether both are ratios of the same side of 1, or not far apart."""
        return (self.ours >= 1) == (self.theirs >= 1) or self.word() == "within 25%"


def claim(said, key, what, ours=None, how=MEASURED, note=""):
    """Of what `said`, the transcribed figure, has under `key`."""
    return Claim(what, said[key]["value"], said[key]["from"], ours, how, note)


@dataclass(frozen=True)
class Figure:
    id: str  # of its section and pictures: figure-7
    name: str  # in the paper
    shows: str  # what the paper shows there, a sentence
    claims: tuple
    agreement: str  # a sentence; '' where `measured` says all
    word: str  # of the index: agrees, partly, differs, open; '' where the claims decide
    commands: tuple  # that make the numbers again
    plots: tuple = ()
    missing: str = ""  # what is not reproduced, and why
    setting: str = ""  # sizes, workers, what stands for which system of the paper
    runs: tuple = ()  # names of measurements, for their dates and machines
    measured: str = ""  # a sentence on what was measured, made of the numbers, so that it is true after the next measurement

    def on_measured(self):
        """The sentence on what was measured; '' as long as nothing was."""
        of = [claim.ours for claim in self.claims if claim.how == MEASURED]
        return self.measured if not of or any(ours is not None for ours in of) else ""

    def index_word(self):
        return self.word or verdict(self.claims)

    def drawn(self):
        """The plots that have something to show."""
        return [plot for plot in self.plots if not plot.empty()]

    def not_reproduced(self):
        """What, and why; '' if nothing."""
        if self.how() == MISSING:
            return " ".join(
                part
                for part in ("all of it: its measurement has not been taken on a machine at rest yet.", self.missing)
                if part
            )
        return self.missing

    def how(self):
        kinds = [
            kind
            for kind in (MEASURED, COUNTED, SIMULATED, READ)
            if any(c.how == kind and c.ours is not None for c in self.claims)
        ]
        return ", ".join(kinds) or MISSING


@dataclass(frozen=True)
class Bars:
    """Groups of bars: series' name to values by group; None: no bar."""

    name: str  # of the picture
    title: str
    axis: str
    groups: tuple
    series: dict
    one: str = ""  # what the line at 1 stands for
    log: bool = False

    def empty(self):
        return all(value is None for values in self.series.values() for value in values)


@dataclass(frozen=True)
class Lines:
    """Curves: series' name to (x, y) points."""

    name: str
    title: str
    axis_x: str
    axis: str
    series: dict
    log_x: bool = False
    log: bool = False

    def empty(self):
        return not any(self.series.values())


def again(what, name):
    """The command that makes numbers anew: MEASURE or SIMULATE."""
    return f"make evidence {what}=1 ONLY={name}"


def verdict(claims):
    """One word for the index, from the claims that have two numbers."""
    compared = [claim for claim in claims if claim.word()]
    if not compared:
        return "open"
    if all(claim.word() == "within 25%" for claim in compared):
        return "agrees"
    return "partly" if any(claim.same_side() for claim in compared) else "differs"
