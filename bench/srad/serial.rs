use sennit_bench::{loops, srad};

fn main() {
    loops::run_with_serial(srad::Kernel::new);
}
