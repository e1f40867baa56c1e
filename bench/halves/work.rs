// SPDX-License-Identifier: Apache-2.0
//! The work of `work.hpp`.

#[inline(never)]
pub fn work(mut value: u64, steps: u64) -> u64 {
    for _ in 0..steps {
        value ^= value >> 31;
        value = value.wrapping_mul(0xd6e8_feb8_6659_fd93);
    }
    value
}

/// `region(sum)` runs both halves, in parallel if it can, and gives their sum.
pub fn enter_repeatedly(times: u64, mut region: impl FnMut(u64) -> u64) -> u64 {
    (0..times).fold(1, |sum, _| region(sum))
}
