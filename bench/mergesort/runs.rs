// SPDX-License-Identifier: Apache-2.0
//! The sort of `runs.hpp`.

use crate::loops::{RandomNumbers, checksum};
use crate::ways::Way;
use crate::{PreparedKernel, Program, fail};

const SMALL: usize = 32;

/// The longer run is cut in the middle, the other one where the middle number belongs.
#[inline(never)]
fn merge<W: Way>(left: &[u64], right: &[u64], out: &mut [u64]) {
    if out.len() <= SMALL {
        return merge_few(left, right, out);
    }
    let mut i = left.len() / 2;
    let mut j = right.len() / 2;
    if left.len() >= right.len() {
        j = right.partition_point(|number| *number < left[i]);
    } else {
        i = left.partition_point(|number| *number <= right[j]);
    }
    let (left_low, left_high) = left.split_at(i);
    let (right_low, right_high) = right.split_at(j);
    let (out_low, out_high) = out.split_at_mut(i + j);
    W::both(
        move || merge::<W>(left_low, right_low, out_low),
        move || merge::<W>(left_high, right_high, out_high),
    );
}

fn merge_few(left: &[u64], right: &[u64], out: &mut [u64]) {
    let (mut i, mut j) = (0, 0);
    while i < left.len() && j < right.len() {
        if right[j] < left[i] {
            out[i + j] = right[j];
            j += 1;
        } else {
            out[i + j] = left[i];
            i += 1;
        }
    }
    if i < left.len() {
        out[i + j..].copy_from_slice(&left[i..]);
    } else {
        out[i + j..].copy_from_slice(&right[j..]);
    }
}

/// Sorts `all`, in place or into `other`; what is left in the one not asked for is of no use.
#[inline(never)]
fn sort<W: Way>(all: &mut [u64], other: &mut [u64], in_place: bool) {
    if all.len() <= SMALL {
        for i in 1..all.len() {
            let moved = all[i];
            let mut to = i;
            while to > 0 && all[to - 1] > moved {
                all[to] = all[to - 1];
                to -= 1;
            }
            all[to] = moved;
        }
        if !in_place {
            other.copy_from_slice(all);
        }
        return;
    }
    let middle = all.len() / 2;
    let (low, high) = all.split_at_mut(middle);
    let (other_low, other_high) = other.split_at_mut(middle);
    W::both(move || sort::<W>(low, other_low, !in_place), move || sort::<W>(high, other_high, !in_place));
    let (from, to) = if in_place { (other, all) } else { (all, other) };
    merge::<W>(&from[..middle], &from[middle..], to);
}

struct Kernel<W> {
    way: W,
    exponential: bool,
    all: Vec<u64>,
    other: Vec<u64>,
}

impl<W: Way + Sync> PreparedKernel for Kernel<W> {
    fn prepare(&mut self, n: u64) {
        let exponential = self.exponential;
        let mut random = RandomNumbers::new(1);
        self.other.resize(n as usize, 0);
        self.all.clear();
        self.all.extend((0..n).map(|_| {
            let bits = random.next_number() >> 12;
            if exponential { (-1e6 * ((bits as f64 + 1.0) * 2f64.powi(-52)).ln()) as u64 } else { bits }
        }));
    }

    fn run(&mut self) {
        let (all, other) = (&mut self.all, &mut self.other);
        self.way.enter(|| sort::<W>(all, other, true));
    }

    fn check(&self) -> u64 {
        checksum(self.all.iter().copied())
    }
}

pub fn run_with<W: Way + Sync>(program: &Program) {
    let exponential = program.input() == "exponential";
    if !exponential && program.input() != "uniform" {
        fail("--input", "must be uniform or exponential");
    }
    program.run_prepared(Kernel { way: W::new(program), exponential, all: Vec::new(), other: Vec::new() });
}
