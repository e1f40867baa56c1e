# SPDX-License-Identifier: Apache-2.0
"""The version stands in include/sennit/version.hpp. Where a format wants it again, it is the same.

Catches: a package that is named after another version, or another soname, than the library in it."""

import json
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
VERSION = re.findall(r"^#define SENNIT_VERSION_(?:MAJOR|MINOR|PATCH) +(\d+)", (ROOT / "include/sennit/version.hpp").read_text(), re.M)
SONAME = ".".join(VERSION[:2])  # docs/decisions/abi.md


def text(path):
    return (ROOT / path).read_text()


class Version(unittest.TestCase):
    def test_of_vcpkg(self):
        self.assertEqual(json.loads(text("packaging/vcpkg/ports/sennit/vcpkg.json"))["version"], ".".join(VERSION))

    def test_of_the_soname_in_debian(self):
        control = text("packaging/debian/control")
        self.assertEqual(set(re.findall(r"\blibsennit([\d.]+)\b", control)), {SONAME})
        self.assertTrue((ROOT / f"packaging/debian/libsennit{SONAME}.install").exists())
        self.assertIn(f"= libsennit.so.{SONAME}\n", text("packaging/debian/tests/programs"))

    def test_of_the_page(self):
        page = text("docs/guide/installing.md")
        self.assertIn(f"find_package(sennit {SONAME} REQUIRED)", page)
        self.assertEqual(set(re.findall(r"libsennit\.so\.([\d.]*\d)", page)), {SONAME})
        self.assertEqual(set(re.findall(r"sennit/(\d+\.\d+\.\d+)", page)), {".".join(VERSION)})


class Commands(unittest.TestCase):
    """Packages build what `make install` builds. Catches: a package that lacks what another one has."""

    def test_build_the_same_targets(self):
        targets = re.search(r"--target (src/all.*)\n", text("Makefile"))[1]
        self.assertIn(f"dh_auto_build -- {targets}\n", text("packaging/debian/rules"))
        self.assertIn(f"--target {targets} &&", text("packaging/docker/Dockerfile"))


if __name__ == "__main__":
    unittest.main()
