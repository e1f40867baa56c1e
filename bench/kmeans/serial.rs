// SPDX-License-Identifier: Apache-2.0
use sennit_bench::{kmeans, loops};

fn main() {
    loops::run_with_serial(kmeans::Kernel::new);
}
