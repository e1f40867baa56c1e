# SPDX-License-Identifier: Apache-2.0
"""docs/evidence: each figure and table of the papers that the pages promise has its section, and all that it shows is kept.

Catches: a figure that has been left out; a page or a picture that is not of the kept numbers; a claim of agreement without a
number; a link to nothing; a measurement that does not say whether the machine was at rest."""

import contextlib
import io
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs/evidence"
sys.path.insert(0, str(ROOT / "scripts/evidence"))

import figures  # noqa: E402
import kept  # noqa: E402
import make  # noqa: E402
import measure  # noqa: E402
import pages  # noqa: E402
import plots  # noqa: E402
import validation  # noqa: E402
import words  # noqa: E402

PROMISED = {
    "000": ["Figure 7", "Table 2", "Table 3", "Table 4"],
    "001": ["Figure 4-1", "Table 4.1", *(f"Figure 5-{n}" for n in range(3, 11))],
    "002": [*(f"Figure {n}" for n in range(6, 10)), "Table II", "Table III"],
    "003": [*(f"Figure {n}" for n in range(6, 12)), "Figure 13", "Figure 14"],
    "004": ["Figure 2a", "Figure 2b", "Figure 2c", *(f"Figure {n}" for n in range(3, 8)), "Steal-tree sizes"],
}


def of_paper(paper):
    known = kept.Kept(paper)
    return known, make.MODULES[paper].figures(known)


class Figures(unittest.TestCase):
    # Catches: a figure of the papers without a section.
    def test_promised_are_there(self):
        for paper, names in PROMISED.items():
            self.assertEqual([figure.name for figure in of_paper(paper)[1]], names, paper)

    # Catches: a section that shows nothing and does not say why; one that nobody can make again.
    def test_have_numbers_or_a_reason_and_a_command(self):
        for paper in PROMISED:
            for figure in of_paper(paper)[1]:
                with self.subTest(paper=paper, figure=figure.name):
                    self.assertTrue(figure.claims and all(claim.where for claim in figure.claims))
                    known = any(claim.ours is not None for claim in figure.claims)
                    self.assertTrue(known or figure.not_reproduced(), "nothing of ours, and no reason")
                    self.assertTrue(figure.commands)
                    self.assertTrue(pages.agreement(figure, of_paper(paper)[0]).endswith("."))

    # Catches: a command that names a measurement or simulation that does not exist.
    def test_name_measurements_that_exist(self):
        sources = "".join(path.read_text() for path in (ROOT / "sim/evidence").glob("*.cpp"))
        for paper in PROMISED:
            runs = make.MODULES[paper].RUNS
            for figure in of_paper(paper)[1]:
                for command in figure.commands:
                    found = re.fullmatch(r"make evidence (MEASURE|SIMULATE)=1 ONLY=(\d{3})/([\w-]+)", command)
                    if not found:
                        continue
                    with self.subTest(command=command):
                        if found[1] == "MEASURE":
                            self.assertIn(found[3], make.MODULES[found[2]].RUNS)
                        else:
                            self.assertIn(f'"{found[2]}/{found[3]}"', sources)
                self.assertLessEqual(set(figure.runs), set(runs))

    # Catches: a suite or a kernel that the benchmarks have renamed.
    def test_measure_kernels_that_the_suites_have(self):
        for paper in PROMISED:
            for name, run in make.MODULES[paper].RUNS.items():
                if isinstance(run, measure.Suite):
                    text = (ROOT / f"bench/suites/{run.suite}.toml").read_text()
                    for kernel in run.kernels:
                        with self.subTest(run=f"{paper}/{name}", kernel=kernel):
                            self.assertIn(f'name = "{kernel}"', text)


