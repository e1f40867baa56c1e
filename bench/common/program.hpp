// SPDX-License-Identifier: Apache-2.0
// The protocol every C++ benchmark program speaks; rust/src/lib.rs is its twin. See README.md, "Protocol".
#pragma once

#include <algorithm>
#include <charconv>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#define SENNIT_BENCH_NOINLINE [[gnu::noinline]]
// For what stands between a kernel and its system, so that the kernel is compiled as if it called the system itself.
#define SENNIT_BENCH_INLINE [[gnu::always_inline]]

namespace bench {

// A kernel of which only run() is timed: prepare(size) makes its input anew, check() looks at what came out. It may have
// figures(), too: pairs of a metric's name and its value in this sample.
template <typename Kernel>
concept prepared_kernel = requires(Kernel& kernel, std::uint64_t size) {
  kernel.prepare(size);
  kernel.run();
  { kernel.check() } -> std::convertible_to<std::uint64_t>;
};

inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// A line of what the kernel says of the process's memory: "VmRSS:", what it has, or "VmHWM:", the most it has had. Not
// ru_maxrss: across exec the kernel lets that start at the parent's peak.
inline double memory_kib(std::string_view field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(field)) return std::strtod(line.c_str() + field.size(), nullptr);
  return 0;
}

inline void relax() { asm volatile("pause" ::: "memory"); }

// Without it a kernel that the compiler proves pure would be hoisted out of the timed span.
template <typename T>
T opaque(T value) {
  asm volatile("" : "+r"(value)::"memory");
  return value;
}

class program {
 public:
  program(int argc, char** argv, std::string runtime = "none")
      : name_(argc > 0 ? argv[0] : ""), runtime_(std::move(runtime)) {
    for (int i = 1; i < argc; ++i) {
      const std::string_view flag = argv[i];
      if (flag == "--lockstep") {
        lockstep_ = true;
      } else if (i + 1 == argc) {
        fail(flag, "is unknown or lacks its value");
      } else if (flag == "--workers") {
        workers_ = static_cast<unsigned>(number(flag, argv[++i]));
      } else if (flag == "--samples") {
        samples_ = number(flag, argv[++i]);
      } else if (flag == "--size") {
        size_ = number(flag, argv[++i]);
      } else if (flag == "--warm-up") {
        warm_up_ = number(flag, argv[++i]);
      } else if (flag == "--work") {
        work_ = number(flag, argv[++i]);
      } else if (flag == "--input") {
        input_ = argv[++i];
      } else if (flag == "--variant") {
        variant_ = argv[++i];
        is_known_ = variant_ == "default";
      } else {
        fail(flag, "is unknown");
      }
    }
    if (workers_ == 0) fail("--workers", "must be at least 1");
    if (size_ == 0) fail("--size", "is needed and must be at least 1");
  }

  unsigned workers() const { return workers_; }
  std::uint64_t size() const { return size_; }
  // How much to do at each of the `size` places, for kernels in which that is a choice.
  std::uint64_t work() const { return work_; }
  // Which of the inputs that a program knows, for one that serves several kernels.
  const std::string& input() const { return input_; }
  // A variant that the program never asks about is an error, with all that it has asked about. Call it from one thread.
  bool is(std::string_view variant) const {
    knows(variant);
    return variant_ == variant;
  }
  // Says of a variant that it exists, although nothing depends on it: another name of what the program does anyway.
  void knows(std::string_view variant) const {
    if (is_known_) return;
    known_.emplace_back(variant);
    is_known_ = variant_ == variant;
  }
  // N of the variant grainN: how much at once, as a person has set it. 0: another variant.
  std::uint64_t grain() const {
    constexpr std::string_view prefix = "grain";
    if (!variant_.starts_with(prefix)) {
      knows("grainN");
      return 0;
    }
    knows(variant_);
    const std::uint64_t grain = number("--variant grainN", std::string_view(variant_).substr(prefix.size()));
    if (grain == 0) fail("--variant grainN", "needs a grain of at least 1");
    return grain;
  }

  [[noreturn]] static void fail(std::string_view flag, const char* what) {
    std::fprintf(stderr,
                 "%.*s %s; use --workers N --size S [--work W] [--input I] [--warm-up S] "
                 "[--samples K | --lockstep] [--variant V]\n",
                 static_cast<int>(flag.size()), flag.data(), what);
    std::exit(2);
  }

  void describe(std::string runtime) { runtime_ = std::move(runtime); }
  void describe_further(const char* more) { runtime_ += more; }

  // The forks that every system makes in one sample; only the serial program of a kernel says it.
  void forks(std::uint64_t count) { forks_ = count; }

  // `kernel(size)` does the whole work once and returns the value to check.
  template <std::invocable<std::uint64_t> Kernel>
  int run(Kernel&& kernel) {
    return run([&](std::uint64_t size, std::vector<double>&) { return kernel(size); });
  }

