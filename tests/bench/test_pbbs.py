"""How PBBS's programs are checked and timed, on programs that are none."""

import contextlib
import importlib.util
import io
import subprocess
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
_spec = importlib.util.spec_from_file_location("pbbs_measure", ROOT / "integrations/parlay/pbbs/measure.py")
measure = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(measure)

PROGRAM = measure.Program(name="sort", source="sorting/fast", input="sequenceData/numbers", size=5)


def ended(status, said):
    return subprocess.CompletedProcess([], status, said, "")


class Pbbs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        work = Path(folder.name)
        made = work / "plain/benchmarks/sorting/fast"
        made.mkdir(parents=True)
        (made / "Makefile").write_text("include common/parallelDefs\nBENCH = sort\nOBJS = sort.o\ninclude common/MakeBenchLink\n")
        data = work / "plain/testData/sequenceData/data"
        data.mkdir(parents=True)
        (data / "numbers").write_text("5 4 3 2 1")
        options = SimpleNamespace(work=work, pbbs=work, parlay=work, library=work, grains=True)
        self.trees = measure.Trees(options, [PROGRAM])

    def checked(self, program, checker):
        """With programs that end so."""

        def end(command, environment):
            return checker if str(command[0]).endswith("sortCheck") else program

        with (
            mock.patch.object(measure, "_ended", end),
            mock.patch.object(measure, "_run", lambda *_: True),
            contextlib.redirect_stdout(io.StringIO()) as said,
        ):
            good = self.trees.checked(PROGRAM)
        return good, said.getvalue()

    # Catches: a wrong answer that passes, as PBBS's checkers end with status 0 after some of their complaints; a remark of
    # a checker that counts as a complaint; a program that crashes, and whose old answer is then checked.
    def test_believes_the_checker(self):
        self.assertTrue(self.checked(ended(0, ""), ended(0, ":: 5 numbers\n"))[0])
        good, said = self.checked(ended(0, ""), ended(0, "not sorted at 3\n"))
        self.assertFalse(good)
        self.assertIn("failed pbbs/sort", said)
        self.assertFalse(self.checked(ended(0, ""), ended(1, ""))[0])
        self.assertFalse(self.checked(ended(-11, ""), ended(0, ""))[0])

    def measured(self, said):
        options = SimpleNamespace(samples=2, rounds=2, variants=None)
        with mock.patch.object(measure, "_ended", said), contextlib.redirect_stderr(io.StringIO()):
            return self.trees.measured(PROGRAM, [], options)

    # Catches: ratios to the other number of workers, or upside down; rounds that warm up and are counted.
    def test_divides_by_the_same_program_on_parlay(self):
        seconds = {("parlay", "1"): 2.0, ("parlay", "2"): 1.0, ("sennit", "1"): 1.8, ("sennit", "2"): 0.5}

        def end(command, environment):
            system = "sennit" if "-sennit" in str(command[0]) else "parlay"
            self.assertEqual(environment["SENNIT_WORKERS"], environment["PARLAY_NUM_THREADS"])
            time = seconds[system, environment["SENNIT_WORKERS"]]
            return ended(0, f"in: 9 s\nParlay time: 77.0\nParlay time: {time}\nParlay time: {time}\n")

        results = self.measured(end)
        ratios = {record["workers"]: record["median"] for record in results if record["metric"] == "over_parlay"}
        self.assertEqual(ratios, {1: 0.9, 2: 0.5})
        self.assertEqual({len(record["samples"]) for record in results}, {4})

    # Catches: a program that fails and is timed all the same.
    def test_names_a_program_that_fails(self):
        with self.assertRaisesRegex(measure.Failure, "sort on parlay ended with status 3"):
            self.measured(lambda command, environment: ended(3, "Parlay time: 1\nParlay time: 1\n"))
        with self.assertRaisesRegex(measure.Failure, "sort on parlay"):
            self.measured(lambda command, environment: ended(0, "Parlay time: 1\n"))

    # Catches: results of other programs that are lost where some are measured again; results that stand twice.
    def test_keeps_what_was_not_measured_again(self):
        programs = [PROGRAM, measure.Program(name="search")]
        cell = measure.Cell("sennit", None, 1)
        old = [measure._record(program, cell, "seconds", [1.0]) for program in programs]
        new = [measure._record(PROGRAM, cell, "seconds", [2.0])]
        merged = measure._merged(old, new, programs)
        self.assertEqual([(record["kernel"], record["median"]) for record in merged], [("sort", 2.0), ("search", 1.0)])

    # Catches: a parallel_for of the plug-in that no longer gets the grain, so that the table compares unlike things.
    def test_the_plug_in_can_be_given_a_grain(self):
        plug_in = (ROOT / "integrations/parlay/include/sennit/parlay.hpp").read_text()
        self.assertEqual(len(measure.PATCH.findall(plug_in)), 1)


if __name__ == "__main__":
    unittest.main()
