// SPDX-License-Identifier: Apache-2.0
use chili::Scope;
use sennit_bench::{Program, pools, tree};

fn count(scope: &mut Scope<'_>, node: u64, children: u64) -> u64 {
    if children == 0 {
        1
    } else {
        1 + children_from(scope, node, 0, children)
    }
}

// A child, and beside it, offered to thieves, the rest of its siblings.
#[inline(never)]
fn children_from(scope: &mut Scope<'_>, node: u64, i: u64, children: u64) -> u64 {
    let child = tree::child(node, i);
    if i + 1 == children {
        return count(scope, child, tree::children(child));
    }
    let (rest, first) = scope.join(
        |scope| children_from(scope, node, i + 1, children),
        |scope| count(scope, child, tree::children(child)),
    );
    first + rest
}

fn main() {
    let program = Program::new("chili");
    let pool = pools::chili(&program);
    let mut scope = pool.scope();
    program.run(|children| count(&mut scope, tree::root(), children));
}
