use sennit_bench::{loops, region};

fn main() {
    loops::run_with_serial(region::Kernel::new);
}
