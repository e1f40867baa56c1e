// SPDX-License-Identifier: Apache-2.0
use chili::Scope;
use sennit_bench::{Program, pools};

// chili runs its second closure first and offers the other one to thieves.
#[inline(never)]
fn fib(scope: &mut Scope<'_>, n: i64) -> i64 {
    if n < 2 {
        return n;
    }
    let (b, a) = scope.join(|scope| fib(scope, n - 2), |scope| fib(scope, n - 1));
    a + b
}

fn main() {
    let program = Program::new("chili");
    let pool = pools::chili(&program);
    let mut scope = pool.scope();
    program.run(|n| fib(&mut scope, n as i64) as u64);
}
