// SPDX-License-Identifier: Apache-2.0
use sennit_bench::{Program, board::Board};

#[inline(never)]
fn solutions(placed: &Board, n: i32) -> u64 {
    if placed.full(n) {
        return 1;
    }
    let mut sum = 0;
    let mut column = placed.next(0, n);
    while column < n {
        sum += solutions(&placed.with(column), n);
        column = placed.next(column + 1, n);
    }
    sum
}

// All valid squares of a row but the last are forked.
fn forks(placed: &Board, n: i32) -> u64 {
    let (mut sum, mut squares) = (0, 0u64);
    let mut column = if placed.full(n) { n } else { placed.next(0, n) };
    while column < n {
        sum += forks(&placed.with(column), n);
        squares += 1;
        column = placed.next(column + 1, n);
    }
    sum + squares.saturating_sub(1)
}

fn main() {
    let mut program = Program::new("none");
    program.forks(forks(&Board::default(), program.size() as i32));
    program.run(|n| solutions(&Board::default(), n as i32));
}
