use sennit_bench::{loops, mandelbrot};

fn main() {
    loops::run_with_rayon(mandelbrot::Kernel::new);
}
