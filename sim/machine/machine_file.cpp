// SPDX-License-Identifier: Apache-2.0
#include "machine/machine_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace sennit::sim {

namespace {

struct unit {
  std::string_view name;
  std::uint64_t size;
};
// Times and bandwidths are written in the first unit, sizes in the largest of which they are a multiple.
constexpr std::array time_units = {unit{"ns", nanosecond}, unit{"us", 1000 * nanosecond},
                                   unit{"ms", 1000000 * nanosecond}};
constexpr std::array size_units = {unit{"B", 1}, unit{"KiB", 1U << 10}, unit{"MiB", 1U << 20},
                                   unit{"GiB", 1U << 30}};
constexpr std::array bandwidth_units = {unit{"MB/s", 1}, unit{"GB/s", 1000}};

struct quantity {
  std::span<const unit> units;
  std::uint64_t least;
  std::uint64_t most;
};
constexpr quantity a_time = {time_units, 0, 1000000000 * nanosecond};
constexpr quantity a_size = {size_units, 1, std::uint64_t{1} << 40};
constexpr quantity a_size_or_none = {size_units, 0, std::uint64_t{1} << 40};
constexpr quantity a_bandwidth = {bandwidth_units, 1, 100'000'000};

struct field {
  std::string_view key;
  const quantity& what;
  std::uint64_t& (*in)(machine&);
};

// In the order in which they are written.
constexpr std::array fields = {
    field{"fork", a_time, [](machine& m) -> auto& { return m.costs.fork; }},
    field{"fence", a_time, [](machine& m) -> auto& { return m.costs.fence; }},
    field{"loop_chunk", a_time, [](machine& m) -> auto& { return m.costs.loop_chunk; }},
    field{"strand", a_time, [](machine& m) -> auto& { return m.costs.strand; }},
    field{"steal_miss.same_cache", a_time, [](machine& m) -> auto& { return m.costs.steal_miss.same_cache; }},
    field{"steal_miss.same_node", a_time, [](machine& m) -> auto& { return m.costs.steal_miss.same_node; }},
    field{"steal_miss.other_node", a_time, [](machine& m) -> auto& { return m.costs.steal_miss.other_node; }},
    field{"steal_hit.same_cache", a_time, [](machine& m) -> auto& { return m.costs.steal_hit.same_cache; }},
    field{"steal_hit.same_node", a_time, [](machine& m) -> auto& { return m.costs.steal_hit.same_node; }},
    field{"steal_hit.other_node", a_time, [](machine& m) -> auto& { return m.costs.steal_hit.other_node; }},
    field{"deque_lock", a_time, [](machine& m) -> auto& { return m.costs.deque_lock; }},
    field{"transfer.same_cache", a_time, [](machine& m) -> auto& { return m.costs.transfer.same_cache; }},
    field{"transfer.same_node", a_time, [](machine& m) -> auto& { return m.costs.transfer.same_node; }},
    field{"transfer.other_node", a_time, [](machine& m) -> auto& { return m.costs.transfer.other_node; }},
    field{"promotion", a_time, [](machine& m) -> auto& { return m.costs.promotion; }},
    field{"signal_send", a_time, [](machine& m) -> auto& { return m.costs.signal_send; }},
    field{"signal_take", a_time, [](machine& m) -> auto& { return m.costs.signal_take; }},
    field{"park", a_time, [](machine& m) -> auto& { return m.costs.park; }},
    field{"wake_call", a_time, [](machine& m) -> auto& { return m.costs.wake_call; }},
    field{"wake_latency", a_time, [](machine& m) -> auto& { return m.costs.wake_latency; }},
    field{"barrier_base", a_time, [](machine& m) -> auto& { return m.costs.barrier_base; }},
    field{"barrier_per_thread", a_time, [](machine& m) -> auto& { return m.costs.barrier_per_thread; }},
    field{"barrier_interrupt", a_time, [](machine& m) -> auto& { return m.costs.barrier_interrupt; }},
    field{"line", a_size, [](machine& m) -> auto& { return m.memory.line_bytes; }},
    field{"private_cache", a_size, [](machine& m) -> auto& { return m.memory.private_bytes; }},
    field{"shared_cache", a_size_or_none, [](machine& m) -> auto& { return m.memory.shared_bytes; }},
    field{"shared_latency", a_time, [](machine& m) -> auto& { return m.memory.shared_latency; }},
    field{"local_latency", a_time, [](machine& m) -> auto& { return m.memory.local_latency; }},
    field{"remote_latency", a_time, [](machine& m) -> auto& { return m.memory.remote_latency; }},
    field{"core_shared", a_bandwidth, [](machine& m) -> auto& { return m.memory.core_shared; }},
    field{"core_local", a_bandwidth, [](machine& m) -> auto& { return m.memory.core_local; }},
    field{"core_remote", a_bandwidth, [](machine& m) -> auto& { return m.memory.core_remote; }},
    field{"node_bandwidth", a_bandwidth, [](machine& m) -> auto& { return m.memory.node_bandwidth; }},
    field{"link_bandwidth", a_bandwidth, [](machine& m) -> auto& { return m.memory.link_bandwidth; }},
};
// Given all together, or none of them for a machine of one rank.
constexpr std::array network_fields = {
    field{"link_latency", a_time, [](machine& m) -> auto& { return m.network.latency; }},
    field{"rank_bandwidth", a_bandwidth, [](machine& m) -> auto& { return m.network.bandwidth; }},
    field{"message_send", a_time, [](machine& m) -> auto& { return m.network.send; }},
    field{"message_receive", a_time, [](machine& m) -> auto& { return m.network.receive; }},
    field{"progress_delay", a_time, [](machine& m) -> auto& { return m.network.progress_delay; }},
};
constexpr std::string_view ranks_key = "ranks";
constexpr std::uint64_t most_ranks = 1U << 16;
constexpr std::string_view name_key = "name";
constexpr std::string_view cores_key = "cores";

// Pairs of keys, of which the first one's value is no greater than the second one's.
constexpr std::pair<std::string_view, std::string_view> ordered[] = {
    {"steal_miss.same_cache", "steal_miss.same_node"},
    {"steal_miss.same_node", "steal_miss.other_node"},
    {"steal_hit.same_cache", "steal_hit.same_node"},
    {"steal_hit.same_node", "steal_hit.other_node"},
    {"transfer.same_cache", "transfer.same_node"},
    {"transfer.same_node", "transfer.other_node"},
    {"shared_latency", "local_latency"},
    {"local_latency", "remote_latency"},
    {"core_remote", "core_local"},
    {"core_local", "core_shared"},
    {"core_local", "node_bandwidth"},
    {"line", "private_cache"}};

std::string number(std::uint64_t value, const unit& in) {
  std::string text = fmt::format("{}", value / in.size);
  if (std::uint64_t rest = value % in.size; rest != 0) {
    text += '.';
    for (std::uint64_t place = in.size / 10; rest != 0; place /= 10) {
      text += static_cast<char>('0' + rest / place);
      rest %= place;
    }
  }
  return fmt::format("{} {}", text, in.name);
}

std::string value_text(std::uint64_t value, const quantity& what) {
  const unit* in = &what.units.front();
  if (&what == &a_size || &what == &a_size_or_none) {
    for (const unit& larger : what.units) {
      if (value != 0 && value % larger.size == 0) in = &larger;
    }
  }
  return number(value, *in);
}

std::string_view trimmed(std::string_view text) noexcept {
  constexpr std::string_view blank = " \t\r";
  const std::size_t first = text.find_first_not_of(blank);
  return first == std::string_view::npos ? std::string_view()
                                         : text.substr(first, text.find_last_not_of(blank) - first + 1);
}

std::optional<std::uint64_t> whole_number(std::string_view digits) noexcept {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (digits.empty() || error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

// Exactly; nothing if the text is no such number.
std::optional<std::uint64_t> quantity_of(std::string_view text, const quantity& what) noexcept {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::string_view name = trimmed(text.substr(digits));
  const auto in = std::ranges::find(what.units, name, &unit::name);
  if (in == what.units.end()) return std::nullopt;
  const std::string_view number = text.substr(0, digits);
  const std::size_t point = std::min(number.find('.'), number.size());
  const auto before = whole_number(number.substr(0, point));
  if (!before || *before > std::numeric_limits<std::uint64_t>::max() / in->size - 1) return std::nullopt;
  std::uint64_t value = *before * in->size;
  if (point == number.size()) return value;
  const std::string_view fraction = number.substr(point + 1);
  if (fraction.empty()) return std::nullopt;
  std::uint64_t place = in->size;
  for (const char digit : fraction) {
    if (digit == '.' || ((place == 0 || place % 10 != 0) && digit != '0')) return std::nullopt;
    place /= 10;
    value += place * static_cast<std::uint64_t>(digit - '0');
  }
  return value;
}

constexpr std::uint64_t most_cores = 1U << 16;

// Reads the value of `cores`.
class tree_reader {
 public:
  explicit tree_reader(std::string_view text) noexcept : rest_(text) {}

  std::optional<std::vector<std::vector<unsigned>>> nodes() {
    std::vector<std::vector<unsigned>> all;
    do {
      const std::uint64_t times = next_is_number() ? repeats() : 1;
      if (!take('(')) return std::nullopt;
      std::vector<unsigned> caches;
      do {
        if (!add_caches(caches)) return std::nullopt;
      } while (take('+'));
      if (!take(')') || times == 0 || times > most_cores / caches.size()) return std::nullopt;
      cores_ += (times - 1) * in_node_;
      in_node_ = 0;
      if (cores_ > most_cores) return std::nullopt;
      all.insert(all.end(), static_cast<std::size_t>(times), caches);
    } while (take(','));
    if (!trimmed(rest_).empty()) return std::nullopt;
    return all;
  }

 private:
  bool take(char c) noexcept {
    rest_ = trimmed(rest_);
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool next_is_number() noexcept {
    rest_ = trimmed(rest_);
    return !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9';
  }
  // 0 if there is none, or too great a one.
  std::uint64_t count() noexcept {
    rest_ = trimmed(rest_);
    const std::size_t digits = std::min(rest_.find_first_not_of("0123456789"), rest_.size());
    const std::uint64_t value = whole_number(rest_.substr(0, digits)).value_or(0);
    rest_.remove_prefix(digits);
    return value <= most_cores ? value : 0;
  }
  std::uint64_t repeats() noexcept {
    const std::uint64_t times = count();
    return take('x') ? times : 0;
  }
  bool add_caches(std::vector<unsigned>& caches) {
    const std::uint64_t first = count();
    const bool several = take('x');
    const std::uint64_t times = several ? first : 1;
    const std::uint64_t cores = several ? count() : first;
    if (times == 0 || cores == 0 || times * cores > most_cores) return false;
    in_node_ += times * cores;
    cores_ += times * cores;
    if (cores_ > most_cores) return false;
    caches.insert(caches.end(), static_cast<std::size_t>(times), static_cast<unsigned>(cores));
    return true;
  }

  std::string_view rest_;
  std::uint64_t cores_ = 0;
  std::uint64_t in_node_ = 0;
};

// Calls each(first, count) for runs of equal elements.
template <class Range, class Each>
void for_runs(const Range& range, const Each& each) {
  for (auto first = range.begin(); first != range.end();) {
    const auto end = std::find_if(first, range.end(), [&](const auto& other) { return other != *first; });
    each(*first, end - first);
    first = end;
  }
}

std::string tree_text(const places& where) {
  std::vector<std::string> nodes;
  for (unsigned n = 0; n < where.nodes(); ++n) {
    std::vector<unsigned> cores;
    const number_range caches = where.caches_of_node(n);
    for (unsigned c = caches.first; c < caches.end; ++c) cores.push_back(where.cores_of_cache(c).size());
    std::vector<std::string> parts;
    for_runs(cores, [&](unsigned count, std::ptrdiff_t times) {
      parts.push_back(times == 1 ? fmt::format("{}", count) : fmt::format("{} x {}", times, count));
    });
    nodes.push_back(fmt::format("({})", fmt::join(parts, " + ")));
  }
  std::vector<std::string> parts;
  for_runs(nodes, [&](const std::string& node, std::ptrdiff_t times) {
    parts.push_back(times == 1 ? node : fmt::format("{} x {}", times, node));
  });
  return fmt::format("{}", fmt::join(parts, ", "));
}

bool is_name(std::string_view text) noexcept {
  constexpr std::size_t longest = 100;
  return !text.empty() && text.size() <= longest &&
         std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~' && c != '#'; });
}

std::string_view nearest_key(std::string_view unknown) noexcept {
  const auto in_common = [&](const field& f) {
    const auto [a, b] = std::ranges::mismatch(f.key, unknown);
    return a - f.key.begin();
  };
  return std::ranges::max_element(fields, {}, in_common)->key;
}

// Reads one text.
class machine_reader {
 public:
  explicit machine_reader(const std::string& file) noexcept : file_(file) {}

  machine read(std::string_view text) {
    for (unsigned line = 1; !text.empty(); ++line) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      const std::string_view all = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      const std::string_view content = trimmed(all.substr(0, all.find('#')));
      if (!content.empty()) read_line(line, content);
    }
    check();
    return std::move(made_);
  }

 private:
  static constexpr std::size_t name_at = fields.size();
  static constexpr std::size_t cores_at = name_at + 1;
  static constexpr std::size_t ranks_at = cores_at + 1;  // and then the fields of the network

  [[noreturn]] void refuse(unsigned line, const std::string& why) const {
    throw std::invalid_argument(fmt::format("sennit: {}, line {}: {}", file_, line, why));
  }

  static std::optional<std::size_t> index_of(std::string_view key) noexcept {
    if (key == name_key) return name_at;
    if (key == cores_key) return cores_at;
    if (key == ranks_key) return ranks_at;
    const auto of_network = std::ranges::find(network_fields, key, &field::key);
    if (of_network != network_fields.end())
      return ranks_at + 1 + static_cast<std::size_t>(of_network - network_fields.begin());
    const auto at = std::ranges::find(fields, key, &field::key);
    if (at == fields.end()) return std::nullopt;
    return static_cast<std::size_t>(at - fields.begin());
  }

  void read_line(unsigned line, std::string_view content) {
    const std::size_t equals = content.find('=');
    if (equals == std::string_view::npos) {
      refuse(line, fmt::format("\"{}\" is no `key = value`; put # before a comment", content));
    }
    const std::string_view key = trimmed(content.substr(0, equals));
    const std::string_view value = trimmed(content.substr(equals + 1));
    const auto at = index_of(key);
    if (!at) {
      refuse(line, fmt::format("\"{}\" is no key of a machine; did you mean \"{}\"? All keys are in what "
                               "`sennit doctor --write-machine` writes",
                               key, nearest_key(key)));
    }
    if (lines_[*at] != 0)
      refuse(line, fmt::format("\"{}\" is given a second time, after line {}; remove one of them", key,
                               lines_[*at]));
    lines_[*at] = line;
    if (*at == name_at) {
      if (!is_name(value))
        refuse(line, fmt::format("name = \"{}\" is no name; give 1 to 100 printable characters", value));
      made_.name = value;
    } else if (*at == cores_at) {
      const auto nodes = tree_reader(value).nodes();
      if (!nodes) {
        refuse(line,
               fmt::format("cores = {} is no tree of 1 to {} cores; write nodes of caches of cores, as in "
                           "8 x (10) or (4 + 2), (2 x 4)",
                           value, most_cores));
      }
      made_.where = places(*nodes);
    } else if (*at == ranks_at) {
      const auto ranks = whole_number(value);
      if (!ranks || *ranks == 0 || *ranks > most_ranks)
        refuse(line, fmt::format("ranks = {} is not from 1 to {}; give how many ranks there are", value,
                                 most_ranks));
      made_.network.ranks = static_cast<unsigned>(*ranks);
    } else if (*at > ranks_at) {
      set(line, network_fields[*at - ranks_at - 1], value);
    } else {
      set(line, fields[*at], value);
    }
  }

  void set(unsigned line, const field& f, std::string_view value) {
    const auto read = quantity_of(value, f.what);
    if (!read || *read < f.what.least || *read > f.what.most) {
      std::vector<std::string_view> units;
      for (const unit& u : f.what.units) units.push_back(u.name);
      refuse(line, fmt::format("{} = {} is not from {} to {}; give a number and one of the units {}", f.key,
                               value, value_text(f.what.least, f.what), value_text(f.what.most, f.what),
                               fmt::join(units, ", ")));
    }
    f.in(made_) = *read;
  }

  void check() {
    std::vector<std::string_view> missing;
    for (std::size_t at = 0; at < ranks_at; ++at) {
      if (lines_[at] == 0)
        missing.push_back(at == name_at ? name_key : at == cores_at ? cores_key : fields[at].key);
    }
    const auto network = std::span(lines_).subspan(ranks_at);
    if (std::ranges::any_of(network, [](unsigned line) { return line != 0; })) {
      for (std::size_t at = 0; at < network.size(); ++at)
        if (network[at] == 0) missing.push_back(at == 0 ? ranks_key : network_fields[at - 1].key);
    }
    if (!missing.empty()) {
      throw std::invalid_argument(fmt::format("sennit: {} has no line for {}; add {}", file_,
                                              fmt::join(missing, ", "), missing.size() == 1 ? "it" : "them"));
    }
    for (const auto& [less, more] : ordered) {
      const std::size_t a = *index_of(less);
      const std::size_t b = *index_of(more);
      if (made_.memory.shared_bytes == 0 && (less == "shared_latency" || more == "core_shared")) continue;
      if (fields[a].in(made_) > fields[b].in(made_)) {
        refuse(lines_[a], fmt::format("{} is greater than {} (line {}), which cannot be; change one of them",
                                      less, more, lines_[b]));
      }
    }
    if (!std::has_single_bit(made_.memory.line_bytes))
      refuse(lines_[*index_of("line")], "line is no power of two; give the size of a cache line, as 64 B");
  }

  const std::string& file_;
  machine made_;
  std::array<unsigned, ranks_at + 1 + network_fields.size()> lines_{};  // where each key is; 0: nowhere
};

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text;
  constexpr std::size_t most = std::size_t{1} << 20;
  if (file) {
    text.resize(most);
    file.read(text.data(), static_cast<std::streamsize>(most));
    text.resize(static_cast<std::size_t>(file.gcount()));
  }
  if (file.bad() || !file.eof()) {
    throw std::invalid_argument(
        fmt::format("sennit: the machine file {} cannot be read ({}); name a file that "
                    "`sennit doctor --write-machine` has written",
                    path, text.size() == most ? "more than 1 MiB" : std::strerror(errno)));
  }
  return text;
}

}  // namespace

machine read_machine(std::string_view text, const std::string& file) {
  return machine_reader(file).read(text);
}

std::string machine_text(const machine& m, std::span<const machine_note> notes) {
  std::string text;
  const auto comment = [&](std::string_view key) {
    for (const machine_note& note : notes) {
      if (note.key == key) fmt::format_to(std::back_inserter(text), "# {}\n", note.text);
    }
  };
  const auto line = [&](std::string_view key, std::string_view value) {
    comment(key);
    fmt::format_to(std::back_inserter(text), "{} = {}\n", key, value);
  };
  comment({});
  line(name_key, m.name);
  line(cores_key, tree_text(m.where));
  machine copy = m;
  for (const field& f : fields) line(f.key, value_text(f.in(copy), f.what));
  if (m.network == machine_network{}) return text;
  line(ranks_key, fmt::format("{}", m.network.ranks));
  for (const field& f : network_fields) line(f.key, value_text(f.in(copy), f.what));
  return text;
}

machine find_machine(const std::string& name) {
  if (name.find('/') != std::string::npos || name.ends_with(".machine"))
    return read_machine(content_of(name), name);
  const std::span<const built_in_machine> known = built_in_machines();
  const auto found = std::ranges::find(known, std::string_view(name), &built_in_machine::name);
  if (found == known.end()) {
    std::vector<std::string_view> names;
    for (const built_in_machine& m : known) names.push_back(m.name);
    throw std::invalid_argument(
        fmt::format("sennit: there is no machine \"{}\"; name one of {}, or a file, with a slash or "
                    "with .machine at its end",
                    name, fmt::join(names, ", ")));
  }
  return read_machine(found->text, fmt::format("the machine {}", name));
}

}  // namespace sennit::sim
