// SPDX-License-Identifier: Apache-2.0
use sennit_bench::{imbalance, loops};

fn main() {
    loops::run_with_chili(imbalance::Kernel::new);
}
