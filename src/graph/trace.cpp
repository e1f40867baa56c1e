// SPDX-License-Identifier: Apache-2.0
#include "schedule/file.hpp"
#include "system/nanoseconds.hpp"

#include <sennit/detail/failure.hpp>
#include <sennit/detail/graph/tracing.hpp>
#include <sennit/graph_trace.hpp>
#include <sennit/worker.hpp>

#include <boost/crc.hpp>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace sennit {
namespace detail {
namespace {

constexpr std::string_view first_words = "sennit graph trace ";
constexpr file_kind graph_trace_file{"trace", first_words};
constexpr unsigned format_version = 2;
constexpr unsigned oldest_version = 1;  // without the line of how the run ended
constexpr const char* trace_again = "; trace the run again, or fetch another copy";

std::uint32_t checksum(std::string_view bytes) {
  boost::crc_32_type crc;
  crc.process_bytes(bytes.data(), bytes.size());
  return crc.checksum();
}

// Writes the key on one line.
void append_key(std::string& to, std::string_view key) {
  for (const char c : key) {
    if (c == '\\') {
      to += "\\\\";
    } else if (c == '\n') {
      to += "\\n";
    } else {
      to += c;
    }
  }
}

void append_list(std::string& to, const std::vector<std::uint32_t>& list) {
  if (list.empty()) to += '-';
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i != 0) to += ',';
    to += std::to_string(list[i]);
  }
}

class reader {
 public:
  reader(std::string_view text, const std::string& name) : rest_(text), name_(name) {}

  [[noreturn]] void refuse(const std::string& why, const char* remedy = trace_again) const {
    fail<std::runtime_error>("sennit: cannot load the trace '" + name_ + "': it " + why + remedy);
  }
  bool at_end() const { return rest_.empty(); }

  // Takes the text before that character, and skips the character.
  std::string_view until(char end) {
    const std::size_t at = rest_.find(end);
    if (at == std::string_view::npos) refuse("ends too early");
    const std::string_view found = rest_.substr(0, at);
    rest_.remove_prefix(at + 1);
    return found;
  }
  void expect(std::string_view words) {
    if (!rest_.starts_with(words)) refuse("has something else where '" + std::string(words) + "' belongs");
    rest_.remove_prefix(words.size());
  }
  template <class Number>
  Number number(std::string_view text) const {
    Number value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size())
      refuse("has '" + std::string(text.substr(0, 30)) + "' where a number belongs");
    return value;
  }
  template <class Number>
  Number number_until(char end) {
    return number<Number>(until(end));
  }
  std::chrono::nanoseconds time_until(char end) {
    const auto ns = number_until<std::int64_t>(end);
    if (ns < 0) refuse("has a time before its beginning");
    return std::chrono::nanoseconds(ns);
  }
  // Reads numbers below `limit`.
  std::vector<std::uint32_t> list_until(char end, std::uint64_t limit) {
    std::vector<std::uint32_t> list;
    std::string_view text = until(end);
    if (text == "-") return list;
    for (;;) {
      const std::size_t comma = text.find(',');
      list.push_back(number<std::uint32_t>(text.substr(0, comma)));
      if (list.back() >= limit) refuse("names a color or a node that is not there");
      if (comma == std::string_view::npos) return list;
      text.remove_prefix(comma + 1);
    }
  }
  std::string key() {
    const std::string_view line = until('\n');
    std::string key;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (line[i] != '\\') {
        key += line[i];
      } else if (++i < line.size() && (line[i] == '\\' || line[i] == 'n')) {
        key += line[i] == 'n' ? '\n' : '\\';
      } else {
        refuse("has a key with a stray backslash");
      }
    }
    return key;
  }

 private:
  std::string_view rest_;
  const std::string& name_;
};

constexpr std::string_view kinds[] = {"workers", "caches", "nodes"};  // in the order of graph::places

void append_quoted(std::ostream& to, std::string_view text) {
  to << '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') to << '\\';
    if (c == '\n') {
      to << "\\n";
    } else if (c == '\0') {
      to << ' ';
    } else {
      to << c;
    }
  }
  to << '"';
}

}  // namespace

std::uint64_t trace_now_ns() noexcept { return now_ns(); }
std::uint32_t trace_worker() noexcept { return worker_index(); }

struct trace_access {
  static void clear(graph::trace& t) noexcept { t = graph::trace(t.most_); }

