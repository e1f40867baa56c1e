# SPDX-License-Identifier: Apache-2.0
"""Where and of what the figures are."""

import json
import os
import platform
import subprocess
from datetime import date
from functools import cache
from pathlib import Path


def machine(folder, hellos, load):
    """`hellos` maps a system's label to what its program said of itself; `load` is the one before the run."""
    return {
        "date": date.today().isoformat(),
        "cpu": _field("/proc/cpuinfo", "model name") or platform.machine(),
        "kind": kind(),
        "cpus": len(os.sched_getaffinity(0)),
        "memory_mib": int((_field("/proc/meminfo", "MemTotal") or "0").split()[0]) // 1024,
        "kernel": platform.release(),
        "load_before": load,
        "systems": {label: f"{hello.get('runtime')} ({_compiler(hello)})" for label, hello in hellos.items()},
        "absent": absent(folder),
    }


def kind(cpuinfo=Path("/proc/cpuinfo"), caches=Path("/sys/devices/system/cpu/cpu0/cache")):
    """What tells one kind of machine from another of the same name: clouds sell several generations as "AMD EPYC"."""
    # Of x86-64, then of AArch64, which has no name of the processor.
    names = ("cpu family", "model", "CPU implementer", "CPU part")
    words = [f"{name.split()[-1]} {_field(cpuinfo, name)}" for name in names if _field(cpuinfo, name)]
    sizes = [
        _text(index / "size").replace("K", " KiB")
        for index in sorted(caches.glob("index*"))
        if _text(index / "type") in ("Data", "Unified")
    ]
    return ", ".join([*words, *([f"caches of {', '.join(sizes)}"] if sizes else [])])


def available_bytes():
    """The memory that programs can have without taking it from others; None if the system does not tell."""
    found = _field("/proc/meminfo", "MemAvailable")
    return int(found.split()[0]) * 1024 if found else None


def absent(folder):
    """Programs that the build left out, each with its reason."""
    path = folder / "absent.json"
    return json.loads(path.read_text()) if path.is_file() else {}


def load():
    """How many threads of others want to run; above a half or so the figures suffer."""
    return round(os.getloadavg()[0], 2)


def commit(folder):
    try:
        head = _said("git", "-C", folder, "rev-parse", "--short=12", "HEAD")
        return head + ("+changes" if _said("git", "-C", folder, "status", "--porcelain") else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def _compiler(hello):
    return _rustc() if hello.get("compiler") == "rustc" else hello.get("compiler")


@cache
def _rustc():
    try:
        return " ".join(_said("rustc", "--version").split()[:2])
    except (OSError, subprocess.CalledProcessError):
        return "rustc"


def _said(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout.strip()


def _text(path):
    return path.read_text().strip() if path.is_file() else ""


def _field(path, name):
    for line in Path(path).read_text().splitlines():
        key, _, value = line.partition(":")
        if key.strip() == name:
            return value.strip()
    return None
