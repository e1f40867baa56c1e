// SPDX-License-Identifier: Apache-2.0
#include "tools/sennit/trace_events.hpp"

#include "gallery/input_error.hpp"
#include "schedule/text.hpp"
#include "schedule/timeline.hpp"
#include "tools/sennit/site_names.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <utility>
#include <vector>

namespace command {
namespace {

using nlohmann::ordered_json;
using sennit::detail::strand;
using sennit::detail::stretch;

class events {
 public:
  events(std::string_view name, std::size_t workers, sites where) : sites_(std::move(where)) {
    add({{"ph", "M"}, {"name", "process_name"}, {"pid", 0}, {"args", {{"name", name}}}});
    for (std::size_t i = 0; i < workers; ++i) {
      add({{"ph", "M"},
           {"name", "thread_name"},
           {"pid", 0},
           {"tid", i},
           {"args", {{"name", fmt::format("worker {}", i)}}}});
    }
  }

  void add(const strand& s, const std::vector<strand>& all) {
    const std::string name = s.origin == nullptr ? "region" : name_of(*s.origin);
    if (s.origin != nullptr) {
      const stretch& first = s.stretches.front();
      arrow("steal", running(all[s.parent], first.when.begin), first.when.begin, first.by.role,
            first.when.begin);
    }
    for (std::size_t i = 0; i < s.stretches.size(); ++i) {
      const auto& [by, when] = s.stretches[i];
      ordered_json event = at("X", "strand", name, by.role, when.begin);
      event["dur"] = microseconds(when.end - when.begin);
      event["args"] = {{"event", by.sequence}};
      add_site(event["args"], s);
      add(std::move(event));
      if (i == 0) continue;
      const auto& [before, earlier] = s.stretches[i - 1];
      pause(name, before.role, earlier.end, when.begin);
      arrow("resume", before.role, earlier.end, by.role, when.begin);
    }
  }

  std::string dump() const {
    return fmt::format("{{\"traceEvents\": [\n{}\n]}}\n", fmt::join(lines_, ",\n"));
  }

 private:
  void add_site(ordered_json& to, const strand& s) const {
    const std::uint32_t number = s.origin == nullptr ? 0 : sites_.number(s.origin->site);
    if (number == 0) return;
    to["function"] = sites_.named[number - 1].function;
    if (!sites_.named[number - 1].line.empty()) to["line"] = sites_.named[number - 1].line;
  }

  static double microseconds(std::uint64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1000; }

  static std::uint32_t running(const strand& s, std::uint64_t time) {
    std::uint32_t role = s.stretches.front().by.role;
    for (const stretch& part : s.stretches) {
      if (part.when.begin <= time) role = part.by.role;
    }
    return role;
  }

  static ordered_json at(const char* phase, const char* category, const std::string& name, std::uint32_t role,
                         std::uint64_t time) {
    return {{"ph", phase}, {"cat", category}, {"name", name},
            {"pid", 0},    {"tid", role},     {"ts", microseconds(time)}};
  }

  void pause(const std::string& name, std::uint32_t role, std::uint64_t begin, std::uint64_t end) {
    ++pauses_;
    for (const auto& [phase, time] : {std::pair{"b", begin}, {"e", end}}) {
      ordered_json event = at(phase, "pause", name + " waits", role, time);
      event["id"] = pauses_;
      add(std::move(event));
    }
  }

  void arrow(const char* what, std::uint32_t from, std::uint64_t begin, std::uint32_t to, std::uint64_t end) {
    ++arrows_;
    ordered_json start = at("s", what, what, from, begin);
    ordered_json finish = at("f", what, what, to, end);
    start["id"] = finish["id"] = arrows_;
    finish["bp"] = "e";
    add(std::move(start));
    add(std::move(finish));
  }

  void add(ordered_json event) {
    lines_.push_back(event.dump(-1, ' ', true, ordered_json::error_handler_t::replace));
  }

  const sites sites_;
  std::vector<std::string> lines_;
  std::size_t pauses_ = 0;
  std::size_t arrows_ = 0;
};

}  // namespace

std::string trace_events(const sennit::schedule& s, std::string_view name) {
  const auto tree = sennit::detail::schedule_access::tree(s);
  const std::vector<strand> all = strands(*tree);
  if (all.empty()) {
    throw gallery::input_error(fmt::format(
        "'{}' has no times, so there is nothing to trace; view it as a page or with --text", name));
  }
  events found(name, s.workers(), sites_of(*tree));
  for (const strand& each : all) found.add(each, all);
  return found.dump();
}

}  // namespace command
