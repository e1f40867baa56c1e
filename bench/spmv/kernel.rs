// SPDX-License-Identifier: Apache-2.0
//! The products of `kernel.hpp`.

use crate::Program;
use crate::loops::{LoopKernel, Loops, checksum};
use crate::matrix::Matrix;

const ROW_GRAIN: usize = 64;
const ENTRY_GRAIN: usize = 1024;

pub struct Kernel {
    input: String,
    nested: bool,
    times: u64,
    matrix: Matrix,
    x: Vec<f64>,
    y: Vec<f64>,
}

impl Kernel {
    pub fn new(program: &Program) -> Self {
        Kernel {
            input: program.input().into(),
            nested: program.is("nested"),
            times: program.work(),
            matrix: Matrix::default(),
            x: Vec::new(),
            y: Vec::new(),
        }
    }

    fn multiply<L: Loops>(&mut self, at: &mut L::At<'_>) {
        let (matrix, x) = (&self.matrix, &self.x);
        let term = |entry: usize| matrix.value[entry] * x[matrix.column[entry] as usize];
        if self.nested {
            L::each(at, &mut self.y, ROW_GRAIN, &|at, row, y| {
                let first = matrix.start[row];
                let length = matrix.start[row + 1] - first;
                let add = |_: &mut L::At<'_>, sum: &mut f64, k| *sum += term(first + k);
                *y = L::fold(at, length, ENTRY_GRAIN, &0.0, &add, &|sum, other| *sum += other);
            });
        } else {
            L::each(at, &mut self.y, ROW_GRAIN, &|_, row, y| {
                let entries = matrix.start[row]..matrix.start[row + 1];
                let values = matrix.value[entries.clone()].iter().zip(&matrix.column[entries]);
                *y = values.map(|(value, &column)| value * x[column as usize]).sum();
            });
        }
    }
}

impl LoopKernel for Kernel {
    fn prepare(&mut self, n: u64) {
        if self.y.len() != n as usize {
            self.matrix = Matrix::called(&self.input, n);
            self.x = (0..n).map(|i| (i % 8) as f64).collect();
        }
        self.y = vec![0.0; n as usize];
    }

    fn run<L: Loops>(&mut self, loops: &mut L) {
        loops.enter(|at| {
            for _ in 0..self.times {
                self.multiply::<L>(at);
            }
        });
    }

    fn check(&self) -> u64 {
        checksum(self.y.iter().map(|&y| y as u64))
    }
}
