// SPDX-License-Identifier: Apache-2.0
//! The loops of `kernel.hpp`.

use crate::Program;
use crate::loops::{LoopKernel, Loops, checksum};

const GRAIN: usize = 2048;

pub struct Kernel {
    times: u64,
    x: Vec<f64>,
    y: Vec<f64>,
}

impl Kernel {
    pub fn new(program: &Program) -> Self {
        Kernel { times: program.work(), x: Vec::new(), y: Vec::new() }
    }
}

impl LoopKernel for Kernel {
    fn prepare(&mut self, n: u64) {
        self.x.resize(n as usize, 0.0);
        self.y.resize(n as usize, 0.0);
        for i in 0..n as usize {
            self.x[i] = (i % 7) as f64;
            self.y[i] = (i % 5) as f64;
        }
    }

    fn run<L: Loops>(&mut self, loops: &mut L) {
        loops.enter(|at| {
            for _ in 0..self.times {
                L::pairs(at, &mut self.y, &self.x, GRAIN, &|y, x| *y += 3.0 * x);
            }
        });
    }

    fn check(&self) -> u64 {
        checksum(self.y.iter().map(|&y| y as u64))
    }
}