  static std::string encode(const graph::trace& t) {
    std::string text(first_words);
    text += std::to_string(format_version) + (t.failed_ ? "\nended failed" : "\nended done") + "\nlength " +
            std::to_string(t.length_.count()) + "\nworkers " + std::to_string(t.workers_) + "\ncolors " +
            (t.colors_ ? std::string(kinds[static_cast<std::size_t>(*t.colors_)]) : "none") + " " +
            std::to_string(t.color_count_) + "\npredecessors " + (t.has_predecessors_ ? "1" : "0") +
            "\nnodes " + std::to_string(t.nodes_.size()) + "\n";
    for (const graph::trace::node& n : t.nodes_) {
      text += std::to_string(n.worker) + " " + std::to_string(n.place) + " " +
              std::to_string(n.begin.count()) + " " + std::to_string(n.end.count()) + " ";
      append_list(text, n.colors);
      text += ' ';
      append_list(text, n.predecessors);
      text += ' ';
      append_key(text, n.key);
      text += '\n';
    }
    return text + "end " + std::to_string(checksum(text)) + "\n";
  }

  static graph::trace decode(std::string_view text, const std::string& name) {
    reader from(text, name);
    const unsigned version = check(text, from);
    graph::trace t;
    if (version >= 2) read_ended(t, from);
    from.expect("length ");
    t.length_ = from.time_until('\n');
    from.expect("workers ");
    t.workers_ = from.number_until<std::uint32_t>('\n');
    read_colors(t, from);
    from.expect("predecessors ");
    t.has_predecessors_ = from.number_until<unsigned>('\n') != 0;
    from.expect("nodes ");
    const auto count = from.number_until<std::size_t>('\n');
    // A node takes some bytes, so that a count cannot promise more than there is.
    if (count > text.size()) from.refuse("promises more nodes than the file holds");
    t.nodes_.resize(count);
    std::chrono::nanoseconds previous{0};
    for (graph::trace::node& n : t.nodes_) {
      read_node(n, t, from);
      if (n.begin < previous) from.refuse("has times in no order");
      previous = n.begin;
    }
    from.expect("end ");
    from.until('\n');
    if (!from.at_end()) from.refuse("goes on after its end");
    return t;
  }

 private:
  // Refuses a file that is not of this format, or is not whole. Returns the version.
  static unsigned check(std::string_view text, reader& from) {
    if (!text.starts_with(first_words))
      from.refuse("is no trace of a graph", "; give a file that graph::trace::save() wrote");
    from.expect(first_words);
    const auto version = from.number_until<unsigned>('\n');
    if (version < oldest_version || version > format_version) {
      from.refuse("is of format version " + std::to_string(version) + ", and this Sennit reads versions " +
                      std::to_string(oldest_version) + " to " + std::to_string(format_version),
                  "; trace the run again with this one");
    }
    const std::size_t end = text.rfind("end ");
    if (end == std::string_view::npos ||
        text.substr(end) != "end " + std::to_string(checksum(text.substr(0, end))) + "\n")
      from.refuse("is damaged or cut short: its checksum does not match");
    return version;
  }

  static void read_ended(graph::trace& t, reader& from) {
    from.expect("ended ");
    const std::string_view how = from.until('\n');
    t.failed_ = how == "failed";
    if (!t.failed_ && how != "done") from.refuse("does not say how its run ended");
  }

  static void read_colors(graph::trace& t, reader& from) {
    from.expect("colors ");
    const std::string_view kind = from.until(' ');
    if (const auto* const found = std::find(std::begin(kinds), std::end(kinds), kind);
        found != std::end(kinds)) {
      t.colors_ = static_cast<graph::places>(found - std::begin(kinds));
    } else if (kind != "none") {
      from.refuse("has colors of no known kind");
    }
    t.color_count_ = from.number_until<std::uint32_t>('\n');
  }

  static void read_node(graph::trace::node& n, const graph::trace& of, reader& from) {
    n.worker = from.number_until<std::uint32_t>(' ');
    n.place = from.number_until<std::uint32_t>(' ');
    n.begin = from.time_until(' ');
    n.end = from.time_until(' ');
    n.colors = from.list_until(' ', of.color_count_);
    n.predecessors = from.list_until(' ', of.nodes_.size());
    n.key = from.key();
    if (n.worker >= of.workers_) from.refuse("names a worker beyond the number of its workers");
    if (n.end < n.begin || n.end > of.length_) from.refuse("has times in no order");
  }
};

void clear_trace(graph::trace& t) noexcept { trace_access::clear(t); }