  // `kernel(size, us)` also appends measurements of its own, in microseconds.
  template <std::invocable<std::uint64_t, std::vector<double>&> Kernel>
  int run(Kernel&& kernel) {
    return serve_whole(kernel, std::identity{});
  }

  // The value to check is of what `kernel(size)` leaves behind; `check(size)` is not timed.
  template <std::invocable<std::uint64_t> Kernel, std::invocable<std::uint64_t> Check>
  int run(Kernel&& kernel, Check&& check) {
    return serve_whole(
        [&](std::uint64_t size, std::vector<double>&) {
          kernel(size);
          return size;
        },
        check);
  }

  template <prepared_kernel Kernel>
  int run(Kernel&& kernel) {
    struct quiet {
      void prepare(std::uint64_t n) { kernel.prepare(n); }
      void run(std::vector<double>&) { kernel.run(); }
      std::uint64_t check() const { return kernel.check(); }
      figures_of_sample figures() const {
        if constexpr (requires { kernel.figures(); }) return kernel.figures();
        return {};
      }

      std::remove_reference_t<Kernel>& kernel;
    };
    return serve(quiet{kernel});
  }

 private:
  using figures_of_sample = std::vector<std::pair<const char*, double>>;

  template <typename Kernel, typename Check>
  int serve_whole(Kernel&& kernel, Check&& check) {
    struct whole {
      void prepare(std::uint64_t n) { size = n; }
      void run(std::vector<double>& us) {
        result = opaque(static_cast<std::uint64_t>(kernel(opaque(size), us)));
      }
      std::uint64_t check() const { return finish(result); }
      figures_of_sample figures() const { return {}; }

      std::remove_reference_t<Kernel>& kernel;
      std::remove_reference_t<Check>& finish;
      std::uint64_t size = 0;
      std::uint64_t result = 0;
    };
    return serve(whole{kernel, check});
  }

  template <typename Kernel>
  int serve(Kernel kernel) {
    std::vector<double> us;
    kernel.prepare(opaque(warm_up_ != 0 ? warm_up_ : size_));
    kernel.run(us);  // pages, pools and threads exist from here on
    if (!is_known_) refuse_variant();
    std::printf("{\"runtime\": \"%s\", \"compiler\": \"%s\", \"forks\": %llu}\n", runtime_.c_str(),
                compiler(), static_cast<unsigned long long>(forks_));
    std::fflush(stdout);
    for (std::uint64_t sample = 0; proceed(sample); ++sample) {
      us.clear();
      kernel.prepare(opaque(size_));
      const double start = now();
      kernel.run(us);
      const double seconds = now() - start;
      report(seconds, kernel.check(), us, kernel.figures());
    }
    std::printf("{\"peak_mib\": %.3f}\n", memory_kib("VmHWM:") / 1024);
    return std::fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
  }

  // A program has asked about all of its variants once it has run.
  [[noreturn]] void refuse_variant() const {
    std::string names = "default";
    for (auto at = known_.begin(); at != known_.end(); ++at)
      if (std::find(known_.begin(), at, *at) == at) names += ", " + *at;
    std::fprintf(stderr, "%s has no variant '%s'; it has: %s\n", name_.c_str(), variant_.c_str(),
                 names.c_str());
    std::exit(2);
  }

  bool proceed(std::uint64_t sample) const {
    if (!lockstep_) return sample < samples_;
    std::string word;
    return std::getline(std::cin, word) && word == "go";
  }

  static void report(double seconds, std::uint64_t check, const std::vector<double>& us,
                     const figures_of_sample& figures) {
    std::printf("{\"seconds\": %.9f, \"check\": %llu", seconds, static_cast<unsigned long long>(check));
    for (std::size_t i = 0; i < us.size(); ++i) std::printf("%s%.3f", i == 0 ? ", \"us\": [" : ", ", us[i]);
    std::printf(us.empty() ? "" : "]");
    const char* before = ", \"figures\": {";
    for (const auto& [name, value] : figures)
      std::printf("%s\"%s\": %.6g", std::exchange(before, ", "), name, value);
    std::printf(figures.empty() ? "}\n" : "}}\n");
    std::fflush(stdout);
  }

  static constexpr const char* compiler() {
#if defined(__clang__)
    return "clang " __clang_version__;
#else
    return "gcc " __VERSION__;
#endif
  }

  static std::uint64_t number(std::string_view flag, std::string_view text) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) fail(flag, "needs a whole number");
    return value;
  }

  std::string name_;
  std::string runtime_;
  std::string variant_ = "default";
  mutable bool is_known_ = true;
  mutable std::vector<std::string>
      known_;  // variants that the program has asked about, if it is not known yet
  std::string input_;
  unsigned workers_ = 1;
  std::uint64_t size_ = 0;
  std::uint64_t warm_up_ = 0;
  std::uint64_t work_ = 1;
  std::uint64_t samples_ = 1;
  std::uint64_t forks_ = 0;
  bool lockstep_ = false;
};

}  // namespace bench
