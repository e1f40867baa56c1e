// SPDX-License-Identifier: Apache-2.0
#include "tools/sennit/view.hpp"

#include "tools/output.hpp"
#include "tools/sennit/graph_against.hpp"
#include "tools/sennit/graph_filter.hpp"
#include "tools/sennit/graph_view.hpp"
#include "tools/sennit/lanes.hpp"
#include "tools/sennit/lanes_of_ranks.hpp"
#include "tools/sennit/moved.hpp"
#include "tools/sennit/page.hpp"
#include "tools/sennit/program_trace.hpp"
#include "tools/sennit/splice_view.hpp"
#include "tools/sennit/trace_events.hpp"

#include <sennit/graph_trace.hpp>
#include <sennit/schedule.hpp>
#include <sennit/splice_schedule.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace command {
namespace {

void refuse(const view_options& options, std::string_view is, std::string_view has_no,
            std::string_view instead) {
  throw std::runtime_error(
      fmt::format("'{}' is {}, which has no {}; {}", options.file.string(), is, has_no, instead));
}

constexpr std::string_view page_remark = "; open it in a browser.";

void view_graph(const view_options& options, const tools::outputs& to) {
  if (!options.trace_events.empty())
    refuse(options, "the trace of a graph", "trace events", "leave out --trace-events for a page");
  if (options.nodes != 0)
    refuse(options, "the trace of a graph", "moves between NUMA nodes to count", "leave out --nodes");
  const auto t = sennit::graph::trace::load(options.file.string());
  const std::string name = options.file.filename().string();
  std::optional<graph_comparison> compared;
  if (!options.against.empty()) {
    const std::string earlier = options.against.string();
    if (std::filesystem::exists(options.against) && !sennit::graph::trace::is_saved_in(earlier)) {
      throw std::runtime_error(fmt::format(
          "'{}' is no trace of a graph, which is what '{}' is; give --against such a trace, or leave it out",
          earlier, options.file.string()));
    }
    compared = compare(t, name, sennit::graph::trace::load(earlier), options.against.filename().string());
  }
  const graph_comparison* const against = compared ? &*compared : nullptr;
  const graph_view seen(t, options.file.string(), options.filter);
  if (seen.filtered && seen.shown.empty()) {
    throw std::runtime_error(fmt::format("none of the {} nodes of '{}' fits what is asked for; relax {}",
                                         t.nodes().size(), options.file.string(), filter_options));
  }
  // Before anything is written, as it may be refused.
  const std::string drawing = options.dot.empty() ? "" : dot(seen, options.file.string());
  if (options.text) fmt::print("{}", text(seen, name, against));
  if (!options.dot.empty()) to.save(options.dot, drawing, "; Graphviz draws it: dot -Tsvg.");
  if (!options.output.empty()) to.save(options.output, page(seen, name, against), page_remark);
}

void refuse_filter(const view_options& options, std::string_view is) {
  if (options.filter.any())
    refuse(options, is, "nodes of a graph to choose", fmt::format("leave out {}", filter_options));
}

void view_splice(const view_options& options, const tools::outputs& to) {
  constexpr const char* what = "the schedule of a splice";
  refuse_filter(options, what);
  const auto s = sennit::splice_schedule::load(options.file.string());
  if (!options.trace_events.empty())
    refuse(options, what, "trace events", "leave out --trace-events for a page");
  if (!options.against.empty()) refuse(options, what, "steal tree to compare", "give schedules to --against");
  if (!options.dot.empty()) refuse(options, what, "graph", "give --dot with what a graph::trace saved");
  const std::string name = options.file.filename().string();
  if (options.text) fmt::print("{}", text(s, name, options.cache));
  if (!options.output.empty()) to.save(options.output, page(s, name, options.cache), page_remark);
}

void refuse_for_program(const view_options& options) {
  constexpr const char* what = "the trace of a program";
  refuse_filter(options, what);
  if (!options.trace_events.empty())
    refuse(options, what, "other trace events", "open the file itself in https://ui.perfetto.dev");
  if (!options.against.empty()) refuse(options, what, "steal tree to compare", "give schedules to --against");
  if (!options.dot.empty()) refuse(options, what, "graph", "give --dot with what a graph::trace saved");
}

void show_lanes(const view_options& options, const tools::outputs& to, const lanes& seen,
                const std::vector<std::string>& remarks) {
  if (options.text) {
    fmt::print("{}", text(seen));
    for (const std::string& sentence : remarks) fmt::print("{}\n", sentence);
  }
  if (!options.output.empty()) to.save(options.output, page(seen), page_remark);
}

void view_program(const view_options& options, const tools::outputs& to) {
  refuse_for_program(options);
  const program_trace t = load_program_trace(options.file.string());
  show_lanes(options, to, lanes_of(t, options.file.filename().string()), t.remarks);
}

// Rank by rank, and none beyond those of the run: an earlier one may have had more.
void view_ranks(const view_options& options, const tools::outputs& to) {
  refuse_for_program(options);
  std::vector<program_trace> traces;
  std::vector<std::string> names;
  std::map<std::string, std::vector<std::string>> said;  // of which files
  for (const std::filesystem::path& file : options.ranks) {
    const bool guessed = !options.file.empty();
    if (guessed && !traces.empty() && traces.front().events.ranks == traces.size()) break;
    names.push_back(file.string());
    traces.push_back(load_program_trace(file.string()));
    for (const std::string& sentence : traces.back().remarks)
      said[sentence].push_back(file.filename().string());
  }
  const lanes seen = lanes_of_ranks(traces, names);
  std::vector<std::string> remarks;
  for (const auto& [sentence, of] : said) {
    remarks.push_back(of.size() == traces.size() ? sentence
                                                 : fmt::format("{}: {}", fmt::join(of, ", "), sentence));
  }
  remarks.insert(remarks.end(), seen.remarks.begin(), seen.remarks.end());
  show_lanes(options, to, seen, remarks);
}

}  // namespace

