// SPDX-License-Identifier: Apache-2.0
use chili::Scope;
use sennit_bench::{Program, pools, work};

fn halves(scope: &mut Scope<'_>, sum: u64, steps: u64) -> u64 {
    let (b, a) = scope.join(
        |_| work::work(sum.wrapping_add(1), steps),
        |_| work::work(sum, steps),
    );
    a.wrapping_add(b)
}

fn main() {
    let program = Program::new("chili");
    let pool = pools::chili(&program);
    let steps = program.work();
    if program.is("inside") {
        let mut scope = pool.scope();
        program.run(|times| work::enter_repeatedly(times, |sum| halves(&mut scope, sum, steps)));
    } else {
        program.run(|times| {
            work::enter_repeatedly(times, |sum| halves(&mut pool.scope(), sum, steps))
        });
    }
}
