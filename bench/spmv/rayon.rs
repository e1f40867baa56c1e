use sennit_bench::{loops, spmv};

fn main() {
    loops::run_with_rayon(spmv::Kernel::new);
}
