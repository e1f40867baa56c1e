// SPDX-License-Identifier: Apache-2.0
use forte::Worker;
use sennit_bench::{Program, pools};

// forte runs its second closure first and offers the other one to the pool.
#[inline(never)]
fn fib(worker: &Worker, n: i64) -> i64 {
    if n < 2 {
        return n;
    }
    let (b, a) = worker.join(|worker| fib(worker, n - 2), |worker| fib(worker, n - 1));
    a + b
}

fn main() {
    let program = Program::new("forte");
    let pool = pools::forte(&program);
    pool.with_worker(|worker| program.run(|n| fib(worker, n as i64) as u64));
}
