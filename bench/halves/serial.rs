// SPDX-License-Identifier: Apache-2.0
use sennit_bench::{Program, work};

fn main() {
    let mut program = Program::new("none");
    program.forks(program.size());
    let steps = program.work();
    program.run(|times| {
        work::enter_repeatedly(times, |sum| {
            work::work(sum, steps).wrapping_add(work::work(sum.wrapping_add(1), steps))
        })
    });
}
