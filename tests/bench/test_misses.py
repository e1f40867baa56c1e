# SPDX-License-Identifier: Apache-2.0
"""bench/misses fails where a splice has more misses than its suite allows, or where none were counted."""

import contextlib
import io
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))

from driver import misses, suite, twin  # noqa: E402

SYSTEMS = '[[system]]\nname = "serial"\n[[system]]\nname = "sennit"\n'
SUITE = """
title = "Fakes"
full = { rounds = 1, seconds = 1, kernel_seconds = 1, timeout = 1 }
quick = { rounds = 1, seconds = 1, kernel_seconds = 1, timeout = 1 }
[[kernel]]
name = "sweeps-misses"
about = "sweeps"
size = { full = 9, quick = 5 }
work = { full = 8, quick = 2 }
metrics = ["last_level_misses_over_serial"]
most_misses = { full = 0.2, quick = 0.6 }
[kernel.variants]
chosen = ["sennit"]
[[kernel]]
name = "timed"
about = "has nothing to count"
size = { full = 9, quick = 5 }
metrics = ["seconds"]
"""


class Misses(unittest.TestCase):
    def status(self, spliced, *more):
        """Of a run in which a serial sweep misses 100 times, beside 50 times of the program's own."""

        def count(measurement, system, folder, work):
            return spliced if system.variant == "chosen" else 50 + 100 * work

        said = io.StringIO()
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "suites").mkdir()
            (folder / "suites/splice.toml").write_text(SUITE)
            (folder / "systems.toml").write_text(SYSTEMS)
            with (
                mock.patch.object(twin, "_misses", count),
                mock.patch.object(twin, "available", lambda: True),
                contextlib.redirect_stdout(said),
                contextlib.redirect_stderr(said),
            ):
                status = misses.main(["--suites", name, "--programs", name, *more])
        return status, said.getvalue()

    # Catches: a bar that is not looked at, that of another size, misses of the start-up that are not taken off.
    def test_compares_with_the_bar_of_the_size(self):
        self.assertEqual(self.status(50 + 160)[0], 0)
        self.assertEqual(self.status(50 + 161)[0], 1)
        self.assertEqual(self.status(50 + 120, "--quick")[0], 0)
        status, said = self.status(50 + 121, "--quick")
        self.assertEqual(status, 1)
        self.assertIn("sweeps-misses", said)
        self.assertIn("at most 0.6", said)

    # Catches: a count that fails and passes for none.
    def test_fails_where_nothing_was_counted(self):
        status, said = self.status("failed under valgrind with status 3")
        self.assertEqual(status, 1)
        self.assertIn("failed under valgrind with status 3", said)

    # Catches: a name that is taken for no kernel at all, which then passes.
    def test_names_what_it_does_not_know(self):
        status, said = self.status(0, "--kernel", "sweep")
        self.assertEqual(status, 2)
        self.assertIn("no kernel 'sweep'", said)

    # Catches: a kernel of the suite whose misses nobody looks at.
    def test_the_suite_has_a_bar_for_each_kernel(self):
        for quick in (True, False):
            for kernel in suite.load(ROOT / "bench", "splice", quick).kernels:
                self.assertEqual(kernel.name.endswith("-misses"), kernel.most_misses is not None, kernel.name)


if __name__ == "__main__":
    unittest.main()
