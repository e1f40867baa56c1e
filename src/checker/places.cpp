// SPDX-License-Identifier: Apache-2.0
// Lines of the source, which addr2line finds.
#include "checker/places.hpp"

#include <link.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <string_view>
#include <utility>

namespace sennit::checker {

namespace {

// An address relative to the file from which the code was loaded.
struct module_address {
  std::string file;
  std::uintptr_t offset;
};

module_address in_module(std::uintptr_t address) {
  module_address found{{}, address};
  auto look = [](dl_phdr_info* module, std::size_t, void* data) {
    auto& at = *static_cast<module_address*>(data);
    for (int i = 0; i < module->dlpi_phnum; ++i) {
      const auto& segment = module->dlpi_phdr[i];
      const std::uintptr_t begin = module->dlpi_addr + segment.p_vaddr;
      if (segment.p_type != PT_LOAD || at.offset < begin || at.offset - begin >= segment.p_memsz) continue;
      at.offset -= module->dlpi_addr;
      at.file = module->dlpi_name;
      return 1;
    }
    return 0;
  };
  if (dl_iterate_phdr(look, &found) != 0 && found.file.empty()) {
    std::array<char, PATH_MAX> program;
    const ssize_t n = readlink("/proc/self/exe", program.data(), program.size());
    if (n > 0) found.file.assign(program.data(), static_cast<std::size_t>(n));
  }
  return found;
}

std::string hexadecimal(std::uintptr_t value) {
  std::array<char, 2 + 2 * sizeof value> text{'0', 'x'};
  return {text.data(), std::to_chars(text.begin() + 2, text.end(), value, 16).ptr};
}

std::string shell_word(std::string_view word) {
  std::string result = "'";
  for (const char c : word) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

// Runs addr2line for addresses in one file. Returns an empty list for an address about which addr2line knows
// nothing.
std::vector<std::vector<place>> look_up(const std::string& file, const std::vector<std::uintptr_t>& offsets) {
  std::vector<std::vector<place>> found;
  std::string command =
      "addr2line --exe=" + shell_word(file) + " --addresses --demangle --functions --inlines";
  for (const std::uintptr_t offset : offsets) command.append(" ").append(hexadecimal(offset));
  command += " 2>/dev/null";
  struct closed {
    void operator()(std::FILE* f) const noexcept { pclose(f); }
  };
  if (const std::unique_ptr<std::FILE, closed> lines{popen(command.c_str(), "re")}) {
    std::array<char, 16384> line;
    bool function = true;
    while (std::fgets(line.data(), line.size(), lines.get()) != nullptr) {
      std::string text(line.data(), std::strcspn(line.data(), "\n"));
      if (text.starts_with("0x") && text.find_first_not_of("0123456789abcdef", 2) == std::string::npos) {
        found.emplace_back();
        function = true;
      } else if (!found.empty() && std::exchange(function, !function)) {
        found.back().push_back({std::move(text), {}});
      } else if (!found.empty()) {
        if (const auto note = text.find(" (discriminator"); note != std::string::npos) text.resize(note);
        found.back().back().line = std::filesystem::path(text).lexically_normal().string();
      }
    }
  }
  found.resize(offsets.size());
  return found;
}

}  // namespace

std::vector<std::vector<place>> places_of(std::span<const void* const> code) {
  static auto& known = *new std::map<const void*, std::vector<place>>;
  std::map<std::string, std::vector<std::pair<const void*, std::uintptr_t>>> unknown;
  for (const void* const c : code) {
    if (known.contains(c)) continue;
    module_address at = in_module(reinterpret_cast<std::uintptr_t>(c));
    // For addresses about which nothing else is known.
    known[c] = {{"?", at.file + "+" + hexadecimal(at.offset)}};
    unknown[at.file].emplace_back(c, at.offset);
  }
  for (const auto& [file, addresses] : unknown) {
    std::vector<std::uintptr_t> offsets;
    for (const auto& [c, offset] : addresses) offsets.push_back(offset);
    std::vector<std::vector<place>> found = look_up(file, offsets);
    for (std::size_t i = 0; i < addresses.size(); ++i) {
      std::vector<place>& all = found[i];
      if (all.empty() || (all.front().function.starts_with("?") && all.front().line.starts_with("?")))
        continue;
      std::vector<place>& here = known[addresses[i].first];
      if (all.front().line.starts_with("?")) all.front().line = here.front().line;
      here = std::move(all);
    }
  }
  std::vector<std::vector<place>> result;
  for (const void* const c : code) result.push_back(known[c]);
  return result;
}

}  // namespace sennit::checker
