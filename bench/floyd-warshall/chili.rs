// SPDX-License-Identifier: Apache-2.0
use sennit_bench::{floyd_warshall, loops};

fn main() {
    loops::run_with_chili(floyd_warshall::Kernel::new);
}
