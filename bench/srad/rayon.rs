use sennit_bench::{loops, srad};

fn main() {
    loops::run_with_rayon(srad::Kernel::new);
}
