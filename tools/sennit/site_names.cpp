// SPDX-License-Identifier: Apache-2.0
#include "tools/sennit/site_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <string_view>
#include <utility>

namespace command {
namespace {

using sennit::detail::code_module;
using sennit::detail::module_of_site;
using sennit::detail::offset_of_site;

std::string shell_word(std::string_view word) {
  std::string result = "'";
  for (const char c : word) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

std::vector<std::string> lines_of(const std::string& command) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(popen((command + " 2>/dev/null").c_str(), "r"),
                                                             [](std::FILE* p) { return pclose(p); });
  std::vector<std::string> lines(1);
  for (int c = 0; pipe != nullptr && (c = std::fgetc(pipe.get())) != EOF;) {
    if (c == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += static_cast<char>(c);
    }
  }
  lines.pop_back();
  return lines;
}

// Whether the file is still the one that ran; empty: it is, or it does not say.
std::string changed(const code_module& module) {
  if (!std::filesystem::exists(module.file)) return fmt::format("'{}' is no longer there", module.file);
  if (module.build_id.empty()) return {};
  for (const std::string& line : lines_of("readelf -n " + shell_word(module.file)))
    if (line.find("Build ID:") != line.npos && line.find(module.build_id) == line.npos)
      return fmt::format("'{}' has been built anew since", module.file);
  return {};
}

// As compilers and demanglers write the type of a closure.
constexpr std::string_view closures[] = {"::{lambda", "::$_", "::'lambda"};

std::size_t closure_in(std::string_view name, std::size_t from = 0) {
  std::size_t first = name.npos;
  for (const std::string_view closure : closures) first = std::min(first, name.find(closure, from));
  return first;
}

// Without what is between angle brackets, if that is much.
std::string brief(std::string name) {
  constexpr std::size_t most = 60;
  const std::size_t begin = name.find('<');
  const std::size_t end = name.rfind('>');
  if (name.size() > most && begin < end && end != name.npos) name.replace(begin, end - begin + 1, "<...>");
  return name;
}

// Only the name: without the arguments, and without the result that comes first in an instance of a template.
std::string plain(std::string_view name) {
  constexpr std::string_view unnamed = "(anonymous namespace)::";
  std::string found;
  int open = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name.substr(i).starts_with(unnamed)) {
      i += unnamed.size() - 1;
      continue;
    }
    const char c = name[i];
    if (open == 0 && (c == '(' || closure_in(name, i) == i)) break;
    if (c == ' ' && open == 0) {
      found.clear();
      continue;
    }
    if (c == '<') ++open;
    if (c == '>') --open;
    found += c;
  }
  return brief(std::move(found));
}

bool of_library(std::string_view function) {
  const std::string name = plain(function);
  return name.starts_with("sennit::") || name.starts_with("std::");
}

// Or of the standard library.
bool in_library(std::string_view file) {
  constexpr std::string_view headers[] = {"/sennit/detail/", "include/sennit/", "/include/c++/"};
  return std::ranges::any_of(headers, [&](std::string_view h) { return file.find(h) != file.npos; });
}

// The function that has a closure which an instance of the library's templates names: "fib(long)" of
// "sennit::detail::fork_frame<fib(long)::{lambda()#2}>::run_elsewhere(sennit::detail::frame&)".
std::string function_of_closure(std::string_view name) {
  for (std::size_t end = closure_in(name); end != name.npos; end = closure_in(name, end + 1)) {
    std::size_t begin = end;
    int open = 0;
    for (; begin > 0; --begin) {
      const char c = name[begin - 1];
      if (c == '>' || c == ')') ++open;
      if ((c == '<' || c == '(' || c == ',') && open == 0) break;
      if (c == '<' || c == '(') --open;
    }
    std::string_view function = name.substr(begin, end - begin);
    while (function.starts_with(' ')) function.remove_prefix(1);
    if (!function.empty() && !of_library(function)) return std::string(function);
  }
  return {};
}

// LLVM's finds more of what clang writes.
const std::string& addr2line() {
  static const std::string found = [] {
    const std::vector<std::string> lines = lines_of(
        "for tool in llvm-addr2line llvm-addr2line-19 addr2line; do command -v $tool && break; done");
    return lines.empty() ? std::string("addr2line") : shell_word(lines.front());
  }();
  return found;
}

// The chain of each address. addr2line repeats the address before each.
std::map<std::uint64_t, std::vector<code_line>> chains_of(const std::string& file,
                                                          const std::vector<std::uint64_t>& offsets) {
  std::map<std::uint64_t, std::vector<code_line>> chains;
  constexpr std::size_t at_once = 1000;
  for (std::size_t first = 0; first < offsets.size(); first += at_once) {
    std::string asked = addr2line() + " -a -f -i -C -e " + shell_word(file);
    for (std::size_t i = first; i < std::min(offsets.size(), first + at_once); ++i)
      asked += fmt::format(" {:#x}", offsets[i]);
    std::vector<code_line>* chain = nullptr;
    const std::vector<std::string> lines = lines_of(asked);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (lines[i].starts_with("0x")) {
        chain = &chains[std::stoull(lines[i], nullptr, 16)];
      } else if (chain != nullptr && i + 1 < lines.size()) {
        const std::string& place = lines[i + 1];
        const std::size_t colon = place.rfind(':');
        std::string number = colon == place.npos ? "?" : place.substr(colon + 1);
        number.resize(std::min(number.size(), number.find(' ')));
        chain->push_back({lines[i], place.substr(0, colon), std::move(number)});
        ++i;
      }
    }
  }
  return chains;
}

