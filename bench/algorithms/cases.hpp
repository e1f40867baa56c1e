// SPDX-License-Identifier: Apache-2.0
// The cases of the suite 'algorithms': what a case is given, which function of a system it calls, and what is looked at
// afterwards. A system is a class of static functions; a case belongs to the systems that have its function. rayon.rs
// has the same cases.
#pragma once

#include "common/loops.hpp"

#include <climits>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <ranges>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace algorithms {

using ints = std::vector<int>;
using words = std::vector<std::uint32_t>;

struct keyed {
  std::uint32_t key;
  std::uint32_t value;
};
using pairs = std::vector<keyed>;

struct below {
  bool operator()(int v) const { return v < limit; }
  int limit;
};
struct seven {
  int operator()() const { return 7; }
};
struct descending {
  bool operator()(int left, int right) const { return right < left; }
};
struct by_key {
  bool operator()(const keyed& left, const keyed& right) const { return left.key < right.key; }
};
struct product {
  long operator()(int left, int right) const { return long{left} * right; }
};
// Of the fused case: the squares of the odd numbers are added up.
struct odd {
  bool operator()(std::uint32_t v) const { return v % 2 != 0; }
};
struct square {
  std::uint64_t operator()(std::uint32_t v) const { return std::uint64_t{v} * v; }
};

struct data {
  ints a, b, out;
  std::vector<double> doubles;
  std::vector<std::string> strings;
  words numbers;
  pairs elements;
  std::size_t middle = 0;
  std::uint64_t result = 0;
  std::function<void(data&)> settle;  // brings what a call has returned into `out` or `result`
};

// What a call returns is kept as it is while the time is taken.
template <class R>
void keep(data& d, R&& returned) {
  if constexpr (std::convertible_to<R, std::uint64_t>) {
    d.result = static_cast<std::uint64_t>(returned);
  } else if constexpr (requires {
                         { returned.first } -> std::convertible_to<std::uint64_t>;
                       }) {
    d.result = static_cast<std::uint64_t>(returned.first * 1000003 + returned.second);
  } else {
    auto kept = std::make_shared<std::remove_cvref_t<R>>(std::forward<R>(returned));
    d.settle = [kept](data& to) {
      to.result = kept->size();
      if constexpr (std::ranges::range<std::remove_cvref_t<R>>) {
        using element = std::ranges::range_value_t<R>;
        if constexpr (std::integral<element>) {
          to.out.assign(kept->begin(), kept->end());
        } else if constexpr (requires(const element& e) {
                               { e.second } -> std::convertible_to<std::uint64_t>;
                             }) {
          for (const auto& [key, value] : *kept) to.result += (key + 1) * (value + 1) * (value + 1);
        }
      }
    };
  }
}

using filling = std::function<void(data&, std::size_t)>;
using looking = std::function<std::uint64_t(const data&)>;
using calling = void (*)(data&);

struct one_case {
  const char* name;
  filling fill;
  calling call;  // null: the system does not have it
  looking look;
};

// --- Inputs.

inline void random_below(ints& x, std::size_t n, std::uint64_t bound, std::uint64_t seed = 1) {
  bench::random_numbers random(seed);
  x.resize(n);
  for (int& v : x) v = static_cast<int>(random.below(bound));
}
inline filling random_ints(std::uint64_t bound) {
  return [bound](data& d, std::size_t n) { random_below(d.a, n, bound); };
}
inline filling with_out(filling fill) {
  return [fill](data& d, std::size_t n) {
    fill(d, n);
    d.out.resize(n);
  };
}
// One element is -1, at n / divisor; 0: none is.
inline filling match_at(std::size_t divisor) {
  return [divisor](data& d, std::size_t n) {
    random_below(d.a, n, 1000);
    if (divisor != 0) d.a[divisor > n ? 0 : n / divisor] = -1;
  };
}
inline constexpr std::size_t front = SIZE_MAX;

