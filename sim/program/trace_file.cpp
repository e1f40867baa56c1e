// SPDX-License-Identifier: Apache-2.0
#include "program/trace_file.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <unordered_map>

namespace sennit::sim {
namespace {

using nlohmann::json;

enum field : unsigned {
  f_name,
  f_cat,
  f_ph,
  f_ts,
  f_dur,
  f_tid,
  f_id,
  f_in,
  f_site,
  f_left,
  f_n,
  f_first,
  f_last,
  f_group,
  f_at,
  f_node,
  f_nodes,
  f_until,
  f_after,
  f_then,
  f_reads,
  f_writes,
  f_color,
  f_skipped,
  f_count,
  f_seen,
  f_took,
  f_stolen,
  f_version,
  f_program,
  f_workers,
  f_resolution_ns,
  f_module,
  f_offset,
  f_function,
  f_to,
  f_from,
  f_tag,
  f_bytes,
  f_rank,
  f_ranks,
  f_clock_ns,
  f_host,
  fields,
  f_none = fields
};
constexpr std::array<std::string_view, fields> field_names{
    "name",   "cat",     "ph",      "ts",      "dur",           "tid",      "id",     "in",       "site",
    "left",   "n",       "first",   "last",    "group",         "at",       "node",   "nodes",    "until",
    "after",  "then",    "reads",   "writes",  "color",         "skipped",  "count",  "seen",     "took",
    "stolen", "version", "program", "workers", "resolution_ns", "module",   "offset", "function", "to",
    "from",   "tag",     "bytes",   "rank",    "ranks",         "clock_ns", "host"};
constexpr unsigned first_of_args = f_id;

constexpr std::array<std::string_view, traced_kinds> kinds{
    "region", "fork", "right", "loop", "leaf", "child", "wait", "named", "graph", "node", "brief"};

// The fields of one line. What a line has beyond them is for other readers.
class line_fields : public nlohmann::json_sax<json> {
 public:
  void clear() {
    has_.fill(false);
    for (auto& list : lists_) list.clear();
    depth_ = 0;
    in_args_ = false;
    now_ = f_none;
  }

  bool has(field f) const { return has_[f]; }
  double number(field f) const { return numbers_[f]; }
  const std::string& text(field f) const { return texts_[f]; }
  const std::vector<double>& list(field f) const { return lists_[f - f_after]; }
  bool is_text(field f) const { return has_[f] && is_text_[f]; }
  bool is_number(field f) const { return has_[f] && !is_text_[f]; }

  bool null() override { return true; }
  bool boolean(bool value) override { return add(value ? 1 : 0); }
  bool number_integer(number_integer_t value) override { return add(static_cast<double>(value)); }
  bool number_unsigned(number_unsigned_t value) override { return add(static_cast<double>(value)); }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool string(string_t& value) override {
    if (now_ == f_none || in_list()) return true;
    has_[now_] = is_text_[now_] = true;
    texts_[now_].swap(value);
    return true;
  }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override {
    ++depth_;
    return true;
  }
  bool end_object() override {
    if (--depth_ == 1) in_args_ = false;
    return true;
  }
  bool start_array(std::size_t) override {
    ++depth_;
    return true;
  }
  bool end_array() override {
    --depth_;
    return true;
  }
  bool key(string_t& name) override {
    now_ = f_none;
    if (depth_ == 1) {
      in_args_ = name == "args";
      find(name, 0, first_of_args);
    } else if (depth_ == 2 && in_args_) {
      find(name, first_of_args, fields);
    }
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

 private:
  bool in_list() const { return depth_ > 2 || (depth_ == 2 && !in_args_); }
  void find(std::string_view name, unsigned from, unsigned to) {
    const auto at = std::find(field_names.begin() + from, field_names.begin() + to, name);
    if (at != field_names.begin() + to) now_ = static_cast<field>(at - field_names.begin());
  }
  bool add(double value) {
    if (now_ == f_none) return true;
    if (in_list()) {
      if (now_ >= f_after && now_ <= f_writes) lists_[now_ - f_after].push_back(value);
      return true;
    }
    has_[now_] = true;
    is_text_[now_] = false;
    numbers_[now_] = value;
    return true;
  }

  std::array<bool, fields> has_{};
  std::array<bool, fields> is_text_{};
  std::array<double, fields> numbers_{};
  std::array<std::string, fields> texts_;
  std::array<std::vector<double>, f_writes - f_after + 1> lists_;
  int depth_ = 0;
  bool in_args_ = false;
  field now_ = f_none;
};

class reader {
 public:
  explicit reader(std::string_view file) { found_.file = file; }

