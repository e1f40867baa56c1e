// SPDX-License-Identifier: Apache-2.0
#include "trace/site_table.hpp"

#include "trace/trace_file.hpp"

#include <sennit/detail/failure.hpp>

#include <cxxabi.h>
#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <memory>
#include <string>

namespace sennit::detail {

std::string own_program() {
  std::array<char, 4096> path{};
  const ssize_t length = ::readlink("/proc/self/exe", path.data(), path.size());
  return length > 0 ? std::string(path.data(), static_cast<std::size_t>(length)) : std::string();
}

namespace {

struct code_place {
  std::string module;
  std::uint64_t offset = 0;
  std::string function;
};

std::string demangled(const char* symbol) {
  struct release {
    void operator()(char* text) const noexcept { std::free(text); }
  };
  int status = 0;
  const std::unique_ptr<char, release> text(abi::__cxa_demangle(symbol, nullptr, nullptr, &status));
  return status == 0 && text ? text.get() : symbol;
}

code_place place_of(std::uintptr_t site) {
  code_place found;
  Dl_info info{};
  link_map* module = nullptr;
  void* const address = reinterpret_cast<void*>(site);
  if (dladdr1(address, &info, reinterpret_cast<void**>(&module), RTLD_DL_LINKMAP) == 0 || module == nullptr)
    return found;
  found.module = module->l_name[0] != '\0' ? module->l_name : own_program();
  found.offset = site - module->l_addr;
  const ElfW(Sym)* symbol = nullptr;
  const bool known = dladdr1(address, &info, reinterpret_cast<void**>(const_cast<ElfW(Sym)**>(&symbol)),
                             RTLD_DL_SYMENT) != 0;
  if (known && symbol != nullptr && info.dli_sname != nullptr &&
      site - reinterpret_cast<std::uintptr_t>(info.dli_saddr) < symbol->st_size)
    found.function = demangled(info.dli_sname);
  return found;
}

}  // namespace

std::uint32_t site_table::number_of(std::uintptr_t site) noexcept {
  if (site == 0) return 0;
  std::size_t at = (site * 0x9e3779b97f4a7c15U) >> 40;
  for (std::size_t probes = 0; probes < 64; ++probes, ++at) {
    entry& here = entries_[at % room];
    // ORD[D73] acquire: its number, and that the file has been told; pairs with the release in add().
    const std::uintptr_t found = here.site.load(std::memory_order_acquire);
    if (found == site) return here.number.load(std::memory_order_relaxed);
    if (found == 0) return add(site, at);
  }
  return 0;
}

std::uint32_t site_table::add(std::uintptr_t site, std::size_t at) noexcept {
  const std::lock_guard guard(adding_);
  std::uint32_t number = 0;
  for (std::size_t probes = 0; probes < 64 && number == 0; ++probes, ++at) {
    entry& here = entries_[at % room];
    const std::uintptr_t found = here.site.load(std::memory_order_relaxed);
    if (found == site) return here.number.load(std::memory_order_relaxed);
    if (found != 0) continue;
    code_place place;
    attempt<std::exception>([&] { place = place_of(site); });
    number = ++known_;
    trace_line line;
    line.raw(R"({"name":"site","ph":"M","pid":1,"tid":0,"args":{"site":)").number(number);
    line.raw(R"(,"module":)").quoted(place.module, 400).raw(R"(,"offset":)").number(place.offset);
    if (!place.function.empty()) line.raw(R"(,"function":)").quoted(place.function, 400);
    file_.add_now(line.raw("}}"));
    here.number.store(number, std::memory_order_relaxed);
    // ORD[D73] release: the number; pairs with number_of().
    here.site.store(site, std::memory_order_release);
  }
  return number;
}

}  // namespace sennit::detail
