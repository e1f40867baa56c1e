// SPDX-License-Identifier: Apache-2.0
use sennit_bench::{loops, nqueens_loop};

fn main() {
    loops::run_with_rayon(nqueens_loop::Kernel::new);
}
