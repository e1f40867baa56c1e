use sennit_bench::{floyd_warshall, loops};

fn main() {
    loops::run_with_chili(floyd_warshall::Kernel::new);
}
