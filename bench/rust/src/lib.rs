// SPDX-License-Identifier: Apache-2.0
//! The protocol every Rust benchmark program speaks; `common/program.hpp` is its twin. README.md, "Protocol".

use std::hint::black_box;
use std::io::{BufRead, Write};
use std::time::Instant;

pub mod loops;
pub mod pools;
pub mod ways;

#[path = "../../uts/tree.rs"]
pub mod tree;

#[path = "../../nqueens/board.rs"]
pub mod board;

#[path = "../../halves/work.rs"]
pub mod work;

#[path = "../../steal-latency/latency.rs"]
pub mod latency;

#[path = "../../daxpy/kernel.rs"]
pub mod daxpy;

#[path = "../../mandelbrot/kernel.rs"]
pub mod mandelbrot;

#[path = "../../spmv/matrix.rs"]
pub mod matrix;

#[path = "../../spmv/kernel.rs"]
pub mod spmv;

#[path = "../../region/kernel.rs"]
pub mod region;

#[path = "../../nqueens-loop/kernel.rs"]
pub mod nqueens_loop;

#[path = "../../kmeans/kernel.rs"]
pub mod kmeans;

#[path = "../../srad/kernel.rs"]
pub mod srad;

#[path = "../../floyd-warshall/kernel.rs"]
pub mod floyd_warshall;

#[path = "../../imbalance/kernel.rs"]
pub mod imbalance;

#[path = "../../arrays/kernel.rs"]
pub mod arrays;

#[path = "../../knapsack/items.rs"]
pub mod knapsack;

#[path = "../../mergesort/runs.rs"]
pub mod mergesort;

pub struct Program {
    runtime: String,
    variant: String,
    input: String,
    workers: usize,
    size: u64,
    work: u64,
    warm_up: u64,
    samples: u64,
    forks: u64,
    lockstep: bool,
}

impl Program {
    /// `crate_name` names the runtime; its version is the one that Cargo.lock fixes.
    pub fn new(crate_name: &str) -> Self {
        let mut program = Program {
            runtime: versioned(crate_name),
            variant: "default".into(),
            input: String::new(),
            workers: 1,
            size: 0,
            work: 1,
            warm_up: 0,
            samples: 1,
            forks: 0,
            lockstep: false,
        };
        let mut arguments = std::env::args().skip(1);
        while let Some(flag) = arguments.next() {
            if flag == "--lockstep" {
                program.lockstep = true;
                continue;
            }
            let value = arguments.next().unwrap_or_else(|| fail(&flag, "is unknown or lacks its value"));
            let number = || value.parse::<u64>().unwrap_or_else(|_| fail(&flag, "needs a whole number"));
            match flag.as_str() {
                "--workers" => program.workers = number() as usize,
                "--samples" => program.samples = number(),
                "--size" => program.size = number(),
                "--warm-up" => program.warm_up = number(),
                "--work" => program.work = number(),
                "--input" => program.input = value.clone(),
                "--variant" => program.variant = value.clone(),
                _ => fail(&flag, "is unknown"),
            }
        }
        if program.workers == 0 {
            fail("--workers", "must be at least 1");
        }
        if program.size == 0 {
            fail("--size", "is needed and must be at least 1");
        }
        program
    }

    pub fn workers(&self) -> usize {
        self.workers
    }

    pub fn size(&self) -> u64 {
        self.size
    }

    /// How much to do at each of the `size` places, for kernels in which that is a choice.
    pub fn work(&self) -> u64 {
        self.work
    }

    /// Which of the inputs that a program knows, for one that serves several kernels.
    pub fn input(&self) -> &str {
        &self.input
    }

    pub fn is(&self, variant: &str) -> bool {
        self.variant == variant
    }

    /// The forks that every system makes in one sample; only the serial program of a kernel says it.
    pub fn forks(&mut self, count: u64) {
        self.forks = count;
    }

    /// `kernel(size)` does the whole work once and returns the value to check.
    pub fn run(&self, mut kernel: impl FnMut(u64) -> u64) {
        self.run_measuring(|size, _| kernel(size));
    }

