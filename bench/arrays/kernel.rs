// SPDX-License-Identifier: Apache-2.0
//! The loops of `kernel.hpp`.

use crate::loops::{LoopKernel, Loops, checksum};
use crate::{Program, fail};
use std::hint::black_box;

const GRAIN: usize = 2048; // for those that need one

pub struct Kernel {
    times: u64,
    reduces: bool,
    numbers: Vec<u64>,
    sum: u64,
}

impl Kernel {
    pub fn new(program: &Program) -> Self {
        let reduces = program.input() == "plus-reduce";
        if !reduces && program.input() != "incr" {
            fail("--input", "must be incr or plus-reduce");
        }
        Kernel { times: program.work(), reduces, numbers: Vec::new(), sum: 0 }
    }
}

impl LoopKernel for Kernel {
    fn prepare(&mut self, n: u64) {
        self.numbers.clear();
        self.numbers.extend((0..n).map(|i| i % 1000));
        self.sum = 0;
    }

    fn run<L: Loops>(&mut self, loops: &mut L) {
        let (times, reduces, numbers) = (self.times, self.reduces, &mut self.numbers);
        self.sum = loops.enter(|at| {
            let mut sum = 0;
            for _ in 0..times {
                // So that nothing is known of the numbers from one time to the next.
                let all = black_box(&mut numbers[..]);
                if reduces {
                    sum += L::total(at, all, GRAIN);
                } else {
                    L::each(at, all, GRAIN, &|_, _, number| *number += 1);
                }
            }
            sum
        });
    }

    fn check(&self) -> u64 {
        if self.reduces { self.sum } else { checksum(self.numbers.iter().copied()) }
    }
}
