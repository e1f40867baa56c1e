// SPDX-License-Identifier: Apache-2.0
//! The paths of `kernel.hpp`.

use crate::Program;
use crate::loops::{LoopKernel, Loops, RandomNumbers, checksum};

const GRAIN: usize = 16;

#[inline(never)]
fn shorten(row: &mut [i32], from_k: &[i32], to_k: i32) {
    for (distance, from_k) in row.iter_mut().zip(from_k) {
        *distance = (*distance).min(to_k + from_k);
    }
}

pub struct Kernel {
    n: usize,
    distance: Vec<i32>,
}

impl Kernel {
    pub fn new(_: &Program) -> Self {
        Kernel { n: 0, distance: Vec::new() }
    }
}

impl LoopKernel for Kernel {
    fn prepare(&mut self, n: u64) {
        self.n = n as usize;
        let mut random = RandomNumbers::new(5);
        self.distance = (0..n * n).map(|_| 1 + random.below(1000) as i32).collect();
        for i in 0..self.n {
            self.distance[i * self.n + i] = 0;
        }
    }

    fn run<L: Loops>(&mut self, loops: &mut L) {
        let n = self.n;
        loops.enter(|at| {
            let mut from_k = vec![0; n];
            for k in 0..n {
                from_k.copy_from_slice(&self.distance[k * n..(k + 1) * n]);
                L::rows(at, &mut self.distance, n, GRAIN, &|_, _, row| {
                    shorten(row, &from_k, row[k]);
                });
            }
        });
    }

    fn check(&self) -> u64 {
        checksum(self.distance.iter().map(|&distance| distance as u64))
    }
}
