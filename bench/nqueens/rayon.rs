// SPDX-License-Identifier: Apache-2.0
use sennit_bench::{Program, board::Board, pools};

fn solutions(placed: &Board, n: i32) -> u64 {
    if placed.full(n) {
        return 1;
    }
    let column = placed.next(0, n);
    if column == n {
        0
    } else {
        squares_from(placed, column, n)
    }
}

// A valid square, and beside it the rest of its row.
#[inline(never)]
fn squares_from(placed: &Board, column: i32, n: i32) -> u64 {
    let next = placed.next(column + 1, n);
    if next == n {
        return solutions(&placed.with(column), n);
    }
    let (first, rest) = rayon::join(
        || solutions(&placed.with(column), n),
        || squares_from(placed, next, n),
    );
    first + rest
}

fn main() {
    let program = Program::new("rayon");
    let pool = pools::rayon(&program);
    program.run(|n| pool.install(|| solutions(&Board::default(), n as i32)));
}
