# SPDX-License-Identifier: Apache-2.0
"""From measurements to the records of out/bench/SUITE.json."""

import json
from statistics import median

from . import figures

COLORINGS = ("colored", "bad", "invalid")  # variants that differ from the default in the colors of nodes only

UNITS = {
    "seconds": "s",
    "over_serial": "ratio",
    "over_plain": "ratio",
    "over_best": "ratio",
    "over_parlay": "ratio",
    "over_uncolored": "ratio",
    "over_bound": "ratio",
    "idle_share": "ratio",
    "us_to_first_work": "us",
    "us_to_first_work_last": "us",
    "instructions_over_serial": "ratio",
    "ns_per_fork": "ns",
    "ns_per_iteration": "ns",
    "us_per_region": "us",
    "us_to_return": "us",
    "us_to_return_p999": "us",
    "us_to_return_worst": "us",
    "ns_per_node": "ns",
    "bytes_per_node": "B",
    "stack_kib": "KiB",
    "peak_mib": "MiB",
    "us": "us",
    "ns_per_recorded_fork": "ns",
    "remote_share": "ratio",
    "remote_node_share": "ratio",
    "nodes_at_work": "nodes",
    "simulated_miss_share": "ratio",
    "simulated_tight_miss_share": "ratio",
    "simulated_cache_mib": "MiB",
    "simulated_fetched_mib": "MiB",
    "simulated_fetched_over_serial": "ratio",
    "simulated_remote_over_serial": "ratio",
    "simulated_remote_of_blocks_over_serial": "ratio",
    "kib_per_worker": "KiB",
    "refinements": "rounds",
    "ns_per_step": "ns",
    "splice_steps": "steps",
    "splice_checks": "checks",
    "splice_switches": "switches",
    "splice_delayed": "steps",
    "splice_dependences": "dependences",
    "splice_extra_kib": "KiB",
    "splice_block": "indices",
    "splice_blocks_tried": "sizes",
    "splice_shift": "indices",
    "last_level_misses_over_serial": "ratio",
    "beats_asked": "beats",
    "beats_delivered": "beats",
    "rate_reached": "ratio",
}


def records(measurement):
    """One record for each cell and metric; a failed cell has ok = false and an error."""
    return [
        record
        for metric in measurement.kernel.metrics
        for cell in measurement.cells
        if (record := _record(measurement, cell, metric)) is not None
    ]


def serial_of(measurement, cell):
    """The serial cell of the same compiler, or of the default one where that is missing."""
    usable = [other for other in measurement.cells if other.system.name == "serial" and other.ok]
    serial = {other.system.variant: other for other in usable}
    return serial.get(cell.system.serial, serial.get("default"))


def record_of(measurement, cell, metric, samples, params=None, **more):
    kernel = measurement.kernel
    more_params = {"input": kernel.input, "work": measurement.work}
    more_params = {name: value for name, value in more_params.items() if value is not None}
    samples = [float(f"{sample:.6g}") for sample in samples]
    record = {
        "kernel": kernel.name,
        "params": {"size": kernel.size, **more_params, **(params or {})},
        "system": cell.system.name,
        "variant": cell.system.variant,
        "workers": cell.workers,
        "metric": metric,
        "unit": UNITS[metric],
        "samples": samples,
        "min": min(samples, default=None),
        "median": float(f"{median(samples):.6g}") if samples else None,
        "ok": cell.ok,
        **more,
    }
    if not cell.ok:
        record["error"] = cell.error
    return record


def _record(measurement, cell, metric):
    if metric == "seconds":
        return record_of(measurement, cell, metric, cell.seconds)
    if cell.system.tuned:
        return None
    if metric == "us":
        return record_of(measurement, cell, metric, cell.us)
    if metric == "peak_mib":
        return record_of(measurement, cell, metric, [] if cell.peak_mib is None else [cell.peak_mib])
    if metric == "over_serial":
        return _over_serial(measurement, cell)
    if metric == "over_plain":
        return _over_plain(measurement, cell)
    if metric == "over_best":
        return _over_best(measurement, cell)
    if metric == "over_uncolored":
        return _over_uncolored(measurement, cell)
    if metric == "ns_per_fork":
        return _ns_per_fork(measurement, cell)
    if metric == "ns_per_recorded_fork":
        return _ns_per_recorded_fork(measurement, cell)
    if metric == "ns_per_iteration":
        iterations = measurement.kernel.size * (measurement.work or 1)
        return record_of(measurement, cell, metric, [sample / iterations * 1e9 for sample in cell.seconds])
    if metric == "ns_per_node":
        nodes = measurement.kernel.size
        return record_of(measurement, cell, metric, [sample / nodes * 1e9 for sample in cell.seconds])
    if metric == "us_per_region":
        regions = measurement.kernel.size
        return record_of(measurement, cell, metric, [sample / regions * 1e6 for sample in cell.seconds])
    if metric in UNITS:  # which only the program knows
        samples = cell.figures.get(metric, [])
        return record_of(measurement, cell, metric, samples) if samples or not cell.ok else None
    raise ValueError(f"no rule says how to get '{metric}' of kernel '{measurement.kernel.name}'")


