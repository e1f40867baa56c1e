// SPDX-License-Identifier: Apache-2.0
use sennit_bench::{Program, pools};

#[inline(never)]
fn fib(n: i64) -> i64 {
    if n < 2 {
        return n;
    }
    let (a, b) = rayon::join(|| fib(n - 1), || fib(n - 2));
    a + b
}

fn main() {
    let program = Program::new("rayon");
    let pool = pools::rayon(&program);
    program.run(|n| pool.install(|| fib(n as i64)) as u64);
}
