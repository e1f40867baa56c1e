// SPDX-License-Identifier: Apache-2.0
//! What the kernels of the suite 'loops' are written in: each is written once, and every system runs it in
//! its own way. `common/loops.hpp` is its twin.

use crate::{PreparedKernel, Program, pools};
use rayon::prelude::*;

/// The loops of one system. `grain` is for those that need one set by hand; the others ignore it.
pub trait Loops {
    /// What code within `enter` holds, and hands on to loops within loops.
    type At<'a>;

    fn new(program: &Program) -> Self;

    /// `f` where the system's workers are at hand.
    fn enter<R: Send>(&mut self, f: impl FnOnce(&mut Self::At<'_>) -> R + Send) -> R;

    /// `body` for each element and its index.
    fn each<T: Send>(
        at: &mut Self::At<'_>,
        data: &mut [T],
        grain: usize,
        body: &(impl Fn(&mut Self::At<'_>, usize, &mut T) + Sync),
    );

    /// `body` for each pair of elements.
    fn pairs<T: Send, U: Sync>(
        at: &mut Self::At<'_>,
        data: &mut [T],
        other: &[U],
        grain: usize,
        body: &(impl Fn(&mut T, &U) + Sync),
    );

    /// `body` for each row of `width` elements and its index.
    fn rows<T: Send>(
        at: &mut Self::At<'_>,
        data: &mut [T],
        width: usize,
        grain: usize,
        body: &(impl Fn(&mut Self::At<'_>, usize, &mut [T]) + Sync),
    );

    /// `add(at, view, i)` for all i < n, in views that begin as `zero`.
    fn fold<T: Clone + Send + Sync>(
        at: &mut Self::At<'_>,
        n: usize,
        grain: usize,
        zero: &T,
        add: &(impl Fn(&mut Self::At<'_>, &mut T, usize) + Sync),
        merge: &(impl Fn(&mut T, &T) + Sync),
    ) -> T;

    /// The sum of all numbers.
    fn total(at: &mut Self::At<'_>, data: &[u64], grain: usize) -> u64;
}

/// Plain loops: what the ratios are relative to.
pub struct Serial;

impl Loops for Serial {
    type At<'a> = ();

    fn new(_: &Program) -> Self {
        Serial
    }

    fn enter<R: Send>(&mut self, f: impl FnOnce(&mut ()) -> R + Send) -> R {
        f(&mut ())
    }

    fn each<T: Send>(at: &mut (), data: &mut [T], _: usize, body: &(impl Fn(&mut (), usize, &mut T) + Sync)) {
        for (i, element) in data.iter_mut().enumerate() {
            body(at, i, element);
        }
    }

    fn pairs<T: Send, U: Sync>(
        _: &mut (),
        data: &mut [T],
        other: &[U],
        _: usize,
        body: &(impl Fn(&mut T, &U) + Sync),
    ) {
        for (element, partner) in data.iter_mut().zip(other) {
            body(element, partner);
        }
    }

    fn rows<T: Send>(
        at: &mut (),
        data: &mut [T],
        width: usize,
        _: usize,
        body: &(impl Fn(&mut (), usize, &mut [T]) + Sync),
    ) {
        for (i, row) in data.chunks_mut(width).enumerate() {
            body(at, i, row);
        }
    }

    fn fold<T: Clone + Send + Sync>(
        at: &mut (),
        n: usize,
        _: usize,
        zero: &T,
        add: &(impl Fn(&mut (), &mut T, usize) + Sync),
        _: &(impl Fn(&mut T, &T) + Sync),
    ) -> T {
        let mut result = zero.clone();
        for i in 0..n {
            add(at, &mut result, i);
        }
        result
    }

    fn total(_: &mut (), data: &[u64], _: usize) -> u64 {
        data.iter().sum()
    }
}

/// Parallel iterators, which split where they are stolen from; `FINEST`: down to single iterations at once.
pub struct Rayon<const FINEST: bool>(rayon::ThreadPool);

impl<const FINEST: bool> Rayon<FINEST> {
    const LONGEST: usize = if FINEST { 1 } else { usize::MAX };
}

impl<const FINEST: bool> Loops for Rayon<FINEST> {
    type At<'a> = ();

    fn new(program: &Program) -> Self {
        Rayon(pools::rayon(program))
    }

    fn enter<R: Send>(&mut self, f: impl FnOnce(&mut ()) -> R + Send) -> R {
        self.0.install(|| f(&mut ()))
    }

    fn each<T: Send>(_: &mut (), data: &mut [T], _: usize, body: &(impl Fn(&mut (), usize, &mut T) + Sync)) {
        data.par_iter_mut()
            .enumerate()
            .with_max_len(Self::LONGEST)
            .for_each(|(i, element)| body(&mut (), i, element));
    }

    fn pairs<T: Send, U: Sync>(
        _: &mut (),
        data: &mut [T],
        other: &[U],
        _: usize,
        body: &(impl Fn(&mut T, &U) + Sync),
    ) {
        data.par_iter_mut()
            .zip(other)
            .with_max_len(Self::LONGEST)
            .for_each(|(element, partner)| body(element, partner));
    }

    fn rows<T: Send>(
        _: &mut (),
        data: &mut [T],
        width: usize,
        _: usize,
        body: &(impl Fn(&mut (), usize, &mut [T]) + Sync),
    ) {
        data.par_chunks_mut(width)
            .enumerate()
            .with_max_len(Self::LONGEST)
            .for_each(|(i, row)| body(&mut (), i, row));
    }

    fn fold<T: Clone + Send + Sync>(
        _: &mut (),
        n: usize,
        _: usize,
        zero: &T,
        add: &(impl Fn(&mut (), &mut T, usize) + Sync),
        merge: &(impl Fn(&mut T, &T) + Sync),
    ) -> T {
        (0..n)
            .into_par_iter()
            .with_max_len(Self::LONGEST)
            .fold(
                || zero.clone(),
                |mut view, i| {
                    add(&mut (), &mut view, i);
                    view
                },
            )
            .reduce(
                || zero.clone(),
                |mut view, other| {
                    merge(&mut view, &other);
                    view
                },
            )
    }

    fn total(_: &mut (), data: &[u64], _: usize) -> u64 {
        data.par_iter().with_max_len(Self::LONGEST).sum()
    }
}

/// chili has no loops: halves and `join` down to the kernel's grain; `FINEST`: down to single iterations.
pub struct Chili<const FINEST: bool>(chili::ThreadPool);

impl<const FINEST: bool> Chili<FINEST> {
    fn leaf(n: usize, grain: usize) -> bool {
        n <= if FINEST { 1 } else { grain }
    }

    /// `leaf(at, from, part)` for parts of `data` of whole rows of `width` elements; `from` counts rows.
    fn halves<T: Send>(
        scope: &mut chili::Scope<'_>,
        data: &mut [T],
        width: usize,
        grain: usize,
        from: usize,
        leaf: &(impl Fn(&mut chili::Scope<'_>, usize, &mut [T]) + Sync),
    ) {
        let n = data.len() / width;
        if Self::leaf(n, grain) {
            leaf(scope, from, data);
            return;
        }
        let middle = n / 2;
        let (left, right) = data.split_at_mut(middle * width);
        // chili runs its second closure first and offers the other one to thieves.
        scope.join(
            |scope| Self::halves(scope, right, width, grain, from + middle, leaf),
            |scope| Self::halves(scope, left, width, grain, from, leaf),
        );
    }

    fn pair_halves<T: Send, U: Sync>(
        scope: &mut chili::Scope<'_>,
        data: &mut [T],
        other: &[U],
        grain: usize,
        body: &(impl Fn(&mut T, &U) + Sync),
    ) {
        if Self::leaf(data.len(), grain) {
            for (element, partner) in data.iter_mut().zip(other) {
                body(element, partner);
            }
            return;
        }
        let middle = data.len() / 2;
        let (left, right) = data.split_at_mut(middle);
        let (other_left, other_right) = other.split_at(middle);
        scope.join(
            |scope| Self::pair_halves(scope, right, other_right, grain, body),
            |scope| Self::pair_halves(scope, left, other_left, grain, body),
        );
    }

    fn fold_halves<T: Clone + Send + Sync>(
        scope: &mut chili::Scope<'_>,
        range: std::ops::Range<usize>,
        grain: usize,
        zero: &T,
        add: &(impl Fn(&mut chili::Scope<'_>, &mut T, usize) + Sync),
        merge: &(impl Fn(&mut T, &T) + Sync),
    ) -> T {
        if Self::leaf(range.len(), grain) {
            let mut view = zero.clone();
            for i in range {
                add(scope, &mut view, i);
            }
            return view;
        }
        let middle = range.start + range.len() / 2;
        let (right, mut left) = scope.join(
            |scope| Self::fold_halves(scope, middle..range.end, grain, zero, add, merge),
            |scope| Self::fold_halves(scope, range.start..middle, grain, zero, add, merge),
        );
        merge(&mut left, &right);
        left
    }
}

impl<const FINEST: bool> Loops for Chili<FINEST> {
    type At<'a> = chili::Scope<'a>;

    fn new(program: &Program) -> Self {
        Chili(pools::chili(program))
    }

    fn enter<R: Send>(&mut self, f: impl FnOnce(&mut chili::Scope<'_>) -> R + Send) -> R {
        f(&mut self.0.scope())
    }

    fn each<T: Send>(
        scope: &mut chili::Scope<'_>,
        data: &mut [T],
        grain: usize,
        body: &(impl Fn(&mut chili::Scope<'_>, usize, &mut T) + Sync),
    ) {
        Self::halves(scope, data, 1, grain, 0, &|scope, from, part| {
            for (i, element) in part.iter_mut().enumerate() {
                body(scope, from + i, element);
            }
        });
    }

    fn pairs<T: Send, U: Sync>(
        scope: &mut chili::Scope<'_>,
        data: &mut [T],
        other: &[U],
        grain: usize,
        body: &(impl Fn(&mut T, &U) + Sync),
    ) {
        Self::pair_halves(scope, data, other, grain, body);
    }

    fn rows<T: Send>(
        scope: &mut chili::Scope<'_>,
        data: &mut [T],
        width: usize,
        grain: usize,
        body: &(impl Fn(&mut chili::Scope<'_>, usize, &mut [T]) + Sync),
    ) {
        Self::halves(scope, data, width, grain, 0, &|scope, from, part| {
            for (i, row) in part.chunks_mut(width).enumerate() {
                body(scope, from + i, row);
            }
        });
    }

    fn fold<T: Clone + Send + Sync>(
        scope: &mut chili::Scope<'_>,
        n: usize,
        grain: usize,
        zero: &T,
        add: &(impl Fn(&mut chili::Scope<'_>, &mut T, usize) + Sync),
        merge: &(impl Fn(&mut T, &T) + Sync),
    ) -> T {
        Self::fold_halves(scope, 0..n, grain, zero, add, merge)
    }

    fn total(scope: &mut chili::Scope<'_>, data: &[u64], grain: usize) -> u64 {
        if Self::leaf(data.len(), grain) {
            return data.iter().sum();
        }
        let (left, right) = data.split_at(data.len() / 2);
        let (right, left) =
            scope.join(|scope| Self::total(scope, right, grain), |scope| Self::total(scope, left, grain));
        left + right
    }
}

/// A kernel of the suite; only `run` is timed.
pub trait LoopKernel {
    fn prepare(&mut self, size: u64);
    fn run<L: Loops>(&mut self, loops: &mut L);
    fn check(&self) -> u64;
}

struct With<L, K> {
    loops: L,
    kernel: K,
}

impl<L: Loops, K: LoopKernel> PreparedKernel for With<L, K> {
    fn prepare(&mut self, size: u64) {
        self.kernel.prepare(size);
    }

    fn run(&mut self) {
        self.kernel.run(&mut self.loops);
    }

    fn check(&self) -> u64 {
        self.kernel.check()
    }
}

pub fn run_with_serial<K: LoopKernel>(kernel: impl FnOnce(&Program) -> K) {
    let program = Program::new("none");
    run::<Serial>(&program, kernel(&program));
}

pub fn run_with_rayon<K: LoopKernel>(kernel: impl FnOnce(&Program) -> K) {
    let program = Program::new("rayon");
    let kernel = kernel(&program);
    if program.is("chunk1") {
        run::<Rayon<true>>(&program, kernel);
    } else {
        run::<Rayon<false>>(&program, kernel);
    }
}

pub fn run_with_chili<K: LoopKernel>(kernel: impl FnOnce(&Program) -> K) {
    let program = Program::new("chili");
    let kernel = kernel(&program);
    if program.is("chunk1") {
        run::<Chili<true>>(&program, kernel);
    } else {
        run::<Chili<false>>(&program, kernel);
    }
}

fn run<L: Loops>(program: &Program, kernel: impl LoopKernel) {
    program.run_prepared(With { loops: L::new(program), kernel });
}

/// Numbers that are the same in every language: splitmix64.
pub struct RandomNumbers(u64);

impl RandomNumbers {
    pub fn new(seed: u64) -> Self {
        RandomNumbers(seed)
    }

    pub fn next_number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut value = self.0;
        value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        value ^ (value >> 31)
    }

    /// One of 0, ..., bound - 1.
    pub fn below(&mut self, bound: u64) -> u64 {
        (self.next_number() >> 32).wrapping_mul(bound) >> 32
    }
}

/// One number of many, in their order.
pub fn checksum(values: impl Iterator<Item = u64>) -> u64 {
    // Any JSON reader can hold it.
    values.fold(0xcbf2_9ce4_8422_2325, |sum: u64, value| (sum ^ value).wrapping_mul(0x100_0000_01b3)) >> 12
}
