// SPDX-License-Identifier: Apache-2.0
//! The board of `board.hpp`.

pub const WIDEST: usize = 16;

#[derive(Clone, Copy, Default)]
pub struct Board {
    column: [i8; WIDEST],
    rows: i8,
}

impl Board {
    pub fn full(&self, n: i32) -> bool {
        i32::from(self.rows) == n
    }

    pub fn admits(&self, candidate: i32) -> bool {
        let rows = i32::from(self.rows);
        self.column[..rows as usize].iter().zip(0..).all(|(&column, row)| {
            let column = i32::from(column);
            let distance = rows - row;
            column != candidate && column != candidate - distance && column != candidate + distance
        })
    }

    /// The first column from `from` that the next row's queen may take, or n.
    pub fn next(&self, mut from: i32, n: i32) -> i32 {
        while from < n && !self.admits(from) {
            from += 1;
        }
        from
    }

    pub fn with(&self, candidate: i32) -> Board {
        let mut copy = *self;
        copy.column[copy.rows as usize] = candidate as i8;
        copy.rows += 1;
        copy
    }
}
