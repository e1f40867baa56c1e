// SPDX-License-Identifier: Apache-2.0
// branch_and_bound [NUMBERS [SEED]]: divides numbers into two groups whose sums differ as little as possible.
//
// The two largest numbers go to different groups, which is to put their difference in place of them, or to the same group, which
// is to put their sum (the method of Karmarkar and Karp, made complete by Korf, 1998). Where the largest number is no smaller
// than all others together, the rest is known. A difference of 0 or 1 cannot be improved: then the region is cancelled.
#include <sennit/sennit.hpp>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace {

using numbers = std::vector<std::int64_t>;  // the largest first

std::int64_t sum(const numbers& n) { return std::reduce(n.begin(), n.end()); }

// Those behind the first two, with one more.
numbers with(const numbers& n, std::int64_t one_more) {
  numbers rest;
  rest.reserve(n.size() - 1);
  const auto place = std::upper_bound(n.begin() + 2, n.end(), one_more, std::greater<>());
  rest.insert(rest.end(), n.begin() + 2, place);
  rest.push_back(one_more);
  rest.insert(rest.end(), place, n.end());
  return rest;
}

// Any strand may find something better, at any time.
class least_difference {
 public:
  explicit least_difference(const numbers& n) : perfect_(sum(n) % 2), least_(sum(n)) {}

  // Whether nothing can be better.
  bool offer(std::int64_t difference) {
    std::int64_t least = least_.load(std::memory_order_relaxed);
    while (difference < least &&
           !least_.compare_exchange_weak(least, difference, std::memory_order_relaxed)) {
    }
    return difference == perfect_;
  }
  std::int64_t value() const { return least_.load(std::memory_order_relaxed); }

 private:
  std::int64_t perfect_;
  std::atomic<std::int64_t> least_;
};

void search(const numbers& n, least_difference& found, sennit::region& all) {
  const std::int64_t others = sum(n) - n[0];
  if (n[0] >= others) {
    if (found.offer(n[0] - others)) all.cancel();
    return;
  }
  sennit::join([&] { search(with(n, n[0] - n[1]), found, all); },
               [&] { search(with(n, n[0] + n[1]), found, all); });
}

// Returns whether it may end.
bool serial_search(const numbers& n, least_difference& found) {
  const std::int64_t others = sum(n) - n[0];
  if (n[0] >= others) return found.offer(n[0] - others);
  return serial_search(with(n, n[0] - n[1]), found) || serial_search(with(n, n[0] + n[1]), found);
}

numbers random_numbers(std::size_t n, std::size_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_int_distribution<std::int64_t> within(1, 10'000'000);
  numbers made(n);
  for (std::int64_t& number : made) number = within(random);
  std::ranges::sort(made, std::greater<>());
  return made;
}

// The argument at a position, or else what is usual.
std::size_t number(int argc, char** argv, int position, std::string_view what, std::size_t usual,
                   std::size_t most) {
  if (position >= argc) return usual;
  const std::string_view text = argv[position];
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 1 || value > most)
    throw std::runtime_error(std::string(what) + " is from 1 to " + std::to_string(most) + ", not '" +
                             std::string(text) + "'");
  return value;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc > 3) throw std::runtime_error("usage: branch_and_bound [NUMBERS [SEED]]");
  const std::size_t n = number(argc, argv, 1, "how many numbers there are", 30, 60);
  const numbers all = random_numbers(n, number(argc, argv, 2, "the seed", 1, 1'000'000));

  least_difference found(all);
  sennit::region region;
  region.run([&] { search(all, found, region); });
  std::printf("%zu numbers, the groups differ by %td%s\n", n, static_cast<std::ptrdiff_t>(found.value()),
              region.cancel_requested() ? ", which nothing can improve" : "");

  least_difference serial(all);
  serial_search(all, serial);
  if (found.value() != serial.value()) throw std::runtime_error("the serial program has another result");
} catch (const std::exception& e) {
  std::fprintf(stderr, "branch_and_bound: %s\n", e.what());
  return EXIT_FAILURE;
}
