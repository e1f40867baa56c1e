# SPDX-License-Identifier: Apache-2.0
"""Govedič, 2023: loop frames and the orders of nests."""

from figures import READ, SIMULATED, Bars, Claim, Figure, Lines, again, claim
from kept import mean
from measure import Grains, Suite, Written
from words import compared, spread, those

TITLE = "001: parallel loops (MIT, 2023)"

RUNS = {
    "loops": Suite("loops", ("daxpy", "nqueens-loop", "mandelbrot"), ("seconds",)),
    "mm": Grains(
        "mm",
        ("--n", "1031"),
        ("--n", "515"),
        ("nested", "tiled", "morton", "dac-loop", "dac-loop-tiled", "dac-full", "best"),
        (1, 4, 16, 32, 64, 128),
        (1, 2),
    ),
    "blur": Grains(
        "blur",
        ("--radius", "5"),
        ("--radius", "5"),
        ("nested", "tiled", "morton", "dac-loop", "dac-loop-tiled"),
        (1, 4, 16, 64, 128),
        (1, 2),
    ),
    "transpose": Grains(
        "transpose",
        ("--n", "8209"),
        ("--n", "4099", "--times", "3"),
        ("nested", "tiled", "morton", "dac-loop", "dac-loop-tiled"),
        (1, 4, 16, 32, 64, 128),
        (1, 2),
    ),
    "pbbs": Written("pbbs", ("over_parlay",), "PARLAY=folder PBBS=folder make foreign ONLY=pbbs/"),
}

MICRO = {"daxpy": "daxpy", "nqueens": "nqueens-loop", "mandelbrot": "mandelbrot"}
PROGRAMS = ("mm", "blur", "transpose")


def simulated(figure):
    return again("SIMULATE", f"001/{figure}")


def figures(kept):
    return (
        fig41(kept),
        table41(kept),
        fig53(kept),
        fig54(kept),
        fig55(kept),
        listing("5-6", "blur"),
        fig57(kept),
        fig58(kept),
        listing("5-9", "transpose"),
        fig510(kept),
    )


def fig41(kept):
    said = kept.paper["figure-4-1"]
    claims, alone, here = [], {}, {"1 worker": [], "2 workers": []}
    for name, kernel in MICRO.items():
        ratios = [kept.ratio("loops", kernel, ("sennit", "dac"), ("sennit", "chunk1"), w) for w in (1, 2)]
        for series, ratio in zip(here.values(), ratios):
            series.append(ratio)
        claims.append(claim(said, name, f"{name}: by halves over loop frames, grain 1", mean(ratios), note="1 and 2 workers"))
        alone[name] = kept.figure_of_run("figure-4-1", "ratio", name)
        claims.append(claim(said, name, f"{name}: the same on 1 to 20 workers", alone[name], SIMULATED))
    plots = [
        Bars(
            "figure-4-1",
            "Time by halves over time by loop frames, grain 1",
            "ratio (higher: frames are faster)",
            tuple(MICRO),
            {"the paper": [said[n]["value"] for n in MICRO], **here},
            "equal",
        )
    ]
    for name in MICRO:
        found = kept.figure_of_run("figure-4-1", "speedups", name)
        if found:
            plots.append(
                Lines(
                    f"figure-4-1-{name}",
                    f"{name}, simulated on a socket of 20 cores",
                    "workers",
                    "speedup over serial",
                    {way: [(int(w), x) for w, x in points.items()] for way, points in found.items()},
                )
            )
    faster = {workers: those(dict(zip(MICRO, ratios)), lambda x: x >= 1) for workers, ratios in here.items()}
    return Figure(
        "figure-4-1",
        "Figure 4-1",
        "Loop frames against loops by halves on three small programs, no coarsening, 1 to 20 processors.",
        tuple(claims),
        f"In the simulation loop frames are faster than halves in {those(alone, lambda x: x >= 1)} of the three, as there in all. "
        f"{compared([c for c in claims if c.how == SIMULATED])} An owner claims several iterations at a time here where these are short, as in daxpy, "
        "and a pixel of mandelbrot takes longer than there.",
        "",
        (again("MEASURE", "001/loops"), simulated("figure-4-1")),
        tuple(plots),
        runs=("loops",),
        missing="the simple protocol of loop frames in daxpy, and nqueens with a spawn an iteration.",
        setting="`sennit chunk1` is a loop whose owner claims one iteration at a time; `sennit dac` is `baseline::dac_for` down to one, on the same runtime.",
        measured=f"Measured, frames are faster in {faster['1 worker']} of the three with one worker and in {faster['2 workers']} with two: "
        f"halves take {spread([x for ratios in here.values() for x in ratios])} times as long.",
    )


