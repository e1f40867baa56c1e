// SPDX-License-Identifier: Apache-2.0
use sennit_bench::{loops, mandelbrot};

fn main() {
    loops::run_with_serial(mandelbrot::Kernel::new);
}
