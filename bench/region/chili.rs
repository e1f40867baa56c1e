use sennit_bench::{loops, region};

fn main() {
    loops::run_with_chili(region::Kernel::new);
}
