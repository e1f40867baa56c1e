"""The picture of the project's README: few kernels, in each of them a bar for each system, beside the serial program.

It is drawn from the records of the suite `overview`, or of any suites that have its kernels.
"""

import tomllib
from dataclasses import dataclass
from html import escape

from . import figures, svg

SYSTEMS = {"sennit": "Sennit", "openmp": "OpenMP", "onetbb": "oneTBB", "rayon": "rayon"}
WORKERS = 2
COLUMNS, PANEL, LEFT, PLOT, MARGIN, GAP = 2, 420, 76, 270, 12, 14
HEAD, FOOT, NAME, ROW, BAR = 66, 66, 22, 15, 11
BUSY = 0.5  # the load from which on figures suffer
LONGEST = 1.5  # longer bars are cut there
TICKS = (0, 0.5, 1, 1.5)


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


def panels(suite, files):
    """`suite` is the path of overview.toml, and `files` what records.read() gives; of several the last one counts."""
    found = []
    for kernel in tomllib.loads(suite.read_text())["kernel"]:
        allowed = {(system, "default") for system in SYSTEMS}
        allowed |= {(system, variant) for variant, systems in kernel["variants"].items() for system in systems}
        ratios = {}
        for file in files:
            of_file = [record for record in file["results"] if _counts(record, kernel["name"], allowed)]
            ratios = {(record["system"], record["variant"]): record for record in of_file} or ratios
        cells = {}
        for (system, variant), record in ratios.items():
            if system not in cells or record["median"] < cells[system].value:
                cells[system] = Cell(record["median"], variant, len(record["samples"]))
        missing = [name for system, name in SYSTEMS.items() if system not in cells]
        if missing:
            raise OverviewError(f"the records have no kernel '{kernel['name']}' of {', '.join(missing)} on {WORKERS} workers")
        size = next(iter(ratios.values()))["params"]["size"]
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


def draw(found, file, theme):
    """As SVG; `file` is whose machine, date and commit stand below."""
    rows = -(-len(found) // COLUMNS)
    block = NAME + len(SYSTEMS) * ROW + GAP + 12
    width, height = 2 * MARGIN + COLUMNS * PANEL, HEAD + rows * block + FOOT
    parts = [
        svg.text(MARGIN, 24, f"Time on {WORKERS} workers, over the serial program", "title"),
        svg.text(MARGIN, 42, "Shorter is faster. The red line at 1 is the serial program; 0.5 is the best that two workers can reach. Broken bars are cut.", "small"),
    ]
    for number, panel in enumerate(found):
        left = MARGIN + number % COLUMNS * PANEL
        parts += _panel(panel, left, HEAD + number // COLUMNS * block)
    parts += [
        svg.text(MARGIN, height - FOOT + 14 + 14 * line, words, "quiet")
        for line, words in enumerate(_footnote(found, file))
    ]
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
    cpu = f"{machine['cpu']}, {machine['cpus']} CPUs"
    return [
        f"Medians of {min(counts)} to {max(counts)} interleaved samples. {serial}",
        f"{schedules} Within {figures.NEAR_ONE:.0%} counts as equal.",
        "; ".join(systems),
        ", ".join(filter(None, [cpu, machine.get("date"), file["commit"], busy])),
    ]


def _number(value):
    return f"{value:.0f}" if value >= 10 else f"{value:.1f}" if value >= LONGEST else f"{value:.2f}"
