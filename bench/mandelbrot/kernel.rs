// SPDX-License-Identifier: Apache-2.0
//! The picture of `kernel.hpp`.

use crate::Program;
use crate::loops::{LoopKernel, Loops, checksum};

const GRAIN: usize = 64; // pixels; of rows, 1
const LIMIT: u32 = 200;

fn steps(x: f64, y: f64) -> u32 {
    let (mut u, mut v, mut step) = (0.0, 0.0, 0);
    while step < LIMIT && u * u + v * v <= 4.0 {
        let next = u * u - v * v + x;
        v = 2.0 * u * v + y;
        u = next;
        step += 1;
    }
    step
}

pub struct Kernel {
    side: usize,
    steps: Vec<u32>,
}

impl Kernel {
    pub fn new(_: &Program) -> Self {
        Kernel { side: 0, steps: Vec::new() }
    }
}

impl LoopKernel for Kernel {
    fn prepare(&mut self, side: u64) {
        self.side = side as usize;
        self.steps.clear();
        self.steps.resize(self.side * self.side, 0);
    }

    fn run<L: Loops>(&mut self, loops: &mut L) {
        let pixel = 3.0 / self.side as f64;
        loops.enter(|at| {
            L::rows(at, &mut self.steps, self.side, 1, &|at, i, row| {
                L::each(at, row, GRAIN, &|_, j, out| {
                    *out = steps(-2.0 + pixel * j as f64, -1.5 + pixel * i as f64);
                });
            });
        });
    }

    fn check(&self) -> u64 {
        checksum(self.steps.iter().map(|&steps| u64::from(steps)))
    }
}
