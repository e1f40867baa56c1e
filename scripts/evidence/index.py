# SPDX-License-Identifier: Apache-2.0
"""The words at the head of docs/evidence/README.md."""

WORDS = """# Evidence
For each table and figure of the [five papers](../glossary.md) that the library is made of: what the paper shows, and what the library
shows. *Measured* is on a machine with two CPUs. *Counted* is on a described machine of several nodes, whose workers share these
two CPUs: who ran what, not how long it took. *Simulated* is on machines that nobody here has; the runtime's policies make the
decisions there. The paper's number and ours stand side by side where both are numbers.

*agrees*: all numbers are within 25% of each other, or the words say the same. *partly*: some are, or they point the same way.
*differs*: the page says why. *open*: not known yet, or measured on a busy machine only.

| command | what it does |
| --- | --- |
| `make evidence` | pages and pictures from the kept numbers in `data/`; the same bytes each time |
| `make evidence MEASURE=1` | measures first, about an hour; `QUICK=1`: smaller sizes, less than ten minutes. A run that was cut off goes on where it was |
| `make evidence SIMULATE=1` | simulates first |
| `make evidence MEASURE=1 ONLY=004/fib` | only this measurement, or with `SIMULATE=1` this simulation, or with `ONLY=004` one paper |

A measurement is of a busy machine where others had more than 3% of the processors, or where the samples of serial runs are more than
8% over the least of them in the middle. Its page says so, of its samples the least stands for the median, and nobody compares it with
the paper's number. `make evidence MEASURE=1` on a machine at rest replaces it. The sentences on what was measured are made of the numbers.

""".splitlines()

VALIDATION = ["[Simulated against measured](validation.md): every kernel of the gallery on one worker and on two.", ""]
