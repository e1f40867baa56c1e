# SPDX-License-Identifier: Apache-2.0
"""The picture of the project's README, and its words: few kernels on this machine, in each of them a bar for each system, beside
the serial program; and below, the papers' programs on a simulated machine.

The upper part is drawn from the records of the suite `overview`, or of any suites that have its kernels: from what `kept`
keeps of them. The lower part is drawn from docs/evidence/data/combination.simulated.json.
"""

import math
import tomllib
from dataclasses import asdict, dataclass
from html import escape

from . import figures, svg

SYSTEMS = {"sennit": "Sennit", "openmp": "OpenMP", "onetbb": "oneTBB", "rayon": "rayon"}
WORKERS = 2
COLUMNS, PANEL, LEFT, PLOT, MARGIN, GAP = 2, 420, 76, 270, 12, 14
HEAD, FOOT, NAME, ROW, BAR = 66, 66, 22, 15, 11
BUSY = 0.5  # the load from which on figures suffer
LONGEST = 2  # longer bars are cut there
TICKS = (0, 0.5, 1, 1.5, 2)
# The lower part: what each paper is about, in a reader's words.
PAPERS = {
    "000": "sweeps over the same data, spliced",
    "001": "loops",
    "002": "task graphs",
    "003": "loops and recursion, by heartbeats",
    "004": "phases that follow schedules",
}
SIMULATED_HEAD, SIMULATED_LEFT, SIMULATED_PLOT, SIMULATED_LONGEST = 52, 230, 440, 3.5


class OverviewError(Exception):
    """The records do not have what the picture is to show; the message says what is missing."""


@dataclass(frozen=True)
class Cell:
    value: float
    variant: str
    samples: int


@dataclass(frozen=True)
class Panel:
    name: str
    kind: str
    cells: dict  # from a system to its fastest variant

    def faster(self, system):
        """Than Sennit, by more than what counts as equal."""
        ratio = self.cells["sennit"].value / self.cells[system].value
        return ratio > 1 and not figures.near_one(ratio)

    def over_best(self):
        """Sennit's time over that of the fastest of the other systems."""
        return self.cells["sennit"].value / min(cell.value for system, cell in self.cells.items() if system != "sennit")


def panels(suite, files):
    """`suite` is the path of overview.toml, and `files` what records.read() gives; of several the last one counts."""
    found = []
    for kernel in tomllib.loads(suite.read_text())["kernel"]:
        allowed = {(system, "default") for system in SYSTEMS}
        allowed |= {(system, variant) for variant, systems in kernel["variants"].items() for system in systems}
        of_variants = {}
        for file in files:
            of_file = [record for record in file["results"] if _counts(record, kernel["name"], allowed)]
            of_variants = {(record["system"], record["variant"]): record for record in of_file} or of_variants
        cells = {}
        for (system, variant), record in of_variants.items():
            if system not in cells or record["median"] < cells[system].value:
                cells[system] = Cell(record["median"], variant, len(record["samples"]))
        missing = [name for system, name in SYSTEMS.items() if system not in cells]
        if missing:
            raise OverviewError(f"the records have no kernel '{kernel['name']}' of {', '.join(missing)} on {WORKERS} workers")
        size = next(iter(of_variants.values()))["params"]["size"]
        found.append(Panel(kernel["shown"].format(size=size), kernel["kind"], cells))
    return found


def _counts(record, kernel, allowed):
    return (
        record["kernel"] == kernel
        and record["metric"] == "over_serial"
        and record["workers"] == WORKERS
        and (record["system"], record["variant"]) in allowed
        and record["ok"]
        and record["median"] is not None
    )


def kept(found, file):
    """What the picture and the words of a run are made of, as JSON can have it."""
    machine = file["machine"]
    return {
        "machine": {key: machine[key] for key in ("cpu", "kind", "cpus", "date", "load_before", "systems") if key in machine},
        "commit": file["commit"],
        "kernels": [asdict(panel) for panel in found],
    }


def with_run(runs, run):
    """The kept runs, the newest first: this one in the place of the last one on the same kind of machine."""
    return [run, *(other for other in runs if _machine(other) != _machine(run))]


def _machine(run):
    machine = run["machine"]
    return ", ".join(filter(None, [f"{machine['cpu']}, {machine['cpus']} CPUs", machine.get("kind")]))


