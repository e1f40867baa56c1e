// SPDX-License-Identifier: Apache-2.0
use sennit_bench::{loops, region};

fn main() {
    loops::run_with_chili(region::Kernel::new);
}