// The pattern is the end of the text, and begins like other places.
inline void text(data& d, std::size_t n) {
  random_below(d.a, n, 4);
  d.a[n - 1] = 4;
  d.b.assign(d.a.end() - 12, d.a.end());
}
inline void ascending(ints& x, std::size_t n, int step = 1) {
  x.resize(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<int>(i) * step;
}
inline void equal_at_end(data& d, std::size_t n) {
  ascending(d.a, n);
  d.a[n - 1] = d.a[n - 2];
}
inline filling twins(int last) {
  return [last](data& d, std::size_t n) {
    random_below(d.a, n, 1000);
    d.b = d.a;
    d.b[n - 1] += last;
  };
}
inline void extremes(data& d, std::size_t n) {
  random_below(d.a, n, INT_MAX);
  d.a[n / 3] = -1;
  d.a[n / 2] = INT_MAX;
}
inline void two(data& d, std::size_t n) {
  random_below(d.a, n, 1000);
  random_below(d.b, n, 1000, 2);
}
inline void nearly_sorted(data& d, std::size_t n) {
  ascending(d.a, n);
  bench::random_numbers random(1);
  for (std::size_t i = 0; i < n / 100; ++i) std::swap(d.a[random.below(n)], d.a[random.below(n)]);
}
// Steps of 0 to 6, so that nobody can predict which of two sequences comes next.
inline void climb(ints::iterator from, ints::iterator to, std::uint64_t seed) {
  bench::random_numbers random(seed);
  for (int last = 0; from != to; ++from) *from = last += static_cast<int>(random.below(7));
}
inline void two_sorted(data& d, std::size_t n) {
  d.a.resize(n / 2);
  d.b.resize(n - n / 2);
  d.out.resize(n);
  climb(d.a.begin(), d.a.end(), 1);
  climb(d.b.begin(), d.b.end(), 2);
}
inline void sorted_halves(data& d, std::size_t n) {
  d.middle = n / 2;
  d.a.resize(n);
  const auto middle = d.a.begin() + static_cast<std::ptrdiff_t>(d.middle);
  climb(d.a.begin(), middle, 1);
  climb(middle, d.a.end(), 2);
}
inline void sorted_and_half_of_it(data& d, std::size_t n) {
  ascending(d.a, n);
  ascending(d.b, n / 2, 2);
}
inline filling random_and_middle(std::size_t divisor) {
  return [divisor](data& d, std::size_t n) {
    random_below(d.a, n, INT_MAX);
    d.middle = n / divisor;
  };
}
inline void random_doubles(data& d, std::size_t n) {
  bench::random_numbers random(1);
  d.doubles.resize(n);
  for (double& v : d.doubles) v = static_cast<double>(random.next() >> 11) * 0x1p-53 - 0.5;
}
// 6 to 21 letters, of which std::string stores up to 15 in itself.
inline void random_strings(data& d, std::size_t n) {
  bench::random_numbers random(1);
  d.strings.resize(n);
  for (std::string& s : d.strings) {
    s.resize(6 + random.below(16));
    for (char& c : s) c = static_cast<char>('a' + random.below(26));
  }
}
inline filling random_words(std::uint64_t bound) {
  return [bound](data& d, std::size_t n) {
    bench::random_numbers random(1);
    d.numbers.resize(n);
    for (std::uint32_t& v : d.numbers) v = static_cast<std::uint32_t>(random.below(bound));
  };
}
inline filling random_elements(std::uint64_t bound, std::uint64_t divisor = 0) {
  return [=](data& d, std::size_t n) {
    bench::random_numbers random(1);
    d.elements.resize(n);
    std::uint32_t i = 0;
    for (keyed& e : d.elements)
      e = {static_cast<std::uint32_t>(random.below(divisor != 0 ? n / divisor : bound)), i++};
  };
}

// --- What is looked at.

inline std::uint64_t sum_of(ints::const_iterator from, ints::const_iterator to) {
  std::uint64_t sum = 0;
  for (; from != to; ++from) sum += static_cast<std::uint64_t>(*from) * static_cast<std::uint64_t>(*from) + 1;
  return sum;
}
inline std::uint64_t in_order(const ints& x, std::size_t n) {
  bench::checksum sum;
  for (std::size_t i = 0; i < n; ++i) sum.add(static_cast<std::uint64_t>(x[i]));
  sum.add(n);
  return sum.value();
}
inline std::uint64_t the_result(const data& d) { return d.result; }
// In place, or what was returned instead.
inline const ints& outcome(const data& d) { return d.settle ? d.out : d.a; }
inline std::uint64_t all_of_a(const data& d) { return in_order(outcome(d), d.a.size()); }
inline std::uint64_t all_of_b(const data& d) { return in_order(d.b, d.b.size()); }
inline std::uint64_t all_of_out(const data& d) { return in_order(d.out, d.out.size()); }
inline std::uint64_t some_of_a(const data& d) { return in_order(outcome(d), d.result); }
inline std::uint64_t some_of_out(const data& d) { return in_order(d.out, d.result); }
inline std::uint64_t middle_of_a(const data& d) { return in_order(d.a, d.middle); }
inline std::uint64_t parts_at(const data& d, std::size_t at) {
  const auto middle = d.a.begin() + static_cast<std::ptrdiff_t>(at);
  return (at * 31 + sum_of(d.a.begin(), middle) * 7 + sum_of(middle, d.a.end())) >> 12;
}
inline std::uint64_t two_parts(const data& d) { return parts_at(d, d.result); }
inline std::uint64_t parts_at_middle(const data& d) {
  return parts_at(d, d.middle) + static_cast<std::uint64_t>(d.a[d.middle]);
}
inline std::uint64_t any_order(const data& d) { return sum_of(outcome(d).begin(), outcome(d).end()) >> 12; }
inline std::uint64_t all_doubles(const data& d) { return bench::checksum_of(d.doubles); }
inline std::uint64_t all_strings(const data& d) {
  bench::checksum sum;
  for (const std::string& s : d.strings)
    for (const char c : s) sum.add(static_cast<std::uint64_t>(c));
  return sum.value();
}
inline std::uint64_t all_numbers(const data& d) { return bench::checksum_of(d.numbers); }
inline std::uint64_t all_elements(const data& d) {
  bench::checksum sum;
  for (const keyed& e : d.elements) sum.add(std::uint64_t{e.key} << 32 | e.value);
  return sum.value();
}

// --- The table.

template <class System, class Call>
calling called(Call) {
  if constexpr (!std::is_invocable_v<Call, System, data&>) {
    return nullptr;
  } else if constexpr (std::is_void_v<std::invoke_result_t<Call, System, data&>>) {
    return [](data& d) { Call{}(System{}, d); };
  } else {
    return [](data& d) { keep(d, Call{}(System{}, d)); };
  }
}

#define SENNIT_BENCH_CALL(...)                                                                               \
  called<System>([](auto s, [[maybe_unused]] data& d) -> decltype(__VA_ARGS__) { return __VA_ARGS__; })

template <class System>
std::vector<one_case> cases() {
  constexpr int all = INT_MAX;
  return {
      {"find-front", match_at(front), SENNIT_BENCH_CALL(s.find(d.a, -1)), the_result},
      {"find-1pc", match_at(100), SENNIT_BENCH_CALL(s.find(d.a, -1)), the_result},
      {"find-half", match_at(2), SENNIT_BENCH_CALL(s.find(d.a, -1)), the_result},
      {"find-none", match_at(0), SENNIT_BENCH_CALL(s.find(d.a, -1)), the_result},
      {"find-if-none", match_at(0), SENNIT_BENCH_CALL(s.find_if(d.a, below{0})), the_result},
      {"any-of-none", match_at(0), SENNIT_BENCH_CALL(s.any_of(d.a, below{0})), the_result},
      {"search", text, SENNIT_BENCH_CALL(s.search(d.a, d.b)), the_result},
      {"adjacent-find", equal_at_end, SENNIT_BENCH_CALL(s.adjacent_find(d.a)), the_result},
      {"mismatch", twins(1), SENNIT_BENCH_CALL(s.mismatch(d.a, d.b)), the_result},
      {"equal", twins(0), SENNIT_BENCH_CALL(s.equal(d.a, d.b)), the_result},
      {"less", twins(1), SENNIT_BENCH_CALL(s.less(d.a, d.b)), the_result},

      {"count", random_ints(16), SENNIT_BENCH_CALL(s.count(d.a, 3)), the_result},
      {"count-if", random_ints(all), SENNIT_BENCH_CALL(s.count_if(d.a, below{all / 3})), the_result},
      {"min-element", extremes, SENNIT_BENCH_CALL(s.min_element(d.a)), the_result},
      {"minmax-element", extremes, SENNIT_BENCH_CALL(s.minmax_element(d.a)), the_result},

      {"copy-if-1pc", with_out(random_ints(all)), SENNIT_BENCH_CALL(s.copy_if(d.a, d.out, below{all / 100})),
       some_of_out},
      {"copy-if-50pc", with_out(random_ints(all)), SENNIT_BENCH_CALL(s.copy_if(d.a, d.out, below{all / 2})),
       some_of_out},
      {"copy-if-99pc", with_out(random_ints(all)),
       SENNIT_BENCH_CALL(s.copy_if(d.a, d.out, below{all / 100 * 99})), some_of_out},
      {"remove-if", random_ints(all), SENNIT_BENCH_CALL(s.remove_if(d.a, below{all / 2})), some_of_a},
      {"unique", random_ints(4), SENNIT_BENCH_CALL(s.unique(d.a)), some_of_a},
      {"partition", random_ints(all), SENNIT_BENCH_CALL(s.partition(d.a, below{all / 2})), two_parts},
      {"stable-partition", random_ints(all), SENNIT_BENCH_CALL(s.stable_partition(d.a, below{all / 2})),
       all_of_a},
      {"reverse", random_ints(all), SENNIT_BENCH_CALL(s.reverse(d.a)), all_of_a},
      {"rotate", random_and_middle(3), SENNIT_BENCH_CALL(s.rotate(d.a, d.middle)), all_of_a},
      {"swap-ranges", two, SENNIT_BENCH_CALL(s.swap_ranges(d.a, d.b)), all_of_b},
      {"generate", random_ints(16), SENNIT_BENCH_CALL(s.generate(d.a, seven())), all_of_a},
      {"replace", random_ints(16), SENNIT_BENCH_CALL(s.replace(d.a, 3, 77)), all_of_a},
      {"adjacent-difference", with_out(random_ints(all)),
       SENNIT_BENCH_CALL(s.adjacent_difference(d.a, d.out)), all_of_out},

      {"reduce", random_ints(all), SENNIT_BENCH_CALL(s.reduce(d.a)), the_result},
      {"transform-reduce", two, SENNIT_BENCH_CALL(s.dot(d.a, d.b)), the_result},
      {"inclusive-scan", with_out(random_ints(16)), SENNIT_BENCH_CALL(s.inclusive_scan(d.a, d.out)),
       all_of_out},
      {"exclusive-scan", with_out(random_ints(16)), SENNIT_BENCH_CALL(s.exclusive_scan(d.a, d.out)),
       all_of_out},

      {"merge", two_sorted, SENNIT_BENCH_CALL(s.merge(d.a, d.b, d.out)), all_of_out},
      {"inplace-merge", sorted_halves, SENNIT_BENCH_CALL(s.inplace_merge(d.a, d.middle)), all_of_a},
      {"includes", sorted_and_half_of_it, SENNIT_BENCH_CALL(s.includes(d.a, d.b)), the_result},
      {"set-union", two_sorted, SENNIT_BENCH_CALL(s.set_union(d.a, d.b, d.out)), some_of_out},
      {"set-intersection", two_sorted, SENNIT_BENCH_CALL(s.set_intersection(d.a, d.b, d.out)), some_of_out},
      {"set-difference", two_sorted, SENNIT_BENCH_CALL(s.set_difference(d.a, d.b, d.out)), some_of_out},
      {"kth-smallest", random_and_middle(2), SENNIT_BENCH_CALL(s.kth_smallest(d.a, d.middle)), the_result},
      {"nth-element", random_and_middle(2), SENNIT_BENCH_CALL(s.nth_element(d.a, d.middle)), parts_at_middle},
      {"partial-sort", random_and_middle(1000), SENNIT_BENCH_CALL(s.partial_sort(d.a, d.middle)),
       middle_of_a},

      {"sort-random", random_ints(all), SENNIT_BENCH_CALL(s.sort(d.a)), all_of_a},
      {"sort-comparator", random_ints(all), SENNIT_BENCH_CALL(s.sort(d.a, descending())), all_of_a},
      {"sort-few", random_ints(100), SENNIT_BENCH_CALL(s.sort(d.a)), all_of_a},
      {"sort-nearly", nearly_sorted, SENNIT_BENCH_CALL(s.sort(d.a)), all_of_a},
      {"sort-sorted", [](data& d, std::size_t n) { ascending(d.a, n); }, SENNIT_BENCH_CALL(s.sort(d.a)),
       all_of_a},
      {"sort-doubles", random_doubles, SENNIT_BENCH_CALL(s.sort(d.doubles)), all_doubles},
      {"sort-strings", random_strings, SENNIT_BENCH_CALL(s.sort(d.strings)), all_strings},
      {"stable-sort", random_elements(1000000), SENNIT_BENCH_CALL(s.stable_sort(d.elements, by_key())),
       all_elements},
      {"stable-sort-strings", random_strings, SENNIT_BENCH_CALL(s.stable_sort(d.strings)), all_strings},
      {"integer-sort", random_words(std::uint64_t{1} << 32), SENNIT_BENCH_CALL(s.integer_sort(d.numbers)),
       all_numbers},
      {"integer-sort-pairs", random_elements(std::uint64_t{1} << 32),
       SENNIT_BENCH_CALL(s.integer_sort(d.elements)), all_elements},

      {"histogram-256", random_words(256), SENNIT_BENCH_CALL(s.histogram(d.numbers, 256)), all_of_out},
      {"histogram-64k", random_words(65536), SENNIT_BENCH_CALL(s.histogram(d.numbers, 65536)), all_of_out},
      {"group-by", random_elements(0, 100), SENNIT_BENCH_CALL(s.group_by(d.elements)), the_result},
      {"reduce-by-key", random_elements(0, 100), SENNIT_BENCH_CALL(s.reduce_by_key(d.elements)), the_result},
      {"shuffle", random_ints(all), SENNIT_BENCH_CALL(s.shuffle(d.a)), any_order},
      {"map-filter-sum", random_words(std::uint64_t{1} << 32), SENNIT_BENCH_CALL(s.squares_of_odd(d.numbers)),
       the_result},
  };
}

#undef SENNIT_BENCH_CALL

// The case that --input names; --work says how often it is called, for those that leave their input as it is.
template <class System>
class kernel {
 public:
  explicit kernel(bench::program& program) : times_(program.work()), place_(program) {
    for (one_case& of : cases<System>())
      if (of.call != nullptr && program.input() == of.name) case_ = std::move(of);
    if (case_.call == nullptr) bench::program::fail("--input", "names no case that this system has");
  }

  void prepare(std::uint64_t n) {
    data_.settle = nullptr;
    case_.fill(data_, static_cast<std::size_t>(n));
    data_.result = 0;
  }
  void run() {
    place_.enter([this] {
      for (std::uint64_t time = 0; time < times_; ++time) {
        asm volatile("" ::: "memory");
        case_.call(data_);
      }
    });
  }
  std::uint64_t check() {
    if (data_.settle) data_.settle(data_);
    return case_.look(data_) % (std::uint64_t{1} << 52);  // which any JSON reader can hold
  }

 private:
  std::uint64_t times_;
  typename System::place place_;
  one_case case_{};
  data data_;
};

template <class System>
int run(int argc, char** argv) {
  bench::program program(argc, argv);
  return program.run(kernel<System>(program));
}

}  // namespace algorithms
