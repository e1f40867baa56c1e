# SPDX-License-Identifier: Apache-2.0
"""What the driver does for graphs of tasks: the paper's tables of colors, sizes that fit into memory, variants for several workers."""

import contextlib
import io
import sys
import unittest
from pathlib import Path
from statistics import stdev
from unittest import mock

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench"))

from driver import colorings, machine, suite  # noqa: E402
from driver.main import main  # noqa: E402
from driver.measure import fitting, measure  # noqa: E402
from driver.table import tables  # noqa: E402
from fake_suite import SUITE, Folder  # noqa: E402

COLORED = SUITE.replace('"ns_per_fork"', '"over_uncolored"') + (
    'several = ["bad"]\n[kernel.variants]\ncolored = ["plain"]\nbad = ["plain"]\ninvalid = ["plain"]\nnested = ["plain"]\n'
)


def record(variant, samples, kernel="cg", workers=2, ok=True):
    median = sorted(samples)[len(samples) // 2] if samples else None
    form = {"kernel": kernel, "system": "sennit", "variant": variant, "workers": workers, "metric": "over_uncolored"}
    return {**form, "params": {}, "samples": samples, "median": median, "ok": ok, "error": "died"}


class Colorings(Folder):
    # Catches: times where speedups are due, so that good colors look bad; a ratio to another number of workers; one of a variant
    # that has no colors, or of the default to itself.
    def test_speedups_over_no_colors(self):
        _, text, file = self.run_main("plain", text=COLORED)
        found = {(r["variant"], r["workers"]): r["median"] for r in file["results"] if r["metric"] == "over_uncolored"}
        self.assertEqual(
            set(found), {("colored", 1), ("colored", 2), ("bad", 2), ("invalid", 1), ("invalid", 2)}
        )
        self.assertAlmostEqual(found["colored", 2], 2, places=2)
        self.assertAlmostEqual(found["bad", 2], 0.5, places=2)
        self.assertAlmostEqual(found["invalid", 1], 0.8, places=2)
        self.assertIn("002, Table II)", text)
        self.assertIn("002, Table III)", text)

    # Catches: kernels and workers the wrong way round; mean and deviation of medians, which on one row are nothing.
    def test_a_table_as_the_papers(self):
        results = [
            record("bad", [0.9, 1.0, 1.1]),
            record("bad", [0.5, 0.7, 0.6], workers=4),
            record("bad", [1.25], kernel="mg"),
            record("bad", [], kernel="sw", ok=False),
            record("invalid", [3.0]),
        ]
        (text, other) = colorings.tables(results)
        lines = [line.split() for line in text.splitlines()]
        self.assertIn(["workers", "cg", "mg", "sw"], lines)
        self.assertIn(["2", "1.00", "1.25", "FAILED"], lines)
        self.assertIn(["4", "0.60"], lines)
        self.assertIn(["mean", "0.80", "1.25", "-"], lines)
        self.assertIn(["S.D.", f"{stdev([0.9, 1.0, 1.1, 0.5, 0.7, 0.6]):.2f}", "-", "-"], lines)
        self.assertIn("Table III", other)
        self.assertNotIn("3.00", text)

    # Catches: the tables twice, or before the others.
    def test_they_come_after_the_suites_tables(self):
        seconds = {**record("bad", [0.25]), "metric": "seconds"}
        text = tables([record("bad", [0.5]), seconds])
        self.assertEqual(text.count("Table II"), 1)
        self.assertLess(text.index("Seconds"), text.index("Table II"))


class Sizes(Folder):
    def kernel(self, size=1 << 24, **more):
        text = SUITE.replace("quick = 20", f"quick = {size}, warm_up = 65536") + "bytes_per_size = 100\n"
        return self.suite("plain", text=text, **more).kernels[0]

    # Catches: the system writing other programs to disk, or ending them; a size that is no power of two any more.
    def test_are_halved_until_all_programs_have_room(self):
        kernel = self.kernel()
        fit, note = fitting(kernel, 8, 8 << 30)
        self.assertEqual(fit.size, 1 << 22)
        self.assertIn("size 4194304 instead of 16777216, for which 8 programs need 12.5 GiB, and 8.0 GiB are free", note)
        self.assertEqual(fitting(kernel, 8, 64 << 30), (kernel, None))
        self.assertEqual(fitting(kernel, 8, None), (kernel, None))
        self.assertEqual(fitting(kernel, 8, 1 << 20)[0].warm_up, fitting(kernel, 8, 1 << 20)[0].size)

    # Catches: records that claim the size of the suite.
    def test_the_report_says_so(self):
        with mock.patch.object(machine, "available_bytes", lambda: 1 << 30):
            self.kernel()
            _, text, file = self.run_bench()
        size = 1 << 21
        self.assertEqual({r["params"]["size"] for r in file["results"]}, {size})
        self.assertIn(f"double: size {size} instead of", text)

    def test_others_are_left_alone(self):
        kernel = self.suite("plain").kernels[0]
        self.assertEqual(fitting(kernel, 100, 1), (kernel, None))

    def test_what_is_free_is_read_from_the_system(self):
        self.assertGreater(machine.available_bytes(), 1 << 20)


class Workers(Folder):
    # Catches: colors of others on one worker, which there are not; a misspelled variant that is measured after all.
    def test_variants_of_several_workers(self):
        cells = self.suite("plain", text=COLORED).kernels[0].cells
        self.assertEqual([w for system, w in cells if system.variant == "bad"], [2])
        self.assertEqual([w for system, w in cells if system.variant == "colored"], [1, 2])
        (self.folder / "suites/fake.toml").write_text(COLORED.replace('several = ["bad"]', 'several = ["worse"]'))
        with self.assertRaisesRegex(suite.SuiteError, "several names the variant 'worse'"):
            suite.load(self.folder, "fake")

    # Catches: rows of a machine with two CPUs on every machine; the workers of a machine that is simulated replaced.
    def test_numbers_that_a_person_asks_for(self):
        self.suite("plain", text=SUITE + "fewest_workers = 2\n")
        cells = suite.load(self.folder, "fake", workers=[1, 3, 8]).kernels[0].cells
        self.assertEqual([(s.label, w) for s, w in cells], [("serial", 1), ("plain", 3), ("plain", 8)])
        (self.folder / "suites/fake.toml").write_text(SUITE + "workers = [80]\n")
        cells = suite.load(self.folder, "fake", workers=[3]).kernels[0].cells
        self.assertEqual([w for _, w in cells], [1, 80])

    def test_no_number_is_explained(self):
        errors = io.StringIO()
        with contextlib.redirect_stderr(errors), self.assertRaises(SystemExit):
            main(["graphs", "--workers", "0"])
        self.assertIn("'0' is no number of workers, which are at least 1", errors.getvalue())

    def test_measured(self):
        kernel = self.suite("plain", text=COLORED).kernels[0]
        measurement = measure(kernel, self.programs, lambda text: None)
        self.assertTrue(all(cell.ok for cell in measurement.cells))
        self.assertIsNone(measurement.note)


if __name__ == "__main__":
    unittest.main()
