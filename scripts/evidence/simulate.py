# SPDX-License-Identifier: Apache-2.0
"""Simulates again: the driver of sim/evidence runs the papers' programs on the machines of sim/machines."""

import json
import subprocess

import kept

DRIVER = kept.ROOT / "build/release/sim/sennit_evidence"


def simulate(only):
    """Each figure's runs are kept at once."""
    listed = subprocess.run([DRIVER, "--list"], check=True, capture_output=True, text=True).stdout.split()
    for name in listed:
        paper, figure = name.split("/")
        if only and name not in only and paper not in only:
            continue
        print(f"{paper}: simulating {figure}", flush=True)
        done = subprocess.run([DRIVER, name], check=True, capture_output=True, text=True)
        known = kept.read(paper, "simulated")
        known[figure] = json.loads(done.stdout)
        kept.write(paper, "simulated", known)
