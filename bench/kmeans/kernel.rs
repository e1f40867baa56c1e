// SPDX-License-Identifier: Apache-2.0
//! The rounds of `kernel.hpp`.

use crate::Program;
use crate::loops::{LoopKernel, Loops, RandomNumbers, checksum};

const GRAIN: usize = 256;
const DIMENSIONS: usize = 16;
const CLUSTERS: usize = 8;

type Point = [f64; DIMENSIONS];
type Centers = [[f64; CLUSTERS]; DIMENSIONS];

#[derive(Clone)]
struct Sums {
    total: [Point; CLUSTERS],
    count: [u64; CLUSTERS],
}

impl Sums {
    const ZERO: Sums = Sums { total: [[0.0; DIMENSIONS]; CLUSTERS], count: [0; CLUSTERS] };

    fn add(&mut self, point: &Point, cluster: usize) {
        for (total, coordinate) in self.total[cluster].iter_mut().zip(point) {
            *total += coordinate;
        }
        self.count[cluster] += 1;
    }

    fn add_all(&mut self, other: &Sums) {
        for c in 0..CLUSTERS {
            for d in 0..DIMENSIONS {
                self.total[c][d] += other.total[c][d];
            }
            self.count[c] += other.count[c];
        }
    }
}

fn nearest(point: &Point, centers: &Centers) -> usize {
    let mut distance = [0.0; CLUSTERS];
    for d in 0..DIMENSIONS {
        for c in 0..CLUSTERS {
            let difference = point[d] - centers[d][c];
            distance[c] += difference * difference;
        }
    }
    let mut best = 0;
    for c in 1..CLUSTERS {
        if distance[c] < distance[best] {
            best = c;
        }
    }
    best
}

pub struct Kernel {
    rounds: u64,
    points: Vec<Point>,
    centers: Centers,
}

impl Kernel {
    pub fn new(program: &Program) -> Self {
        Kernel { rounds: program.work(), points: Vec::new(), centers: [[0.0; CLUSTERS]; DIMENSIONS] }
    }
}

impl LoopKernel for Kernel {
    fn prepare(&mut self, n: u64) {
        if self.points.len() != n as usize {
            let mut random = RandomNumbers::new(3);
            self.points = (0..n).map(|_| std::array::from_fn(|_| random.below(256) as f64)).collect();
        }
        for d in 0..DIMENSIONS {
            for c in 0..CLUSTERS {
                self.centers[d][c] = self.points[c][d];
            }
        }
    }

    fn run<L: Loops>(&mut self, loops: &mut L) {
        loops.enter(|at| {
            for _ in 0..self.rounds {
                let (points, centers) = (&self.points, &self.centers);
                let add = |_: &mut L::At<'_>, view: &mut Sums, i: usize| {
                    view.add(&points[i], nearest(&points[i], centers));
                };
                let found = L::fold(at, points.len(), GRAIN, &Sums::ZERO, &add, &Sums::add_all);
                for c in 0..CLUSTERS {
                    for d in 0..DIMENSIONS {
                        self.centers[d][c] = found.total[c][d] / found.count[c] as f64;
                    }
                }
            }
        });
    }

    fn check(&self) -> u64 {
        checksum(self.centers.iter().flatten().map(|coordinate| coordinate.to_bits()))
    }
}
