// SPDX-License-Identifier: Apache-2.0
use sennit_bench::{daxpy, loops};

fn main() {
    loops::run_with_chili(daxpy::Kernel::new);
}
