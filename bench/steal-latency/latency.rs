// SPDX-License-Identifier: Apache-2.0
//! The rounds of `latency.hpp`.

use std::hint::spin_loop;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

/// A line of its own: a runtime's job beside it would be waited for, too.
#[repr(align(128))]
struct Line<T>(T);

/// What the two branches of a round share.
pub struct Round {
    forked: Instant,
    arrived_ns: Line<AtomicU64>,
    started: Line<AtomicBool>,
    home: OnceLock<ThreadId>,
    thief: OnceLock<ThreadId>,
}

impl Round {
    /// The first branch.
    #[inline]
    pub fn wait(&self) {
        self.wait_while(|| true);
    }

    /// The first branch where a runtime shares work only when asked: `poll` asks. Whether the work is then taken is a
    /// matter of luck (chili's idle threads can miss the call), so this wait ends without it.
    #[inline]
    pub fn wait_polling(&self, mut poll: impl FnMut()) {
        self.wait_while(|| {
            poll();
            self.forked.elapsed() < Duration::from_millis(20)
        });
    }

    #[inline]
    fn wait_while(&self, mut go_on: impl FnMut() -> bool) {
        while !self.started.0.load(Ordering::Acquire) && go_on() {
            spin_loop();
        }
        let _ = self.home.set(thread::current().id());
    }

    /// The second branch, the stolen one.
    #[inline]
    pub fn start(&self) {
        self.arrived_ns.0.store(self.forked.elapsed().as_nanos() as u64, Ordering::Relaxed);
        self.started.0.store(true, Ordering::Release);
        let _ = self.thief.set(thread::current().id());
    }
}

fn settle(round: u64) {
    let start = Instant::now();
    let pause = Duration::from_nanos(1000 + 2000 * (round * 37 % 101) / 101);
    while start.elapsed() < pause {
        spin_loop();
    }
}

/// `join(round)` is the runtime's; the value is the number of rounds in which the second branch ran. A round whose
/// second branch ran on the worker that forked it gives no latency.
pub fn measure(rounds: u64, us: &mut Vec<f64>, mut join: impl FnMut(&Round)) -> u64 {
    let mut ran = 0;
    for index in 0..rounds {
        settle(index);
        let round = Round {
            forked: Instant::now(),
            arrived_ns: Line(AtomicU64::new(0)),
            started: Line(AtomicBool::new(false)),
            home: OnceLock::new(),
            thief: OnceLock::new(),
        };
        join(&round);
        if round.home != round.thief {
            us.push(round.arrived_ns.0.load(Ordering::Relaxed) as f64 / 1e3);
        }
        ran += u64::from(round.thief.get().is_some());
    }
    ran
}
