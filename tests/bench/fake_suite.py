# SPDX-License-Identifier: Apache-2.0
"""A suite of fake programs, in a folder of its own, for the tests of the driver. Importing it makes the driver importable."""

import contextlib
import io
import json
import os
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / "bench"))

from driver import suite  # noqa: E402
from driver.main import main  # noqa: E402
from driver.measure import measure  # noqa: E402

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
