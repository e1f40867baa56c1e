// SPDX-License-Identifier: Apache-2.0
//! The iterations of `kernel.hpp`.

use crate::loops::{LoopKernel, Loops, checksum};
use crate::work::work;
use crate::{Program, fail};

const GRAIN: usize = 1;
const FACTOR: u64 = 10_000;

pub struct Kernel {
    place: String,
    steps: u64,
    heavy: usize,
    out: Vec<u64>,
}

impl Kernel {
    pub fn new(program: &Program) -> Self {
        Kernel { place: program.input().into(), steps: program.work(), heavy: 0, out: Vec::new() }
    }
}

impl LoopKernel for Kernel {
    fn prepare(&mut self, n: u64) {
        self.out = vec![0; n as usize];
        self.heavy = match self.place.as_str() {
            "front" => 0,
            "middle" => n as usize / 2,
            "end" => n as usize - 1,
            _ => fail("--input", "must be front, middle or end"),
        };
    }

    fn run<L: Loops>(&mut self, loops: &mut L) {
        let (heavy, steps) = (self.heavy, self.steps);
        loops.enter(|at| {
            L::each(at, &mut self.out, GRAIN, &|_, i, out| {
                *out = work(i as u64 + 1, if i == heavy { FACTOR * steps } else { steps });
            });
        });
    }

    fn check(&self) -> u64 {
        checksum(self.out.iter().copied())
    }
}
