// SPDX-License-Identifier: Apache-2.0
use sennit_bench::{arrays, loops};

fn main() {
    loops::run_with_rayon(arrays::Kernel::new);
}
