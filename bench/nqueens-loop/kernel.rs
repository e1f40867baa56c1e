// SPDX-License-Identifier: Apache-2.0
//! The search of `kernel.hpp`.

use crate::Program;
use crate::board::Board;
use crate::loops::{LoopKernel, Loops};

const GRAIN: usize = 1;

#[inline(never)]
fn solutions<L: Loops>(at: &mut L::At<'_>, placed: &Board, n: i32) -> u64 {
    if placed.full(n) {
        return 1;
    }
    let add = |at: &mut L::At<'_>, sum: &mut u64, column: usize| {
        let candidate = column as i32;
        if placed.admits(candidate) {
            *sum += solutions::<L>(at, &placed.with(candidate), n);
        }
    };
    L::fold(at, n as usize, GRAIN, &0, &add, &|sum, other| *sum += other)
}

pub struct Kernel {
    n: i32,
    found: u64,
}

impl Kernel {
    pub fn new(_: &Program) -> Self {
        Kernel { n: 0, found: 0 }
    }
}

impl LoopKernel for Kernel {
    fn prepare(&mut self, n: u64) {
        self.n = n as i32;
    }

    fn run<L: Loops>(&mut self, loops: &mut L) {
        self.found = loops.enter(|at| solutions::<L>(at, &Board::default(), self.n));
    }

    fn check(&self) -> u64 {
        self.found
    }
}