def from_kept(record):
    """(panels, file) for draw()."""
    return [
        Panel(one["name"], one["kind"], {system: Cell(**cell) for system, cell in one["cells"].items()})
        for one in record["kernels"]
    ], record


@dataclass(frozen=True)
class Paper:
    about: str
    mean: float  # geometric, of how many times as fast Sennit is
    least: float
    most: float
    programs: int
    cores: int
    machine: str  # "8x10": 8 nodes of 10 cores


def papers(simulated):
    """Of the simulated runs of each paper's programs: Sennit's fastest way over the fastest of the paper's."""
    found = []
    for paper, about in PAPERS.items():
        ratios = [min(row["theirs"].values()) / min(row["ours"].values()) for row in simulated[paper]["programs"].values()]
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        machine = simulated[paper]["machine"]
        found.append(Paper(about, mean, min(ratios), max(ratios), len(ratios), simulated[paper]["cores"], machine))
    return found


def words(runs, simulated):
    """What the README says below the picture, of each kind of machine that has a run."""
    means = [one.mean for one in simulated]
    return " ".join([
        *(_words_of_run(*from_kept(run), first=run is runs[0]) for run in runs),
        f"On {simulated[0].cores} simulated cores, the programs of each of five papers run {min(means):.2f} to {max(means):.2f} times as "
        "fast, in the geometric mean, as by the best of the paper's schedulers. Both sides have the best settings that were tried.",
    ])


def _words_of_run(found, file, first):
    names = list(SYSTEMS.values())
    behind = [panel for panel in found if any(panel.faster(system) for system in SYSTEMS if system != "sennit")]
    others = f"the fastest of {', '.join(names[1:-1])} and {names[-1]}" if first else "the fastest of them"
    return " ".join(filter(None, [
        f"On {file['machine']['cpus']} CPUs{'' if first else f' of another kind ({_machine(file)})'}, Sennit is faster than "
        f"{others}, or as fast, in {len(found) - len(behind)} of {len(found)} kernels.",
        f"It takes {_span([panel.over_best() for panel in behind])} times as long in {_list([f'`{panel.name}`' for panel in behind])}."
        if behind
        else "",
        "Other programs took a part of the machine during that run." if file["machine"].get("load_before", 0) > BUSY else "",
    ]))


def _span(ratios):
    return " to ".join(dict.fromkeys([f"{min(ratios):.2f}", f"{max(ratios):.2f}"]))


def _list(all_names):
    return " and ".join(filter(None, [", ".join(all_names[:-1]), *all_names[-1:]]))


