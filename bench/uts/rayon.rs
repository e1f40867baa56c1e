// SPDX-License-Identifier: Apache-2.0
use sennit_bench::{Program, pools, tree};

fn count(node: u64, children: u64) -> u64 {
    if children == 0 {
        1
    } else {
        1 + children_from(node, 0, children)
    }
}

// A child, and beside it the rest of its siblings.
#[inline(never)]
fn children_from(node: u64, i: u64, children: u64) -> u64 {
    let child = tree::child(node, i);
    if i + 1 == children {
        return count(child, tree::children(child));
    }
    let (first, rest) = rayon::join(
        || count(child, tree::children(child)),
        || children_from(node, i + 1, children),
    );
    first + rest
}

fn main() {
    let program = Program::new("rayon");
    let pool = pools::rayon(&program);
    program.run(|children| pool.install(|| count(tree::root(), children)));
}
