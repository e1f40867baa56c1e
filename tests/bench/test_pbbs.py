# SPDX-License-Identifier: Apache-2.0
"""How PBBS's programs are checked and timed, on programs that are none."""

import contextlib
import importlib.util
import io
import json
import os
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
        self.work, self.data = work, data
        self.options = SimpleNamespace(work=work, pbbs=work / "pbbs", parlay=work / "parlay", library=work, grains=False)
        self.trees = measure.Trees(self.options, [PROGRAM])

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
    # a checker that counts as a complaint; a program that crashes, and whose old answer is then checked; one that ends with
    # another status than it should, and says nothing.
    def test_believes_the_checker(self):
        self.assertTrue(self.checked(ended(0, ""), ended(0, ":: 5 numbers\n"))[0])
        good, said = self.checked(ended(0, ""), ended(0, "not sorted at 3\n"))
        self.assertFalse(good)
        self.assertIn("failed pbbs/sort", said)
        self.assertFalse(self.checked(ended(0, ""), subprocess.CompletedProcess([], 0, "", "bad file"))[0])
        self.assertFalse(self.checked(ended(1, ""), ended(0, ""))[0])
        self.assertFalse(self.checked(ended(0, ""), ended(1, ""))[0])
        with mock.patch.dict(measure.STATUS, {"sortTime": 1, "sortCheck": 1}):
            self.assertTrue(self.checked(ended(1, ""), ended(1, ""))[0])
        self.assertFalse(self.checked(ended(-11, ""), ended(0, ""))[0])

    def attempted(self, what, *more, run=lambda *_: True):
        with mock.patch.object(measure, "_run", run), contextlib.redirect_stdout(io.StringIO()) as said:
            return measure._attempted(what, *more), said.getvalue()

    # Catches: one program that cannot be checked or run, and ends the measurements of all others.
    def test_a_program_that_cannot_be_had_is_told_by_name(self):
        good, said = self.attempted(self.trees.checked, PROGRAM, run=lambda *_: False)
        self.assertIsNone(good)
        self.assertIn("failed pbbs/sort (sorting/fast: its checker cannot be built", said)
        for source in ("sorting/none", "sorting/other"):  # no such folder; a Makefile of another form; no such program
            program = measure.Program(name="other", source=source, input="sequenceData/numbers")
            other = self.work / "plain/benchmarks/sorting/other"
            other.mkdir(exist_ok=True)
            (other / "Makefile").write_text("all:\n")
            good, said = self.attempted(self.trees.checked, program)
            self.assertIsNone(good)
            self.assertIn(f"failed pbbs/other ({source}: ", said)
        self.assertIn("failed pbbs/sort (sorting/fast: ", self.attempted(self.trees.checked, PROGRAM)[1])

    # Catches: a part of an input that the next run takes for the whole.
    def test_keeps_no_part_of_an_input(self):
        program = measure.Program(name="sort", source="sorting/fast", input="sequenceData/other")
        for text, status in (("1 2", 1), ("", 0)):
            def make(command, folder, log, text=text, status=status):
                (folder / "other").write_text(text)
                return status == 0

            self.assertIn("did not make sequenceData/other", self.attempted(self.trees._input, program, run=make)[1])
            self.assertFalse((self.data / "other").exists())

    def compiled(self):
        """How often a compiler is called where both systems are asked for; it makes empty files."""
        calls = []

        def compile(command, folder, log):
            calls.append(command)
            Path(command[command.index("-o") + 1]).write_text("")
            return True

        with mock.patch.object(measure, "_run", compile), mock.patch.object(measure, "_said", lambda *_: []):
            for system in measure.SYSTEMS:
                self.assertTrue(self.trees._compile(PROGRAM, system))
        return len(calls)

    # Catches: programs of old headers, an old library or old flags that are timed as if they were new; programs that are built
    # in vain.
    def test_builds_anew_what_has_changed(self):
        header = self.work / "parlay/include/parlay/parallel.h"
        header.parent.mkdir(parents=True)
        header.write_text("")
        self.trees.library = self.work / "libsennit.a"
        self.trees.library.write_text("")
        for path in (header, self.trees.library):
            os.utime(path, (1, 1))
        self.assertEqual([self.compiled(), self.compiled()], [2, 0])
        with mock.patch.object(measure, "FLAGS", [*measure.FLAGS, "-O3"]):
            self.assertEqual([self.compiled(), self.compiled()], [2, 0])
        self.assertEqual(self.compiled(), 2)
        later = (self.work / "programs/plain-sennit/sort").stat().st_mtime + 5
        os.utime(self.trees.library, (later, later))
        self.assertEqual(self.compiled(), 1)
        os.utime(header, (later, later))
        self.assertEqual(self.compiled(), 2)

    # Catches: programs of a copy of another PBBS, or of one as it was before.
    def test_copies_anew_what_has_changed(self):
        for clone in ("pbbs", "parlay"):
            (self.work / clone).mkdir()
            (self.work / clone / "file").write_text("old")
            for words in (["init", "-q"], ["add", "."], ["-c", "user.name=a", "-c", "user.email=a", "commit", "-qm", "a"]):
                subprocess.run(["git", "-C", self.work / clone, *words], check=True)
        program = self.work / "programs/plain-sennit/sort"

        def starts_anew():
            program.parent.mkdir(parents=True, exist_ok=True)
            program.write_text("")
            self.trees._copy("plain", self.work)
            self.trees.require()
            return not program.exists()

        self.assertRaises(measure.Failure, self.trees.require)
        self.assertEqual([starts_anew(), starts_anew()], [True, False])
        for clone in ("pbbs", "parlay"):
            (self.work / clone / "file").write_text("new")
            self.assertRaises(measure.Failure, self.trees.require)
            self.assertEqual([starts_anew(), starts_anew()], [True, False])
        self.assertEqual((self.work / "plain/file").read_text(), "new")

    # Catches: an old table that is shown as if it had just been measured; a program without figures that counts as passed.
    def test_shows_no_old_table_as_new(self):
        out = self.work / "out"
        out.mkdir()
        (out / "pbbs.json").write_text(json.dumps({"results": []}))
        (out / "pbbs.txt").write_text("old")
        options = SimpleNamespace(out=out)
        bad = [measure._record(PROGRAM, measure.Cell("sennit", None, 1), "seconds", [], "signal 11")]

        def reported(chosen, measured):
            with (
                mock.patch.object(self.trees, "measured", measured),
                mock.patch.object(measure.records, "write"),
                mock.patch.object(measure.charts, "write"),
                mock.patch.object(measure.table, "tables", lambda _: "new"),
                mock.patch.object(measure.records, "read", lambda path: json.loads(path.read_text())),
                contextlib.redirect_stdout(io.StringIO()) as said,
                contextlib.redirect_stderr(io.StringIO()),
            ):
                return measure.report(None, options, [PROGRAM], chosen, self.trees, []), said.getvalue()

        self.assertEqual(reported([], None), ([], ""))
        failed, said = reported([PROGRAM], lambda *_: {}["sort"])
        self.assertEqual(failed, ["sort"])
        self.assertNotIn("old", said)
        failed, said = reported([PROGRAM], lambda *_: bad)
        self.assertEqual(failed, ["sort"])
        self.assertIn("failed pbbs/sort (sorting/fast, timed: signal 11)", said)
        self.assertIn("new", said)

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

    # Catches: a program that fails and is timed all the same; a ratio to one that failed; a failure that stops all others.
    def test_has_no_figures_of_a_program_that_fails(self):
        crash = subprocess.CompletedProcess([], -11, "Parlay time: 1\nParlay time: 1\n", "stack overflow")
        for bad in (crash, ended(0, "Parlay time: 1\n")):

            def end(command, environment, bad=bad):
                wrong = "-parlay" in str(command[0]) and environment["SENNIT_WORKERS"] == "2"
                return bad if wrong else ended(0, "Parlay time: 1\nParlay time: 1\n")

            failed = {(r["system"], r["workers"], r["metric"]) for r in self.measured(end) if not r["ok"]}
            self.assertEqual(failed, {("parlay", 2, "seconds"), ("sennit", 2, "over_parlay")})

    # Catches: results of other programs that are lost where some are measured again; results that stand twice; results of a
    # program under its former name, which end the run.
    def test_keeps_what_was_not_measured_again(self):
        programs = [PROGRAM, measure.Program(name="search")]
        cell = measure.Cell("sennit", None, 1)
        old = [measure._record(program, cell, "seconds", [1.0]) for program in [*programs, measure.Program(name="former")]]
        new = [measure._record(PROGRAM, cell, "seconds", [2.0])]
        merged = measure._merged(old, new, programs)
        self.assertEqual([(record["kernel"], record["median"]) for record in merged], [("sort", 2.0), ("search", 1.0)])

    # Catches: a parallel_for of the plug-in that no longer gets the grain, so that the table compares unlike things.
    def test_the_plug_in_can_be_given_a_grain(self):
        plug_in = (ROOT / "integrations/parlay/include/sennit/parlay.hpp").read_text()
        self.assertEqual(len(measure.PATCH.findall(plug_in)), 1)


if __name__ == "__main__":
    unittest.main()
