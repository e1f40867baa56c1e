// SPDX-License-Identifier: Apache-2.0
//! The loop of `kernel.hpp`.

use crate::loops::{LoopKernel, Loops, checksum};
use crate::{Program, fail};

const GRAIN: usize = 250;

#[inline(never)]
fn steps(mut value: u64, count: u64) -> u64 {
    for _ in 0..count {
        value = (value ^ (value >> 1)).wrapping_add(0x9e37_79b9_7f4a_7c15);
    }
    value
}

pub struct Kernel {
    outside: bool,
    steps: u64,
    regions: u64,
    out: Vec<u64>,
}

impl Kernel {
    pub fn new(program: &Program) -> Self {
        let n = match program.input().parse() {
            Ok(n) if n > 0 => n,
            _ => fail("--input", "must be the number of iterations"),
        };
        Kernel { outside: program.is("outside"), steps: program.work(), regions: 0, out: vec![0; n] }
    }

    fn run_loop<L: Loops>(&mut self, at: &mut L::At<'_>) {
        let count = self.steps;
        L::each(at, &mut self.out, GRAIN, &|_, i, out| *out = steps(*out + i as u64, count));
    }
}

impl LoopKernel for Kernel {
    fn prepare(&mut self, regions: u64) {
        self.regions = regions;
        self.out.fill(0);
    }

    fn run<L: Loops>(&mut self, loops: &mut L) {
        if self.outside {
            for _ in 0..self.regions {
                loops.enter(|at| self.run_loop::<L>(at));
            }
        } else {
            loops.enter(|at| {
                for _ in 0..self.regions {
                    self.run_loop::<L>(at);
                }
            });
        }
    }

    fn check(&self) -> u64 {
        checksum(self.out.iter().copied())
    }
}
