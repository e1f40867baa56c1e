// SPDX-License-Identifier: Apache-2.0
#include "gallery/links.hpp"

#include "gallery/file.hpp"
#include "gallery/input_error.hpp"
#include "gallery/sparse_matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <memory>
#include <string_view>
#include <system_error>
#include <unordered_map>

namespace gallery {
namespace {

constexpr std::string_view blanks = " \t\r";

// Up to the first character of `ends`, which goes as well.
std::string_view cut(std::string_view& text, std::string_view ends) {
  const std::string_view first = text.substr(0, text.find_first_of(ends));
  text.remove_prefix(std::min(first.size() + 1, text.size()));
  return first;
}
std::string_view trim(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  while (!text.empty() && blanks.find(text.back()) != std::string_view::npos) text.remove_suffix(1);
  return text;
}

link_graph read_edge_list(const std::filesystem::path& path, std::string_view rest) {
  std::vector<page_link> links;
  std::size_t pages = 0;
  for (std::size_t number = 1; !rest.empty(); ++number) {
    const auto fail = [&] {
      throw input_error(fmt::format("'{}', line {}: a link is two numbers from 0 to {}, from and to",
                                    path.string(), number, most_sparse_rows - 1));
    };
    std::string_view whole = cut(rest, "\n");
    std::string_view words = trim(cut(whole, "#%"));
    if (words.empty()) continue;
    const auto next = [&] {
      std::uint32_t page = 0;
      const auto [end, error] = std::from_chars(words.data(), words.data() + words.size(), page);
      if (error != std::errc{} || page >= most_sparse_rows) fail();
      words.remove_prefix(static_cast<std::size_t>(end - words.data()));
      if (!words.empty() && blanks.find(words.front()) == std::string_view::npos) fail();
      words = trim(words);
      pages = std::max<std::size_t>(pages, page + 1);
      return page;
    };
    const std::uint32_t from = next();
    links.emplace_back(from, next());
    if (!words.empty()) fail();
  }
  if (pages == 0) throw input_error(fmt::format("'{}' has no links", path.string()));
  return graph_of_links(pages, links);
}

// What apt's own helper makes of a list, whichever way it is compressed.
std::string decompressed(const std::filesystem::path& path) {
  std::string command = "/usr/lib/apt/apt-helper cat-file '";
  for (const char c : path.string()) command += c == '\'' ? std::string("'\\''") : std::string(1, c);
  command += "' 2>/dev/null";
  const auto close = [](std::FILE* f) { pclose(f); };
  const std::unique_ptr<std::FILE, decltype(close)> pipe(popen(command.c_str(), "r"), close);
  std::string text;
  if (pipe == nullptr) return text;
  std::vector<char> buffer(1 << 16);
  while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe.get()))
    text.append(buffer.data(), got);
  return text;
}

class packages {
 public:
  void read(std::string_view text) {
    std::string_view name;
    while (!text.empty()) {
      std::string_view line = cut(text, "\n");
      if (line.empty() || line.front() == ' ') continue;
      const std::string_view field = cut(line, ":");
      if (field == "Package") {
        name = trim(line);
        number_.try_emplace(std::string(name), static_cast<std::uint32_t>(number_.size()));
      } else if (field == "Depends" || field == "Pre-Depends") {
        needs_.emplace_back(name, trim(line));
      } else if (field == "Provides") {
        while (!line.empty()) provider_.try_emplace(std::string(bare(cut(line, ","))), name);
      }
    }
  }

  link_graph graph() {
    std::vector<page_link> links;
    for (const auto& [name, list] : needs_) {
      std::string_view rest = list;
      const std::uint32_t from = number_.at(name);
      while (!rest.empty()) {
        std::string_view alternatives = cut(rest, ",");
        std::string needed(bare(cut(alternatives, "|")));
        if (!number_.contains(needed)) {
          const auto provided = provider_.find(needed);
          if (provided == provider_.end()) continue;
          needed = provided->second;
        }
        links.emplace_back(from, number_.at(needed));
      }
    }
    link_graph made = graph_of_links(number_.size(), links);
    made.names.resize(number_.size());
    for (const auto& [name, number] : number_) made.names[number] = name;
    return made;
  }

  bool empty() const { return number_.empty(); }

 private:
  // A package without its version and architecture.
  static std::string_view bare(std::string_view text) {
    text = trim(text);
    return text.substr(0, text.find_first_of(" (:"));
  }

  std::unordered_map<std::string, std::uint32_t> number_;
  std::unordered_map<std::string, std::string> provider_;
  std::vector<std::pair<std::string, std::string>> needs_;
};

}  // namespace

link_graph read_links(const std::filesystem::path& path) {
  const std::vector<char> bytes = read_file(path);
  const std::string_view text(bytes.data(), bytes.size());
  if (!text.starts_with("%%MatrixMarket")) return read_edge_list(path, text);
  const sparse_matrix cells = read_matrix_market(path);
  std::vector<page_link> links;
  for (std::size_t row = 0; row < cells.rows; ++row) {
    for (std::size_t i = cells.starts[row]; i < cells.starts[row + 1]; ++i)
      links.emplace_back(static_cast<std::uint32_t>(row), cells.indices[i]);
  }
  return graph_of_links(std::max(cells.rows, cells.columns), links);
}

link_graph read_debian_packages(const std::filesystem::path& lists) {
  std::vector<std::filesystem::path> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(lists, error)) {
    const std::string name = entry.path().filename().string();
    const std::size_t end = name.rfind("_Packages");
    if (end != std::string::npos && (end + 9 == name.size() || name[end + 9] == '.'))
      found.push_back(entry.path());
  }
  std::ranges::sort(found);
  packages all;
  for (const auto& path : found) {
    if (path.extension().empty() || path.string().ends_with("_Packages")) {
      const std::vector<char> bytes = read_file(path);
      all.read({bytes.data(), bytes.size()});
    } else {
      all.read(decompressed(path));
    }
  }
  if (all.empty()) {
    throw input_error(
        fmt::format("'{}' has no lists of packages (*_Packages): 'apt-get update' fetches them on Debian; "
                    "elsewhere choose other links, or a file",
                    lists.string()));
  }
  return all.graph();
}

}  // namespace gallery
