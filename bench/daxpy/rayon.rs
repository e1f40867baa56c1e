use sennit_bench::{daxpy, loops};

fn main() {
    loops::run_with_rayon(daxpy::Kernel::new);
}