bool known(const code_line& at) { return at.file != "??" && at.line != "?" && at.line != "0"; }
bool of_program(const code_line& at) {
  return known(at) ? !in_library(at.file) : at.function != "??" && !of_library(at.function);
}
bool has_name(const code_line& at) {
  return of_program(at) && !of_library(at.function) && !at.function.starts_with("operator()");
}

// Debugging information calls an inlined closure operator(). The name of the whole function, which addr2line gives to
// the innermost one, has the closure's type in it.
std::string function_of(const code_line& found, const std::vector<code_line>& chain) {
  if (has_name(found)) return plain(found.function);
  for (const code_line& at : chain)
    if (std::string function = function_of_closure(at.function); !function.empty()) return plain(function);
  for (const code_line& at : chain)
    if (has_name(at)) return plain(at.function);
  return "a closure";
}

// Algorithms of the library that fork in functions of their own, by what their caller calls them.
std::string algorithm_among(const std::vector<code_line>& chain) {
  constexpr std::pair<std::string_view, const char*> algorithms[] = {
      {"sennit::detail::keyed_sort", "sennit::parallel_sort"},
      {"sennit::detail::merge_sort", "sennit::parallel_sort"},
      {"sennit::detail::radix_sort", "sennit::parallel_sort"},
      {"sennit::detail::sample_sort", "sennit::parallel_sort"},
      {"sennit::detail::scan<", "sennit::parallel_scan"}};
  for (const code_line& at : chain)
    for (const auto& [begin, name] : algorithms)
      if (plain(at.function).starts_with(begin)) return name;
  return {};
}

// The functions at the beginning of a child's code are the library's. Further on is the child's body, if it is inlined.
void look_further(const std::string& file, std::uint64_t offset, std::string_view outermost, site& found) {
  constexpr unsigned steps = 64;
  std::vector<std::uint64_t> offsets;
  for (unsigned i = 1; i < steps; ++i) offsets.push_back(offset + 8 * i);
  for (const auto& [at, chain] : chains_of(file, offsets)) {
    if (chain.empty() || chain.back().function != outermost) return;
    if (const site there = site_among(chain); !there.line.empty()) {
      found.line = there.line;
      return;
    }
  }
}

}  // namespace

site site_among(const std::vector<code_line>& chain) {
  for (const code_line& at : chain) {
    if (!of_program(at)) continue;
    return {function_of(at, chain),
            known(at) ? fmt::format("{}:{}", std::filesystem::path(at.file).filename().string(), at.line)
                      : ""};
  }
  for (const code_line& at : chain)
    if (std::string function = function_of_closure(at.function); !function.empty())
      return {plain(function), ""};
  for (const code_line& at : chain)
    if (at.function != "??" && !of_library(at.function) && !at.function.starts_with("_Z"))
      return {plain(at.function), ""};
  return {algorithm_among(chain), ""};
}

std::uint32_t sites::number(std::uint64_t at) const {
  const std::uint32_t found = code.number(at);
  return found == 0 || named[found - 1].function.empty() ? 0 : found;
}

sites sites_of(sennit::detail::code_sites code) {
  sites found{std::move(code), {}, {}};
  found.named.resize(found.code.places.size());
  if (found.named.empty()) {
    found.remark =
        "The file does not say where its constructs are in the program: it was written by hand, or by an "
        "earlier Sennit. Record it again to see their names.";
    return found;
  }
  bool lines = false;
  bool names = false;
  for (std::size_t m = 0; m < found.code.modules.size(); ++m) {
    const code_module& module = found.code.modules[m];
    if (const std::string why = changed(module); !why.empty()) {
      found.remark = fmt::format("{}, so its constructs have no names. Record it again.", why);
      continue;
    }
    std::vector<std::uint64_t> offsets;
    for (const std::uint64_t place : found.code.places)
      if (module_of_site(place) == m + 1) offsets.push_back(offset_of_site(place));
    const auto chains = chains_of(module.file, offsets);
    const bool has_lines =
        std::ranges::any_of(chains, [](const auto& each) { return std::ranges::any_of(each.second, known); });
    for (std::size_t i = 0; i < found.named.size(); ++i) {
      const auto chain = chains.find(offset_of_site(found.code.places[i]));
      if (module_of_site(found.code.places[i]) != m + 1 || chain == chains.end()) continue;
      found.named[i] = site_among(chain->second);
      if (has_lines && found.named[i].line.empty() && !found.named[i].function.empty())
        look_further(module.file, chain->first, chain->second.back().function, found.named[i]);
      lines |= !found.named[i].line.empty();
      names |= !found.named[i].function.empty();
    }
  }
  if (!found.remark.empty()) return found;
  if (!names) {
    found.remark =
        "addr2line finds no names: install Debian's package binutils, and do not strip the program.";
  } else if (!lines) {
    found.remark = "Build the program with -g, and record it again, to see lines, too.";
  }
  return found;
}

sites sites_of(const sennit::detail::steal_tree& tree) { return sites_of(sennit::detail::sites_in(tree)); }

}  // namespace command
