// SPDX-License-Identifier: Apache-2.0
use chili::Scope;
use sennit_bench::{Program, board::Board, pools};

fn solutions(scope: &mut Scope<'_>, placed: &Board, n: i32) -> u64 {
    if placed.full(n) {
        return 1;
    }
    let column = placed.next(0, n);
    if column == n {
        0
    } else {
        squares_from(scope, placed, column, n)
    }
}

// A valid square, and beside it, offered to thieves, the rest of its row.
#[inline(never)]
fn squares_from(scope: &mut Scope<'_>, placed: &Board, column: i32, n: i32) -> u64 {
    let next = placed.next(column + 1, n);
    if next == n {
        return solutions(scope, &placed.with(column), n);
    }
    let (rest, first) = scope.join(
        |scope| squares_from(scope, placed, next, n),
        |scope| solutions(scope, &placed.with(column), n),
    );
    first + rest
}

fn main() {
    let program = Program::new("chili");
    let pool = pools::chili(&program);
    let mut scope = pool.scope();
    program.run(|n| solutions(&mut scope, &Board::default(), n as i32));
}
