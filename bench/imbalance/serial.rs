use sennit_bench::{imbalance, loops};

fn main() {
    loops::run_with_serial(imbalance::Kernel::new);
}
