# SPDX-License-Identifier: Apache-2.0
"""Random C programs, each compiled as it stands and as splicec translates it, on many inputs: the results have to be the same.

run.py --programs N --inputs N [--first SEED] --splicec COMMAND --compare COMMAND --c COMPILER --cxx COMPILER --include FOLDER...
With --check COMMAND --copies HEADER, also under the effect checker, with fewer inputs.
A program that is found is kept in the working directory, with its translation.
"""

import argparse
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE))

from program import Program  # noqa: E402

# The part of what sennit_check_effects() says that both compilers know.
CHECKED = ("-fsanitize=thread", "-g", "-fno-optimize-sibling-calls", "-fno-tree-vectorize", "-DSENNIT_CHECK_EFFECTS=1")
CHECKED_INPUTS = 100
TIMEOUT = 300  # one program that takes longer hangs


class Failure(Exception):
    pass


def command(*words):
    try:
        done = subprocess.run([str(w) for w in words], capture_output=True, text=True, timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        raise Failure(f"{Path(words[0]).name} takes longer than {TIMEOUT} s") from None
    if done.returncode != 0:
        raise Failure(f"{Path(words[0]).name} ended with {done.returncode}\n{(done.stdout + done.stderr)[-3000:]}")
    return done.stdout


def one(options, seed, folder):
    """What the comparison says of one program."""
    files = [folder / f"{prefix}_{seed}.c" for prefix in ("plain", "spliced")]
    for file in files:
        file.write_text(Program(seed, file.name.partition("_")[0]).text())
    plain, program = files
    made = program.with_suffix(".cpp")
    files += [made, plain.with_suffix(".o"), program.with_suffix(".so")]
    command(options.splicec, program, "-o", made)
    command(options.c, "-std=gnu17", "-O1", "-w", "-fPIC", "-c", plain, "-o", files[3])
    includes = [f"-I{folder}" for folder in options.include]
    quickly = ["-std=c++20", "-O1", "-w", "-fPIC", "-shared"]
    command(options.cxx, *quickly, *includes, "-include", HERE / "noted.hpp", made, files[3], "-o", files[4])
    said = command(options.compare, files[4], 0, options.inputs)
    if options.check:
        files.append(program.with_suffix(".o"))
        checked = [*quickly[:4], *CHECKED, "-include", options.copies, *includes, "-include", HERE / "noted.hpp"]
        command(options.cxx, *checked, "-c", made, "-o", files[5])
        command(options.cxx, "-shared", files[5], files[3], "-o", files[4])
        command(options.check, files[4], 0, min(options.inputs, CHECKED_INPUTS))
    for file in files:
        file.unlink()
    return said.splitlines()[-1]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", type=int, required=True)
    parser.add_argument("--inputs", type=int, required=True)
    parser.add_argument("--first", type=int, default=1)
    for name in ("--splicec", "--compare", "--c", "--cxx"):
        parser.add_argument(name, required=True)
    parser.add_argument("--check", help="what compares under the effect checker")
    parser.add_argument("--copies", help="the header that makes copies visible to the checker")
    parser.add_argument("--include", nargs="*", default=[])
    options = parser.parse_args()
    folder = Path(f"random_{options.first}").resolve()
    folder.mkdir(exist_ok=True)
    failed = 0
    for seed in range(options.first, options.first + options.programs):
        try:
            print(f"{seed}: {one(options, seed, folder)}", flush=True)
        except Failure as error:
            failed += 1
            print(f"{seed}: {error}\nkept as {folder / f'spliced_{seed}.c'}", flush=True)
    print(f"{options.programs} programs on {options.inputs} inputs each: {failed} wrong")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
