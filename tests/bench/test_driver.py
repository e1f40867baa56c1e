# SPDX-License-Identifier: Apache-2.0
"""What the driver promises: honest arithmetic, the documented file, and no failure hidden."""

import contextlib
import io
import json
import os
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path
from unittest import mock

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / "bench"))

from driver import charts, figures, suite, twin  # noqa: E402
from driver.main import main  # noqa: E402
from driver.measure import command, measure  # noqa: E402
from driver.process import Program, ProgramError  # noqa: E402
from driver.records import UNITS  # noqa: E402
from driver.table import TITLES, tables  # noqa: E402

SYSTEMS = """
[[system]]
name = "serial"
workers = [1]
"""

SUITE = """
title = "Fakes"
[full]
rounds = 5
seconds = 10
kernel_seconds = 20
timeout = 20
[quick]
rounds = 4
seconds = 10
kernel_seconds = 20
timeout = 3
[[kernel]]
name = "double"
about = "twice its size"
size = { full = 21, quick = 20 }
metrics = ["seconds", "over_serial", "ns_per_fork", "peak_mib"]
"""


class Folder(unittest.TestCase):
    """A suite of fake programs in a folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "suites").mkdir()
        self.programs = self.folder / "programs"
        self.programs.mkdir()

    def suite(self, *behaviors, text=SUITE, quick=True, systems=""):
        others = "".join(f'[[system]]\nname = "{name}"\n' for name in behaviors) + systems
        (self.folder / "systems.toml").write_text(SYSTEMS + others)
        (self.folder / "suites/fake.toml").write_text(text)
        for name in ("serial", *behaviors):
            if name != "missing":
                os.symlink(HERE / "fake_program.py", self.programs / f"double-{name}")
        return suite.load(self.folder, "fake", quick)

    def measure(self, *behaviors, **options):
        kernel = self.suite(*behaviors, **options).kernels[0]
        return measure(kernel, self.programs, lambda text: None)

    def run_main(self, *behaviors, **options):
        self.suite(*behaviors, **options)
        return self.run_bench()

    def run_bench(self, *more):
        words = ["fake", "--quick", "--programs", str(self.programs), "--out", str(self.folder / "out")]
        output = io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(io.StringIO()):
            status = main([*words, "--suites", str(self.folder), *more])
        return status, output.getvalue(), json.loads((self.folder / "out/fake.json").read_text())


class Figures(unittest.TestCase):
    def test_interval_of_equal_samples_is_a_point(self):
        self.assertEqual(figures.ratio_interval([2.0] * 5, [2.0] * 5), [1.0, 1.0])

    def test_interval_covers_the_ratio_and_widens_with_noise(self):
        calm = figures.ratio_interval([1.00, 1.01, 0.99, 1.00, 1.01], [1.0] * 5)
        noisy = figures.ratio_interval([1.0, 1.2, 0.8, 1.1, 0.9], [1.0] * 5)
        self.assertLessEqual(calm[0], 1.0)
        self.assertGreaterEqual(calm[1], 1.0)
        self.assertGreater(noisy[1] - noisy[0], calm[1] - calm[0])

    def test_interval_is_reproducible(self):
        samples = [1.0, 1.1, 0.95, 1.02]
        self.assertEqual(figures.ratio_interval(samples, samples), figures.ratio_interval(samples, samples))

    def test_near_one_is_two_percent(self):
        self.assertTrue(figures.near_one(0.981) and figures.near_one(1.019))
        self.assertFalse(figures.near_one(0.979) or figures.near_one(1.021))


class Programs(Folder):
    def program(self, behavior, timeout=3):
        path = self.programs / f"double-{behavior}"
        os.symlink(HERE / "fake_program.py", path)
        return Program([str(path), "--size", "4"], timeout)

    def test_is_stopped_between_samples(self):
        program = self.program("plain")
        self.addCleanup(program.kill)
        for _ in range(3):
            program.sample()
            stat = Path(f"/proc/{program._process.pid}/stat").read_text()
            self.assertEqual(stat.rpartition(")")[2].split()[0], "T")
        self.assertEqual(program.finish(), 12.5)

    def test_failures_name_their_cause(self):
        with self.assertRaisesRegex(ProgramError, "hung: no warm-up within 3 s"):
            self.program("silent")
        with self.assertRaisesRegex(ProgramError, "ended with status 1: no such variant"):
            self.program("refusing")
        crashing, babbling, hanging, unclean = map(
            self.program, ("crashing", "babbling", "hanging", "unclean")
        )
        crashing.sample()
        with self.assertRaisesRegex(ProgramError, "died of SIGSEGV"):
            crashing.sample()
        with self.assertRaisesRegex(ProgramError, "answered 'ready!', which is not a JSON object"):
            babbling.sample()
        hanging.sample()
        with self.assertRaisesRegex(ProgramError, "hung: no sample within 3 s"):
            hanging.sample()
        with self.assertRaisesRegex(ProgramError, "ended with status 3"):
            unclean.finish()

    def test_program_that_is_missing(self):
        with self.assertRaisesRegex(ProgramError, "cannot be started"):
            Program([str(self.programs / "nothing")], 1)


class Measuring(Folder):
    def test_rounds_are_interleaved_and_rotated(self):
        turns = []
        kernel = self.suite("plain", "slow").kernels[0]
        measure(kernel, self.programs, turns.append)
        samples = [text.partition(", ")[2] for text in turns if "sample" in text]
        per_round = [samples[i : i + 5] for i in range(0, len(samples), 5)]
        self.assertEqual(len(per_round), 4)
        for cells in per_round:
            self.assertEqual(len(set(cells)), 5)

    def test_budget_ends_a_slow_cell_after_three_samples(self):
        text = SUITE.replace("rounds = 4\nseconds = 10", "rounds = 5\nseconds = 0.05")
        cells = {cell.label: cell for cell in self.measure("slow", text=text).cells}
        self.assertEqual(len(cells["slow, 1 worker"].seconds), 3)
        self.assertEqual(len(cells["serial, 1 worker"].seconds), 5)

    def test_wrong_and_fickle_answers_are_found(self):
        errors = {cell.label: cell.error for cell in self.measure("wrong", "fickle").cells}
        self.assertIsNone(errors["serial, 1 worker"])
        self.assertEqual(errors["wrong, 1 worker"], "wrong: 7 instead of 40")
        self.assertEqual(errors["fickle, 2 workers"], "wrong: once 40, then 7")

    def test_expected_value_convicts_serial_too(self):
        text = SUITE + "expect = { 20 = 41 }\n"
        errors = {cell.error for cell in self.measure("plain", text=text).cells}
        self.assertEqual(errors, {"wrong: 40 instead of 41"})


class Report(Folder):
    def test_failures_are_in_the_file_and_the_table(self):
        status, text, file = self.run_main("plain", "crashing", "hanging", "wrong", "missing")
        self.assertEqual(status, 0)  # peers' failures are reported, they are not ours
        seconds = {(r["system"], r["workers"]): r for r in file["results"] if r["metric"] == "seconds"}
        self.assertTrue(seconds["plain", 2]["ok"])
        for system in ("crashing", "hanging", "wrong"):
            self.assertFalse(seconds[system, 1]["ok"])
            self.assertIn(f"double, {system}, 1w: {seconds[system, 1]['error']}", text)
        self.assertIn("FAILED", text)
        self.assertIn("double-missing: no such program", text)

    def test_failure_of_our_own_system_fails_the_command(self):
        self.assertEqual(self.run_main("sennit")[0], 0)
        program = self.programs / "double-sennit"
        program.unlink()
        program.write_text("#!/bin/sh\nexit 4\n")
        program.chmod(0o755)
        self.assertEqual(self.run_bench()[0], 1)

    def test_file_has_the_documented_form(self):
        _, _, file = self.run_main("slow", "near")
        self.assertEqual(list(file), ["suite", "commit", "machine", "results"])
        self.assertEqual(file["suite"], "fake")
        documented = "kernel params system variant workers metric unit samples min median ok".split()
        for record in file["results"]:
            self.assertEqual(list(record)[: len(documented)], documented)
            self.assertEqual(record["min"], min(record["samples"]))
        metrics = {record["metric"] for record in file["results"]}
        self.assertEqual(metrics, {"seconds", "over_serial", "ns_per_fork", "peak_mib"})

    def test_ratios(self):
        _, text, file = self.run_main("slow", "near")
        ratios = {(r["system"], r["workers"]): r for r in file["results"] if r["metric"] == "over_serial"}
        self.assertAlmostEqual(ratios["slow", 2]["median"], 2, places=2)
        self.assertNotIn("interval", ratios["slow", 2])
        self.assertLess(ratios["near", 1]["interval"][0], ratios["near", 1]["median"])
        self.assertNotIn(("serial", 1), ratios)
        self.assertIn("1.001*", text)
        forks = {r["system"]: r for r in file["results"] if r["metric"] == "ns_per_fork"}
        self.assertAlmostEqual(forks["slow"]["median"], 0.01 / 20 * 1e9, delta=1e3)
        self.assertTrue(all(r["workers"] == 1 for r in forks.values()))

    def test_what_an_iteration_and_a_region_take(self):
        text = SUITE.replace("ns_per_fork", "ns_per_iteration", 1).replace("peak_mib", "us_per_region")
        _, table, file = self.run_main("slow", text=text + "work = { full = 8, quick = 5 }\n")
        records = {(r["metric"], r["system"], r["workers"]): r for r in file["results"]}
        # 0.01 s for 20 places 5 times each; a region is a place.
        self.assertAlmostEqual(records["ns_per_iteration", "serial", 1]["median"], 1e5, delta=1e2)
        self.assertAlmostEqual(records["us_per_region", "slow", 2]["median"], 1e3, delta=1)
        self.assertEqual(records["us_per_region", "slow", 2]["params"], {"size": 20, "work": 5})
        self.assertEqual(records["ns_per_iteration", "slow", 1]["unit"], "ns")
        self.assertIn("Nanoseconds an iteration", table)
        self.assertIn("Microseconds a region", table)

    def test_what_a_node_takes(self):
        text = SUITE.replace("ns_per_fork", "ns_per_node", 1).replace("peak_mib", "bytes_per_node")
        _, table, file = self.run_main("counting", text=text)
        records = {(r["metric"], r["system"], r["workers"]): r for r in file["results"]}
        # 0.01 s for 20 nodes; how many bytes, only the program knows, and not all of them tell.
        self.assertAlmostEqual(records["ns_per_node", "serial", 1]["median"], 5e5, delta=1e3)
        self.assertEqual(records["ns_per_node", "counting", 2]["unit"], "ns")
        self.assertEqual(records["bytes_per_node", "counting", 2]["median"], 48)
        self.assertNotIn(("bytes_per_node", "serial", 1), records)
        self.assertIn("Nanoseconds a node", table)
        self.assertIn("48.0", table)

    # Catches: a variant over another system's, or over another number of workers; over itself.
    def test_variants_over_what_they_are_variants_of(self):
        text = SUITE.replace('"ns_per_fork"', '"over_plain", "ns_per_recorded_fork"')
        text += 'variants = { twice = ["counting"], fourfold = ["counting"], record = ["counting"] }\n'
        text += 'plain = { fourfold = "twice" }\n'
        _, table, file = self.run_main("counting", "slow", text=text)
        ratios = {(r["variant"], r["workers"]): r for r in file["results"] if r["metric"] == "over_plain"}
        self.assertEqual({name for name, _ in ratios}, {"twice", "fourfold", "record"})
        self.assertAlmostEqual(ratios["twice", 2]["median"], 2, places=2)
        self.assertAlmostEqual(ratios["fourfold", 1]["median"], 2, places=2)
        self.assertEqual(ratios["fourfold", 1]["params"]["plain"], "twice")
        forks = [r for r in file["results"] if r["metric"] == "ns_per_recorded_fork"]
        self.assertEqual([(r["variant"], r["workers"]) for r in forks], [("record", 1)])
        self.assertAlmostEqual(forks[0]["median"], 0.02 / 20 * 1e9, delta=1e3)
        self.assertIn("without a schedule", table)

    def test_what_a_program_counts_itself(self):
        text = SUITE.replace('"ns_per_fork"', '"remote_share"')
        _, table, file = self.run_main("counting", text=text)
        shares = [r for r in file["results"] if r["metric"] == "remote_share"]
        self.assertEqual({(r["system"], r["median"], r["unit"]) for r in shares}, {("counting", 0.25, "ratio")})
        self.assertIn("0.2500", table)

    def test_table_that_is_too_wide_goes_on_below(self):
        form = {"variant": "default", "metric": "seconds", "ok": True, "workers": 1, "median": 1.0}
        names = [f"kernel-with-a-long-name-{i}" for i in range(9)]
        results = [{**form, "kernel": name, "system": "x"} for name in names]
        results += [{**form, "kernel": names[-1], "system": "only-below"}]
        lines = tables(results).splitlines()
        self.assertTrue(all(len(line) <= 150 for line in lines))
        self.assertEqual([name for line in lines for name in line.split() if name in names], names)
        self.assertEqual(sum(line.startswith("x ") for line in lines), 2)
        self.assertEqual(sum(line.startswith("only-below") for line in lines), 1)
        self.assertEqual(sum(line.startswith("Seconds") for line in lines), 1)

    def test_table_has_a_row_a_system_and_a_column_a_kernel_and_workers(self):
        form = {"variant": "default", "metric": "seconds", "ok": True}
        results = [
            {**form, "kernel": "a", "system": "x", "workers": 1, "median": 1.5},
            {**form, "kernel": "a", "system": "x", "workers": 2, "median": 0.5},
            {**form, "kernel": "b", "system": "y", "workers": 2, "median": 2.5, "variant": "fence"},
        ]
        lines = tables(results).splitlines()
        self.assertEqual(lines[2].split(), ["a", "a", "b"])
        self.assertEqual(lines[3].split(), ["workers", "1", "2", "2"])
        self.assertEqual(lines[5].split(), ["x", "1.5000", "0.5000"])
        self.assertEqual(lines[6].split(), ["y", "fence", "2.5000"])


FIGURE = """
[[figure]]
name = "figure"
title = "Double & more"
axis = "time over serial (ratio)"
metric = "over_serial"
workers = 2
[figure.series]
ours = ["counting", "counting twice"]
theirs = ["slow"]
broken = ["crashing"]
"""


def words_of(picture):
    return [text.text for text in xml.fromstring(picture).iter("{http://www.w3.org/2000/svg}text")]


class Charts(Folder):
    def record(self, kernel="a", system="x", **more):
        samples = more.pop("samples", [1.0, 2.0, 4.0])
        form = {"variant": "default", "workers": 1, "metric": "over_serial", "ok": True, "params": {"size": 7}}
        median = sorted(samples)[len(samples) // 2] if samples else None
        return {**form, "kernel": kernel, "system": system, "samples": samples, "median": median, **more}

    def figure(self, **more):
        series = {"one": ["x", "x nested"], "two": ["y"]}
        form = {"name": "f", "title": "F", "axis": "ratio", "metric": "over_serial", "workers": 1}
        return suite.Figure(**{**form, "series": series, **more})

    def draw(self, results, **more):
        return charts.draw(self.figure(**more), {"cpu": "fast", "cpus": 2, "systems": {}}, "abc", results)

    # Catches: a figure that only the table's tests would have noticed, a failure that looks like a gap or is left out.
    def test_files_are_written_with_what_failed_and_what_is_missing(self):
        text = SUITE.replace("[[kernel]]", FIGURE + "[[kernel]]")
        self.run_main("counting", "crashing", text=text)
        picture = (self.folder / "out/fake-figure.svg").read_text()
        words = words_of(picture)
        self.assertIn("Double & more", words)
        self.assertIn("time over serial (ratio)", words)
        self.assertIn("failed", words)
        self.assertIn("1.000", words)
        self.assertIn("size 20", words)
        self.assertTrue(any("2 workers" in line and "serial: python" in line for line in words))

    def test_pictures_can_be_drawn_again_without_measuring(self):
        text = SUITE.replace("[[kernel]]", FIGURE + "[[kernel]]")
        self.run_main("counting", text=text)
        path = self.folder / "out/fake-figure.svg"
        before = path.read_text()
        path.unlink()
        for program in self.programs.iterdir():
            program.unlink()
        self.assertEqual(self.run_bench("--draw")[0], 0)
        self.assertEqual(path.read_text(), before)
        (self.folder / "out/fake.json").write_text('{"results": []}')
        self.assertEqual(self.run_bench("--draw")[0], 2)

    # Catches: the figures of half a suite in the place of the whole one's.
    def test_a_part_of_a_suite_writes_files_only_where_it_is_told_to(self):
        self.suite("plain")
        somewhere = self.folder / "default"
        words = ["fake", "--quick", "--programs", str(self.programs), "--suites", str(self.folder)]
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            with mock.patch("driver.main.OUT", somewhere):
                main([*words, "--kernel", "double"])
                self.assertFalse(somewhere.exists())
                main([*words, "--kernel", "double", "--out", str(self.folder / "out")])
        self.assertTrue((self.folder / "out/fake.json").exists())

    def test_the_first_label_of_a_series_that_a_kernel_has(self):
        results = [
            self.record("a", variant="nested", samples=[3.0]),
            self.record("b", variant="nested", samples=[3.0]),
            self.record("b", samples=[2.0]),
            self.record("b", workers=2, samples=[9.0]),
            self.record("b", metric="seconds", samples=[9.0]),
        ]
        cells = charts.select(self.figure(), results)
        self.assertEqual({key: cell["value"] for key, cell in cells.items()}, {("a", "one"): 3, ("b", "one"): 2})

    # Catches: speedups as their own reciprocals, or with their ends the wrong way round.
    def test_speedups_out_of_ratios(self):
        cell = charts.select(self.figure(inverse=True), [self.record(samples=[0.5, 0.5, 1.0])])["a", "one"]
        self.assertEqual(cell["value"], 2)
        self.assertLess(cell["low"], cell["value"])
        self.assertGreaterEqual(cell["high"], cell["value"])

    # Catches: a mean over fewer kernels than another's that passes for one over all.
    def test_means_say_of_how_many_kernels_they_are(self):
        results = [self.record(kernel, samples=[value]) for kernel, value in (("a", 1.0), ("b", 4.0), ("c", 2.0))]
        results += [self.record(kernel, "y", samples=[value]) for kernel, value in (("a", 3.0), ("b", 3.0))]
        results += [self.record("c", "y", samples=[], ok=False, error="died")]
        words = words_of(self.draw(results))
        self.assertEqual(words.count("2.00"), 2)  # of c, and the mean
        self.assertIn("3.00 (of 2)", words)
        self.assertIn("failed", words)

    def test_nothing_measured_is_no_picture(self):
        self.assertIsNone(self.draw([]))
        self.assertIsNone(self.draw([self.record(ok=False, error="died", samples=[])]))

    # Catches: marks beside the axis, or 1 not on it, or so many ticks that nobody can read them.
    def test_all_values_are_on_the_axis(self):
        for values in ([1.0], [0.999, 1.001], [0.5, 1.9], [0.98, 44.0, 153.4], [1e-3, 1e6], [2.0, 3.0], [100, 101]):
            axis = charts.Axis(values)
            places = [axis.place(value) for value in (*values, 1)]
            self.assertGreaterEqual(min(places), charts.LEFT - 1e-6)
            self.assertLessEqual(max(places), charts.LEFT + charts.PLOT + 1e-6)
            self.assertIn(len(axis.ticks), range(2, 13), values)
            self.assertEqual(len({f"{tick:g}" for tick in axis.ticks}), len(axis.ticks))

    # Catches a color that a dark page swallows.
    def test_colors_for_light_and_for_dark(self):
        picture = self.draw([self.record()])
        light, _, dark = picture.partition("@media (prefers-color-scheme: dark)")
        for rule in (".ground", ".quiet", ".one", ".failed", ".number", ".s0", ".s5", "line", "text"):
            self.assertRegex(light, rf"{rule} \{{.*(fill|stroke):")
            self.assertRegex(dark, rf"{rule} \{{.*(fill|stroke):")

    def test_a_figure_that_makes_no_sense_is_explained(self):
        with self.assertRaisesRegex(suite.SuiteError, "figure 'figure'.*hue"):
            self.suite(text=SUITE.replace("[[kernel]]", FIGURE.replace("axis", "hue") + "[[kernel]]"))
        series = "".join(f'"{i}" = ["x"]\n' for i in range(7))
        with self.assertRaisesRegex(suite.SuiteError, "more than 6 series"):
            text = SUITE.replace("[[kernel]]", FIGURE + series + "[[kernel]]")
            (self.folder / "suites/fake.toml").write_text(text)
            suite.load(self.folder, "fake")


class Tuned(Folder):
    TEXT = (
        'peers = ["counting", "slow"]\n'
        + SUITE.replace('"ns_per_fork"', '"over_best"')
        + '[kernel.variants]\ntwice = ["counting"]\n[kernel.tuned]\nhalf = ["counting"]\nthird = ["slow"]\n'
    )

    # Catches: a ratio to a peer that was slower, to one of other workers, or to ourselves.
    def test_over_the_fastest_peer(self):
        _, table, file = self.run_main("sennit", "counting", "slow", text=self.TEXT)
        ratios = {(r["system"], r["workers"]): r for r in file["results"] if r["metric"] == "over_best"}
        self.assertEqual(set(ratios), {("sennit", 2)})
        self.assertEqual(ratios["sennit", 2]["params"]["best"], "counting half")
        self.assertAlmostEqual(ratios["sennit", 2]["median"], 2, places=2)
        self.assertIn("double, 2w: counting half", table)

    # Catches: what was tried by hand in the tables of what one gets without trying.
    def test_what_is_tuned_is_compared_with_and_nothing_else(self):
        cells = self.suite("counting", "slow", text=self.TEXT).kernels[0].cells
        tuned = [(system.label, workers) for system, workers in cells if system.tuned]
        self.assertEqual(tuned, [("counting half", 2), ("slow third", 2)])
        _, file = self.run_bench()[1:]
        self.assertEqual({r["metric"] for r in file["results"] if r["variant"] == "half"}, {"seconds"})


class Bars(Folder):
    TEXT = Tuned.TEXT + "[bars]\nover_serial = { 1 = 1.5, 2 = 0.55 }\nover_best = 2.5\nmean_over_best = 0.9\n"

    # Catches: a bar that was missed and is not named, and one that is named although it was met.
    def test_a_kernel_beyond_a_bar_is_named(self):
        table = self.run_main("sennit", "counting", "slow", text=self.TEXT)[1].partition("sennit and the suite's bars")[2]
        row = next(line for line in table.splitlines() if line.startswith("double"))
        self.assertEqual(row.split(), ["double", "10.002", "1.000", "1.000", "counting", "half", "2.000", "P2", ">", "0.55"])
        self.assertIn("1 kernels: 2.000, at most 0.9 is asked", table)
        self.assertIn("Kernels beyond a bar: 1 of 1", table)

    # Catches: the suite's bars where a kernel has its own.
    def test_a_kernel_may_have_bars_of_its_own(self):
        text = self.TEXT.replace('about = "twice its size"', 'about = "twice"\nbars = { over_serial = {}, over_best = 1.05 }')
        self.suite("sennit", "counting", "slow", text=text)
        self.assertRegex(self.run_bench()[1], r"2\.000 +peer > 1\.05")

    # Catches: a table without rows in suites that ask for nothing.
    def test_a_suite_without_bars_has_no_such_table(self):
        self.assertNotIn("bars", self.run_main("sennit", "counting")[1])


class Suites(Folder):
    def test_each_suite_of_the_repository_can_be_read(self):
        for path in (ROOT / "bench/suites").glob("*.toml"):
            for quick in (False, True):
                chosen = suite.load(ROOT / "bench", path.stem, quick)
                self.assertTrue(all(kernel.cells for kernel in chosen.kernels))

    # Catches a metric that nobody can compute or print, which would show after minutes of measuring only.
    def test_each_metric_of_the_repository_has_a_unit_and_a_title(self):
        for path in (ROOT / "bench/suites").glob("*.toml"):
            for kernel in suite.load(ROOT / "bench", path.stem).kernels:
                for metric in kernel.metrics:
                    self.assertIn(metric, UNITS, f"{path.stem}, {kernel.name}")
                    self.assertIn(metric, TITLES, f"{path.stem}, {kernel.name}")

    # Catches a figure that stays empty, as a label or a metric in it is nobody's.
    def test_each_series_of_the_repository_is_measured(self):
        for path in (ROOT / "bench/suites").glob("*.toml"):
            chosen = suite.load(ROOT / "bench", path.stem)
            for figure in chosen.figures:
                self.assertIn(figure.metric, {metric for k in chosen.kernels for metric in k.metrics})
                for labels in figure.series.values():
                    for kernel_label in labels:
                        measured = {(s.label, w) for kernel in chosen.kernels for s, w in kernel.cells}
                        self.assertIn((kernel_label, figure.workers), measured, f"{path.stem}, {figure.name}")

    def test_variants_of_a_kernel_belong_to_the_systems_it_names(self):
        text = SUITE + 'variants = { nested = ["plain"] }\nwithout = ["slow"]\nworkers = [2]\n'
        cells = self.suite("plain", "slow", text=text).kernels[0].cells
        self.assertEqual([system.label for system, _ in cells], ["serial", "plain", "plain nested"])

    # Catches: a kernel for eight workers without the serial program, and so without an answer to compare with.
    def test_the_serial_program_has_one_worker_whatever_a_kernel_asks(self):
        cells = self.suite("plain", text=SUITE + "workers = [8]\n").kernels[0].cells
        self.assertEqual([(system.label, workers) for system, workers in cells], [("serial", 1), ("plain", 8)])

    def test_a_system_may_have_its_variants_only(self):
        text = SUITE + 'variants = { nested = ["plain"] }\nonly_variants = ["plain"]\nworkers = [1]\n'
        self.suite("plain", text=text)
        path = self.folder / "systems.toml"
        path.write_text(path.read_text() + '[[system]]\nname = "plain"\nvariant = "newer"\n')
        cells = suite.load(self.folder, "fake", True).kernels[0].cells
        self.assertEqual([system.label for system, _ in cells], ["serial", "plain nested", "plain newer"])

    def test_a_kernel_may_lack_one_variant_of_a_system(self):
        text = SUITE + 'without = ["serial other"]\n'
        other = '[[system]]\nname = "serial"\nvariant = "other"\nworkers = [1]\n'
        cells = self.suite("plain", text=text, systems=other).kernels[0].cells
        self.assertNotIn("serial other", [system.label for system, _ in cells])
        self.assertIn("serial", [system.label for system, _ in cells])

    def test_kernels_may_share_a_program_and_differ_in_input_and_work(self):
        text = SUITE + 'program = "double"\ninput = "odd"\nwork = { full = 8, quick = 5 }\n'
        text = text.replace('name = "double"', 'name = "another"')
        kernel = self.suite("plain", text=text).kernels[0]
        words = command(self.programs, kernel, kernel.cells[-1][0], 2, 20, kernel.work)
        self.assertEqual(words[0], str(self.programs / "double-plain"))
        self.assertEqual(words[words.index("--input") + 1], "odd")
        self.assertEqual(words[words.index("--work") + 1], "5")
        # Catches: a program that is the variant being asked for a variant that it does not know.
        of_compiler = suite.System("serial", variant="clang", program="serial-clang")
        self.assertNotIn("--variant", command(self.programs, kernel, of_compiler, 1, 20))
        fence = suite.System("plain", variant="fence", program="plain")
        self.assertIn("fence", command(self.programs, kernel, fence, 1, 20))
        measurement = measure(kernel, self.programs, lambda text: None)
        self.assertTrue(all(cell.ok for cell in measurement.cells))
        self.assertEqual(measurement.work, 5)

    def test_twins_only_of_the_systems_asked_for(self):
        text = SUITE.replace("quick = 20", "quick = 20, twin = 5")
        kernel = self.suite("plain", "near", text='twins = ["near"]\n' + text).kernels[0]
        measurement = measure(kernel, self.programs, lambda text: None)
        cells = [cell for cell in measurement.cells if cell.system.name in ("plain", "near")]
        counted = []

        def count(measurement, system, folder):
            counted.append(system.name)
            return 100

        with mock.patch.object(twin, "_instructions", count):
            records = twin.twins(measurement, cells, self.programs)
        self.assertEqual([record["system"] for record in records], ["near"])
        self.assertEqual(sorted(counted), ["near", "serial"])

    def test_suite_may_leave_out_systems_and_variants(self):
        text = 'without = ["slow", "plain other"]\n' + SUITE
        other = '[[system]]\nname = "plain"\nvariant = "other"\n'
        cells = self.suite("plain", "slow", text=text, systems=other).kernels[0].cells
        self.assertEqual({system.label for system, _ in cells}, {"serial", "plain"})

    # Catches: two descriptions of one kernel that drift apart; what a suite says itself being ignored.
    def test_a_kernel_may_be_that_of_another_suite(self):
        self.suite("plain")
        head = SUITE.partition("[[kernel]]")[0]
        entry = '[[kernel]]\nname = "double"\nfrom = "fake"\nvariants = { nested = ["plain"] }\n'
        path = self.folder / "suites/short.toml"
        path.write_text(head + entry)
        kernel = suite.load(self.folder, "short").kernels[0]
        self.assertEqual((kernel.about, kernel.size), ("twice its size", 21))
        self.assertIn("plain nested", [system.label for system, _ in kernel.cells])
        path.write_text(head + entry.replace("double", "triple"))
        with self.assertRaisesRegex(suite.SuiteError, "kernel 'triple' is to be taken from suite 'fake'"):
            suite.load(self.folder, "short")

    # Catches: a system that one suite needs turning up as missing in all others.
    def test_some_systems_are_only_where_they_are_named(self):
        def systems(text):
            (self.folder / "suites/fake.toml").write_text(text)
            return {system.label for system, _ in suite.load(self.folder, "fake").kernels[0].cells}

        self.suite("plain")
        path = self.folder / "systems.toml"
        path.write_text(path.read_text() + '[[system]]\nname = "rare"\nonly_where_named = true\n')
        self.assertEqual(systems(SUITE), {"serial", "plain"})
        self.assertEqual(systems(SUITE + 'with = ["rare"]\n'), {"serial", "plain", "rare"})
        everywhere = 'with = ["rare"]\n' + SUITE
        self.assertEqual(systems(everywhere), {"serial", "plain", "rare"})
        self.assertEqual(systems(everywhere + 'without = ["rare"]\n'), {"serial", "plain"})
        # Also a variant of a system that is in all suites.
        path.write_text(path.read_text() + '[[system]]\nname = "plain"\nvariant = "rare"\nonly_where_named = true\n')
        self.assertEqual(systems(SUITE), {"serial", "plain"})
        self.assertEqual(systems(SUITE + 'with = ["plain rare"]\n'), {"serial", "plain", "plain rare"})

    def test_unknown_names_are_explained(self):
        self.suite()
        with self.assertRaisesRegex(suite.SuiteError, "no suite 'fork'; there are: fake"):
            suite.load(self.folder, "fork")
        with self.assertRaisesRegex(suite.SuiteError, "no kernel 'tripel'; it has: double"):
            suite.load(self.folder, "fake", only=["tripel"])

    # Catches: a name with a mistake in it, after which a system or a variant is left out and nobody sees it.
    def test_unknown_systems_and_variants_are_explained(self):
        def refuses(text, message):
            (self.folder / "suites/fake.toml").write_text(text)
            with self.assertRaisesRegex(suite.SuiteError, message):
                suite.load(self.folder, "fake")

        self.suite("plain")
        for key in ("without", "with", "twins", "peers"):
            refuses(f'{key} = ["plane"]\n' + SUITE, f"kernel 'double': {key} names the system 'plane'; there are: plain, serial")
        refuses(SUITE + '[kernel.variants]\nlarge = ["plane"]\n', "variants.large names the system 'plane'")
        refuses(SUITE + '[kernel.tuned]\nlarge = ["plane"]\n', "tuned.large names the system 'plane'")
        refuses(SUITE + 'only_variants = ["plane"]\n', "only_variants names the system 'plane'")
        refuses(
            SUITE + '[kernel.variants]\nlarge = ["plain"]\n[kernel.plain]\nlarge = "smal"\n',
            "plain names the variant 'smal'; there are: default, large",
        )

    # Catches: a suite of this repository in which a name is wrong.
    def test_all_suites_can_be_read(self):
        for path in (ROOT / "bench/suites").glob("*.toml"):
            self.assertTrue(suite.load(ROOT / "bench", path.stem).kernels)


if __name__ == "__main__":
    unittest.main()
