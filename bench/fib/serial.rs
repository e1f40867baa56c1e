// SPDX-License-Identifier: Apache-2.0
use sennit_bench::Program;

#[inline(never)]
fn fib(n: i64) -> i64 {
    if n < 2 {
        return n;
    }
    let a = fib(n - 1);
    let b = fib(n - 2);
    a + b
}

fn main() {
    let mut program = Program::new("none");
    program.forks(fib(program.size() as i64 + 1) as u64 - 1);
    program.run(|n| fib(n as i64) as u64);
}
