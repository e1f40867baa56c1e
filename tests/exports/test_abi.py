# SPDX-License-Identifier: Apache-2.0
"""scripts/abi.sh of small libraries. Catches: a comparison that passes whatever has changed, or fails for what is new only."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMPILER = os.environ.get("CXX", "c++")
SOURCE = "struct knot { int turns; };\nint tie(const knot& k) { return k.turns; }\n"


@unittest.skipUnless(shutil.which("abidiff"), "no abidiff (Debian package abigail-tools)")
class Abi(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.old = self.library("old", SOURCE)

    def library(self, name, source, soname="libknot.so.1"):
        path = self.folder / f"{name}.so"
        subprocess.run(
            [COMPILER, "-x", "c++", "-g", "-fPIC", "-shared", f"-Wl,-soname,{soname}", "-o", path, "-"],
            input=source, text=True, check=True,
        )
        return path

    def compared(self, new, *headers):
        return subprocess.run([ROOT / "scripts/abi.sh", self.old, new, *headers], capture_output=True, text=True)

    def test_a_new_function_is_no_difference(self):
        self.assertEqual(self.compared(self.library("new", SOURCE + "int untie() { return 0; }\n")).returncode, 0)

    def test_a_missing_function_is_named(self):
        told = self.compared(self.library("new", SOURCE.replace("tie", "bind")))
        self.assertEqual(told.returncode, 1)
        self.assertIn("tie(", told.stdout)

    def test_another_result_of_the_same_symbol_is_named(self):
        told = self.compared(self.library("new", SOURCE.replace("int tie", "long tie")))
        self.assertEqual(told.returncode, 1)
        self.assertIn("return type changed", told.stdout)

    def test_another_layout_of_a_parameter_is_named(self):
        told = self.compared(self.library("new", SOURCE.replace("int turns", "int length; int turns")))
        self.assertEqual(told.returncode, 1)
        self.assertIn("knot", told.stdout)

    def test_another_layout_that_no_header_has_is_no_difference(self):
        (self.folder / "knot.hpp").write_text("struct knot;\nint tie(const knot& k);\n")
        told = self.compared(self.library("new", SOURCE.replace("int turns", "int length; int turns")), self.folder, self.folder)
        self.assertEqual(told.returncode, 0, told.stdout)

    def test_a_library_of_another_soname_may_differ(self):
        told = self.compared(self.library("new", "int other() { return 1; }\n", "libknot.so.2"))
        self.assertEqual(told.returncode, 0)
        self.assertIn("libknot.so.1 and libknot.so.2", told.stderr)

    def test_a_file_that_is_not_there_is_named(self):
        told = self.compared(self.folder / "none.so")
        self.assertEqual((told.returncode, told.stderr), (2, f"abi: {self.folder / 'none.so'}: there is no such file\n"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
