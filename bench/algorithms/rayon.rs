// SPDX-License-Identifier: Apache-2.0
//! The cases of `cases.hpp` that rayon has.

use rayon::prelude::*;
use sennit_bench::loops::{RandomNumbers, checksum};
use sennit_bench::{PreparedKernel, Program, fail, pools};
use std::hint::black_box;

const ALL: i32 = i32::MAX;

#[derive(Clone, Copy)]
struct Keyed {
    key: u32,
    value: u32,
}

#[derive(Default)]
struct Data {
    a: Vec<i32>,
    b: Vec<i32>,
    out: Vec<i32>,
    doubles: Vec<f64>,
    strings: Vec<String>,
    numbers: Vec<u32>,
    elements: Vec<Keyed>,
    result: u64,
}

type Fill = Box<dyn Fn(&mut Data, usize)>;
type Call = fn(&mut Data);
type Look = fn(&Data) -> u64;

fn numbers_below(n: usize, bound: u64, seed: u64) -> Vec<i32> {
    let mut random = RandomNumbers::new(seed);
    (0..n).map(|_| random.below(bound) as i32).collect()
}

fn random_ints(bound: u64) -> Fill {
    Box::new(move |d, n| {
        d.a = numbers_below(n, bound, 1);
        d.out.resize(n, 0);
    })
}

fn match_at(place: fn(usize) -> Option<usize>) -> Fill {
    Box::new(move |d, n| {
        d.a = numbers_below(n, 1000, 1);
        if let Some(at) = place(n) {
            d.a[at] = -1;
        }
    })
}

fn twins(last: i32) -> Fill {
    Box::new(move |d, n| {
        d.a = numbers_below(n, 1000, 1);
        d.b = d.a.clone();
        d.b[n - 1] += last;
    })
}

fn text(d: &mut Data, n: usize) {
    d.a = numbers_below(n, 4, 1);
    d.a[n - 1] = 4;
    d.b = d.a[n - 12..].to_vec();
}

fn ascending(n: usize) -> Vec<i32> {
    (0..n as i32).collect()
}

fn nearly_sorted(d: &mut Data, n: usize) {
    d.a = ascending(n);
    let mut random = RandomNumbers::new(1);
    for _ in 0..n / 100 {
        let (left, right) = (random.below(n as u64), random.below(n as u64));
        d.a.swap(left as usize, right as usize);
    }
}

fn random_strings(d: &mut Data, n: usize) {
    let mut random = RandomNumbers::new(1);
    d.strings = (0..n)
        .map(|_| {
            let length = 6 + random.below(16);
            (0..length).map(|_| (b'a' + random.below(26) as u8) as char).collect()
        })
        .collect();
}

fn random_words(bound: u64) -> Fill {
    Box::new(move |d, n| {
        let mut random = RandomNumbers::new(1);
        d.numbers = (0..n).map(|_| random.below(bound) as u32).collect();
    })
}

fn random_elements(bound: u64) -> Fill {
    Box::new(move |d, n| {
        let mut random = RandomNumbers::new(1);
        d.elements = (0..n).map(|i| Keyed { key: random.below(bound) as u32, value: i as u32 }).collect();
    })
}

fn in_order(x: &[i32]) -> u64 {
    checksum(x.iter().map(|v| *v as u64).chain([x.len() as u64]))
}

fn the_result(d: &Data) -> u64 {
    d.result
}

fn all_of_a(d: &Data) -> u64 {
    in_order(&d.a)
}

fn all_of_out(d: &Data) -> u64 {
    in_order(&d.out)
}

fn all_strings(d: &Data) -> u64 {
    checksum(d.strings.iter().flat_map(|s| s.bytes()).map(u64::from))
}

fn all_numbers(d: &Data) -> u64 {
    checksum(d.numbers.iter().map(|v| u64::from(*v)))
}

fn all_elements(d: &Data) -> u64 {
    checksum(d.elements.iter().map(|e| u64::from(e.key) << 32 | u64::from(e.value)))
}

fn find(d: &mut Data) {
    d.result = position(d.a.par_iter().position_first(|v| *v == -1), d.a.len());
}

