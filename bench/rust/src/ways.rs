// SPDX-License-Identifier: Apache-2.0
//! Forks for kernels that are written once for all systems; `common/*_way.hpp` are its twins.

use crate::{Program, pools};

pub trait Way {
    fn new(program: &Program) -> Self;

    /// `f` where the system's workers are at hand.
    fn enter<R: Send>(&self, f: impl FnOnce() -> R + Send) -> R;

    /// Both, at once if it likes.
    fn both(f: impl FnOnce() + Send, g: impl FnOnce() + Send);
}

/// Plain calls: what the ratios are relative to.
pub struct Serial;

impl Way for Serial {
    fn new(_: &Program) -> Self {
        Serial
    }

    fn enter<R: Send>(&self, f: impl FnOnce() -> R + Send) -> R {
        f()
    }

    fn both(f: impl FnOnce() + Send, g: impl FnOnce() + Send) {
        f();
        g();
    }
}

pub struct Rayon(rayon::ThreadPool);

impl Way for Rayon {
    fn new(program: &Program) -> Self {
        Rayon(pools::rayon(program))
    }

    fn enter<R: Send>(&self, f: impl FnOnce() -> R + Send) -> R {
        self.0.install(f)
    }

    fn both(f: impl FnOnce() + Send, g: impl FnOnce() + Send) {
        rayon::join(f, g);
    }
}
