// SPDX-License-Identifier: Apache-2.0
use sennit_bench::{Program, latency, pools};

fn main() {
    let program = Program::new("rayon");
    let pool = pools::rayon(&program);
    program.run_measuring(|rounds, us| {
        pool.install(|| {
            latency::measure(rounds, us, |round| {
                rayon::join(|| round.wait(), || round.start());
            })
        })
    });
}
