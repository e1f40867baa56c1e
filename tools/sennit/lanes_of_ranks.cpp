// SPDX-License-Identifier: Apache-2.0
#include "tools/sennit/lanes_of_ranks.hpp"

#include "tools/sennit/table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace command {
namespace {

namespace sim = sennit::sim;
using nlohmann::json;

// One end of a message.
struct message_end {
  std::uint32_t lane;
  sim::picoseconds at;
};

// Messages with the same of all that, which come in the order in which they were sent.
using message_key = std::tuple<unsigned, unsigned, std::uint64_t, std::uint64_t>;  // from, to, tag, bytes

struct message_ends {
  std::vector<message_end> sent;
  std::vector<message_end> received;
};

struct trace_of_rank {
  const program_trace* trace;
  unsigned rank;
  std::uint64_t clock_ns;
};

// By rank.
std::vector<trace_of_rank> sorted(const std::vector<program_trace>& traces,
                                  const std::vector<std::string>& names) {
  std::vector<trace_of_rank> found;
  std::map<unsigned, std::string> files;
  for (std::size_t i = 0; i < traces.size(); ++i) {
    const unsigned rank = traces[i].events.rank.value_or(static_cast<unsigned>(i));
    const auto [at, is_new] = files.try_emplace(rank, names[i]);
    if (!is_new) {
      throw std::runtime_error(fmt::format("'{}' and '{}' are both of rank {}; give one trace of each rank",
                                           at->second, names[i], rank));
    }
    found.push_back({&traces[i], rank, traces[i].events.clock_ns});
  }
  std::ranges::sort(found, {}, &trace_of_rank::rank);
  return found;
}

// So that all count from one begin.
void align(std::vector<trace_of_rank>& all, std::vector<std::string>& remarks) {
  const sim::trace& first = all.front().trace->events;
  const bool comparable = std::ranges::all_of(all, [&](const trace_of_rank& t) {
    const sim::trace& e = t.trace->events;
    return e.clock_ns != 0 && e.by_clock_of_rank_0 == first.by_clock_of_rank_0 &&
           (e.by_clock_of_rank_0 || e.host == first.host);
  });
  if (!comparable) {
    remarks.emplace_back(
        "The clocks of the ranks' hosts were not compared, so each rank begins at 0 here: make a "
        "sennit::mpi::session in the program.");
  }
  const std::uint64_t begin = std::ranges::min(all, {}, &trace_of_rank::clock_ns).clock_ns;
  for (trace_of_rank& t : all) t.clock_ns = comparable ? t.clock_ns - begin : 0;
}

// What a rank sent to another one.
struct traffic {
  unsigned from;
  unsigned to;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  double until_received = 0;  // picoseconds, of all
  double longest = 0;
};

// By bytes, most first.
std::vector<traffic> traffic_of(const lanes& l) {
  std::vector<unsigned> rank_of_lane;
  for (const rank_of_lanes& r : l.ranks) rank_of_lane.insert(rank_of_lane.end(), r.lanes, r.rank);
  std::map<std::pair<unsigned, unsigned>, traffic> pairs;
  for (const lane_message& m : l.messages) {
    const std::pair ranks(rank_of_lane[m.from], rank_of_lane[m.to]);
    traffic& t = pairs.try_emplace(ranks, traffic{ranks.first, ranks.second}).first->second;
    const double took = static_cast<double>(m.received) - static_cast<double>(m.sent);
    ++t.messages;
    t.bytes += m.bytes;
    t.until_received += took;
    t.longest = std::max(t.longest, took);
  }
  std::vector<traffic> sorted;
  for (const auto& [ranks, t] : pairs) sorted.push_back(t);
  const auto key = [](const traffic& t) { return std::tuple(~t.bytes, t.from, t.to); };
  std::ranges::sort(sorted, {}, key);
  return sorted;
}

}  // namespace

std::vector<std::filesystem::path> files_of_ranks(const std::filesystem::path& file) {
  std::vector<std::filesystem::path> found;
  const bool of_one = std::filesystem::exists(file);
  for (;;) {
    std::filesystem::path of_rank = file;
    of_rank.replace_filename(
        fmt::format("{}.{}{}", file.stem().string(), found.size(), file.extension().string()));
    if (!std::filesystem::exists(of_rank)) return found;
    // A run of one rank has written over no file of several: the latest run counts.
    if (of_one && found.empty() &&
        std::filesystem::last_write_time(of_rank) < std::filesystem::last_write_time(file))
      return found;
    found.push_back(of_rank);
  }
}