trace_filler::trace_filler(graph::trace& to, std::vector<node_note> notes, std::uint64_t length)
    : trace_(to), notes_(std::move(notes)) {
  std::sort(notes_.begin(), notes_.end(), [](const node_note& a, const node_note& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
  });
  trace_.length_ = std::chrono::nanoseconds(length);
  trace_.workers_ = worker_count();
  trace_.has_predecessors_ = notes_.size() <= trace_.most_;
  trace_.nodes_.resize(notes_.size());
  for (std::size_t i = 0; i < notes_.size(); ++i) {
    const node_note& note = notes_[i];
    graph::trace::node& n = trace_.nodes_[i];
    n.worker = note.worker;
    n.place = note.place;
    n.begin = std::chrono::nanoseconds(note.begin);
    n.end = std::chrono::nanoseconds(note.end);
    trace_.workers_ = std::max(trace_.workers_, note.worker + 1);
    if (trace_.has_predecessors_) position_.emplace(note.node, static_cast<std::uint32_t>(i));
  }
}
void trace_filler::set_colors(graph::places of, unsigned count) {
  trace_.colors_ = of;
  trace_.color_count_ = count;
}
void trace_filler::set_failed() { trace_.failed_ = true; }
void trace_filler::set_key(std::size_t i, std::string key) { trace_.nodes_[i].key = std::move(key); }
void trace_filler::set_colors(std::size_t i, std::vector<std::uint32_t> colors) {
  trace_.nodes_[i].colors = std::move(colors);
}
void trace_filler::add_predecessor(std::size_t i, node_number p) {
  const auto found = position_.find(p);
  if (found != position_.end()) trace_.nodes_[i].predecessors.push_back(found->second);
}
void trace_filler::finish() noexcept {
  for (graph::trace::node& n : trace_.nodes_) {
    std::sort(n.predecessors.begin(), n.predecessors.end());
    n.predecessors.erase(std::unique(n.predecessors.begin(), n.predecessors.end()), n.predecessors.end());
  }
}

}  // namespace detail

namespace graph {

void trace::write_dot(std::ostream& to) const {
  to << "digraph run {\n  node [shape=box, style=\"rounded,filled\", fillcolor=\"#e9edf1\", "
        "fontname=\"sans-serif\"];\n";
  // Not with <<: a stream may group the digits of numbers.
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    to << "  n" << std::to_string(i) << " [label=";
    detail::append_quoted(to, nodes_[i].key);
    if (!nodes_[i].colors.empty()) {
      // Hues that differ clearly from one color to the next, as on the page of `sennit view`.
      const std::uint64_t thousandths = (std::uint64_t{nodes_[i].colors.front()} * 618 + 580) % 1000;
      to << ", fillcolor=\"0." << thousandths / 100 << thousandths / 10 % 10 << thousandths % 10
         << " 0.4 0.95\"";
    }
    to << "];\n";
  }
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    for (const std::uint32_t p : nodes_[i].predecessors)
      to << "  n" << std::to_string(p) << " -> n" << std::to_string(i) << ";\n";
  }
  to << "}\n";
}

void trace::write_dot(const std::string& path) const {
  std::ostringstream text;
  write_dot(text);
  detail::write_file(path, std::as_bytes(std::span(text.view())), {"graph", ""});
}

void trace::save(const std::string& path) const {
  detail::write_file(path, to_bytes(), detail::graph_trace_file);
}

trace trace::load(const std::string& path) {
  return from_bytes(detail::read_file(path, detail::graph_trace_file), path);
}

std::vector<std::byte> trace::to_bytes() const {
  const std::string text = detail::trace_access::encode(*this);
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

trace trace::from_bytes(std::span<const std::byte> bytes, const std::string& name) {
  return detail::trace_access::decode({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, name);
}

bool trace::is_saved_in(const std::string& path) {
  // Data read from a pipe cannot be read again.
  struct stat there{};
  if (stat(path.c_str(), &there) != 0 || !S_ISREG(there.st_mode)) return false;
  std::ifstream file(path, std::ios::binary);
  std::string begin(detail::first_words.size(), ' ');
  return file.read(begin.data(), static_cast<std::streamsize>(begin.size())) && begin == detail::first_words;
}

bool trace::operator==(const trace& other) const noexcept {
  return nodes_ == other.nodes_ && colors_ == other.colors_ && color_count_ == other.color_count_ &&
         workers_ == other.workers_ && has_predecessors_ == other.has_predecessors_ &&
         failed_ == other.failed_ && length_ == other.length_;
}

}  // namespace graph
}  // namespace sennit
