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


class Newest(unittest.TestCase):
    """What the last commit is compared with. Catches: a candidate that is taken for a release."""

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.folder / "scripts").mkdir()
        shutil.copy(ROOT / "scripts/abi.sh", self.folder / "scripts")
        # It says what it compares with, and then builds; here nothing can be built.
        programs = self.folder / "programs"
        programs.mkdir()
        for name in ("abidiff", "cmake"):
            (programs / name).write_text("#!/bin/sh\nexit 1\n")
            (programs / name).chmod(0o755)
        self.environment = os.environ | {"PATH": f"{programs}:{os.environ['PATH']}"}
        self.git("init", "-q", "-b", "main")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "State")

    def git(self, *arguments):
        identity = ["-c", "user.name=Tester", "-c", "user.email=tester@localhost"]
        subprocess.run(["git", *identity, "-C", self.folder, *arguments], check=True, capture_output=True)

    def said(self, *tags):
        for tag in tags:
            self.git("tag", tag)
        done = subprocess.run([self.folder / "scripts/abi.sh"], capture_output=True, text=True, env=self.environment)
        return done.stderr.splitlines()[0]

    def test_is_a_release_and_no_candidate(self):
        self.assertEqual(self.said("v0.1.0", "v0.9.0", "v0.10.0", "v0.10.1-rc1", "v0.11.0-rc2"), "abi: comparing with v0.10.0")

    def test_is_nothing_where_there_are_candidates_only(self):
        self.assertEqual(self.said("v0.1.0-rc1"), "abi: no commit has the tag of a release yet, so there is nothing to compare with")


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
