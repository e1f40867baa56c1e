// SPDX-License-Identifier: Apache-2.0
use sennit_bench::{Program, latency, pools};

// forte shares a fork only when a join after a heartbeat runs, so the waiting branch goes on joining.
fn main() {
    let program = Program::new("forte");
    let pool = pools::forte(&program);
    pool.with_worker(|worker| {
        program.run_measuring(|rounds, us| {
            latency::measure(rounds, us, |round| {
                worker.join(
                    |_| round.start(),
                    |worker| {
                        round.wait_polling(|| {
                            worker.join(|_| (), |_| ());
                        });
                    },
                );
            })
        });
    });
}