def table41(kept):
    grains = kept.paper["table-4-1"]["grains"]
    programs = [p for p in grains["64"]["1"]["dac"] if kept.median("pbbs", p, "sennit", "over_parlay", 1) is not None] or list(
        grains["64"]["1"]["dac"]
    )[:6]
    claims = []
    for workers, there in ((1, "1"), (2, "20")):
        for program in programs:
            own = grains["64"][there]
            ratio = own["dac"][program] / own["loop_frames"][program]
            ours = kept.median("pbbs", program, "sennit", "over_parlay", workers)
            claims.append(
                Claim(
                    f"{program}: halves over frames, T{there}, grain 64",
                    ratio,
                    "Table 4.1",
                    1 / ours if ours else None,
                    note=f"{workers} worker{'s' * (workers > 1)}, grains as the programs have them",
                )
            )
    here = [c.ours for c in claims if c.ours]
    plot = Bars(
        "table-4-1",
        "PBBS: time on a scheduler of halves over time on loop frames",
        "ratio (higher: frames are faster)",
        tuple(programs),
        {
            f"{label}": [c.theirs if mine == "paper" else c.ours for c in claims[start : start + len(programs)]]
            for label, mine, start in (
                ("the paper, T1", "paper", 0),
                ("here, 1 worker", "here", 0),
                ("the paper, T20", "paper", len(programs)),
                ("here, 2 workers", "here", len(programs)),
            )
        },
        "equal",
    )
    return Figure(
        "table-4-1",
        "Table 4.1",
        "Fourteen programs of PBBS by halves and by loop frames, grains of 64, 256 and 2,048, on 1 and 20 workers.",
        tuple(claims),
        "",
        "",
        (
            "PARLAY=folder PBBS=folder make foreign ONLY=pbbs/",
            "integrations/parlay/pbbs/measure.py PBBS PARLAY --grains",
            again("MEASURE", "001/pbbs"),
        ),
        (plot,),
        runs=("pbbs",),
        missing="grains of 64, 256 and 2,048 (`--grains` measures them, in more than an hour), 20 workers, and the programs whose inputs no generator makes.",
        setting="PBBS's programs on ParlayLib's own scheduler, which halves loops, and on Sennit, whose loops are frames. Needs clones of both.",
        measured=(
            f"Halves take {spread(here)} times as long as frames here, {mean(here):.2f} in the geometric mean, and {spread([c.theirs for c in claims])} there. "
            + compared(claims)
            if here
            else ""
        ),
    )


def sweep(kept, kernel, workers, name, title):
    """Over the serial elision of nested loops, or with several workers over nested loops on as many."""
    series = {}
    run = kept.run(kernel) or {}
    base = (
        kept.median(kernel, kernel, "serial", "seconds", 1, "nested 1")
        if workers == 1
        else kept.median(kernel, kernel, "sennit", "seconds", workers, "nested 1")
    )
    for record in run.get("records", ()):
        variant, tile = record[2].split()
        if record[1] == "sennit" and record[4] == workers and variant != "nested" and base:
            series.setdefault(variant, []).append(
                (int(tile), base / kept.median(kernel, kernel, "sennit", "seconds", workers, record[2]))
            )
    return Lines(name, title, "G, side of a tile", "speedup", series, log_x=True)


def at(plot, variant, tile=None):
    """With tiles of this side, or at best."""
    points = dict(plot.series.get(variant, ()))
    return (points.get(tile) if tile else max(points.values(), default=None)) if points else None


def orders(plot):
    """Which order gains most at its best tile, and what all gain."""
    gains = {variant: at(plot, variant) for variant in plot.series}
    if not gains:
        return ""
    first = max(gains, key=gains.get)
    return f"{first} gains most, {gains[first]:.2f} times the speed of nested loops at its best tile; at theirs the orders reach {spread(gains.values())}."


def fig53(kept):
    said = kept.paper["figure-5-3"]
    plot = sweep(kept, "mm", 1, "figure-5-3", "mm on one worker, by the side of tiles")
    claims = tuple(
        claim(
            said,
            v,
            f"mm, {v}, over nested loops",
            at(plot, v, 128 if v in ("best", "dac-full") else None),
            note="n = 515 with quick sizes, else 1031; there 2071",
        )
        for v in said
    )
    return nest("5-3", "Speedup of orders of `mm` by grain, one worker.", claims, plot, "mm", orders(plot))


def fig54(kept):
    plots = {w: sweep(kept, "mm", w, "figure-5-4", "mm on two workers, by the side of tiles") for w in (1, 2)}
    gains = {w: {v: at(plot, v) for v in plot.series} for w, plot in plots.items()}
    ranks = {w: sorted(of, key=of.get, reverse=True) for w, of in gains.items()}
    claims = (
        claim(
            kept.paper["figure-5-4"],
            "looks",
            "the same with 24 workers",
            f"by gain, one worker: {', '.join(ranks[1])}; two: {', '.join(ranks[2])}" if all(gains.values()) else None,
            note="2 workers",
        ),
    )
    apart = {v: gains[2][v] / gains[1][v] for v in gains[2] if gains[1].get(v)}
    here = (
        f"With two workers the gains are {spread(apart.values())} times those with one"
        + (f", and the first in order is {'the same' if ranks[1][0] == ranks[2][0] else 'another'}." if apart else ".")
        + " There the picture with 24 is that with one but for tiled."
    )
    alike = all(0.75 <= x <= 1.25 for x in apart.values())
    return nest(
        "5-4",
        "The same on 24 workers.",
        claims,
        plots[2],
        "mm",
        here,
        word="agrees" if alike else "partly",
        missing="24 workers.",
    )


