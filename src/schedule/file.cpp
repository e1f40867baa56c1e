// SPDX-License-Identifier: Apache-2.0
#include "schedule/file.hpp"

#include "files/replace.hpp"
#include "schedule/bytes.hpp"
#include "schedule/sites.hpp"

#include <sennit/detail/failure.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_set>
#include <utility>

namespace sennit::detail {
namespace {

using kind = steal::kind;

// A transfer of the file as text would change the last two characters, which are a line's end.
constexpr std::string_view magic = "sennit\r\n";
constexpr number_file form{{"schedule", magic}, 1, "schedule::save()", "record it again"};

constexpr std::uint64_t with_times = 1;
constexpr std::uint64_t with_sites = 2;
constexpr unsigned kind_bits = 7;
constexpr unsigned taken_bit = 8;
constexpr unsigned waited_bit = 16;
constexpr unsigned inside_bit = 32;
constexpr unsigned cut_bit = 64;
constexpr unsigned nodes_bit = 128;  // of a graph

// Some 146 years. Sums and differences of times below it are exact, or fit an integer.
constexpr std::uint64_t most_time = std::uint64_t{1} << 62;
constexpr const char* too_long = "has a time that no region takes";

// The expected numbers and times of events, which follow from the earlier ones.
struct expectations {
  std::vector<std::uint32_t> sequence{1};  // event 0 of role 0 is the beginning of the region
  std::uint64_t time = 0;
};

class writer : public number_writer {
 public:
  using number_writer::number_writer;
  void write(const event& e) {
    if (e.role >= next_.sequence.size()) next_.sequence.resize(e.role + std::size_t{1});
    std::uint32_t& expected = next_.sequence[e.role];
    number(e.role);
    number(zigzag(std::uint64_t{e.sequence} - expected));
    expected = e.sequence + 1;
  }
  void write(const span_of_time& s) {
    number(zigzag(s.begin - next_.time));
    number(zigzag(s.end - s.begin));
    next_.time = s.begin;
  }

 private:
  expectations next_;
};

class reader : public number_reader {
 public:
  using number_reader::number_reader;

  event read_event() {
    const std::uint32_t role = small_number();
    if (role >= most_roles) refuse("names a worker beyond the number of its workers");
    if (role >= next_.sequence.size()) next_.sequence.resize(role + std::size_t{1});
    std::uint32_t& expected = next_.sequence[role];
    const std::uint64_t sequence = expected + unzigzag(number());
    if (sequence > std::numeric_limits<std::uint32_t>::max()) refuse("has a number that is too large");
    expected = static_cast<std::uint32_t>(sequence) + 1;
    return {role, static_cast<std::uint32_t>(sequence)};
  }
  span_of_time read_span() {
    const std::uint64_t begin = next_.time + unzigzag(number());
    const std::uint64_t end = begin + unzigzag(number());
    if (end < begin) refuse("has something that ends before it begins");
    if (end >= most_time) refuse(too_long);
    next_.time = begin;
    return {begin, end};
  }
  // A node takes at least two bytes, so the count cannot exceed half the size of the file.
  std::uint64_t count_of_nodes() {
    const std::uint64_t count = number();
    if (count > left() / 2) refuse("has a list with more in it than the file holds");
    return count;
  }

