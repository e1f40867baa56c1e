// SPDX-License-Identifier: Apache-2.0
#include "tests/rollforward/captures.hpp"

#include <sennit/latent_join.hpp>

#include <cstddef>
#include <string_view>

#define NOINLINE [[gnu::noinline]]

namespace captures {

std::atomic<long> begun{0};

namespace {

std::atomic<long> called{0};

long leaf(long value) {
  at_leaf();
  return value;
}
void begin() { begun.fetch_add(1, std::memory_order_relaxed); }

// No word: what is called knows everything.
NOINLINE void nothing(long n) {
  if (n == 0) return at_leaf();
  begin();
  sennit::latent_join([=] { nothing(n - 1); }, [] { called.fetch_add(1, std::memory_order_relaxed); });
}
void call() { called.fetch_add(1, std::memory_order_relaxed); }
NOINLINE void function(long n) {
  if (n == 0) return at_leaf();
  begin();
  sennit::latent_join([=] { function(n - 1); }, call);
}

// One word, and parts of one.
NOINLINE long one(long n) {
  if (n < 2) return leaf(n);
  begin();
  const auto [a, b] = sennit::latent_join([=] { return one(n - 1); }, [=] { return one(n - 2); });
  return a + b;
}
NOINLINE long one_referred(long n) {
  if (n < 2) return leaf(n);
  begin();
  const auto [a, b] =
      sennit::latent_join([&] { return one_referred(n - 1); }, [&] { return one_referred(n - 2); });
  return a + b;
}
NOINLINE int number(int n) {
  if (n < 2) return static_cast<int>(leaf(n));
  begin();
  const auto [a, b] = sennit::latent_join([=] { return number(n - 1); }, [=] { return number(n - 2); });
  return a + b;
}
NOINLINE bool characters(signed char n, bool odd) {
  if (n < 2) return leaf(n + odd) % 2 != 0;
  begin();
  const auto [a, b] = sennit::latent_join([=] { return characters(static_cast<signed char>(n - 1), !odd); },
                                          [=] { return characters(static_cast<signed char>(n - 2), odd); });
  return a != b;
}
NOINLINE int numbers(int low, int high) {
  if (high - low < 2) return static_cast<int>(leaf(low));
  begin();
  const int middle = low + (high - low) / 2;
  const auto [a, b] =
      sennit::latent_join([=] { return numbers(low, middle); }, [=] { return numbers(middle, high); });
  return a + b;
}
NOINLINE int numbers_referred(int low, int high) {
  if (high - low < 2) return static_cast<int>(leaf(low));
  begin();
  const int middle = low + (high - low) / 2;
  const auto [a, b] = sennit::latent_join([&] { return numbers_referred(low, middle); },
                                          [&] { return numbers_referred(middle, high); });
  return a + b;
}
struct half {
  int low;
  int high;
};
NOINLINE long halves(half all) {
  if (all.high - all.low < 2) return leaf(all.low);
  begin();
  const int middle = all.low + (all.high - all.low) / 2;
  const half left{all.low, middle};
  const half right{middle, all.high};
  const auto [a, b] = sennit::latent_join([=] { return halves(left); }, [=] { return halves(right); });
  return a + b;
}
struct point {
  float x;
  float y;
};
NOINLINE float points(point p) {
  if (p.x < 2) return static_cast<float>(leaf(static_cast<long>(p.x + p.y)));
  begin();
  const point less{p.x - 1, p.y + 1};
  const auto [a, b] =
      sennit::latent_join([=] { return points(less); }, [=] { return points(point{less.x - 1, less.y}); });
  return a + b;
}

// Two words.
NOINLINE long two(const int* data, long n) {
  if (n < 2) return leaf(*data);
  begin();
  const auto [a, b] =
      sennit::latent_join([=] { return two(data, n / 2); }, [=] { return two(data + n / 2, n - n / 2); });
  return a + b;
}
NOINLINE long two_referred(const int* data, long n) {
  if (n < 2) return leaf(*data);
  begin();
  const auto [a, b] = sennit::latent_join([&] { return two_referred(data, n / 2); },
                                          [&] { return two_referred(data + n / 2, n - n / 2); });
  return a + b;
}
NOINLINE void fractions(float x, float y, std::atomic<long>* sum) {
  if (x < 2) {
    sum->fetch_add(leaf(static_cast<long>(x + y)), std::memory_order_relaxed);
    return;
  }
  begin();
  sennit::latent_join([=] { fractions(x - 1, y + 1, sum); }, [=] { fractions(x - 2, y, sum); });
}
NOINLINE long view(std::string_view text) {
  if (text.size() < 2) return leaf(text[0]);
  begin();
  const std::string_view right = text.substr(text.size() / 2);
  const auto [a, b] =
      sennit::latent_join([=] { return view(text.substr(0, text.size() / 2)); }, [=] { return view(right); });
  return a + b;
}

// Three words.
struct both {
  long sum;
  long least;
};
NOINLINE both three(const int* data, long low, long high) {
  if (high - low < 2) return {leaf(data[low]), data[low]};
  begin();
  const long middle = low + (high - low) / 2;
  const auto [a, b] = sennit::latent_join([=] { return three(data, low, middle); },
                                          [=] { return three(data, middle, high); });
  return {a.sum + b.sum, a.least < b.least ? a.least : b.least};
}
NOINLINE both three_referred(const int* data, long low, long high) {
  if (high - low < 2) return {leaf(data[low]), data[low]};
  begin();
  const long middle = low + (high - low) / 2;
  const auto [a, b] = sennit::latent_join([&] { return three_referred(data, low, middle); },
                                          [&] { return three_referred(data, middle, high); });
  return {a.sum + b.sum, a.least < b.least ? a.least : b.least};
}

// Six words: some on the stack, of several types.
struct six {
  long values[6];
};
NOINLINE six sixfold(const int* data, int low, int high, double weight, long add, char letter) {
  if (high - low < 2) return {{leaf(data[low]), low, high, static_cast<long>(weight), add, letter}};
  begin();
  const int middle = low + (high - low) / 2;
  const auto [a, b] =
      sennit::latent_join([=] { return sixfold(data, low, middle, weight, add, letter); },
                          [=] { return sixfold(data, middle, high, weight + 1, add + 1, letter); });
  six sum = a;
  for (std::size_t i = 0; i < 6; ++i) sum.values[i] += b.values[i];
  return sum;
}
NOINLINE double sixfold_referred(const int* data, int low, int high, double weight, long add, char letter) {
  if (high - low < 2) return static_cast<double>(leaf(data[low]) + low + high + add + letter) + weight;
  begin();
  const int middle = low + (high - low) / 2;
  const auto [a, b] =
      sennit::latent_join([&] { return sixfold_referred(data, low, middle, weight, add, letter); },
                          [&] { return sixfold_referred(data, middle, high, weight + 1, add + 1, letter); });
  return a + b;
}

// The first call's result is converted before the promotion point.
NOINLINE double converted(int n, double by) {
  if (n < 2) return static_cast<double>(leaf(n)) * by;
  begin();
  const auto [a, b] =
      sennit::latent_join([=]() -> double { return 2 * static_cast<float>(converted(n - 1, by)); },
                          [=] { return converted(n - 2, by); });
  return a + b;
}

// Only the last leaf of the first calls does not throw.
NOINLINE long throwing(long n, long value) {
  if (n < 2) {
    if (leaf(n) == 1) return value;
    throw value;
  }
  begin();
  const auto [a, b] = sennit::latent_join([=] { return throwing(n - 1, value + n); },
                                          [=] { return throwing(n - 2, value * 2); });
  return a + b;
}

const int data[] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3,
                    2, 3, 8, 4, 6, 2, 6, 4, 3, 3, 8, 3, 2, 7, 9, 5};
int length(long size) { return static_cast<int>(size * 3); }

long calls_of(void (*recursion)(long), long size) {
  called = 0;
  recursion(size);
  return called;
}
long fractions(long size) {
  std::atomic<long> sum{0};
  fractions(static_cast<float>(size), 1, &sum);
  return sum;
}
long of(const both& result) { return result.sum * 10 + result.least; }
long sixfold(long size) {
  const six sum = sixfold(data, 0, length(size), 0.5, 3, 'a');
  long all = 0;
  for (const long value : sum.values) all = all * 31 + value;
  return all;
}

long caught(long size) {
  try {
    return throwing(size, 100);
  } catch (const long thrown) {
    return thrown;
  }
}

}  // namespace

