#include "tools/sennit/view.hpp"

#include "gallery/file.hpp"
#include "tools/sennit/graph_shares.hpp"
#include "tools/sennit/moved.hpp"
#include "tools/sennit/page.hpp"
#include "tools/sennit/splice_view.hpp"
#include "tools/sennit/trace_events.hpp"

#include <sennit/graph_trace.hpp>
#include <sennit/schedule.hpp>
#include <sennit/splice_schedule.hpp>

#include <fmt/format.h>

#include <optional>
#include <stdexcept>
#include <string>

namespace command {
namespace {

void refuse(const view_options& options, std::string_view is, std::string_view has_no,
            std::string_view instead) {
  throw std::runtime_error(
      fmt::format("'{}' is {}, which has no {}; {}", options.file.string(), is, has_no, instead));
}

void write_page(const view_options& options, bool asked_for_more, const std::string& made) {
  std::filesystem::path output = options.output;
  if (output.empty() && !asked_for_more) output = options.file.string() + ".html";
  if (output.empty()) return;
  gallery::write_file(output, made);
  fmt::print("Wrote {}; open it in a browser.\n", output.string());
}

void view_graph(const view_options& options) {
  if (!options.trace.empty())
    refuse(options, "the trace of a graph", "trace events", "leave out --trace for a page");
  if (!options.against.empty())
    refuse(options, "the trace of a graph", "steal tree to compare", "give schedules to --against");
  const auto t = sennit::graph::trace::load(options.file.string());
  const std::string name = options.file.filename().string();
  if (options.text) fmt::print("{}", text(t, name));
  if (!options.dot.empty()) {
    if (!t.has_predecessors()) refuse(options, "the trace of a large graph", "edges", "trace a smaller one");
    gallery::write_file(options.dot, dot(t));
    fmt::print("Wrote {}; Graphviz draws it: dot -Tsvg.\n", options.dot.string());
  }
  write_page(options, options.text || !options.dot.empty(), page(t, name));
}

void view_splice(const view_options& options) {
  constexpr const char* what = "the schedule of a splice";
  const auto s = sennit::splice_schedule::load(options.file.string());
  if (!options.trace.empty()) refuse(options, what, "trace events", "leave out --trace for a page");
  if (!options.against.empty()) refuse(options, what, "steal tree to compare", "give schedules to --against");
  if (!options.dot.empty()) refuse(options, what, "graph", "give --dot with what a graph::trace saved");
  const std::string name = options.file.filename().string();
  if (options.text) fmt::print("{}", text(s, name));
  write_page(options, options.text, page(s, name));
}

}  // namespace

void view(const view_options& options) {
  if (options.splice || sennit::splice_schedule::is_saved_in(options.file.string()))
    return view_splice(options);
  if (sennit::graph::trace::is_saved_in(options.file.string())) return view_graph(options);
  const sennit::schedule s = sennit::schedule::load(options.file.string());
  const std::string name = options.file.filename().string();
  std::optional<comparison> compared;
  if (!options.against.empty()) {
    compared = compare(s, sennit::schedule::load(options.against.string()),
                       options.against.filename().string(), options.nodes);
  }
  if (!options.dot.empty())
    refuse(options, "a schedule", "graph", "give --dot with what a graph::trace saved");
  if (options.text) fmt::print("{}{}", s.text(), compared ? text(*compared) : "");
  if (!options.trace.empty()) write_trace(s, name, options.trace);
  write_page(options, options.text || !options.trace.empty(), page(s, name, compared ? &*compared : nullptr));
}

}  // namespace command