def draw(found, file, theme, simulated=()):
    """As SVG; `file` is whose machine, date and commit stand below."""
    rows = -(-len(found) // COLUMNS)
    block = NAME + len(SYSTEMS) * ROW + GAP + 12
    width, measured = 2 * MARGIN + COLUMNS * PANEL, HEAD + rows * block + FOOT
    height = measured + (SIMULATED_HEAD + len(simulated) * ROW + 52 if simulated else 0)
    parts = [
        svg.text(MARGIN, 24, f"Time on {WORKERS} workers, over the serial program", "title"),
        svg.text(MARGIN, 42, "Shorter is faster. The red line at 1 is the serial program; 0.5 is the best that two workers can reach. Broken bars are cut.", "small"),
    ]
    for number, panel in enumerate(found):
        left = MARGIN + number % COLUMNS * PANEL
        parts += _panel(panel, left, HEAD + number // COLUMNS * block)
    parts += [
        svg.text(MARGIN, measured - FOOT + 14 + 14 * line, line_of_text, "quiet")
        for line, line_of_text in enumerate(_footnote(found, file))
    ]
    if simulated:
        parts += _simulated(simulated, measured)
    return svg.document(width, height, parts, theme)


def _panel(panel, left, top):
    zero, start = left + LEFT, top + NAME
    bottom = start + len(SYSTEMS) * ROW
    parts = [f'<text x="{left}" y="{top + 10}">{escape(panel.name)}<tspan class="quiet" dx="10">{escape(panel.kind)}</tspan></text>']
    for tick in TICKS:
        place = zero + tick / LONGEST * PLOT
        parts.append(svg.vertical(place, start - 4, bottom))
        parts.append(svg.text(place, bottom + 10, f"{tick:g}", "quiet", "middle"))
    numbers = []
    for row, (system, name) in enumerate(SYSTEMS.items()):
        cell, height = panel.cells[system], start + row * ROW
        end = zero + min(cell.value, LONGEST) / LONGEST * PLOT
        parts.append(svg.text(zero - 6, height + 9, name, "small", "end"))
        hint = f"{panel.name}, {name}, {cell.variant}: {cell.value:.4g}, median of {cell.samples} samples"
        parts.append(svg.bar(zero, end, height, BAR, "s0" if system == "sennit" else "s5", hint))
        if cell.value > LONGEST:
            parts.append(_break(end - 14, height))
        numbers.append(svg.text(end + 4, height + 9, _number(cell.value), "number"))
        if panel.faster(system):
            numbers.append(svg.text(end + 34, height + 9, "◂ faster than Sennit", "number failed"))
    return [*parts, svg.vertical(zero + PLOT / LONGEST, start - 4, bottom, "one"), *numbers]


def _simulated(found, top):
    zero, start = MARGIN + SIMULATED_LEFT, top + SIMULATED_HEAD
    bottom = start + len(found) * ROW
    parts = [
        svg.text(MARGIN, top + 18, f"Speed on {found[0].cores} simulated cores, over the best of each paper's schedulers", "title"),
        svg.text(MARGIN, top + 36, "Longer is faster. The red line at 1 is the paper's best scheduler. A bar is the geometric mean of the paper's programs; then the least and the most.", "small"),
    ]
    for tick in range(int(SIMULATED_LONGEST) + 1):
        place = zero + tick / SIMULATED_LONGEST * SIMULATED_PLOT
        parts += [svg.vertical(place, start - 4, bottom), svg.text(place, bottom + 10, f"{tick}", "quiet", "middle")]
    numbers = []
    for row, one in enumerate(found):
        height = start + row * ROW
        end = zero + min(one.mean, SIMULATED_LONGEST) / SIMULATED_LONGEST * SIMULATED_PLOT
        parts.append(svg.text(zero - 6, height + 9, one.about, "small", "end"))
        parts.append(svg.bar(zero, end, height, BAR, "s0", f"{one.about}: {one.mean:.4g}, geometric mean of {one.programs} programs"))
        spread = f"{one.mean:.2f} ({one.least:.2f} to {one.most:.2f}, {one.programs} programs)"
        numbers.append(svg.text(end + 4, height + 9, spread, "number"))
    nodes, each = found[0].machine.split("x")
    foot = f"Both sides are simulated on {nodes} nodes of {each} cores, each with the fastest of its ways and settings that were tried: docs/evidence/combination.md."
    parts.append(svg.text(MARGIN, bottom + 28, foot, "quiet"))
    return [*parts, svg.vertical(zero + SIMULATED_PLOT / SIMULATED_LONGEST, start - 4, bottom, "one"), *numbers]


def _break(place, top):
    """Tells that a bar is longer than it is drawn."""
    return f'<path class="ground" d="M{place:.1f},{top + BAR + 1}l4,{-BAR - 2}h4l-4,{BAR + 2}z"/>'


def _footnote(found, file):
    machine = file["machine"]
    counts = [cell.samples for panel in found for cell in panel.cells.values()]
    systems = [machine["systems"].get(system, name) for system, name in SYSTEMS.items()]
    serial = "Serial is the program of the same compiler: GCC's for C++, rustc's for rayon."
    schedules = "OpenMP and oneTBB: the fastest of their schedules in each row. Sennit: nothing set."
    load = machine.get("load_before", 0)
    busy = f"the machine was busy before the run (load {load})" if load > BUSY else ""
    return [
        f"Medians of {min(counts)} to {max(counts)} interleaved samples. {serial}",
        f"{schedules} Within {figures.NEAR_ONE:.0%} counts as equal.",
        "; ".join(systems),
        ", ".join(filter(None, [_machine(file), machine.get("date"), file["commit"], busy])),
    ]


def _number(value):
    return f"{value:.0f}" if value >= 10 else f"{value:.1f}" if value >= LONGEST else f"{value:.2f}"
