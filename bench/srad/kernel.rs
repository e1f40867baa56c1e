// SPDX-License-Identifier: Apache-2.0
//! The rounds of `kernel.hpp`.

use crate::Program;
use crate::loops::{LoopKernel, Loops, RandomNumbers, checksum};

const GRAIN: usize = 8;
const LAMBDA: f64 = 0.5;
const UNIT: f64 = (1 << 20) as f64;

#[derive(Clone, Default)]
struct Moments {
    sum: i64,
    squares: i64,
}

struct Neighbors {
    north: f64,
    south: f64,
    west: f64,
    east: f64,
}

struct Rows<'a> {
    above: &'a [f64],
    here: &'a [f64],
    below: &'a [f64],
}

impl<'a> Rows<'a> {
    fn new(picture: &'a [f64], side: usize, row: usize) -> Self {
        let of = |row: usize| &picture[row * side..(row + 1) * side];
        Rows { above: of(row.saturating_sub(1)), here: of(row), below: of((row + 1).min(side - 1)) }
    }

    fn around(&self, j: usize, side: usize) -> Neighbors {
        let pixel = self.here[j];
        Neighbors {
            north: self.above[j] - pixel,
            south: self.below[j] - pixel,
            west: self.here[j.saturating_sub(1)] - pixel,
            east: self.here[if j + 1 == side { j } else { j + 1 }] - pixel,
        }
    }
}

fn diffusion(d: &Neighbors, pixel: f64, q0: f64) -> f64 {
    let gradient =
        (d.north * d.north + d.south * d.south + d.west * d.west + d.east * d.east) / (pixel * pixel);
    let laplacian = (d.north + d.south + d.west + d.east) / pixel;
    let numerator = 0.5 * gradient - 1.0 / 16.0 * (laplacian * laplacian);
    let denominator = 1.0 + 0.25 * laplacian;
    let q = numerator / (denominator * denominator);
    let coefficient = 1.0 / (1.0 + (q - q0) / (q0 * (1.0 + q0)));
    if coefficient < 0.0 {
        0.0
    } else if coefficient > 1.0 {
        1.0
    } else {
        coefficient
    }
}

pub struct Kernel {
    rounds: u64,
    side: usize,
    picture: Vec<f64>,
    coefficient: Vec<f64>,
    next: Vec<f64>,
}

impl Kernel {
    pub fn new(program: &Program) -> Self {
        Kernel {
            rounds: program.work(),
            side: 0,
            picture: Vec::new(),
            coefficient: Vec::new(),
            next: Vec::new(),
        }
    }

    fn speckle<L: Loops>(&self, at: &mut L::At<'_>) -> f64 {
        let add = |_: &mut L::At<'_>, view: &mut Moments, row: usize| {
            for pixel in &self.picture[row * self.side..(row + 1) * self.side] {
                view.sum += (pixel * UNIT) as i64;
                view.squares += (pixel * pixel * UNIT) as i64;
            }
        };
        let merge = |view: &mut Moments, other: &Moments| {
            view.sum += other.sum;
            view.squares += other.squares;
        };
        let all = L::fold(at, self.side, GRAIN, &Moments::default(), &add, &merge);
        let pixels = (self.side * self.side) as f64;
        let mean = all.sum as f64 / UNIT / pixels;
        let variance = all.squares as f64 / UNIT / pixels - mean * mean;
        variance / (mean * mean)
    }

    fn find_coefficients<L: Loops>(&mut self, at: &mut L::At<'_>, q0: f64) {
        let (side, picture) = (self.side, &self.picture);
        L::rows(at, &mut self.coefficient, side, GRAIN, &|_, i, out| {
            let pixels = Rows::new(picture, side, i);
            for (j, out) in out.iter_mut().enumerate() {
                *out = diffusion(&pixels.around(j, side), pixels.here[j], q0);
            }
        });
    }

    fn diffuse<L: Loops>(&mut self, at: &mut L::At<'_>) {
        let (side, picture, coefficient) = (self.side, &self.picture, &self.coefficient);
        L::rows(at, &mut self.next, side, GRAIN, &|_, i, out| {
            let (pixels, c) = (Rows::new(picture, side, i), Rows::new(coefficient, side, i));
            for (j, out) in out.iter_mut().enumerate() {
                let d = pixels.around(j, side);
                let divergence = c.here[j] * d.north
                    + c.below[j] * d.south
                    + c.here[j] * d.west
                    + c.here[if j + 1 == side { j } else { j + 1 }] * d.east;
                *out = pixels.here[j] + 0.25 * LAMBDA * divergence;
            }
        });
    }
}

impl LoopKernel for Kernel {
    fn prepare(&mut self, side: u64) {
        self.side = side as usize;
        let mut random = RandomNumbers::new(4);
        self.picture = (0..side * side).map(|_| (1 + random.below(255)) as f64 / 256.0).collect();
        self.coefficient.resize(self.picture.len(), 0.0);
        self.next.resize(self.picture.len(), 0.0);
    }

    fn run<L: Loops>(&mut self, loops: &mut L) {
        loops.enter(|at| {
            for _ in 0..self.rounds {
                let q0 = self.speckle::<L>(at);
                self.find_coefficients::<L>(at, q0);
                self.diffuse::<L>(at);
                std::mem::swap(&mut self.picture, &mut self.next);
            }
        });
    }

    fn check(&self) -> u64 {
        checksum(self.picture.iter().map(|pixel| pixel.to_bits()))
    }
}
