// SPDX-License-Identifier: Apache-2.0
use sennit_bench::{Program, tree};

#[inline(never)]
fn count(node: u64, children: u64) -> u64 {
    let mut nodes = 1;
    for i in 0..children {
        let child = tree::child(node, i);
        nodes += count(child, tree::children(child));
    }
    nodes
}

// All children but the last are forked.
fn forks(node: u64, children: u64) -> u64 {
    let mut sum = children.saturating_sub(1);
    for i in 0..children {
        let child = tree::child(node, i);
        sum += forks(child, tree::children(child));
    }
    sum
}

fn main() {
    let mut program = Program::new("none");
    program.forks(forks(tree::root(), program.size()));
    program.run(|children| count(tree::root(), children));
}
