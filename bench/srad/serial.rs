// SPDX-License-Identifier: Apache-2.0
use sennit_bench::{loops, srad};

fn main() {
    loops::run_with_serial(srad::Kernel::new);
}
