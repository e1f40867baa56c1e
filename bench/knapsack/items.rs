// SPDX-License-Identifier: Apache-2.0
//! The search of `items.hpp`.

use crate::Program;
use crate::loops::RandomNumbers;
use crate::ways::Way;
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};

#[derive(Clone, Copy)]
struct Item {
    weight: i64,
    value: i64,
}

struct Search {
    items: Vec<Item>,
    capacity: i64,
    best: AtomicI64,
}

impl Search {
    fn new(count: u64) -> Self {
        let mut random = RandomNumbers::new(1);
        let mut items: Vec<Item> = (0..count)
            .map(|_| {
                let weight = 1000 + 2 * random.below(100) as i64;
                Item { weight, value: weight + 100 }
            })
            .collect();
        let capacity = items.iter().map(|item| item.weight).sum::<i64>() / 2;
        items.sort_by(|a, b| (b.value * a.weight).cmp(&(a.value * b.weight)));
        Search { items, capacity, best: AtomicI64::new(0) }
    }

    fn best<W: Way>(&self) -> u64 {
        self.visit::<W>(0, self.capacity, 0);
        self.best.load(Relaxed) as u64
    }

    #[inline(never)]
    fn visit<W: Way>(&self, mut next: usize, room: i64, value: i64) {
        self.raise_best(value);
        while next < self.items.len() && self.items[next].weight > room {
            next += 1;
        }
        let Some(&item) = self.items.get(next) else { return };
        // What is left could at best be as good as the next item.
        if (value - self.best.load(Relaxed)) * item.weight + room * item.value <= 0 {
            return;
        }
        W::both(
            move || self.visit::<W>(next + 1, room - item.weight, value + item.value),
            move || self.visit::<W>(next + 1, room, value),
        );
    }

    fn raise_best(&self, value: i64) {
        let mut best = self.best.load(Relaxed);
        while value > best {
            match self.best.compare_exchange_weak(best, value, Relaxed, Relaxed) {
                Ok(_) => return,
                Err(other) => best = other,
            }
        }
    }
}

pub fn run_with<W: Way>(program: &Program) {
    let way = W::new(program);
    program.run(|items| way.enter(|| Search::new(items).best::<W>()));
}