def efficiency(kept, kernel, variant):
    """Speedup of two workers over one, a worker."""
    one, two = (kept.median(kernel, kernel, "sennit", "seconds", w, variant) for w in (1, 2))
    return one / two / 2 if one and two else None


def fig55(kept):
    of = {v: efficiency(kept, "mm", f"{v} 128") for v in ("morton", "dac-full", "best", "dac-loop-tiled")}
    claims = [
        Claim(
            f"mm, {v}: speedup over one worker, a worker",
            22.7 / 24,
            "section 5.3.1: 22.7 to 24 with 24 workers, G = 128, all but tiled",
            x,
            note="2 workers of 2",
        )
        for v, x in of.items()
    ]
    return scaling(kept, "5-5", "mm", "Speedup of `mm` with up to 24 workers, G = 128.", claims, 24, "section 5.3.1: at most")


def fig57(kept):
    said = kept.paper["figure-5-7"]
    plot = sweep(kept, "blur", 1, "figure-5-7", "blur on one worker, by the side of tiles")
    claims = []
    for key in said:
        variant, _, tile = key.partition("_")
        ours = at(plot, variant, int(tile or 1))
        claims.append(
            claim(said, key, f"blur, {variant}, G = {tile or 1}", ours, note="the gallery's picture; there N = 16401")
        )
    coarse = [at(plot, v, 128) for v in plot.series]
    here = f"With tiles of 128 the orders run at {spread(coarse)} times the speed of nested loops, there at about theirs. {compared(claims)}"
    return nest("5-7", "Speedup of orders of `blur` by grain, one worker.", tuple(claims), plot, "blur", here)


def fig58(kept):
    said = kept.paper["figure-5-8"]["self_speedup"]
    claims = [
        Claim(
            f"blur, {v}: speedup over one worker, a worker",
            said["value"] / 24,
            said["from"],
            efficiency(kept, "blur", f"{v} 1"),
            note="2 workers of 2",
        )
        for v in ("nested", "tiled", "morton", "dac-loop", "dac-loop-tiled")
    ]
    return scaling(kept, "5-8", "blur", "Speedup of `blur` with up to 24 workers, G = 1.", claims, said["value"], said["from"])


def fig510(kept):
    said = kept.paper["figure-5-10"]
    plot = sweep(kept, "transpose", 2, "figure-5-10", "transpose on two workers, by the side of tiles")
    claims = tuple(
        claim(
            said,
            v,
            f"transpose, {v}, over nested loops",
            at(plot, v, 128 if v != "morton" else None),
            note="2 workers, n = 4099 or 8209; there 24 and 16401",
        )
        for v in said
    )
    here = orders(plot) + " There morton (`transpose-dac`) gains most, dac-loop gains nothing, and large tiles of loops lose."
    return nest(
        "5-10",
        "Speedup of orders of `transpose` by grain, 24 workers.",
        claims,
        plot,
        "transpose",
        here,
        missing="24 workers.",
    )


def nest(number, shows, claims, plot, run, measured, word="", missing=""):
    return Figure(
        f"figure-{number}",
        f"Figure {number}",
        shows,
        claims,
        "",
        word,
        (again("MEASURE", f"001/{run}"),),
        (plot,) if plot.series else (),
        runs=(run,),
        missing=missing,
        measured=measured,
    )


def scaling(kept, number, kernel, shows, claims, theirs, where):
    alone = kept.figure_of_run("figure-5-5", "self_speedup", kernel)
    note = "2 x 24 cores are not among the machines: 20 of 2 x 20"
    simulation = Claim(f"{kernel}: speedup on 24 workers", theirs, where, alone, SIMULATED, note)
    found = kept.figure_of_run("figure-5-5", "speedups", kernel) or {}
    plot = Lines(
        f"figure-{number}",
        f"{kernel}, simulated on 20 cores of a socket",
        "workers",
        "speedup over one worker",
        {kernel: [(int(w), x) for w, x in found.items()]} if found else {},
    )
    known = [c.ours for c in claims if c.ours]
    return Figure(
        f"figure-{number}",
        f"Figure {number}",
        shows,
        (*claims, simulation),
        f"In the simulation 20 workers are {alone:.1f} times as fast as one." if alone else "",
        "",
        (again("MEASURE", f"001/{kernel}"), simulated("figure-5-5")),
        (plot,) if found else (),
        runs=(kernel,),
        missing="24 cores: 20 of a socket are simulated.",
        measured=f"Two workers are {spread([2 * x for x in known])} times as fast as one here." if known else "",
    )


def listing(number, kernel):
    return Figure(
        f"figure-{number}",
        f"Figure {number}",
        f"A listing: `{kernel}` as nested loops.",
        (Claim("the program", "a listing", f"section 5.3, Figure {number}", f"`gallery/{kernel}.cpp`", READ),),
        f"[`gallery/{kernel}.cpp`](../../gallery/{kernel}.cpp) has the same loops.",
        "agrees",
        (f"build/release/tools/sennit run {kernel} --variant nested",),
    )