    /// `kernel(size, us)` also appends measurements of its own, in microseconds.
    pub fn run_measuring(&self, kernel: impl FnMut(u64, &mut Vec<f64>) -> u64) {
        self.serve(Whole { kernel, size: 0, result: 0 });
    }

    /// Runs a kernel of which only `run` is timed.
    pub fn run_prepared(&self, kernel: impl PreparedKernel) {
        self.serve(Quiet(kernel));
    }

    fn serve(&self, mut kernel: impl Steps) {
        let mut us = Vec::new();
        kernel.prepare(black_box(if self.warm_up != 0 { self.warm_up } else { self.size }));
        kernel.run(&mut us); // pages, pools and threads exist from here on
        let mut out = std::io::stdout().lock();
        let forks = self.forks;
        say(
            &mut out,
            &format!("{{\"runtime\": \"{}\", \"compiler\": \"rustc\", \"forks\": {forks}}}", self.runtime),
        );
        let mut sample = 0;
        while self.proceed(sample) {
            us.clear();
            kernel.prepare(black_box(self.size));
            let start = Instant::now();
            kernel.run(&mut us);
            let seconds = start.elapsed().as_secs_f64();
            let check = kernel.check();
            let mut line = format!("{{\"seconds\": {seconds:.9}, \"check\": {check}");
            if !us.is_empty() {
                let values: Vec<String> = us.iter().map(|value| format!("{value:.3}")).collect();
                line += &format!(", \"us\": [{}]", values.join(", "));
            }
            say(&mut out, &(line + "}"));
            sample += 1;
        }
        say(&mut out, &format!("{{\"peak_mib\": {:.3}}}", peak_mib()));
    }

    fn proceed(&self, sample: u64) -> bool {
        if !self.lockstep {
            return sample < self.samples;
        }
        let mut word = String::new();
        std::io::stdin().lock().read_line(&mut word).is_ok() && word.trim_end() == "go"
    }
}

/// A kernel of which only `run` is timed: `prepare` makes its input anew, `check` looks at what came out.
pub trait PreparedKernel {
    fn prepare(&mut self, size: u64);
    fn run(&mut self);
    fn check(&self) -> u64;
}

trait Steps {
    fn prepare(&mut self, size: u64);
    fn run(&mut self, us: &mut Vec<f64>);
    fn check(&self) -> u64;
}

struct Whole<F> {
    kernel: F,
    size: u64,
    result: u64,
}

impl<F: FnMut(u64, &mut Vec<f64>) -> u64> Steps for Whole<F> {
    fn prepare(&mut self, size: u64) {
        self.size = size;
    }

    fn run(&mut self, us: &mut Vec<f64>) {
        self.result = black_box((self.kernel)(self.size, us));
    }

    fn check(&self) -> u64 {
        self.result
    }
}

struct Quiet<K>(K);

impl<K: PreparedKernel> Steps for Quiet<K> {
    fn prepare(&mut self, size: u64) {
        self.0.prepare(size);
    }

    fn run(&mut self, _: &mut Vec<f64>) {
        self.0.run();
    }

    fn check(&self) -> u64 {
        self.0.check()
    }
}

fn say(out: &mut impl Write, line: &str) {
    writeln!(out, "{line}").and_then(|()| out.flush()).expect("the driver closed the pipe");
}

fn peak_mib() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    line.split_whitespace().next().and_then(|kib| kib.parse::<f64>().ok()).unwrap_or(0.0) / 1024.0
}

fn versioned(crate_name: &str) -> String {
    let entry = format!("name = \"{crate_name}\"\nversion = \"");
    match include_str!("../Cargo.lock").split_once(&entry) {
        Some((_, rest)) => format!("{crate_name} {}", rest.split('"').next().unwrap_or_default()),
        None => crate_name.into(),
    }
}

/// Ends the program with a message about a flag that it cannot use.
pub fn fail(flag: &str, what: &str) -> ! {
    eprintln!(
        "{flag} {what}; use --workers N --size S [--work W] [--input I] [--warm-up S] [--samples K | --lockstep] \
         [--variant V]"
    );
    std::process::exit(2);
}
