// SPDX-License-Identifier: Apache-2.0
use sennit_bench::{Program, latency, pools};

// chili shares a fork only when a join after a heartbeat runs, so the waiting branch goes on joining.
fn main() {
    let program = Program::new("chili");
    let pool = pools::chili(&program);
    let mut scope = pool.scope();
    program.run_measuring(|rounds, us| {
        latency::measure(rounds, us, |round| {
            scope.join(
                |_| round.start(),
                |scope| {
                    round.wait_polling(|| {
                        scope.join(|_| (), |_| ());
                    });
                },
            );
        })
    });
}
