use sennit_bench::{loops, spmv};

fn main() {
    loops::run_with_serial(spmv::Kernel::new);
}
