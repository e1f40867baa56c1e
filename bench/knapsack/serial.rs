use sennit_bench::{Program, knapsack, ways};

fn main() {
    knapsack::run_with::<ways::Serial>(&Program::new("none"));
}
