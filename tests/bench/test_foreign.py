# SPDX-License-Identifier: Apache-2.0
"""What scripts/foreign.sh says of suites that are none, with a compiler and a package manager that are none."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# The program it makes ends as the file beside its source says.
COMPILER = """#!/bin/sh
for word; do
  case $word in *.cc | *.cpp) source=$word ;; -E) exit 0 ;; esac
done
[ -f "$source" ] || exit 1
while [ "$1" != -o ]; do shift; done
cp "$source" "$2" && chmod +x "$2"
"""
GOOD, BAD = "#!/bin/sh\nexit 0\n", "#!/bin/sh\nexit 1\n"
MEASURE = """#!/bin/sh
echo "$@" >asked
cat says
exit "$(cat status)"
"""


class Foreign(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="a folder with 'blanks' ")
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        (self.root / "scripts").mkdir()
        shutil.copy(ROOT / "scripts/foreign.sh", self.root / "scripts")
        self.write("build/release/src/libsennit.a", "")
        self.write("integrations/parlay/pbbs/measure.py", MEASURE)
        for name, text in (("g++", COMPILER), ("pkg-config", "#!/bin/sh\n"), ("apt-get", BAD)):
            self.write(f"bin/{name}", text)
        self.suite = "build/foreign/gcc/libstdc++-v3/testsuite/25_algorithms/pstl"
        self.write(f"{self.suite}/sort.cc", GOOD + "# { dg-do run }\n")
        self.write(f"{self.suite}/header.cc", "# { dg-do preprocess }\n")
        self.write("parlay/include/parlay/parallel.h", "")
        self.write("parlay/test/CMakeLists.txt", "  add_dtests(NAME test_sort FILES test_sort.cpp LIBS parlay)\n")
        self.write("parlay/test/test_sort.cpp", GOOD)
        self.write("pbbs/benchmarks/sort", "")
        self.says("passed pbbs/sort (fast, 1 workers)\n", 0)

    def write(self, path, text):
        path = self.root / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)

    def says(self, text, status):
        self.write("says", text)
        self.write("status", str(status))

    def run_on(self, only, **names):
        environment = {name: value for name, value in os.environ.items() if name not in ("PARLAY", "PBBS", "TEST")}
        environment |= {name: str(self.root / value) for name, value in names.items()}
        environment["PATH"] = f"{self.root / 'bin'}:{environment['PATH']}"
        command = ["sh", self.root / "scripts/foreign.sh", only]
        end = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60)
        return end.returncode, end.stdout.splitlines(), end.stderr

    # Catches: a path of which blanks make two words; a test that is only preprocessed and is then run.
    def test_runs_each_test_once(self):
        status, said, error = self.run_on("std_execution/")
        self.assertEqual((status, said[-1]), (0, "2 of 2 passed"), (said, error))
        names = [f"passed std_execution/25_algorithms/{name}" for name in ("header", "sort")]
        self.assertEqual(sorted(said[:-1]), names)

    # Catches: a test that fails and is not told.
    def test_says_what_failed(self):
        self.write(f"{self.suite}/sort.cc", BAD)
        status, said, _ = self.run_on("std_execution/.*sort")
        self.assertEqual((status, said), (1, ["failed std_execution/25_algorithms/sort (status 1)", "0 of 1 passed"]))

    # Catches: a suite that cannot be had, and is silently missing among those that pass.
    def test_says_what_is_missing(self):
        status, said, error = self.run_on(".")
        self.assertEqual(status, 1)
        self.assertEqual(said[-1], "2 of 4 passed")
        self.assertEqual([line.split()[1] for line in said if line.startswith("failed")], ["tbb", "programs"])
        self.assertIn("the source package onetbb cannot be had", error)

    # Catches: a program that prints on Sennit what it does not print on oneTBB, and passes; one of which no times are shown.
    def test_compares_programs(self):
        for package in ("libtbb-dev", "libtbb12", "libtbbmalloc2"):
            self.write(f"build/foreign/debs/{package}.unpacked", "")
        folder = "build/foreign/onetbb/examples/parallel_pipeline/square"
        self.write(f"{folder}/square.cpp", GOOD)
        self.write(f"{folder}/gen_input.cpp", "#!/bin/sh\necho $(date +%N).5\n")
        status, said, error = self.run_on("programs/square")
        self.assertEqual((status, said[-1]), (0, "1 of 1 passed"), error)
        self.assertRegex(said[0], r"^passed programs/square \(P1 [0-9.]+ s, [0-9.]+ of oneTBB")
        self.write(f"{folder}/gen_input.cpp", "#!/bin/sh\ncase $0 in *on_sennit/*) echo 1 ;; *) echo 2 ;; esac\n")
        status, said, error = self.run_on("programs/square")
        self.assertEqual((status, said[-1]), (1, "0 of 1 passed"), error)
        self.assertEqual(said[0].split(" (")[1], "it prints or writes something else than on oneTBB, workers: 1)")

    # Catches: a new form of ParlayLib's list of tests, in which none is found.
    def test_says_that_a_suite_has_no_tests(self):
        status, said, error = self.run_on("parlay/", PARLAY="parlay")
        self.assertEqual((status, said), (0, ["passed parlay/test_sort", "1 of 1 passed"]), error)
        self.write("parlay/test/CMakeLists.txt", "add_tests(test_sort)\n")
        status, said, _ = self.run_on("parlay/", PARLAY="parlay")
        self.assertEqual((status, said[-1]), (1, "0 of 1 passed"))

    # Catches: a folder that does not exist, whose suite is left out as if none had been named.
    def test_refuses_a_folder_that_does_not_exist(self):
        for names in ({"PARLAY": "none"}, {"PARLAY": "parlay", "PBBS": "none"}):
            status, said, error = self.run_on("parlay/", **names)
            self.assertEqual((status, said), (1, []))
            self.assertIn("none does not exist", error)

    # Catches: measurements that end early and count as passed; a choice of programs that is not handed on.
    def test_believes_the_status_of_the_measurements(self):
        status, said, error = self.run_on("pbbs/sort", PARLAY="parlay", PBBS="pbbs")
        self.assertEqual((status, said[-1]), (0, "1 of 1 passed"), error)
        self.assertIn("--only sort ", (self.root / "asked").read_text())
        self.says("passed pbbs/sort (fast, 1 workers)\n", 1)
        status, said, _ = self.run_on("pbbs/sort", PARLAY="parlay", PBBS="pbbs")
        self.assertEqual((status, said[-1]), (1, "1 of 2 passed"))

    # Catches: tests of another suite that fail because no program of PBBS has such a name.
    def test_needs_no_program_of_that_name(self):
        self.says("", 3)
        status, said, error = self.run_on("std_execution/.*sort|parlay/none", PARLAY="parlay", PBBS="pbbs")
        self.assertEqual([line for line in said if "pbbs" in line], [], error)


if __name__ == "__main__":
    unittest.main()
