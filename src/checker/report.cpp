// SPDX-License-Identifier: Apache-2.0
#include "checker/report.hpp"

#include "checker/places.hpp"

#include <sennit/detail/effects_access.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>

namespace sennit::checker {

namespace {

constexpr int status_of_faults = 66;

struct said {
  std::mutex lock;
  std::set<std::tuple<std::string, rule, bool>> places;  // by their lines
  std::vector<std::string>* collected = nullptr;
  std::atomic<bool> by_hull{false};
};
// Never destroyed: code that runs at exit may have faults, too.
said& so_far() {
  static auto& all = *new said;
  return all;
}

// printf into a string.
template <class... T>
std::string text(const char* format, T... values) {
  std::array<char, 512> buffer;
  const int n = std::snprintf(buffer.data(), buffer.size(), format, values...);
  return {buffer.data(), std::min(buffer.size() - 1, static_cast<std::size_t>(std::max(n, 0)))};
}

std::string interval(std::uintptr_t first, std::uintptr_t last) {
  return text("[%#zx, %#zx)", static_cast<std::size_t>(first), static_cast<std::size_t>(last));
}

std::string counted(std::uint64_t n, const char* one, const char* several) {
  return text("%llu %s", static_cast<unsigned long long>(n), n == 1 ? one : several);
}

std::string headline(const fault& f) {
  const char* const does = f.written ? "writes" : "reads";
  const std::string what = text("%s %zu bytes at %#zx", does, f.bytes, static_cast<std::size_t>(f.first));
  switch (f.broken) {
    case rule::step: return "a step " + what + ", which its effects do not say";
    case rule::afterwards:
      return "after a sequence(), a step " + what + ", which its followed_by() does not say";
    case rule::call:
      return "a step " + what +
             (f.calls_out == 0 ? std::string(", which the effects of its call do not say")
                               : ", which the effects of the call " +
                                     counted(f.calls_out, "level", "levels") + " out do not say");
    case rule::outside: break;
  }
  return "code outside steps " + what + (f.written ? "" : ", which other calls of the splice write");
}

struct neighbor {
  detail::region_view region;
  std::uintptr_t distance;
};
std::optional<neighbor> nearest_to(std::uintptr_t first, std::uintptr_t last, bool written,
                                   const effects& has) {
  std::optional<neighbor> nearest;
  for (std::uint32_t i = 0; i < detail::effects_access::size(has); ++i) {
    const detail::region_view r = detail::effects_access::region(has, i);
    const std::uintptr_t distance = last <= r.where.first   ? r.where.first - last
                                    : first >= r.where.last ? first - r.where.last
                                                            : 0;
    // Of two equally near regions, the one that says more.
    const bool nearer =
        !nearest || distance < nearest->distance || (distance == nearest->distance && r.written == written);
    if (nearer) nearest = {r, distance};
  }
  return nearest;
}

std::string relation(const fault& f) {
  const std::optional<neighbor> near = nearest_to(f.first, f.last, f.written, *f.has);
  if (!near) return "they are none";
  const char* const does = near->region.written ? "writes" : "reads";
  const char* const side = f.lies == position::before ? "before" : "behind";
  switch (f.lies) {
    case position::read_only: return "it is said to be read only";
    case position::within: return text("within the bounds of a region that it %s, but not in it", does);
    default: break;
  }
  if (near->distance == 0) return text("right %s what it %s", side, does);
  if (near->distance > (std::uintptr_t{1} << 24)) return "far from all that it says";
  return text("%zu bytes %s what it %s", static_cast<std::size_t>(near->distance), side, does);
}

std::string effects_line(const detail::region_view& a) {
  const std::string lies = interval(a.where.first, a.where.last);
  const std::size_t bytes = a.where.last - a.where.first;
  const char* const does = a.written ? "writes" : "reads";
  if (a.contiguous()) return text("%s %s, %zu bytes", does, lies.c_str(), bytes);
  if (a.exact()) return text("%s a region within %s", does, lies.c_str());
  return text("%s a region, taken for all of %s, as it has no contains_address()", does, lies.c_str());
}

// Code between the faulty access and the checker.
bool of_library(const place& p) {
  for (const std::string_view prefix :
       {"sennit::detail::", "sennit::checker::", "_ZN6sennit", "_ZZN6sennit"}) {
    if (p.function.starts_with(prefix)) return true;
  }
  return p.line.find("/sennit/splice.hpp:") != std::string::npos ||
         p.line.find("/sennit/detail/") != std::string::npos;
}

// Without parameters and local scopes.
std::string short_name(std::string name) {
  constexpr std::string_view unnamed = "(anonymous namespace)::";
  for (std::size_t at; (at = name.find(unnamed)) != std::string::npos;) name.erase(at, unnamed.size());
  const std::size_t end = name.find('(');
  if (end != std::string::npos && end > 0 && !std::string_view(name).substr(0, end).ends_with("operator")) {
    name.resize(end);
  }
  return name;
}

// All effects that one step lacks on a line.
std::string described(const std::vector<fault>& parts) {
  const fault& f = parts.front();
  std::string all = "sennit: effects: " + headline(f) + "\n";
  auto line = [&](const char* title, const std::string& what) {
    all += text("  %-8s ", title) + what + "\n";
  };
  const char* title = "at";
  constexpr std::size_t most_lines = 10;
  std::size_t lines = 0;
  for (const std::vector<place>& inlined : places_of({f.callers.data(), f.depth})) {
    for (const place& p : inlined) {
      if ((lines > 0 && of_library(p)) || lines == most_lines) continue;
      line(title, of_library(p) ? p.line : p.line + " in " + short_name(p.function));
      title = "from";
      ++lines;
    }
  }
  if (f.has == nullptr) {
    line("remedy", f.written ? "make it part of a step(), or of what a sequence() calls"
                             : "read it in a step(), whose effects say so");
    return all;
  }
  title = "missing";
  for (const fault& p : parts) {
    line(title, text("%s of %s, %zu bytes in %s: ", p.written ? "writes" : "reads",
                     interval(p.first, p.last).c_str(), static_cast<std::size_t>(p.last - p.first),
                     counted(p.accesses, "access", "accesses").c_str()) +
                    relation(p));
    title = "";
  }
  title = "effects";
  for (std::uint32_t i = 0; i < detail::effects_access::size(*f.has); ++i) {
    line(title, effects_line(detail::effects_access::region(*f.has, i)));
    title = "";
  }
  return all;
}

void conclude() {
  said& all = so_far();
  if (all.by_hull.load(std::memory_order_relaxed)) {
    std::fputs("sennit: effects: some regions have no contains_address(): each was taken for all of its "
               "hull, and reads "
               "of it were checked only after it had been written\n",
               stderr);
  }
  if (all.places.empty() || all.collected != nullptr) return;
  std::fprintf(stderr, "sennit: effects: %s with accesses that the annotations do not allow\n",
               counted(all.places.size(), "place", "places").c_str());
  std::fflush(nullptr);
  _exit(status_of_faults);
}

}  // namespace

position position_of(std::uintptr_t first, std::uintptr_t last, bool written, const effects* has) {
  const std::optional<neighbor> near =
      has != nullptr ? nearest_to(first, last, written, *has) : std::optional<neighbor>();
  if (!near) return position::nowhere;
  if (last <= near->region.where.first) return position::before;
  if (first >= near->region.where.last) return position::behind;
  return written && !near->region.written && near->region.has(first, 1) ? position::read_only
                                                                        : position::within;
}

void report(std::vector<fault> found) {
  if (found.empty()) return;
  said& all = so_far();
  const std::lock_guard guard(all.lock);
  std::vector<const void*> code;
  for (const fault& f : found) code.push_back(f.callers[0]);
  const std::vector<std::vector<place>> places = places_of(code);

  // All accesses that compilers have made of one line are one fault.
  struct on_line {
    std::string line;
    fault f;
    bool is_as(const std::string& other_line, const fault& other) const {
      return line == other_line && f.broken == other.broken && f.has == other.has && f.lies == other.lies;
    }
  };
  std::vector<on_line> lines;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const fault& f = found[i];
    const std::string& line = places[i].front().line;
    const auto same = std::find_if(lines.begin(), lines.end(), [&](const on_line& l) {
      return l.is_as(line, f) && l.f.written == f.written;
    });
    if (same == lines.end()) {
      lines.push_back({line, f});
    } else {
      same->f.first = std::min(same->f.first, f.first);
      same->f.last = std::max(same->f.last, f.last);
      same->f.accesses += f.accesses;
    }
  }
  // A step that may write may also read.
  const auto implied = [&](const on_line& l) {
    return !l.f.written && std::any_of(lines.begin(), lines.end(), [&](const on_line& other) {
      return other.is_as(l.line, l.f) && other.f.written && other.f.first <= l.f.first &&
             l.f.last <= other.f.last;
    });
  };
  for (const on_line& l : lines) {
    if (implied(l) || !all.places.emplace(l.line, l.f.broken, l.f.written).second) continue;
    std::vector<fault> parts;
    for (const on_line& other : lines) {
      const bool same_report = other.line == l.line && other.f.broken == l.f.broken &&
                               other.f.written == l.f.written && other.f.has == l.f.has;
      if (same_report && !implied(other)) parts.push_back(other.f);
    }
    const std::string words = described(parts);
    if (all.collected != nullptr) {
      all.collected->push_back(words);
    } else {
      std::fputs(words.c_str(), stderr);
    }
  }
}

void note_region_by_hull() noexcept { so_far().by_hull.store(true, std::memory_order_relaxed); }

void collect(std::vector<std::string>* reports) noexcept {
  said& all = so_far();
  const std::lock_guard guard(all.lock);
  all.collected = reports;
  all.places.clear();
}

void conclude_at_exit() noexcept { std::atexit(conclude); }

}  // namespace sennit::checker