void view(const view_options& asked) {
  view_options options = asked;
  if (options.ranks.empty()) options.ranks = files_of_ranks(options.file);
  const bool only_a_page = !asked.text && asked.trace_events.empty() && asked.dot.empty();
  // If the file does not exist, the reader reports that.
  const std::filesystem::path& first = asked.file.empty() ? options.ranks.front() : asked.file;
  if (asked.output.empty() && only_a_page && (!options.ranks.empty() || std::filesystem::exists(first)))
    options.output = first.string() + ".html";
  std::vector<std::string> read{asked.file.string(), asked.against.string()};
  for (const std::filesystem::path& file : options.ranks) read.push_back(file.string());
  const tools::outputs to(
      {asked.text ? tools::standard_output : "", options.output, options.trace_events, options.dot}, read);
  if (!options.ranks.empty()) return view_ranks(options, to);
  if (options.splice || sennit::splice_schedule::is_saved_in(options.file.string()))
    return view_splice(options, to);
  if (sennit::graph::trace::is_saved_in(options.file.string())) return view_graph(options, to);
  if (sennit::sim::is_trace(options.file.string())) return view_program(options, to);
  const sennit::schedule s = sennit::schedule::load(options.file.string());
  refuse_filter(options, "a schedule");
  const std::string name = options.file.filename().string();
  std::optional<comparison> compared;
  if (!options.against.empty()) {
    compared = compare(s, sennit::schedule::load(options.against.string()),
                       options.against.filename().string(), options.nodes);
  }
  if (!options.dot.empty())
    refuse(options, "a schedule", "graph", "give --dot with what a graph::trace saved");
  if (options.text) fmt::print("{}{}", s.text(), compared ? text(*compared) : "");
  if (!options.trace_events.empty()) to.save(options.trace_events, trace_events(s, name), trace_remark);
  if (!options.output.empty())
    to.save(options.output, page(s, name, compared ? &*compared : nullptr), page_remark);
}

}  // namespace command