def _over_serial(measurement, cell):
    serial = serial_of(measurement, cell)
    if serial is cell:
        return None
    params = {} if serial is None else {"serial": serial.system.variant}
    return _ratio(measurement, cell, "over_serial", serial, params)


def _over_plain(measurement, cell):
    """Over what the variant is a variant of: the same system, as many workers."""
    name = measurement.kernel.plain.get(cell.system.variant, "default")
    if cell.system.name == "serial" or cell.system.variant == name:
        return None
    plain = _variant(measurement, cell, name)
    return _ratio(measurement, cell, "over_plain", plain, {"plain": name})


def _over_best(measurement, cell):
    """Over the fastest of the peers with as many workers, several, whichever way a person would have set it."""
    peers = measurement.kernel.peers
    if cell.workers == 1 or cell.system.name in peers:
        return None
    measured = [
        other
        for other in measurement.cells
        if other.system.name in peers and other.workers == cell.workers and other.ok and other.seconds
    ]
    best = min(measured, key=lambda other: median(other.seconds), default=None)
    return _ratio(measurement, cell, "over_best", best, {} if best is None else {"best": best.system.label})


def _over_uncolored(measurement, cell):
    """The speedup over the same program without colors, with as many workers, as 002 has it: above 1 is faster."""
    if cell.system.variant not in COLORINGS:
        return None
    plain = _variant(measurement, cell, "default")
    if plain is None or not cell.ok or not cell.seconds:
        return record_of(measurement, cell, "over_uncolored", []) if not cell.ok else None
    base = median(plain.seconds)
    return record_of(measurement, cell, "over_uncolored", [base / sample for sample in cell.seconds])


def _variant(measurement, cell, name):
    for other in measurement.cells:
        if (other.system.name, other.system.variant, other.workers) == (cell.system.name, name, cell.workers):
            return other if other.ok else None
    return None


def _ratio(measurement, cell, metric, base, params):
    if base is None or not cell.seconds:
        return record_of(measurement, cell, metric, []) if not cell.ok else None
    below = median(base.seconds)
    ratio = median(cell.seconds) / below
    more = {}
    if figures.near_one(ratio):
        more["interval"] = [round(end, 5) for end in figures.ratio_interval(cell.seconds, base.seconds)]
    return record_of(measurement, cell, metric, [sample / below for sample in cell.seconds], params, **more)


def _ns_per_fork(measurement, cell):
    """(T1 - Ts) / forks, so only for one worker."""
    serial = serial_of(measurement, cell)
    if cell.workers != 1 or cell.system.name == "serial" or serial is None or not serial.hello.get("forks"):
        return None
    base, forks = median(serial.seconds), serial.hello["forks"]
    params = {"serial": serial.system.variant, "forks": forks}
    samples = [(sample - base) / forks * 1e9 for sample in cell.seconds]
    return record_of(measurement, cell, "ns_per_fork", samples, params)


def _ns_per_recorded_fork(measurement, cell):
    """(T of recording - T without) / forks, so only for one worker."""
    serial = serial_of(measurement, cell)
    plain = _variant(measurement, cell, "default")
    if cell.workers != 1 or cell.system.variant != "record" or plain is None or serial is None:
        return None
    base, forks = median(plain.seconds), serial.hello["forks"]
    samples = [(sample - base) / forks * 1e9 for sample in cell.seconds]
    return record_of(measurement, cell, "ns_per_recorded_fork", samples, {"forks": forks})


def read(path):
    """What `write` has written there."""
    return json.loads(path.read_text())


def write(path, suite, commit, machine, results):
    """One record a line, so that a person can read the file and diff can compare two."""
    head = {"suite": suite.name, "commit": commit, "machine": machine}
    lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in head.items()]
    body = ",\n".join(json.dumps(record) for record in results)
    path.parent.mkdir(parents=True, exist_ok=True)
    # Beside the old ones, which stay if the disk is full.
    beside = path.with_name(path.name + ".new")
    beside.write_text("{" + ",\n".join(lines) + ',\n"results": [\n' + body + "\n]}\n")
    beside.replace(path)