fn position(found: Option<usize>, n: usize) -> u64 {
    found.unwrap_or(n) as u64
}

fn copy_if<const LIMIT: i32>(d: &mut Data) {
    d.out = d.a.par_iter().copied().filter(|v| *v < LIMIT).collect();
}

fn histogram<const KEYS: usize>(d: &mut Data) {
    let add = |mut counts: Vec<usize>, v: &u32| {
        counts[*v as usize] += 1;
        counts
    };
    let merge = |mut left: Vec<usize>, right: Vec<usize>| {
        left.iter_mut().zip(right).for_each(|(l, r)| *l += r);
        left
    };
    let counts = d.numbers.par_iter().fold(|| vec![0; KEYS], add).reduce(|| vec![0; KEYS], merge);
    d.out.clear();
    d.out.extend(counts.iter().map(|count| *count as i32));
}

fn case_of(name: &str) -> (Fill, Call, Look) {
    match name {
        "find-front" => (match_at(|_| Some(0)), find, the_result),
        "find-1pc" => (match_at(|n| Some(n / 100)), find, the_result),
        "find-half" => (match_at(|n| Some(n / 2)), find, the_result),
        "find-none" => (match_at(|_| None), find, the_result),
        "find-if-none" => (
            match_at(|_| None),
            |d| d.result = position(d.a.par_iter().position_first(|v| *v < 0), d.a.len()),
            the_result,
        ),
        "any-of-none" => {
            (match_at(|_| None), |d| d.result = d.a.par_iter().any(|v| *v < 0).into(), the_result)
        }
        "search" => (
            Box::new(text),
            |d| d.result = position(d.a.par_windows(d.b.len()).position_first(|w| w == &d.b[..]), d.a.len()),
            the_result,
        ),
        "adjacent-find" => (
            Box::new(|d, n| {
                d.a = ascending(n);
                d.a[n - 1] = d.a[n - 2];
            }),
            |d| d.result = position(d.a.par_windows(2).position_first(|w| w[0] == w[1]), d.a.len()),
            the_result,
        ),
        "mismatch" => (
            twins(1),
            |d| d.result = position(d.a.par_iter().zip(&d.b).position_first(|(l, r)| l != r), d.a.len()),
            the_result,
        ),
        "equal" => (twins(0), |d| d.result = d.a.par_iter().eq(&d.b).into(), the_result),
        "less" => (twins(1), |d| d.result = d.a.par_iter().lt(&d.b).into(), the_result),
        "count" => {
            (random_ints(16), |d| d.result = d.a.par_iter().filter(|v| **v == 3).count() as u64, the_result)
        }
        "count-if" => (
            random_ints(ALL as u64),
            |d| d.result = d.a.par_iter().filter(|v| **v < ALL / 3).count() as u64,
            the_result,
        ),
        "min-element" => (
            Box::new(|d, n| {
                d.a = numbers_below(n, ALL as u64, 1);
                d.a[n / 3] = -1;
                d.a[n / 2] = ALL;
            }),
            |d| d.result = d.a.par_iter().enumerate().min_by_key(|(_, v)| **v).map_or(0, |(i, _)| i) as u64,
            the_result,
        ),
        "copy-if-1pc" => (random_ints(ALL as u64), copy_if::<{ ALL / 100 }>, all_of_out),
        "copy-if-50pc" => (random_ints(ALL as u64), copy_if::<{ ALL / 2 }>, all_of_out),
        "copy-if-99pc" => (random_ints(ALL as u64), copy_if::<{ ALL / 100 * 99 }>, all_of_out),
        "swap-ranges" => (
            Box::new(|d, n| {
                d.a = numbers_below(n, 1000, 1);
                d.b = numbers_below(n, 1000, 2);
            }),
            |d| d.a.par_iter_mut().zip(&mut d.b).for_each(|(l, r)| std::mem::swap(l, r)),
            |d| in_order(&d.b),
        ),
        "generate" => (random_ints(16), |d| d.a.par_iter_mut().for_each(|v| *v = seven()), all_of_a),
        "replace" => (
            random_ints(16),
            |d| {
                d.a.par_iter_mut().for_each(|v| {
                    if *v == 3 {
                        *v = 77
                    }
                })
            },
            all_of_a,
        ),
        "adjacent-difference" => (
            random_ints(ALL as u64),
            |d| {
                d.out[0] = d.a[0];
                d.out[1..].par_iter_mut().zip(d.a.par_windows(2)).for_each(|(o, w)| *o = w[1] - w[0]);
            },
            all_of_out,
        ),
        "reduce" => (
            random_ints(ALL as u64),
            |d| d.result = d.a.par_iter().map(|v| i64::from(*v)).sum::<i64>() as u64,
            the_result,
        ),
        "transform-reduce" => (
            Box::new(|d, n| {
                d.a = numbers_below(n, 1000, 1);
                d.b = numbers_below(n, 1000, 2);
            }),
            |d| {
                let products = d.a.par_iter().zip(&d.b).map(|(l, r)| i64::from(*l) * i64::from(*r));
                d.result = products.sum::<i64>() as u64;
            },
            the_result,
        ),
        "sort-random" => (random_ints(ALL as u64), |d| d.a.par_sort_unstable(), all_of_a),
        "sort-comparator" => {
            (random_ints(ALL as u64), |d| d.a.par_sort_unstable_by(|l, r| r.cmp(l)), all_of_a)
        }
        "sort-few" => (random_ints(100), |d| d.a.par_sort_unstable(), all_of_a),
        "sort-nearly" => (Box::new(nearly_sorted), |d| d.a.par_sort_unstable(), all_of_a),
        "sort-sorted" => (Box::new(|d, n| d.a = ascending(n)), |d| d.a.par_sort_unstable(), all_of_a),
        "sort-doubles" => (
            Box::new(|d, n| {
                let mut random = RandomNumbers::new(1);
                let unit = 1.0 / (1u64 << 53) as f64;
                d.doubles = (0..n).map(|_| (random.next_number() >> 11) as f64 * unit - 0.5).collect();
            }),
            |d| d.doubles.par_sort_unstable_by(f64::total_cmp),
            |d| checksum(d.doubles.iter().map(|v| v.to_bits())),
        ),
        "sort-strings" => (Box::new(random_strings), |d| d.strings.par_sort_unstable(), all_strings),
        "stable-sort" => (random_elements(1000000), |d| d.elements.par_sort_by_key(|e| e.key), all_elements),
        "stable-sort-strings" => (Box::new(random_strings), |d| d.strings.par_sort(), all_strings),
        "integer-sort" => (random_words(1 << 32), |d| d.numbers.par_sort_unstable(), all_numbers),
        "integer-sort-pairs" => {
            (random_elements(1 << 32), |d| d.elements.par_sort_by_key(|e| e.key), all_elements)
        }
        "histogram-256" => (random_words(256), histogram::<256>, all_of_out),
        "histogram-64k" => (random_words(65536), histogram::<65536>, all_of_out),
        "map-filter-sum" => (
            random_words(1 << 32),
            |d| {
                let odd = d.numbers.par_iter().filter(|v| **v % 2 != 0);
                d.result =
                    odd.map(|v| u64::from(*v).wrapping_mul(u64::from(*v))).reduce(|| 0, u64::wrapping_add);
            },
            the_result,
        ),
        _ => fail("--input", "names no case that this system has"),
    }
}

fn seven() -> i32 {
    7
}

struct Kernel {
    times: u64,
    pool: rayon::ThreadPool,
    case: (Fill, Call, Look),
    data: Data,
}

impl PreparedKernel for Kernel {
    fn prepare(&mut self, size: u64) {
        (self.case.0)(&mut self.data, size as usize);
        self.data.result = 0;
    }

    fn run(&mut self) {
        let (times, call, data) = (self.times, self.case.1, &mut self.data);
        self.pool.install(|| {
            for _ in 0..times {
                call(black_box(data));
            }
        });
    }

    fn check(&self) -> u64 {
        (self.case.2)(&self.data) % (1 << 52)
    }
}

fn main() {
    let program = Program::new("rayon");
    let kernel = Kernel {
        times: program.work(),
        pool: pools::rayon(&program),
        case: case_of(program.input()),
        data: Data::default(),
    };
    program.run_prepared(kernel);
}
