// SPDX-License-Identifier: Apache-2.0
// n_body [BODIES [STEPS]]: bodies that attract one another, each by each, over some steps of time.
//
// The forces are one loop, in which each body looks at all others. The energy is a sum of floating-point numbers:
// sennit::deterministic gives it the same bits whatever the number of workers.
#include <sennit/sennit.hpp>

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace {

struct vector {
  double x = 0, y = 0, z = 0;

  friend vector operator+(vector a, vector b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  friend vector operator-(vector a, vector b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  friend vector operator*(double s, vector a) { return {s * a.x, s * a.y, s * a.z}; }
  friend double dot(vector a, vector b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
  bool operator==(const vector&) const = default;
};

struct body {
  vector position, velocity;
  double mass = 0;

  bool operator==(const body&) const = default;
};
using bodies = std::vector<body>;

constexpr double softening = 1e-3;  // so that bodies that meet do not fly apart
constexpr double step_of_time = 1e-4;

double distance(const body& a, const body& b) {
  const vector between = b.position - a.position;
  return std::sqrt(dot(between, between) + softening);
}

vector acceleration(const body& of, const bodies& all) {
  vector sum;
  for (const body& other : all) {
    const double r = distance(of, other);
    sum = sum + other.mass / (r * r * r) * (other.position - of.position);
  }
  return sum;
}

// P is sennit::parallel or sennit::serial.
template <class P>
void step(bodies& all) {
  P::parallel_for(all, [&](body& b) { b.velocity = b.velocity + step_of_time * acceleration(b, all); });
  P::parallel_for(all, [](body& b) { b.position = b.position + step_of_time * b.velocity; });
}

template <class P>
double energy(const bodies& all) {
  const auto of = [&](std::size_t i) {
    double sum = all[i].mass * dot(all[i].velocity, all[i].velocity) / 2;
    for (std::size_t j = 0; j < i; ++j) sum -= all[i].mass * all[j].mass / distance(all[i], all[j]);
    return sum;
  };
  return P::parallel_reduce(0, all.size(), 0.0, of, std::plus<>(), sennit::deterministic);
}

bodies in_a_cube(std::size_t n) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> within(-1, 1);
  bodies all(n);
  for (body& b : all) {
    b.position = {within(random), within(random), within(random)};
    b.mass = 1 / static_cast<double>(n);
  }
  return all;
}

// The argument at a position, or else what is usual.
std::size_t number(int argc, char** argv, int position, std::string_view what, std::size_t usual,
                   std::size_t most) {
  if (position >= argc) return usual;
  const std::string_view text = argv[position];
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 1 || value > most)
    throw std::runtime_error("the number of " + std::string(what) + " is from 1 to " + std::to_string(most) +
                             ", not '" + std::string(text) + "'");
  return value;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc > 3) throw std::runtime_error("usage: n_body [BODIES [STEPS]]");
  const std::size_t n = number(argc, argv, 1, "bodies", 1000, 1'000'000);
  const std::size_t steps = number(argc, argv, 2, "steps", 20, 1'000'000);

  bodies all = in_a_cube(n);
  bodies serial = all;
  const double before = energy<sennit::parallel>(all);
  for (std::size_t i = 0; i < steps; ++i) step<sennit::parallel>(all);
  const double after = energy<sennit::parallel>(all);

  for (std::size_t i = 0; i < steps; ++i) step<sennit::serial>(serial);
  std::printf("%zu bodies, %zu steps, energy %.6f before and %.6f after\n", n, steps, before, after);
  if (all != serial || after != energy<sennit::serial>(serial))
    throw std::runtime_error("the serial program has another result");
} catch (const std::exception& e) {
  std::fprintf(stderr, "n_body: %s\n", e.what());
  return EXIT_FAILURE;
}