 private:
  expectations next_;
};

void write_text(writer& to, const std::string& text) {
  to.number(text.size());
  for (const char letter : text) to.byte(static_cast<unsigned char>(letter));
}

std::string read_text(reader& from) {
  const std::uint64_t size = from.number();
  if (size > from.left()) from.refuse("has a name that is longer than the file");
  std::string text;
  for (std::uint64_t i = 0; i < size; ++i) text += static_cast<char>(from.byte());
  return text;
}

void write_nodes_of_graph(writer& to, const graph_record& of) {
  to.number(of.nodes.size());
  for (const graph_record::node& n : of.nodes) {
    to.number(n.role);
    write_text(to, n.key);
  }
}

std::shared_ptr<const graph_record> read_nodes_of_graph(reader& from) {
  auto record = std::make_shared<graph_record>();
  record->nodes.resize(from.count_of_nodes());
  std::unordered_set<std::string_view> keys;
  for (graph_record::node& n : record->nodes) {
    n.role = from.small_number();
    n.key = read_text(from);
    if (!keys.insert(n.key).second) from.refuse("has two nodes of a graph with one key");
  }
  return record;
}

void write_node(writer& to, const visit& at) {
  const steal& node = at.node;
  to.byte(static_cast<unsigned>(node.what) | (node.taken ? taken_bit : 0) | (node.waited ? waited_bit : 0) |
          (node.inside.empty() ? 0 : inside_bit) | (node.cut == 0 ? 0 : cut_bit) |
          (node.nodes == nullptr ? 0 : nodes_bit));
  to.number(at.previous == nullptr ? node.at : node.at - at.previous->at);
  if (node.what == kind::loop) to.number(node.size);
  if (node.cut != 0) to.number(node.cut);
  if (node.taken) to.write(node.begun);
  if (node.waited) to.write(node.resumed);
  if (node.nodes != nullptr) write_nodes_of_graph(to, *node.nodes);
  if (!node.inside.empty()) to.number(node.inside.size());
}

struct read_node {
  steal node;
  std::uint64_t inside;
};

read_node read_one(reader& from, const std::vector<steal>& list) {
  const unsigned head = from.byte();
  const unsigned what = head & kind_bits;
  if (what > static_cast<unsigned>(kind::graph)) {
    from.refuse("has a node of no known kind");
  }
  steal node;
  node.what = static_cast<kind>(what);
  node.taken = (head & taken_bit) != 0;
  node.waited = (head & waited_bit) != 0;
  node.at = (list.empty() ? 0 : list.back().at) + from.number();
  if (node.what == kind::loop) node.size = from.number();
  if ((head & cut_bit) != 0) node.cut = from.number();
  if (node.taken) node.begun = from.read_event();
  if (node.waited) node.resumed = from.read_event();
  if ((head & nodes_bit) != 0) node.nodes = read_nodes_of_graph(from);
  const std::uint64_t inside = (head & inside_bit) != 0 ? from.count_of_nodes() : 0;
  return {std::move(node), inside};
}

void read_nodes(reader& from, std::vector<steal>& root) {
  struct open_list {
    std::vector<steal>* nodes;
    std::uint64_t left;
  };
  std::vector<open_list> open{{&root, from.count_of_nodes()}};
  while (!open.empty()) {
    open_list& list = open.back();
    if (list.left == 0) {
      open.pop_back();
      continue;
    }
    --list.left;
    auto [node, inside] = read_one(from, *list.nodes);
    list.nodes->push_back(std::move(node));
    if (inside > 0) open.push_back({&list.nodes->back().inside, inside});
  }
}

void read_times(reader& from, steal_tree& tree) {
  tree.length = from.number();
  if (tree.length >= most_time) from.refuse(too_long);
  walk(tree.root, [&](const visit& at) {
    auto& node = const_cast<steal&>(at.node);
    if (node.taken) node.ran = from.read_span();
    if (node.waited) node.paused = from.read_span();
    if (!node.nodes) return;
    auto timed = std::make_shared<graph_record>(*node.nodes);
    for (graph_record::node& n : timed->nodes) n.ran = from.read_span();
    node.nodes = std::move(timed);
  });
}

void write_sites(writer& to, const steal_tree& tree, const code_sites& sites) {
  to.number(sites.modules.size());
  for (const code_module& m : sites.modules) {
    write_text(to, m.file);
    write_text(to, m.build_id);
  }
  to.number(sites.places.size());
  for (const std::uint64_t place : sites.places) {
    to.number(module_of_site(place));
    to.number(offset_of_site(place));
  }
  walk(tree.root, [&](const visit& at) { to.number(sites.number(at.node.site)); });
}

std::uint64_t read_place(reader& from, std::size_t modules) {
  const std::uint64_t module = from.number();
  const std::uint64_t offset = from.number();
  if (module == 0 || module > modules || offset_of_site(offset) != offset)
    from.refuse("has a place in no file of code");
  return site_in_module(module, offset);
}

void read_sites(reader& from, steal_tree& tree) {
  const std::uint64_t modules = from.number();
  if (modules > most_modules || modules > from.left()) from.refuse("has too many files of code");
  for (std::uint64_t i = 0; i < modules; ++i) {
    std::string file = read_text(from);
    tree.modules.push_back({std::move(file), read_text(from)});
  }
  const std::uint64_t count = from.number();
  if (count > from.left() / 2) from.refuse("has a list with more in it than the file holds");
  std::vector<std::uint64_t> places{0};
  for (std::uint64_t i = 0; i < count; ++i) places.push_back(read_place(from, tree.modules.size()));
  walk(tree.root, [&](const visit& at) {
    const std::uint64_t number = from.number();
    if (number >= places.size()) from.refuse("has a construct at no known place");
    const_cast<steal&>(at.node).site = places[number];
  });
}

[[noreturn]] void fail_to(const char* what, const std::string& path, const file_kind& kind,
                          const char* remedy, int why = errno) {
  fail<std::runtime_error>(std::string("sennit: cannot ") + what + " the " + kind.what + " '" + path +
                           "': " + std::generic_category().message(why) + "; " + remedy);
}

struct descriptor {
  int file;
  explicit descriptor(int opened) : file(opened) {}
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  ~descriptor() {
    if (file >= 0) close(file);
  }
};

}  // namespace

const file_kind schedule_file = form.kind;

bool begins_with(std::string_view begin, std::span<const std::byte> bytes) {
  return bytes.size() >= begin.size() && std::memcmp(begin.data(), bytes.data(), begin.size()) == 0;
}

std::vector<std::byte> encode(const steal_tree& tree) {
  writer to(form);
  const bool timed = has_times(tree);
  const code_sites sites = sites_in(tree);
  to.number((timed ? with_times : 0) | (sites.places.empty() ? 0 : with_sites));
  to.number(tree.roles);
  to.number(tree.root.size());
  walk(tree.root, [&](const visit& at) { write_node(to, at); });
  if (timed) {
    to.number(tree.length);
    walk(tree.root, [&](const visit& at) {
      if (at.node.taken) to.write(at.node.ran);
      if (at.node.waited) to.write(at.node.paused);
      if (!at.node.nodes) return;
      for (const graph_record::node& n : at.node.nodes->nodes) to.write(n.ran);
    });
  }
  if (!sites.places.empty()) write_sites(to, tree, sites);
  return to.finish();
}

std::shared_ptr<const steal_tree> decode(std::span<const std::byte> bytes, const std::string& name) {
  reader from(form, bytes, name);
  const std::uint64_t flags = from.number();
  if (flags > (with_times | with_sites)) from.refuse("has content that this Sennit does not know");
  const deep_tree tree(new steal_tree);
  tree->roles = from.small_number();
  read_nodes(from, tree->root);
  if ((flags & with_times) != 0) read_times(from, *tree);
  if ((flags & with_sites) != 0) read_sites(from, *tree);
  from.expect_end();
  if (const std::string wrong = complaint(*tree); !wrong.empty()) from.refuse(wrong);
  return hold(std::move(*tree));
}

void write_file(const std::string& path, std::span<const std::byte> bytes, const file_kind& kind) {
  if (const int why = replace_file(destination_of(path), bytes); why != 0)
    fail_to("save", path, kind, "choose another place", why);
}

std::vector<std::byte> read_file(const std::string& path, const file_kind& kind) {
  const descriptor from(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  constexpr const char* remedy = "give a file that exists and may be read";
  if (from.file < 0) fail_to("load", path, kind, remedy);
  std::vector<std::byte> bytes;
  std::array<std::byte, 1 << 14> block;
  while (true) {
    const ssize_t got = read(from.file, block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_to("load", path, kind, remedy);
    bytes.insert(bytes.end(), block.begin(), block.begin() + got);
    const bool foreign = bytes.size() >= kind.begin.size() && !begins_with(kind.begin, bytes);
    if (got == 0 || foreign) return bytes;
  }
}

}  // namespace sennit::detail
