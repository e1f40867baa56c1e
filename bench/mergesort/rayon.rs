// SPDX-License-Identifier: Apache-2.0
use sennit_bench::{Program, mergesort, ways};

fn main() {
    mergesort::run_with::<ways::Rayon>(&Program::new("rayon"));
}
