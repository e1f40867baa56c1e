#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes docs/evidence/ of the kept numbers: a page and pictures for each paper, and the index.

make.py                      pages and pictures
make.py --measure [--quick]  measures first; --programs FOLDER: the benchmarks' programs
make.py --simulate           simulates first
make.py --validate FILE      measures the gallery beside the simulator first; FILE: sennit doctor --write-machine FILE
make.py --only 004/fib       only this measurement or simulation, or only this paper; may be repeated
"""

import argparse
import importlib
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import combination  # noqa: E402
import index  # noqa: E402
import kept  # noqa: E402
import measure  # noqa: E402
import pages  # noqa: E402
import plots  # noqa: E402
import ranks  # noqa: E402
import simulate  # noqa: E402
import validation  # noqa: E402

MODULES = {paper: importlib.import_module(f"papers.p{paper}") for paper in kept.PAPERS}


def contents():
    """The text of each page by its name, and the plots by theirs."""
    texts, pictures, figures_of, kept_of = {}, {}, {}, {}
    for paper, module in MODULES.items():
        known = kept_of[paper] = kept.Kept(paper)
        figures_of[paper] = module.figures(known)
        texts[f"{paper}.md"] = pages.page(module.TITLE, known, figures_of[paper])
        pictures |= {pages.picture(paper, plot): plot for figure in figures_of[paper] for plot in figure.drawn()}
    titles = {paper: module.TITLE for paper, module in MODULES.items()}
    words = index.WORDS
    if text := validation.page():
        texts["validation.md"] = text
        words = words + index.VALIDATION
    if text := combination.page():
        texts["combination.md"] = text
        words = words + combination.INDEX
    if text := ranks.page():
        texts["ranks.md"] = text
        pictures |= ranks.pictures()
        words = words + ranks.INDEX
    texts["README.md"] = pages.index(titles, figures_of, kept_of, words)
    return texts, pictures


def write():
    texts, pictures = contents()
    for name, text in texts.items():
        (kept.PAGES / name).write_text(text)
    if plots.version() is None:
        print("evidence: no pictures, as Python has no matplotlib (Debian: python3-matplotlib)", file=sys.stderr)
        return
    if plots.version() != plots.MATPLOTLIB:
        print(
            f"evidence: matplotlib {plots.version()} draws other bytes than {plots.MATPLOTLIB} of the kept pictures",
            file=sys.stderr,
        )
    folder = kept.PAGES / "pictures"
    folder.mkdir(exist_ok=True)
    wanted = {f"{name}-{theme}.svg": (plot, theme) for name, plot in pictures.items() for theme in plots.THEMES}
    for path in folder.glob("*.svg"):
        if path.name not in wanted:
            path.unlink()
    for name, (plot, theme) in wanted.items():
        (folder / name).write_text(plots.draw(plot, theme))


def main():
    parser = argparse.ArgumentParser(
        prog="make evidence", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--measure", action="store_true")
    parser.add_argument("--simulate", action="store_true")
    parser.add_argument("--validate", type=pathlib.Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--programs", type=pathlib.Path)
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--targets", action="store_true", help="print what the measurements need to be built")
    options = parser.parse_args()
    runs = {paper: module.RUNS for paper, module in MODULES.items()}
    if options.targets:
        print(*measure.targets(runs, options.only))
        return 0
    failed = {}
    if options.measure:
        failed = measure.measure(runs, options.only, options.quick, options.programs)
    if options.simulate:
        simulate.simulate(options.only)
    if options.validate:
        validation.measure(options.validate, options.only)
    write()
    for name, reason in failed.items():
        print(f"evidence: {name} was not measured: {reason}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
