// SPDX-License-Identifier: Apache-2.0
//! The tree of `tree.hpp`.

pub const FANOUT: u64 = 8;

#[inline]
pub fn child(parent: u64, index: u64) -> u64 {
    let mut z = parent.wrapping_add((index + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

pub fn root() -> u64 {
    child(200u64.wrapping_sub(0x9e37_79b9_7f4a_7c15), 0)
}

#[inline]
pub fn inner(node: u64) -> bool {
    node < 2_303_537_166_204_480_258
}

#[inline]
pub fn children(node: u64) -> u64 {
    if inner(node) { FANOUT } else { 0 }
}
