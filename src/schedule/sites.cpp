// SPDX-License-Identifier: Apache-2.0
#include "schedule/sites.hpp"

#include <elf.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <utility>

namespace sennit::detail {
namespace {

// What is mapped into this process.
struct mapped_module {
  std::uint64_t base;
  std::uint64_t begin;
  std::uint64_t end;
  code_module is;
};

std::string own_file() {
  std::array<char, 4096> path{};
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size());
  return length > 0 ? std::string(path.data(), static_cast<std::size_t>(length)) : std::string();
}

std::string hexadecimal(const unsigned char* bytes, std::size_t size) {
  constexpr const char* digits = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i < size; ++i) {
    text += digits[bytes[i] >> 4];
    text += digits[bytes[i] & 15];
  }
  return text;
}

// The build ID among the notes of a segment; empty: there is none.
std::string build_id_in(const unsigned char* at, std::size_t left) {
  const auto padded = [](std::size_t size) { return (size + 3) & ~std::size_t{3}; };
  while (left >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) head;
    std::memcpy(&head, at, sizeof head);
    const std::size_t before = sizeof head + padded(head.n_namesz);
    const std::size_t size = before + padded(head.n_descsz);
    if (size > left) break;
    if (head.n_type == NT_GNU_BUILD_ID && head.n_namesz == 4 && std::memcmp(at + sizeof head, "GNU", 4) == 0)
      return hexadecimal(at + before, head.n_descsz);
    at += size;
    left -= size;
  }
  return {};
}

int note_module(dl_phdr_info* info, std::size_t, void* to) {
  mapped_module found{.base = info->dlpi_addr, .begin = ~std::uint64_t{0}, .end = 0, .is = {}};
  found.is.file = info->dlpi_name;
  for (const ElfW(Phdr)* p = info->dlpi_phdr; p != info->dlpi_phdr + info->dlpi_phnum; ++p) {
    const std::uint64_t begin = info->dlpi_addr + p->p_vaddr;
    if (p->p_type == PT_LOAD) {
      found.begin = std::min<std::uint64_t>(found.begin, begin);
      found.end = std::max<std::uint64_t>(found.end, begin + p->p_memsz);
    }
    if (p->p_type == PT_NOTE && found.is.build_id.empty())
      found.is.build_id = build_id_in(reinterpret_cast<const unsigned char*>(begin), p->p_memsz);
  }
  static_cast<std::vector<mapped_module>*>(to)->push_back(std::move(found));
  return 0;
}

std::vector<mapped_module> mapped_modules() {
  std::vector<mapped_module> all;
  dl_iterate_phdr(note_module, &all);
  if (!all.empty() && all.front().is.file.empty()) all.front().is.file = own_file();
  return all;
}

class collector {
 public:
  explicit collector(const std::vector<code_module>& modules) : modules_(modules) {}

  void add(std::uint64_t site) {
    if (site == 0 || found_.numbers.contains(site)) return;
    const std::uint64_t place = place_of(site);
    if (place != 0) found_.places.push_back(place);
    found_.numbers.emplace(site, place != 0 ? static_cast<std::uint32_t>(found_.places.size()) : 0);
  }
  code_sites take() { return std::move(found_); }

 private:
  std::uint64_t place_of(std::uint64_t site) {
    if (const std::uint64_t number = module_of_site(site); number != 0) {
      if (number > modules_.size()) return 0;
      return site_in_module(number_of(modules_[number - 1]), offset_of_site(site));
    }
    if (mapped_.empty()) mapped_ = mapped_modules();
    for (const mapped_module& m : mapped_)
      if (m.begin <= site && site < m.end) return site_in_module(number_of(m.is), site - m.base);
    return 0;  // its module has been unloaded
  }
  std::uint64_t number_of(const code_module& module) {
    for (std::size_t i = 0; i < found_.modules.size(); ++i)
      if (found_.modules[i] == module) return i + 1;
    found_.modules.push_back(module);
    return found_.modules.size();
  }

  const std::vector<code_module>& modules_;
  std::vector<mapped_module> mapped_;
  code_sites found_;
};

}  // namespace

code_sites sites_in(const steal_tree& tree) {
  collector found(tree.modules);
  walk(tree.root, [&](const visit& at) { found.add(at.node.site); });
  return found.take();
}

}  // namespace sennit::detail