class Pages(unittest.TestCase):
    # Catches: a page that was edited by hand, or not made again after its numbers have changed.
    def test_are_made_of_the_kept_numbers(self):
        texts, _ = make.contents()
        for name, text in texts.items():
            self.assertEqual((PAGES / name).read_text(), text, f"{name}: run make evidence")

    # Catches: a picture that is missing, left over, or not readable as text.
    def test_have_their_pictures_for_light_and_dark(self):
        _, pictures = make.contents()
        wanted = {f"{name}-{theme}.svg" for name in pictures for theme in plots.THEMES}
        self.assertEqual({path.name for path in (PAGES / "pictures").glob("*.svg")}, wanted)

    # Catches: a picture of other numbers.
    @unittest.skipUnless(plots.version() == plots.MATPLOTLIB, f"pictures are of matplotlib {plots.MATPLOTLIB}")
    def test_have_pictures_of_the_kept_numbers(self):
        _, pictures = make.contents()
        for name, plot in pictures.items():
            for theme in plots.THEMES:
                kept_text = (PAGES / f"pictures/{name}-{theme}.svg").read_text()
                self.assertEqual(kept_text, plots.draw(plot, theme), f"{name}: run make evidence")

    # Catches: a link to nothing.
    def test_lead_to_files_and_sections(self):
        for page in PAGES.glob("*.md"):
            text = page.read_text()
            links = re.findall(r"\]\(([^)\s]+)\)", text) + re.findall(r'(?:src|srcset)="([^"]+)"', text)
            for link in links:
                path, _, anchor = link.partition("#")
                with self.subTest(page=page.name, link=link):
                    self.assertTrue((PAGES / path).exists())
                    if anchor and path.endswith(".md") and "/" not in path:
                        headings = re.findall(r"^## (.+)$", (PAGES / path).read_text(), re.MULTILINE)
                        self.assertIn(anchor, [pages.anchor(heading) for heading in headings])

    # Catches: an agreement that is claimed of nothing.
    def test_say_open_where_nothing_is_known(self):
        index = (PAGES / "README.md").read_text()
        for paper in PROMISED:
            known, shown = of_paper(paper)
            for figure in shown:
                row = next(line for line in index.splitlines() if f"({paper}.md#{pages.anchor(figure.name)})" in line)
                nothing = figure.how() == figures.MISSING or pages.doubtful(figure, known) or figure.index_word() == "open"
                self.assertEqual(row.endswith("| open |"), nothing, row)


class Sentences(unittest.TestCase):
    """On what was measured, which is measured again."""

    # Catches: a sentence that stands whatever was measured.
    def test_follow_the_numbers(self):
        for paper in PROMISED:
            known, shown = of_paper(paper)
            others = {}
            for way in (
                lambda system, variant, workers: system != "serial",
                lambda system, variant, workers: variant != "default",
                lambda system, variant, workers: workers == 2,
            ):
                changed = kept.Kept(paper)
                for run in changed.measured.values():
                    run["records"] = [
                        [*r[:5], *(6 * x + 1 if way(r[1], r[2], r[4]) else x for x in r[5:])] for r in run["records"]
                    ]
                for figure in make.MODULES[paper].figures(changed):
                    others.setdefault(figure.name, set()).add(figure.on_measured())
            for figure in shown:
                measured = any(c.how == figures.MEASURED and c.ours is not None for c in figure.claims)
                with self.subTest(paper=paper, figure=figure.name):
                    self.assertTrue(figure.measured or not measured, "no sentence on what was measured")
                    if figure.on_measured():
                        self.assertNotEqual(others[figure.name], {figure.on_measured()})

    # Catches: a page that cannot be made before everything has been measured.
    def test_need_no_numbers(self):
        for paper in PROMISED:
            known = kept.Kept(paper)
            known.measured = {}
            for figure in make.MODULES[paper].figures(known):
                self.assertTrue(pages.agreement(figure, known))

    def test_name_what_holds(self):
        self.assertEqual(words.those({"a": 2, "b": 0.5, "c": 3, "d": None}, lambda x: x > 1), "a and c")
        self.assertEqual(words.those({"a": 2, "c": 3}, lambda x: x > 1), "all")
        self.assertEqual(words.those({"a": 2}, lambda x: x > 3), "none")
        self.assertEqual(words.spread([2.0, None, 0.5]), "0.50 to 2.00")
        of = [figures.Claim("x", 2.0, "", 2.1), figures.Claim("y", 2.0, "", 4.0), figures.Claim("z", 1.0, "", None)]
        self.assertEqual(words.compared(of), "1 of 2 numbers is the paper's within 25%; farthest from it: y (2 of it).")


