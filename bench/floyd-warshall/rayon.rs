use sennit_bench::{floyd_warshall, loops};

fn main() {
    loops::run_with_rayon(floyd_warshall::Kernel::new);
}