  void add(std::string_view line) {
    ++line_;
    while (!line.empty() && (line.front() == '[' || line.front() == ',' || is_space(line.front())))
      line.remove_prefix(1);
    while (!line.empty() && (line.back() == ']' || line.back() == ',' || is_space(line.back()))) {
      if (line.back() == ']') ended_ = true;
      line.remove_suffix(1);
    }
    if (line.empty()) return;
    if (garbled_ != 0) refuse_garbled();
    now_.clear();
    if (!json::sax_parse(line.begin(), line.end(), &now_)) {
      if (!begun_) refuse_file();
      garbled_ = line_;
      ended_ = false;
      return;
    }
    if (!begun_) return begin();
    const std::string& phase = text_or(f_ph, "");
    if (phase == "X") {
      add_event();
    } else if (phase == "i" && text_or(f_cat, "") == "message") {
      add_message();
    } else if (phase == "M") {
      add_about(text_or(f_name, ""));
    }
  }

  trace done() {
    if (!begun_) refuse_file();
    if (garbled_ != 0) {
      found_.remarks.push_back(
          fmt::format("The file ends in the middle of line {}: the disk was full, or the "
                      "program was killed. What comes after that is not known.",
                      garbled_));
    }
    found_.complete = ended_;
    if (!ended_ && garbled_ == 0) {
      found_.remarks.emplace_back("The file has no end: the program was killed, or it still runs. Constructs "
                                  "that had not ended are not "
                                  "in it.");
    }
    if (unknown_ > 0) {
      found_.remarks.push_back(fmt::format(
          "{} events are of kinds that this version does not know; they are left out.", unknown_));
    }
    if (found_.skipped > 0) {
      found_.remarks.push_back(
          fmt::format("{} constructs were too brief to be told one by one.", found_.skipped));
    }
    if (found_.workers == 0) found_.workers = 1;
    set_sites();
    begin_at_zero();
    return std::move(found_);
  }

 private:
  static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }

  [[noreturn]] void refuse(std::string_view what) const {
    throw std::runtime_error(
        fmt::format("'{}', line {}: {}; write the trace again, with SENNIT_TRACE=FILE, and do not edit it",
                    found_.file, line_, what));
  }
  [[noreturn]] void refuse_garbled() const {
    throw std::runtime_error(fmt::format("'{}', line {} is no event in JSON; write the trace again, with "
                                         "SENNIT_TRACE=FILE, and do not edit it",
                                         found_.file, garbled_));
  }
  [[noreturn]] void refuse_file() const {
    throw std::runtime_error(fmt::format("'{}' is no trace of a program: it does not begin with the event "
                                         "'sennit_trace'; run the program with "
                                         "SENNIT_TRACE=FILE to write one",
                                         found_.file));
  }

  const std::string& text_or(field f, const std::string& other) const {
    return now_.is_text(f) ? now_.text(f) : other;
  }
  double number(field f, double most) const {
    if (!now_.is_number(f)) refuse(fmt::format("the event has no number '{}'", field_names[f]));
    const double value = now_.number(f);
    if (!(value >= 0 && value <= most))
      refuse(fmt::format("'{}' is {}, which is not between 0 and {}", field_names[f], value, most));
    return value;
  }
  static constexpr double most_number = 9007199254740992.0;  // 2^53: JSON's numbers are exact up to there
  std::uint64_t whole(field f, double most = most_number) const {
    const double value = number(f, most);
    if (value != std::floor(value))
      refuse(fmt::format("'{}' is {}, which is no whole number", field_names[f], value));
    return static_cast<std::uint64_t>(value);
  }
  std::uint64_t whole_or_none(field f, double most = most_number) const {
    return now_.has(f) ? whole(f, most) : 0;
  }
  // Microseconds in the file, with three decimals.
  picoseconds time(field f) const {
    constexpr double most_microseconds = 1e11;
    constexpr double nanoseconds = 1000;
    return static_cast<picoseconds>(std::llround(number(f, most_microseconds) * nanoseconds)) * nanosecond;
  }

  void begin() {
    if (text_or(f_name, "") != "sennit_trace") refuse_file();
    begun_ = true;
    constexpr double version = 1;
    if (number(f_version, most_number) > version) {
      throw std::runtime_error(fmt::format(
          "'{}' was written by a newer Sennit, in version {} of the format; this one reads version "
          "{}: use the newer 'sennit'",
          found_.file, now_.number(f_version), version));
    }
    found_.program = text_or(f_program, "");
    found_.workers = static_cast<unsigned>(whole_or_none(f_workers, most_workers));
    if (now_.is_number(f_resolution_ns)) found_.resolution_ns = now_.number(f_resolution_ns);
    if (now_.has(f_rank)) found_.rank = static_cast<unsigned>(whole(f_rank, most_ranks));
    if (now_.has(f_clock_ns)) found_.clock_ns = whole(f_clock_ns, most_clock_ns);
    found_.host = text_or(f_host, "");
  }

