use sennit_bench::{imbalance, loops};

fn main() {
    loops::run_with_chili(imbalance::Kernel::new);
}
