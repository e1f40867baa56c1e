# SPDX-License-Identifier: Apache-2.0
"""What the driver writes and prints: the documented file, tables, and no failure hidden."""

import unittest

from fake_suite import SUITE, Folder

from driver.table import tables  # found by way of fake_suite


class Report(Folder):
    def test_failures_are_in_the_file_and_the_table(self):
        status, text, file = self.run_main("plain", "crashing", "hanging", "wrong", "missing")
        self.assertEqual(status, 0)  # peers' failures are reported, they are not ours
        seconds = {(r["system"], r["workers"]): r for r in file["results"] if r["metric"] == "seconds"}
        self.assertTrue(seconds["plain", 2]["ok"])
        for system in ("crashing", "hanging", "wrong"):
            self.assertFalse(seconds[system, 1]["ok"])
            self.assertIn(f"double, {system}, 1w: {seconds[system, 1]['error']}", text)
        self.assertIn("FAILED", text)
        self.assertIn("double-missing: no such program", text)

    def test_failure_of_our_own_system_fails_the_command(self):
        self.assertEqual(self.run_main("sennit")[0], 0)
        program = self.programs / "double-sennit"
        program.unlink()
        program.write_text("#!/bin/sh\nexit 4\n")
        program.chmod(0o755)
        self.assertEqual(self.run_bench()[0], 1)

    def test_file_has_the_documented_form(self):
        _, _, file = self.run_main("slow", "near")
        self.assertEqual(list(file), ["suite", "commit", "machine", "results"])
        self.assertEqual(file["suite"], "fake")
        documented = "kernel params system variant workers metric unit samples min median ok".split()
        for record in file["results"]:
            self.assertEqual(list(record)[: len(documented)], documented)
            self.assertEqual(record["min"], min(record["samples"]))
        metrics = {record["metric"] for record in file["results"]}
        self.assertEqual(metrics, {"seconds", "over_serial", "ns_per_fork", "peak_mib"})

    def test_ratios(self):
        _, text, file = self.run_main("slow", "near")
        ratios = {(r["system"], r["workers"]): r for r in file["results"] if r["metric"] == "over_serial"}
        self.assertAlmostEqual(ratios["slow", 2]["median"], 2, places=2)
        self.assertNotIn("interval", ratios["slow", 2])
        self.assertLess(ratios["near", 1]["interval"][0], ratios["near", 1]["median"])
        self.assertNotIn(("serial", 1), ratios)
        self.assertIn("1.001*", text)
        forks = {r["system"]: r for r in file["results"] if r["metric"] == "ns_per_fork"}
        self.assertAlmostEqual(forks["slow"]["median"], 0.01 / 20 * 1e9, delta=1e3)
        self.assertTrue(all(r["workers"] == 1 for r in forks.values()))

    def test_what_an_iteration_and_a_region_take(self):
        text = SUITE.replace("ns_per_fork", "ns_per_iteration", 1).replace("peak_mib", "us_per_region")
        _, table, file = self.run_main("slow", text=text + "work = { full = 8, quick = 5 }\n")
        records = {(r["metric"], r["system"], r["workers"]): r for r in file["results"]}
        # 0.01 s for 20 places 5 times each; a region is a place.
        self.assertAlmostEqual(records["ns_per_iteration", "serial", 1]["median"], 1e5, delta=1e2)
        self.assertAlmostEqual(records["us_per_region", "slow", 2]["median"], 1e3, delta=1)
        self.assertEqual(records["us_per_region", "slow", 2]["params"], {"size": 20, "work": 5})
        self.assertEqual(records["ns_per_iteration", "slow", 1]["unit"], "ns")
        self.assertIn("Nanoseconds an iteration", table)
        self.assertIn("Microseconds a region", table)

    def test_what_a_node_takes(self):
        text = SUITE.replace("ns_per_fork", "ns_per_node", 1).replace("peak_mib", "bytes_per_node")
        _, table, file = self.run_main("counting", text=text)
        records = {(r["metric"], r["system"], r["workers"]): r for r in file["results"]}
        # 0.01 s for 20 nodes; how many bytes, only the program knows, and not all of them tell.
        self.assertAlmostEqual(records["ns_per_node", "serial", 1]["median"], 5e5, delta=1e3)
        self.assertEqual(records["ns_per_node", "counting", 2]["unit"], "ns")
        self.assertEqual(records["bytes_per_node", "counting", 2]["median"], 48)
        self.assertNotIn(("bytes_per_node", "serial", 1), records)
        self.assertIn("Nanoseconds a node", table)
        self.assertIn("48.0", table)

    # Catches: a variant over another system's, or over another number of workers; over itself.
    def test_variants_over_what_they_are_variants_of(self):
        text = SUITE.replace('"ns_per_fork"', '"over_plain", "ns_per_recorded_fork"')
        text += 'variants = { twice = ["counting"], fourfold = ["counting"], record = ["counting"] }\n'
        text += 'plain = { fourfold = "twice" }\n'
        _, table, file = self.run_main("counting", "slow", text=text)
        ratios = {(r["variant"], r["workers"]): r for r in file["results"] if r["metric"] == "over_plain"}
        self.assertEqual({name for name, _ in ratios}, {"twice", "fourfold", "record"})
        self.assertAlmostEqual(ratios["twice", 2]["median"], 2, places=2)
        self.assertAlmostEqual(ratios["fourfold", 1]["median"], 2, places=2)
        self.assertEqual(ratios["fourfold", 1]["params"]["plain"], "twice")
        forks = [r for r in file["results"] if r["metric"] == "ns_per_recorded_fork"]
        self.assertEqual([(r["variant"], r["workers"]) for r in forks], [("record", 1)])
        self.assertAlmostEqual(forks[0]["median"], 0.02 / 20 * 1e9, delta=1e3)
        self.assertIn("without a schedule", table)

    def test_what_a_program_counts_itself(self):
        text = SUITE.replace('"ns_per_fork"', '"remote_share"')
        _, table, file = self.run_main("counting", text=text)
        shares = [r for r in file["results"] if r["metric"] == "remote_share"]
        self.assertEqual({(r["system"], r["median"], r["unit"]) for r in shares}, {("counting", 0.25, "ratio")})
        self.assertIn("0.2500", table)

    def test_table_that_is_too_wide_goes_on_below(self):
        form = {"variant": "default", "metric": "seconds", "ok": True, "workers": 1, "median": 1.0}
        names = [f"kernel-with-a-long-name-{i}" for i in range(9)]
        results = [{**form, "kernel": name, "system": "x"} for name in names]
        results += [{**form, "kernel": names[-1], "system": "only-below"}]
        lines = tables(results).splitlines()
        self.assertTrue(all(len(line) <= 150 for line in lines))
        self.assertEqual([name for line in lines for name in line.split() if name in names], names)
        self.assertEqual(sum(line.startswith("x ") for line in lines), 2)
        self.assertEqual(sum(line.startswith("only-below") for line in lines), 1)
        self.assertEqual(sum(line.startswith("Seconds") for line in lines), 1)

    def test_table_has_a_row_a_system_and_a_column_a_kernel_and_workers(self):
        form = {"variant": "default", "metric": "seconds", "ok": True}
        results = [
            {**form, "kernel": "a", "system": "x", "workers": 1, "median": 1.5},
            {**form, "kernel": "a", "system": "x", "workers": 2, "median": 0.5},
            {**form, "kernel": "b", "system": "y", "workers": 2, "median": 2.5, "variant": "fence"},
        ]
        lines = tables(results).splitlines()
        self.assertEqual(lines[2].split(), ["a", "a", "b"])
        self.assertEqual(lines[3].split(), ["workers", "1", "2", "2"])
        self.assertEqual(lines[5].split(), ["x", "1.5000", "0.5000"])
        self.assertEqual(lines[6].split(), ["y", "fence", "2.5000"])


if __name__ == "__main__":
    unittest.main()