  void add_about(const std::string& what) {
    if (what == "site") {
      add_site();
    } else if (what == "edges") {
      add_edges(whole(f_in), whole(f_node));
    } else if (what == "workers") {
      found_.workers = static_cast<unsigned>(whole(f_workers, most_workers));
    } else if (what == "rank") {
      found_.rank = static_cast<unsigned>(whole(f_rank, most_ranks));
      found_.ranks = static_cast<unsigned>(whole(f_ranks, most_ranks));
      found_.clock_ns = whole(f_clock_ns, most_clock_ns);
      found_.by_clock_of_rank_0 = true;
    }
  }

  void add_message() {
    trace_message m;
    m.at = time(f_ts);
    m.worker = static_cast<std::uint32_t>(whole(f_tid, most_workers - 1));
    m.sent = now_.has(f_to);
    m.peer = static_cast<std::uint32_t>(whole(m.sent ? f_to : f_from, most_ranks));
    m.tag = whole(f_tag);
    m.bytes = whole(f_bytes);
    found_.messages.push_back(m);
  }

  void add_outside_wait() {
    found_.outside_waits.push_back({time(f_ts), time(f_dur),
                                    static_cast<std::uint32_t>(whole(f_tid, most_workers - 1)),
                                    number_of(text_or(f_name, ""))});
  }

  void add_site() {
    sites_.insert_or_assign(whole(f_site), static_cast<std::uint32_t>(found_.sites.size()));
    found_.sites.push_back({text_or(f_module, ""), whole_or_none(f_offset), text_or(f_function, "")});
  }

  void add_event() {
    if (text_or(f_cat, "") == "outside") return add_outside_wait();
    const auto kind = std::ranges::find(kinds, text_or(f_cat, ""));
    if (kind == kinds.end()) {
      ++unknown_;
      return;
    }
    trace_event e;
    e.what = static_cast<traced>(kind - kinds.begin());
    e.line = static_cast<std::uint32_t>(line_);
    if (e.what != traced::wait || now_.has(f_id)) {
      e.id = whole(f_id);
      if (e.id == 0) refuse("'id' is 0; ids begin at 1");
    }
    e.in = whole_or_none(f_in);
    const bool is_in_nothing = e.in == 0 && e.what != traced::region && e.what != traced::named;
    if (is_in_nothing && e.what != traced::child) refuse("the event has no 'in', the body around it");
    e.begin = time(f_ts);
    e.length = time(f_dur);
    e.worker = static_cast<std::uint32_t>(whole(f_tid, most_workers - 1));
    // Sites are put in the place of their numbers at the end.
    raw_sites_.push_back(whole_or_none(f_site));
    e.stolen = now_.is_number(f_stolen) && now_.number(f_stolen) != 0;
    if (now_.has(f_color)) e.color = static_cast<std::uint32_t>(whole(f_color, most_color));
    add_own(e);
    // Whatever spawned it was not traced, as a thread that runs no strand: it is work of its own.
    if (is_in_nothing) {
      e.what = traced::region;
      e.a = e.b = 0;
    }
    add_touches(e);
    found_.skipped += whole_or_none(f_skipped);
    found_.events.push_back(e);
  }

  void add_own(trace_event& e) {
    switch (e.what) {
      case traced::fork: e.a = std::min(time(f_left), e.length); break;
      case traced::loop: e.a = whole(f_n); break;
      case traced::leaf:
        e.a = whole(f_first);
        e.b = whole(f_last);
        if (e.b < e.a) refuse("'last' of a leaf is less than its 'first'");
        break;
      case traced::child:
        e.a = whole_or_none(f_group);
        e.b = time(f_at);
        break;
      case traced::wait: e.a = whole_or_none(f_group); break;
      case traced::named: e.name = number_of(text_or(f_name, "")); break;
      case traced::node:
        e.name = number_of(text_or(f_name, ""));
        e.a = now_.has(f_node) ? whole(f_node) : e.id;
        add_edges(e.in, e.a);
        break;
      case traced::graph:
        e.name = number_of(text_or(f_name, ""));
        e.a = whole_or_none(f_nodes);
        if (now_.has(f_until)) e.b = time(f_until);
        break;
      case traced::brief: add_brief(e); break;
      case traced::region:
      case traced::right: break;
    }
  }