class Measuring(unittest.TestCase):
    """Catches: a command that begins again, or stops, where it need not."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.taken = []
        patches = {"UNFINISHED": pathlib.Path(self.folder.name) / "unfinished.json", "keep": self.keep}
        for name, value in patches.items():
            patch = unittest.mock.patch.object(measure, name, value)
            patch.start()
            self.addCleanup(patch.stop)
        self.addCleanup(self.folder.cleanup)

    def keep(self, name, run, programs, quick):
        if run == "fails":
            raise OSError("no program")
        if run == "needs more":
            raise measure.Unable("no clone")
        if run == "interrupted" and not self.taken.count("interrupted"):
            self.taken.append("interrupted")
            raise KeyboardInterrupt
        self.taken.append(name)

    def measure(self, runs, quick=True, only=()):
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            return measure.measure({"000": runs}, list(only), quick, None)

    # Catches: one failure that stops all that come after.
    def test_goes_on_after_a_failure(self):
        self.assertEqual(self.measure({"a": "fails", "b": "works"}), {"000/a": "no program"})
        self.assertEqual(self.taken, ["000/b"])

    # Catches: a command that fails for want of what nobody asked for.
    def test_fails_for_what_was_asked_for(self):
        runs = {"a": "needs more", "b": "works"}
        self.assertEqual(self.measure(runs), {})
        self.assertEqual(self.measure(runs, only=["000/a"]), {"000/a": "no clone"})

    # Catches: an interruption after which everything is measured again, or another command's measurements are left out.
    def test_goes_on_after_an_interruption(self):
        runs = {"a": "works", "b": "interrupted", "c": "works"}
        with self.assertRaises(KeyboardInterrupt):
            self.measure(runs)
        self.measure(runs)
        self.assertEqual(self.taken, ["000/a", "interrupted", "000/b", "000/c"])
        self.measure(runs)
        self.assertEqual(self.taken[4:], ["000/a", "000/b", "000/c"])

    def test_begins_anew_for_other_options(self):
        runs = {"a": "works", "b": "interrupted"}
        with self.assertRaises(KeyboardInterrupt):
            self.measure(runs)
        self.measure(runs, quick=False)
        self.assertEqual(self.taken, ["000/a", "interrupted", "000/a", "000/b"])

    # Catches: a target of a program that bench/ does not have.
    def test_builds_programs_that_there_are(self):
        runs = {paper: module.RUNS for paper, module in make.MODULES.items()}
        for target in measure.targets(runs, []):
            self.assertTrue((ROOT / "bench" / target.removeprefix("bench_")).is_dir(), target)

    # Catches: a machine whose own noise nobody sees.
    def test_reads_the_noise_of_serial_runs(self):
        records = [["k", "serial", "default", "seconds", 1, 1.1, 1.0], ["k", "sennit", "default", "seconds", 2, 9.0, 1.0]]
        self.assertAlmostEqual(measure.noise(records), 0.1)
        self.assertIsNone(measure.noise(records[1:]))


class Traces(unittest.TestCase):
    # Catches: the making of an input that counts for the kernel; a trace of one runtime that loses events.
    def test_keep_the_last_runtime(self):
        def row(number, name):
            return {"name": "thread_name", "ph": "M", "tid": number, "args": {"name": name}}

        def event(number, name):
            return {"name": name, "ph": "X", "tid": number}

        rows = [row(0, "worker 0"), row(1, "worker 0 of runtime 2")]
        for runtimes, left in ((2, ["kernel", "outside"]), (1, ["input", "kernel", "outside"])):
            events = [*rows[:runtimes], event(0, "input"), event(runtimes - 1, "kernel"), event(1023, "outside")]
            with tempfile.TemporaryDirectory() as folder:
                trace = pathlib.Path(folder) / "trace"
                trace.write_text("[\n" + ",\n".join(map(json.dumps, events)) + "\n]\n")
                validation.keep_measured(trace)
                kept_events = json.loads(trace.read_text())
            self.assertEqual([e["name"] for e in kept_events if e["ph"] == "X"], left)


class Numbers(unittest.TestCase):
    # Catches: a measurement of which nobody knows where, when and how quietly it was taken.
    def test_say_where_they_are_from(self):
        for paper in PROMISED:
            for name, run in kept.read(paper, "measured").items():
                with self.subTest(run=f"{paper}/{name}"):
                    for key in ("command", "date", "cpu", "cpus", "quick", "quiet", "records"):
                        self.assertIn(key, run)
            for name, run in kept.read(paper, "simulated").items():
                self.assertIn("machine", run, f"{paper}/{name}")

    # Catches: a transcription that has lost a row.
    def test_of_the_papers_are_whole(self):
        misses = kept.read("000", "paper")["table-3"]["programs"]
        self.assertEqual(len(misses), 8)
        self.assertEqual(misses["jacobi-2d"]["splice"]["l3_misses"], 4_000_000)
        grains = kept.read("001", "paper")["table-4-1"]["grains"]
        self.assertEqual({len(times) for of in grains.values() for ways in of.values() for times in ways.values()}, {14})
        self.assertEqual(grains["64"]["1"]["dac"]["prange"], 22.018)
        for table in ("table-2", "table-3"):
            self.assertEqual({len(row) for row in kept.read("002", "paper")[table]["workers"].values()}, {10})

    # Catches: a median in place of the least sample where the machine was busy, and the other way round.
    def test_of_a_busy_machine_are_the_least(self):
        known = kept.Kept("004")
        record = ["fib", "sennit", "default", "seconds", 2, 3.0, 2.0]
        for quiet, expected in ((True, 3.0), (False, 2.0)):
            known.measured = {"run": {"quiet": quiet, "records": [record]}}
            self.assertEqual(known.median("run", "fib", "sennit", "seconds", 2), expected)

    # Catches: a word of agreement that the numbers do not bear out.
    def test_are_compared(self):
        def word(theirs, ours):
            return figures.Claim("", theirs, "", ours).word()

        self.assertEqual(word(2.0, 2.4), "within 25%")
        self.assertEqual(word(2.0, 2.6), "1.3 of it")
        self.assertEqual(word(0.0, 0.9), "differs")
        self.assertEqual(word("words", 1.0), "")
        self.assertEqual(word(2.0, None), "")

        def verdict(*pairs):
            return figures.verdict([figures.Claim("", theirs, "", ours) for theirs, ours in pairs])

        self.assertEqual(verdict((2.0, 2.1), (0.5, 0.5)), "agrees")
        self.assertEqual(verdict((2.0, 4.0), (2.0, 0.9)), "partly")
        self.assertEqual(verdict((2.0, 0.9)), "differs")
        self.assertEqual(verdict((2.0, None), ("words", 1.0)), "open")


class Drawing(unittest.TestCase):
    @unittest.skipUnless(plots.version(), "Python has no matplotlib")
    def test_is_the_same_twice(self):
        plot = figures.Lines("name", "title", "x", "y", {"a": [(1, 1.0), (2, 1.5)]}, log_x=True)
        self.assertEqual(plots.draw(plot, "light"), plots.draw(plot, "light"))
        self.assertNotEqual(plots.draw(plot, "light"), plots.draw(plot, "dark"))

    # Catches: pages that need matplotlib.
    def test_of_pages_needs_no_matplotlib(self):
        script = f"import sys; sys.modules['matplotlib'] = None; sys.path.insert(0, {str(ROOT / 'scripts/evidence')!r}); import make; make.contents()"
        done = subprocess.run([sys.executable, "-B", "-c", script], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
