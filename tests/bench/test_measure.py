# SPDX-License-Identifier: Apache-2.0
"""How programs are run and measured: what each failure is called, and that no wrong answer is taken for a time."""

import os
import unittest
from pathlib import Path

from fake_suite import HERE, SUITE, Folder

from driver.measure import measure  # found by way of fake_suite
from driver.process import Program, ProgramError


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


if __name__ == "__main__":
    unittest.main()
