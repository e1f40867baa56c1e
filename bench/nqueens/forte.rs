// SPDX-License-Identifier: Apache-2.0
use forte::Worker;
use sennit_bench::{Program, board::Board, pools};

fn solutions(worker: &Worker, placed: &Board, n: i32) -> u64 {
    if placed.full(n) {
        return 1;
    }
    let column = placed.next(0, n);
    if column == n {
        0
    } else {
        squares_from(worker, placed, column, n)
    }
}

// A valid square, and beside it, offered to the pool, the rest of its row.
#[inline(never)]
fn squares_from(worker: &Worker, placed: &Board, column: i32, n: i32) -> u64 {
    let next = placed.next(column + 1, n);
    if next == n {
        return solutions(worker, &placed.with(column), n);
    }
    let (rest, first) = worker.join(
        |worker| squares_from(worker, placed, next, n),
        |worker| solutions(worker, &placed.with(column), n),
    );
    first + rest
}

fn main() {
    let program = Program::new("forte");
    let pool = pools::forte(&program);
    pool.with_worker(|worker| program.run(|n| solutions(worker, &Board::default(), n as i32)));
}
