use sennit_bench::{loops, region};

fn main() {
    loops::run_with_rayon(region::Kernel::new);
}
