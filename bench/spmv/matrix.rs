// SPDX-License-Identifier: Apache-2.0
//! The matrices of `matrix.hpp`.

use crate::fail;
use crate::loops::RandomNumbers;

#[derive(Default)]
pub struct Matrix {
    pub start: Vec<usize>,
    pub column: Vec<u32>,
    pub value: Vec<f64>,
}

impl Matrix {
    pub fn called(name: &str, n: u64) -> Self {
        match name {
            "random" => random(n),
            "powerlaw" => powerlaw(n),
            "arrowhead" => arrowhead(n),
            _ => fail("--input", "must be random, powerlaw or arrowhead"),
        }
    }
}

fn of_lengths(lengths: &[u64], mut random: RandomNumbers) -> Matrix {
    let n = lengths.len() as u64;
    let entries: u64 = lengths.iter().sum();
    let mut m = Matrix {
        start: vec![0],
        column: Vec::with_capacity(entries as usize),
        value: Vec::with_capacity(entries as usize),
    };
    for (row, &length) in (0..).zip(lengths) {
        for k in 0..length {
            let (from, to) = (k * n / length, (k + 1) * n / length);
            m.column.push((from + random.below(to - from)) as u32);
            m.value.push((1 + (row + k) % 4) as f64);
        }
        m.start.push(m.column.len());
    }
    m
}

fn random(n: u64) -> Matrix {
    let mut random = RandomNumbers::new(1);
    let lengths: Vec<u64> = (0..n).map(|_| 1 + random.below(n.min(100))).collect();
    of_lengths(&lengths, random)
}

fn powerlaw(n: u64) -> Matrix {
    let last = n as f64;
    let sum = |s: f64| (last.powf(1.0 - s) - 1.0) / (1.0 - s) + (1.0 + last.powf(-s)) / 2.0 + s / 12.0;
    let (mut low, mut high) = (0.01, 0.99);
    for _ in 0..40 {
        let middle = (low + high) / 2.0;
        if sum(middle) > 25.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    let mut lengths: Vec<u64> =
        (0..n).map(|r| 1 + (0.8 * last / ((r + 1) as f64).powf(low)) as u64).collect();
    let mut random = RandomNumbers::new(2);
    for r in (2..n).rev() {
        lengths.swap(r as usize, 1 + random.below(r) as usize);
    }
    of_lengths(&lengths, random)
}

fn arrowhead(n: u64) -> Matrix {
    let mut m = Matrix { start: vec![0], ..Matrix::default() };
    for row in 0..n {
        let mut entry = |column: u64| {
            m.column.push(column as u32);
            m.value.push((1 + (row + column) % 4) as f64);
        };
        if row == 0 {
            (0..n).for_each(entry);
        } else {
            entry(0);
            entry(row);
        }
        m.start.push(m.column.len());
    }
    m
}
