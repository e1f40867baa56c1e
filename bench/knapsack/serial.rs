// SPDX-License-Identifier: Apache-2.0
use sennit_bench::{Program, knapsack, ways};

fn main() {
    knapsack::run_with::<ways::Serial>(&Program::new("none"));
}
