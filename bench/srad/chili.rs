use sennit_bench::{loops, srad};

fn main() {
    loops::run_with_chili(srad::Kernel::new);
}
