# SPDX-License-Identifier: Apache-2.0
"""An object that has promotion points and is not rolled forward does not link; what the linker prints names the remedies.

Catches: a program without tables, whose promotion points are never taken, and nobody says so; and a refusal of what is right.
"""

import itertools
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

COMPILERS = os.environ["COMPILERS"].split(":")
LINKERS = os.environ["LINKERS"].split(":")
INCLUDE = os.environ["INCLUDE"]
ROLLFORWARD = os.environ["ROLLFORWARD"]
EVERYWHERE = list(itertools.product(COMPILERS, LINKERS))
REMEDIES = ("use_sennit_rollforward", "define_SENNIT_NO_PROMOTION_POINTS")

HEADER = """
#include <sennit/promotion_point.hpp>
[[gnu::noinline]] inline long shared(long n) {
  for (long i = 0; i < n; ++i) SENNIT_PROMOTION_POINT(n = 3);
  return n;
}
"""
POINTS = """
long own(long n) {
  for (long i = 0; i < n; ++i) SENNIT_PROMOTION_POINT(n = 3);
  return n;
}
"""
USE = "long NAME(long n) { return shared(n); }\n"
LATENT_JOIN = """
#include <sennit/latent_join.hpp>
[[gnu::noinline]] long own(long n) {
  if (n < 2) return n;
  const auto [a, b] = sennit::latent_join([=] { return own(n - 1); }, [=] { return own(n - 2); });
  return a + b;
}
"""
LATENT_FOR = """
#include <sennit/latent_for.hpp>
long own(long n) {
  sennit::latent_for(n, [](long) {});
  return n;
}
"""
MAIN = "int main(int count, char**) { return static_cast<int>(own(count)) == 3; } "


class Link(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def path(self, name):
        return str(self.folder / name)

    def object(self, compiler, name, source, *flags, rolled=False):
        Path(self.path(name + ".cpp")).write_text(source)
        launcher = [ROLLFORWARD, "--compile"] if rolled else []
        command = [*launcher, compiler, "-std=c++20", "-O2", "-fPIC", f"-I{INCLUDE}", *flags, "-c", self.path(name + ".cpp")]
        subprocess.run([*command, "-o", self.path(name + ".o")], check=True)
        return self.path(name + ".o")

    def link(self, compiler, linker, *words):
        """What the linker says, or nothing if it links."""
        command = [compiler, f"-fuse-ld={linker}", "-o", self.path("linked"), *words]
        done = subprocess.run(command, capture_output=True, text=True)
        return "" if done.returncode == 0 else f"{' '.join(command)}: {done.stderr}"

    def assert_refused(self, said):
        for remedy in REMEDIES:
            self.assertIn(remedy, said)

    def test_not_rolled_forward(self):
        for compiler, linker in EVERYWHERE:
            points = self.object(compiler, "points", HEADER + POINTS)
            main = self.object(compiler, "main", "long own(long);\n" + MAIN)
            self.assert_refused(self.link(compiler, linker, main, points))
            self.assert_refused(self.link(compiler, linker, "-shared", points))
            self.assert_refused(self.link(compiler, linker, "-Wl,--gc-sections", main, points))
            archive = self.path("libpoints.a")
            Path(archive).unlink(missing_ok=True)
            subprocess.run(["ar", "rc", archive, points], check=True)
            self.assert_refused(self.link(compiler, linker, main, archive))

    def test_latent_constructs(self):
        for compiler, source in itertools.product(COMPILERS, (LATENT_JOIN, LATENT_FOR)):
            self.assert_refused(self.link(compiler, "bfd", "-shared", self.object(compiler, "latent", source)))
            for right in (
                self.object(compiler, "rolled", source, rolled=True),
                self.object(compiler, "plain", source, "-DSENNIT_NO_PROMOTION_POINTS"),
            ):
                self.assertEqual(self.link(compiler, "bfd", "-shared", right), "")

    def test_link_time_optimization(self):
        for compiler in COMPILERS:
            if "clang" in compiler:
                continue  # its linker may not be here
            points = self.object(compiler, "points", HEADER + POINTS + MAIN, "-flto")
            self.assert_refused(self.link(compiler, "bfd", "-flto", "-O2", points))

    def test_what_is_right(self):
        for compiler, linker in EVERYWHERE:
            plain = self.object(compiler, "plain", HEADER + POINTS + MAIN, "-DSENNIT_NO_PROMOTION_POINTS")
            self.assertEqual(self.link(compiler, linker, plain), "")
            # No function of the header is in the object.
            unused = self.object(compiler, "unused", HEADER + "int main() {}")
            self.assertEqual(self.link(compiler, linker, unused), "")
            # A shared object may lack the library.
            rolled = self.object(compiler, "rolled", HEADER + POINTS, rolled=True)
            self.assertEqual(self.link(compiler, linker, "-shared", rolled), "")
            sections = subprocess.run(["nm", rolled], check=True, capture_output=True, text=True).stdout
            self.assertNotIn("promotion_points_are_not", sections)

    def test_copies_of_a_function(self):
        for compiler, linker in EVERYWHERE:
            rolled = self.object(compiler, "rolled", HEADER + USE.replace("NAME", "first"), rolled=True)
            other = self.object(compiler, "other", HEADER + USE.replace("NAME", "second"))
            # Whichever copy the linker takes: the order of objects decides nothing.
            self.assert_refused(self.link(compiler, linker, "-shared", rolled, other))
            self.assert_refused(self.link(compiler, linker, "-shared", other, rolled))


if __name__ == "__main__":
    unittest.main()
