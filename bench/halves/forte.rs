// SPDX-License-Identifier: Apache-2.0
use forte::Worker;
use sennit_bench::{Program, pools, work};

fn halves(worker: &Worker, sum: u64, steps: u64) -> u64 {
    let (b, a) = worker.join(
        |_| work::work(sum.wrapping_add(1), steps),
        |_| work::work(sum, steps),
    );
    a.wrapping_add(b)
}

fn main() {
    let program = Program::new("forte");
    let pool = pools::forte(&program);
    let steps = program.work();
    if program.is("inside") {
        pool.with_worker(|worker| {
            program.run(|times| work::enter_repeatedly(times, |sum| halves(worker, sum, steps)))
        });
    } else {
        program.run(|times| {
            work::enter_repeatedly(times, |sum| {
                pool.with_worker(|worker| halves(worker, sum, steps))
            })
        });
    }
}
