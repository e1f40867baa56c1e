// SPDX-License-Identifier: Apache-2.0
use forte::Worker;
use sennit_bench::{Program, pools, tree};

fn count(worker: &Worker, node: u64, children: u64) -> u64 {
    if children == 0 {
        1
    } else {
        1 + children_from(worker, node, 0, children)
    }
}

// A child, and beside it, offered to the pool, the rest of its siblings.
#[inline(never)]
fn children_from(worker: &Worker, node: u64, i: u64, children: u64) -> u64 {
    let child = tree::child(node, i);
    if i + 1 == children {
        return count(worker, child, tree::children(child));
    }
    let (rest, first) = worker.join(
        |worker| children_from(worker, node, i + 1, children),
        |worker| count(worker, child, tree::children(child)),
    );
    first + rest
}

fn main() {
    let program = Program::new("forte");
    let pool = pools::forte(&program);
    pool.with_worker(|worker| program.run(|children| count(worker, tree::root(), children)));
}
