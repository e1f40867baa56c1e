use sennit_bench::{Program, mergesort, ways};

fn main() {
    mergesort::run_with::<ways::Serial>(&Program::new("none"));
}
