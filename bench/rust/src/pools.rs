// SPDX-License-Identifier: Apache-2.0
//! The pools, each of exactly the asked number of workers, with stacks that take the deepest kernel.

use crate::Program;
use std::num::NonZero;

const STACK_BYTES: usize = 256 << 20;

pub fn rayon(program: &Program) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new()
        .num_threads(program.workers())
        .stack_size(STACK_BYTES)
        .build()
        .expect("rayon's pool")
}

/// The calling thread is one of the workers.
pub fn chili(program: &Program) -> chili::ThreadPool {
    deepen_stacks();
    chili::ThreadPool::with_config(chili::Config {
        thread_count: NonZero::new(program.workers()),
        ..chili::Config::default()
    })
}

/// The calling thread is one of the workers.
pub fn forte(program: &Program) -> &'static forte::ThreadPool {
    static POOL: forte::ThreadPool = forte::ThreadPool::new();
    deepen_stacks();
    POOL.resize_to(program.workers() - 1);
    &POOL
}

/// chili and forte start threads with std's default stack, and offer only this way to change it.
fn deepen_stacks() {
    // SAFETY: no other thread exists yet.
    unsafe { std::env::set_var("RUST_MIN_STACK", STACK_BYTES.to_string()) };
}
