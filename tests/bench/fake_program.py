#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A benchmark program that behaves as its file name says: KERNEL-BEHAVIOR."""

import json
import os
import signal
import sys
import time
from pathlib import Path

behavior = Path(sys.argv[0]).name.partition("-")[2]
arguments = dict(zip(sys.argv[1::2], sys.argv[2::2]))
size = int(arguments["--size"])


def say(**answer):
    print(json.dumps(answer), flush=True)


if behavior == "silent":
    time.sleep(60)
if behavior == "refusing":
    sys.exit("no such variant")
say(runtime=f"fake {arguments.get('--variant', 'default')}", compiler="python", forks=size)
for count, line in enumerate(sys.stdin):
    if line != "go\n":
        break
    if behavior == "hanging" and count == 1:
        time.sleep(60)
    if behavior == "crashing" and count == 1:
        os.kill(os.getpid(), signal.SIGSEGV)
    if behavior == "babbling":
        print("ready!", flush=True)
        continue
    wrong = behavior == "wrong" or (behavior == "fickle" and count == 2)
    seconds = {"slow": 0.02, "near": 0.01001}.get(behavior, 0.01)
    told = {"figures": {"remote_share": 0.25, "bytes_per_node": 48}} if behavior == "counting" else {}
    seconds *= {"twice": 2, "half": 0.5, "fourfold": 4, "record": 3, "bad": 2, "invalid": 1.25, "colored": 0.5}.get(arguments.get("--variant"), 1)
    say(seconds=seconds + count * 1e-6, check=7 if wrong else size * 2, us=[1.0, 2.0, 3.0], **told)
if behavior == "unclean":
    sys.exit(3)
say(peak_mib=12.5)