const recursion recursions[] = {
    {"nothing", [](long n) { return calls_of(nothing, n); }},
    {"a function", [](long n) { return calls_of(function, n); }},
    {"a long", [](long n) { return one(n); }},
    {"a long, by reference", [](long n) { return one_referred(n); }},
    {"an int", [](long n) { return long{number(static_cast<int>(n))}; }},
    {"a char and a bool", [](long n) { return long{characters(static_cast<signed char>(n), false)}; }},
    {"two ints", [](long n) { return long{numbers(0, length(n))}; }},
    {"two ints, by reference", [](long n) { return long{numbers_referred(0, length(n))}; }},
    {"a structure of two ints", [](long n) { return halves({0, length(n)}); }},
    {"a structure of two floats",
     [](long n) { return static_cast<long>(points({static_cast<float>(n), 1})); }},
    {"two words", [](long n) { return two(data, length(n)); }},
    {"two words, by reference", [](long n) { return two_referred(data, length(n)); }},
    {"two floats and a pointer", [](long n) { return fractions(n); }},
    {"a view",
     [](long n) {
       return view(std::string_view("a text that is divided").substr(0, static_cast<std::size_t>(length(n))));
     }},
    {"three words", [](long n) { return of(three(data, 0, length(n))); }},
    {"three words, by reference", [](long n) { return of(three_referred(data, 0, length(n))); }},
    {"six values", [](long n) { return sixfold(n); }},
    {"six values, by reference",
     [](long n) { return static_cast<long>(sixfold_referred(data, 0, length(n), 0.5, 3, 'a')); }},
    {"an int and a double, and a first call whose result is converted",
     [](long n) { return static_cast<long>(converted(static_cast<int>(n), 1.5)); }},
    {"an exception", [](long n) { return caught(n); }, true},
};
const std::size_t count = sizeof(recursions) / sizeof(recursions[0]);

}  // namespace captures
