// SPDX-License-Identifier: Apache-2.0
use sennit_bench::{loops, spmv};

fn main() {
    loops::run_with_serial(spmv::Kernel::new);
}