lanes lanes_of_ranks(const std::vector<program_trace>& traces, const std::vector<std::string>& names) {
  std::vector<trace_of_rank> all = sorted(traces, names);
  lanes found{"", {}, 0, {}};
  align(all, found.remarks);
  const sim::trace& first = all.front().trace->events;
  found.title = fmt::format("{} on {} ranks", first.program, all.size());
  std::map<message_key, message_ends> ends;
  std::set<unsigned> given;
  for (const trace_of_rank& t : all) given.insert(t.rank);
  std::set<unsigned> missing;
  std::uint64_t untraced = 0;
  for (const trace_of_rank& t : all) {
    const sim::trace& events = t.trace->events;
    const lanes own = lanes_of(*t.trace, "");
    const auto base = static_cast<std::uint32_t>(found.names.size());
    const sim::picoseconds shift = t.clock_ns * sim::nanosecond;
    rank_of_lanes rank{t.rank, base, static_cast<std::uint32_t>(own.names.size())};
    for (const std::string& name : own.names) {
      found.names.push_back(own.names.size() == 1 ? fmt::format("rank {}", t.rank)
                                                  : fmt::format("rank {}, {}", t.rank, name));
    }
    for (lane_slice s : own.slices) {
      s.lane += base;
      s.begin += shift;
      s.end += shift;
      found.slices.push_back(std::move(s));
    }
    found.length = std::max(found.length, own.length + shift);
    const auto others = other_lanes(events);
    for (const sim::trace_message& m : events.messages) {
      if (!given.contains(m.peer)) {
        missing.insert(m.peer);
        ++untraced;
        continue;
      }
      const auto other = others.find(m.worker);
      const message_end end{base + (other == others.end() ? m.worker : other->second), m.at + shift};
      found.length = std::max(found.length, end.at);
      if (m.sent) {
        ends[{t.rank, m.peer, m.tag, m.bytes}].sent.push_back(end);
        ++rank.sent;
        rank.bytes_sent += m.bytes;
      } else {
        ends[{m.peer, t.rank, m.tag, m.bytes}].received.push_back(end);
        ++rank.received;
      }
    }
    found.ranks.push_back(rank);
  }
  std::uint64_t alone = 0;
  for (auto& [key, both] : ends) {
    std::ranges::sort(both.sent, {}, &message_end::at);
    std::ranges::sort(both.received, {}, &message_end::at);
    const std::size_t pairs = std::min(both.sent.size(), both.received.size());
    alone += std::max(both.sent.size(), both.received.size()) - pairs;
    for (std::size_t i = 0; i < pairs; ++i) {
      found.messages.push_back({both.sent[i].lane, both.received[i].lane, both.sent[i].at,
                                both.received[i].at, std::get<2>(key), std::get<3>(key)});
    }
  }
  std::ranges::sort(found.messages, {}, &lane_message::sent);
  if (alone > 0) {
    found.remarks.push_back(fmt::format(
        "{} messages are left out, whose sender or receiver does not use sennit::mpi, or is told nothing "
        "of them, as the program was killed.",
        alone));
  }
  if (untraced > 0) {
    found.remarks.push_back(
        fmt::format("{} messages are left out, from or to ranks whose traces are not given: {}.", untraced,
                    fmt::join(missing, ", ")));
  }
  return found;
}

void add_ranks(const lanes& l, json& page) {
  if (l.ranks.empty()) return;
  page["ranks"] = json::array();
  for (const rank_of_lanes& r : l.ranks)
    page["ranks"].push_back({r.rank, r.first_lane, r.lanes, r.sent, r.bytes_sent, r.received});
  // What a browser draws without delay, and a page of some megabytes.
  constexpr std::size_t most = 100'000;
  const std::size_t each = (l.messages.size() + most - 1) / most;
  page["messages"] = json::array();
  for (std::size_t i = 0; i < l.messages.size(); i += each) {
    const lane_message& m = l.messages[i];
    page["messages"].push_back(
        {m.from, m.to, m.sent / sim::nanosecond, m.received / sim::nanosecond, m.tag, m.bytes});
  }
  page["all_messages"] = l.messages.size();
  page["remarks"] = l.remarks;
  constexpr std::size_t most_pairs = 200;
  page["pairs"] = json::array();
  for (const traffic& t : traffic_of(l)) {
    if (page["pairs"].size() == most_pairs) break;
    const auto mean = t.until_received / static_cast<double>(t.messages);
    page["pairs"].push_back({t.from, t.to, t.messages, t.bytes, std::max(0.0, mean / sim::nanosecond),
                             t.longest / sim::nanosecond});
  }
}

std::string text_of_ranks(const lanes& l, const std::vector<sim::picoseconds>& busy) {
  if (l.ranks.empty()) return "";
  table ranks({"", "busy", "", "sent", "bytes", "received"},
              {table::left, table::right, table::right, table::right, table::right, table::right});
  for (const rank_of_lanes& r : l.ranks) {
    const auto begin = busy.begin() + r.first_lane;
    const sim::picoseconds all = std::accumulate(begin, begin + r.lanes, sim::picoseconds{0});
    const double whole = static_cast<double>(l.length) * r.lanes;
    ranks.add({fmt::format("rank {}", r.rank), show_seconds(static_cast<double>(all) * 1e-12),
               fmt::format("{:.1f}%", whole == 0 ? 0 : 100 * static_cast<double>(all) / whole),
               show_count(r.sent), show_count(r.bytes_sent), show_count(r.received)});
  }
  return ranks.str() + "\n";
}

}  // namespace command