  void add_brief(trace_event& e) {
    trace_brief all;
    all.is_fork = now_.has(f_left);
    all.count = whole(f_count);
    all.seen = whole(f_seen);
    if (all.count == 0) refuse("'count' is 0: there are no such constructs");
    all.took = std::min(time(f_took), e.length);
    if (all.is_fork) {
      all.left = std::min(time(f_left), all.took);
    } else {
      all.iterations = std::max<std::uint64_t>(1, whole(f_n));
    }
    e.a = found_.briefs.size();
    found_.briefs.push_back(all);
  }

  void add_edges(std::uint64_t graph, std::uint64_t node) {
    const auto each = [&](field f, const auto& add) {
      for (const double n : now_.list(f))
        if (n >= 0 && n <= most_number) add(static_cast<std::uint64_t>(n));
    };
    each(f_after, [&](std::uint64_t n) { found_.edges.push_back({graph, n, node}); });
    each(f_then, [&](std::uint64_t n) { found_.edges.push_back({graph, node, n}); });
  }

  void add_touches(trace_event& e) {
    e.first_touch = static_cast<std::uint32_t>(found_.touches.size());
    for (const field f : {f_reads, f_writes}) {
      const std::vector<double>& all = now_.list(f);
      if (all.size() % 2 != 0) refuse(fmt::format("'{}' has no pairs of regions and bytes", field_names[f]));
      for (std::size_t i = 0; i < all.size(); i += 2) {
        if (!(all[i] >= 0 && all[i] <= most_number && all[i + 1] >= 0 && all[i + 1] <= most_number))
          refuse(fmt::format("'{}' has a number that is none of a region, or of bytes", field_names[f]));
        found_.touches.push_back(
            {static_cast<std::uint64_t>(all[i]), static_cast<std::uint64_t>(all[i + 1]), f == f_writes});
      }
    }
    e.touches = static_cast<std::uint32_t>(found_.touches.size()) - e.first_touch;
  }

  std::uint32_t number_of(const std::string& name) {
    const auto [at, is_new] = names_.try_emplace(name, static_cast<std::uint32_t>(found_.names.size()));
    if (is_new) found_.names.push_back(name);
    return at->second;
  }

  void set_sites() {
    std::uint64_t lost = 0;
    for (std::size_t i = 0; i < found_.events.size(); ++i) {
      if (raw_sites_[i] == 0) continue;
      const auto at = sites_.find(raw_sites_[i]);
      if (at == sites_.end()) {
        ++lost;
      } else {
        found_.events[i].site = at->second;
      }
    }
    if (lost > 0) {
      found_.remarks.push_back(
          fmt::format("{} events are at places of the program that the file does not name.", lost));
    }
  }

  void begin_at_zero() {
    picoseconds first = ~picoseconds{0};
    const auto each_begin = [this](const auto& f) {
      for (trace_event& e : found_.events) f(e.begin);
      for (trace_outside_wait& w : found_.outside_waits) f(w.begin);
      for (trace_message& m : found_.messages) f(m.at);
    };
    each_begin([&](picoseconds at) { first = std::min(first, at); });
    if (first == ~picoseconds{0}) return;
    each_begin([&](picoseconds& at) { at -= first; });
    for (trace_event& e : found_.events)
      if (e.what == traced::child || e.what == traced::graph) e.b -= std::min(e.b, first);
    found_.clock_ns += first / nanosecond;
  }

  static constexpr double most_workers = 65536;
  static constexpr double most_ranks = 1 << 30;
  static constexpr double most_clock_ns = 9e18;
  static constexpr double most_color = 4294967294.0;

  trace found_;
  line_fields now_;
  std::size_t line_ = 0;
  std::size_t garbled_ = 0;  // the last line, if it is no JSON
  bool begun_ = false;
  bool ended_ = false;
  std::uint64_t unknown_ = 0;
  std::vector<std::uint64_t> raw_sites_;  // of the events
  std::unordered_map<std::uint64_t, std::uint32_t> sites_;
  std::unordered_map<std::string, std::uint32_t> names_{{"", 0}};
};

}  // namespace

bool is_trace(const std::string& file) {
  constexpr std::size_t enough = 256;
  std::string begin(enough, '\0');
  std::ifstream from(file, std::ios::binary);
  from.read(begin.data(), enough);
  begin.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, from.gcount())));
  return begin.find("\"sennit_trace\"") != begin.npos;
}

trace read_trace(std::istream& from, std::string_view file) {
  reader reading(file);
  for (std::string line; std::getline(from, line);) reading.add(line);
  return reading.done();
}

trace read_trace(const std::string& file) {
  std::ifstream from(file, std::ios::binary);
  if (!from)
    throw std::runtime_error(fmt::format("cannot read '{}': there is no such file, or it may not be read; "
                                         "name a trace that SENNIT_TRACE=FILE wrote",
                                         file));
  return read_trace(from, file);
}

}  // namespace sennit::sim
