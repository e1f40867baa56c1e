// SPDX-License-Identifier: Apache-2.0
// What the tests of SENNIT_TRACE share: programs run in a process of their own, and their traces are read.
#pragma once

#include "support.hpp"

#include <sennit/detail/messages_in_trace.hpp>
#include <sennit/sennit.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace process {

using json = nlohmann::json;

inline void busy_for(std::chrono::microseconds time) {
  for (const auto end = clock::now() + time; clock::now() < end;) {
  }
}

// A tree of forks, each of whose nodes takes a while.
inline long tree(int depth) {
  if (depth == 0) {
    busy_for(60us);
    return 1;
  }
  auto [left, right] = sennit::join([=] { return tree(depth - 1); }, [=] { return tree(depth - 1); });
  busy_for(60us);
  return left + right;
}

class trace_path {
 public:
  trace_path()
      : path_(std::filesystem::temp_directory_path() / ("sennit_" + std::to_string(getpid()) + ".trace")) {}
  trace_path(const trace_path&) = delete;
  trace_path& operator=(const trace_path&) = delete;
  ~trace_path() {
    std::error_code none;
    std::filesystem::remove(path_, none);
  }
  const std::string& text() const { return path_.native(); }

 private:
  std::filesystem::path path_;
};

// Runs the program with so many workers and with a trace.
template <class Program>
ending traced(const trace_path& to, int workers, Program program) {
  return apart([&] {
    setenv("SENNIT_TRACE", to.text().c_str(), 1);
    setenv("SENNIT_WORKERS", std::to_string(workers).c_str(), 1);
    program();
  });
}

inline json parsed(const trace_path& from) { return json::parse(std::ifstream(from.text())); }

inline std::vector<json> of_kind(const json& trace, std::string_view kind) {
  std::vector<json> found;
  std::ranges::copy_if(trace, std::back_inserter(found),
                       [&](const json& e) { return e.value("cat", "") == kind; });
  return found;
}

inline double begin_of(const json& e) { return e["ts"].get<double>(); }
inline double end_of(const json& e) { return begin_of(e) + e["dur"].get<double>(); }

// What every trace must be: bodies lie in bodies, at times within theirs.
inline void expect_well_formed(const json& trace) {
  constexpr double rounding = 0.0025;
  const std::map<std::string, std::set<std::string>> only_in = {
      {"right", {"fork"}}, {"leaf", {"loop"}}, {"node", {"graph"}}};
  const std::set<std::string> bodies = {"region", "fork", "right", "leaf", "child", "named"};
  std::map<std::uint64_t, json> by_id;
  std::set<int> sites;
  ASSERT_EQ(trace[0]["name"], "sennit_trace");
  for (const json& e : trace) {
    if (e["name"] == "site") sites.insert(e["args"]["site"].get<int>());
    if (e["ph"] != "X") continue;
    EXPECT_TRUE(by_id.emplace(e["args"]["id"].get<std::uint64_t>(), e).second) << e;
    EXPECT_TRUE(!e["args"].contains("site") || sites.contains(e["args"]["site"].get<int>())) << e;
    EXPECT_GE(e["dur"].get<double>(), 0) << e;
  }
  std::map<std::uint64_t, std::vector<std::pair<std::uint64_t, std::uint64_t>>> leaves;
  for (const auto& [id, e] : by_id) {
    const std::string kind = e["cat"];
    const json& args = e["args"];
    if (!args.contains("in")) {
      EXPECT_TRUE(kind == "region" || kind == "named" || kind == "child") << e;
      continue;
    }
    const auto around = by_id.find(args["in"].get<std::uint64_t>());
    ASSERT_NE(around, by_id.end()) << e;
    const std::string in_kind = around->second["cat"];
    const auto only = only_in.find(kind);
    EXPECT_TRUE((only != only_in.end() ? only->second : bodies).contains(in_kind)) << e << around->second;
    if (kind == "child") {
      EXPECT_GE(begin_of(e) + rounding, args["at"].get<double>()) << e;
      continue;
    }
    EXPECT_GE(begin_of(e) + rounding, begin_of(around->second)) << e << around->second;
    EXPECT_LE(end_of(e), end_of(around->second) + rounding) << e << around->second;
    if (in_kind == "fork" && kind != "right") {
      EXPECT_LE(end_of(e), begin_of(around->second) + around->second["args"]["left"].get<double>() + rounding)
          << e << around->second;
    }
    if (kind == "leaf")
      leaves[around->first].emplace_back(args["first"].get<std::uint64_t>(),
                                         args["last"].get<std::uint64_t>());
  }
  for (auto& [loop, parts] : leaves) {
    std::ranges::sort(parts);
    for (std::size_t i = 1; i < parts.size(); ++i) EXPECT_EQ(parts[i].first, parts[i - 1].second);
    EXPECT_EQ(parts.back().second - parts.front().first, by_id[loop]["args"]["n"].get<std::uint64_t>());
  }
}

}  // namespace process
