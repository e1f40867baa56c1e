// SPDX-License-Identifier: Apache-2.0
use sennit_bench::{Program, pools, work};

fn halves(sum: u64, steps: u64) -> u64 {
    let (a, b) = rayon::join(
        || work::work(sum, steps),
        || work::work(sum.wrapping_add(1), steps),
    );
    a.wrapping_add(b)
}

fn main() {
    let program = Program::new("rayon");
    let pool = pools::rayon(&program);
    let steps = program.work();
    if program.is("inside") {
        program
            .run(|times| pool.install(|| work::enter_repeatedly(times, |sum| halves(sum, steps))));
    } else {
        program
            .run(|times| work::enter_repeatedly(times, |sum| pool.install(|| halves(sum, steps))));
    }
}
