"""Random C programs, each compiled as it stands and translated by splicec, on many inputs: the results have to be the same.

run.py --programs N --inputs N [--first SEED] --splicec COMMAND --c COMPILER --cxx COMPILER --flags='FLAG...' --libraries='FLAG...'
A program that is found is kept in the working directory, as FIRST_SEED.c, with its translation.
"""

import argparse
import shlex
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE))

from program import Program  # noqa: E402

SPLICE = "sennit::splice(sennit::splicec::together("
TIMEOUT = 600  # of the inputs of one program: it hangs


class Failure(Exception):
    pass


def command(*words, timeout=TIMEOUT):
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, timeout=timeout)
    if done.returncode != 0:
        raise Failure(f"{Path(words[0]).name} ended with {done.returncode}\n{(done.stdout + done.stderr)[-3000:]}")
    return done.stdout


def one(options, seed, folder):
    """What the comparison says of one program."""
    for prefix in ("plain", "spliced"):
        (folder / f"{prefix}_{seed}.c").write_text(Program(seed, prefix).text())
    program, made = folder / f"spliced_{seed}.c", folder / f"spliced_{seed}.cpp"
    plain = folder / f"plain_{seed}.c"
    command(options.splicec, program, "-o", made)
    text = made.read_text()
    if SPLICE not in text:
        raise Failure("the translation has no splice of the form that this test knows")
    made.write_text('#include "noted.hpp"\n' + text.replace(SPLICE, SPLICE.replace("sennit", "noted", 1)))
    objects = [folder / f"plain_{seed}.o", folder / f"spliced_{seed}.o"]
    command(options.c, "-std=gnu17", "-O1", "-w", "-c", plain, "-o", objects[0])
    command(options.cxx, "-std=c++20", "-O1", "-w", f"-I{HERE}", *options.flags, "-c", made, "-o", objects[1])
    binary = folder / f"compare_{seed}"
    command(options.cxx, folder / "compare.o", *objects, "-o", binary, *options.libraries)
    said = command(binary, 0, options.inputs)
    for file in (program, made, plain, binary, *objects):
        file.unlink()
    return said.splitlines()[-1]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", type=int, required=True)
    parser.add_argument("--inputs", type=int, required=True)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--splicec", required=True)
    parser.add_argument("--c", required=True)
    parser.add_argument("--cxx", required=True)
    parser.add_argument("--flags", type=shlex.split, default=[])
    parser.add_argument("--libraries", type=shlex.split, default=[])
    options = parser.parse_args()
    folder = Path(f"random_{options.first}")
    folder.mkdir(exist_ok=True)
    command(options.cxx, "-std=c++20", "-O1", *options.flags, "-c", HERE / "compare.cpp", "-o", folder / "compare.o")
    failed = 0
    for seed in range(options.first, options.first + options.programs):
        try:
            print(f"{seed}: {one(options, seed, folder)}", flush=True)
        except (Failure, subprocess.TimeoutExpired) as error:
            failed += 1
            print(f"{seed}: WRONG, kept as {folder / f'spliced_{seed}.c'}: {error}", flush=True)
    print(f"{options.programs} programs on {options.inputs} inputs each: {failed} wrong")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
