use sennit_bench::{arrays, loops};

fn main() {
    loops::run_with_serial(arrays::Kernel::new);
}
