use sennit_bench::{imbalance, loops};

fn main() {
    loops::run_with_rayon(imbalance::Kernel::new);
}
