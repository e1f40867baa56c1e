"""Govedič, 2023: loop frames and the orders of nests."""

from figures import SIMULATED, Bars, Claim, Figure, Lines, again, verdict
from kept import mean
from measure import Grains, Suite, Written

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
    chunks = {"daxpy": "chunk1", "nqueens": "chunk1", "mandelbrot": "chunk1"}
    claims, here = [], {"1 worker": [], "2 workers": []}
    for name, kernel in MICRO.items():
        ratios = [kept.ratio("loops", kernel, ("sennit", "dac"), ("sennit", chunks[name]), w) for w in (1, 2)]
        for series, ratio in zip(here.values(), ratios):
            series.append(ratio)
        claims.append(
            Claim(
                f"{name}: by halves over loop frames, grain 1",
                said[name]["value"],
                said[name]["from"],
                mean(ratios),
                note="1 and 2 workers",
            )
        )
        at20 = kept.figure_of_run("figure-4-1", "ratio", name)
        claims.append(Claim(f"{name}: the same on 1 to 20 workers", said[name]["value"], said[name]["from"], at20, SIMULATED))
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
    return Figure(
        "figure-4-1",
        "Figure 4-1",
        "Loop frames against loops by halves on three small programs, no coarsening, 1 to 20 processors.",
        tuple(claims),
        "In the simulation loop frames are faster than halves in all three on few workers, as there. The factor is larger in daxpy, as an owner claims several iterations at a time where these are short, "
        "and smaller in mandelbrot, whose pixels take longer here.",
        "partly",
        (again("MEASURE", "001/loops"), simulated("figure-4-1")),
        tuple(plots),
        runs=("loops",),
        missing="the simple protocol of loop frames in daxpy, and nqueens with a spawn an iteration.",
        setting="`sennit chunk1` is a loop whose owner claims one iteration at a time; `sennit dac` is `baseline::dac_for` down to one, on the same runtime.",
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
        f"The geometric mean here is {mean(here):.2f}; the differences are small, as there." if here else "Not measured yet.",
        verdict(claims),
        (
            "PARLAY=folder PBBS=folder make foreign ONLY=pbbs/",
            "integrations/parlay/pbbs/measure.py PBBS PARLAY --grains",
            again("MEASURE", "001/pbbs"),
        ),
        (plot,),
        runs=("pbbs",),
        missing="grains of 64, 256 and 2,048 (`--grains` measures them, in more than an hour), 20 workers, and the programs whose inputs no generator makes.",
        setting="PBBS's programs on ParlayLib's own scheduler, which halves loops, and on Sennit, whose loops are frames. Needs clones of both.",
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
    points = dict(plot.series.get(variant, ()))
    return (points.get(tile) if tile else max(points.values(), default=None)) if points else None


def fig53(kept):
    said = kept.paper["figure-5-3"]
    plot = sweep(kept, "mm", 1, "figure-5-3", "mm on one worker, by the side of tiles")
    claims = tuple(
        Claim(
            f"mm, {v}, over nested loops",
            said[v]["value"],
            said[v]["from"],
            at(plot, v, 128 if v in ("best", "dac-full") else None),
            note="n = 515 with quick sizes, else 1031; there 2071",
        )
        for v in said
    )
    return nest(
        "5-3",
        "Speedup of orders of `mm` by grain, one worker.",
        claims,
        plot,
        "mm",
        "Cutting all three loops gains most, by about as much as there, and the other orders gain little. There Morton order of two loops gains a fifth, of a matrix 16 times as large.",
    )


def fig54(kept):
    said = kept.paper["figure-5-4"]["looks"]
    plot = sweep(kept, "mm", 2, "figure-5-4", "mm on two workers, by the side of tiles")
    one, two = at(sweep(kept, "mm", 1, "x", ""), "best"), at(plot, "best")
    claims = (
        Claim(
            "the same with 24 workers",
            said["value"],
            said["from"],
            f"best: {one:.2f} with one worker, {two:.2f} with two" if one and two else None,
            note="2 workers",
        ),
    )
    return nest(
        "5-4",
        "The same on 24 workers.",
        claims,
        plot,
        "mm",
        "With two workers the picture is that of one, as there with 24.",
        word="agrees",
        missing="24 workers.",
    )


def fig55(kept):
    said = kept.paper["figure-5-5"]["self_speedup"]
    found = {}
    for variant in ("morton", "dac-full", "best", "dac-loop-tiled"):
        one, two = (kept.median("mm", "mm", "sennit", "seconds", w, f"{variant} 128") for w in (1, 2))
        found[variant] = one / two if one and two else None
    claims = [
        Claim(f"mm, {v}: speedup over one worker", said["value"], said["from"], x, note="2 workers of 2")
        for v, x in found.items()
    ]
    claims.append(
        Claim(
            "mm: speedup on 24 workers",
            24,
            said["from"],
            kept.figure_of_run("figure-5-5", "self_speedup", "mm"),
            SIMULATED,
            "2 x 24 cores are not among the machines: 20 of 2 x 20",
        )
    )
    return scaling(kept, "5-5", "mm", "Speedup of `mm` with up to 24 workers, G = 128.", claims)


def fig57(kept):
    said = kept.paper["figure-5-7"]
    plot = sweep(kept, "blur", 1, "figure-5-7", "blur on one worker, by the side of tiles")
    claims = tuple(
        Claim(
            f"blur, {key.split('_')[0]}, G = {64 if '_' in key else 1}",
            said[key]["value"],
            said[key]["from"],
            at(plot, key.split("_")[0], 64 if "_" in key else 1),
            note="the gallery's picture",
        )
        for key in said
    )
    return nest(
        "5-7",
        "Speedup of orders of `blur` by grain, one worker.",
        claims,
        plot,
        "blur",
        "No order gains anything once G is large, as there.",
    )


def fig58(kept):
    said = kept.paper["figure-5-8"]["self_speedup"]
    one, two = (kept.median("blur", "blur", "sennit", "seconds", w, "tiled 64") for w in (1, 2))
    claims = [
        Claim(
            "blur: speedup over one worker",
            said["value"],
            said["from"],
            one / two if one and two else None,
            note="2 workers of 2",
        ),
        Claim(
            "blur: speedup on 24 cores",
            said["value"],
            said["from"],
            kept.figure_of_run("figure-5-5", "self_speedup", "blur"),
            SIMULATED,
        ),
    ]
    return scaling(kept, "5-8", "blur", "Speedup of `blur` with up to 24 workers, G = 1.", claims)


def fig510(kept):
    said = kept.paper["figure-5-10"]
    plot = sweep(kept, "transpose", 2, "figure-5-10", "transpose on two workers, by the side of tiles")
    claims = tuple(
        Claim(
            f"transpose, {v}, over nested loops",
            said[v]["value"],
            said[v]["from"],
            at(plot, v, 128 if v != "morton" else None),
            note="2 workers, n = 4099 or 8209; there 24 and 16401",
        )
        for v in said
    )
    return nest(
        "5-10",
        "Speedup of orders of `transpose` by grain, 24 workers.",
        claims,
        plot,
        "transpose",
        "Tiles and Morton order gain, as there; here a column is dearer, as its lines cost more than the bandwidth shared by 24.",
        missing="24 workers.",
    )


def nest(number, shows, claims, plot, run, agreement, word="", missing=""):
    return Figure(
        f"figure-{number}",
        f"Figure {number}",
        shows,
        claims,
        agreement,
        word or verdict(claims),
        (again("MEASURE", f"001/{run}"),),
        (plot,) if plot.series else (),
        runs=(run,),
        missing=missing,
    )


def scaling(kept, number, kernel, shows, claims):
    found = kept.figure_of_run("figure-5-5", "speedups", kernel)
    plots = (
        (
            Lines(
                f"figure-{number}",
                f"{kernel}, simulated on 20 cores of a socket",
                "workers",
                "speedup over one worker",
                {kernel: [(int(w), x) for w, x in found.items()]},
            ),
        )
        if found
        else ()
    )
    return Figure(
        f"figure-{number}",
        f"Figure {number}",
        shows,
        tuple(claims),
        "The speedup is nearly the number of workers, there of 24, here of two, and in the simulation.",
        "agrees" if any(c.ours for c in claims) else "open",
        (again("MEASURE", f"001/{kernel}"), simulated("figure-5-5")),
        plots,
        runs=(kernel,),
        missing="24 cores: 20 of a socket are simulated.",
    )


def listing(number, kernel):
    return Figure(
        f"figure-{number}",
        f"Figure {number}",
        f"A listing: `{kernel}` as nested loops.",
        (Claim("the program", "a listing", f"section 5.3, Figure {number}", f"`gallery/{kernel}.cpp`"),),
        f"[`gallery/{kernel}.cpp`](../../gallery/{kernel}.cpp) has the same loops.",
        "agrees",
        (f"build/release/tools/sennit run {kernel} --variant nested",),
    )
