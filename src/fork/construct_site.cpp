#include "process/contract.hpp"
#include "worker/runtime_core.hpp"
#include "worker/worker.hpp"

#if SENNIT_CHECKED

#include <dlfcn.h>
#include <execinfo.h>

#include <cstring>
#include <string_view>

namespace sennit::detail {

namespace {

constinit thread_local const construct_site* site_outside [[gnu::tls_model("initial-exec")]] = nullptr;

// Whether the place is in the directory that the library's headers are in. A program's may have the same
// name.
bool is_in_library(const std::source_location& where, const std::source_location& of_library) noexcept {
  constexpr std::string_view directory = "/sennit/";
  const std::string_view header = of_library.file_name();
  const std::size_t at = header.rfind(directory);
  return at != header.npos &&
         std::string_view(where.file_name()).starts_with(header.substr(0, at + directory.size()));
}

}  // namespace

[[gnu::noinline]] const construct_site*& innermost_site() noexcept {
  worker* const w = worker::current();
  const construct_site** site = w != nullptr ? &w->running().site : &site_outside;
  asm volatile("" : "+r"(site));
  return *site;
}

// No handler of exit() is early enough to tell: static objects that were made later end before it is called.
bool program_exits() noexcept {
  void* calls[64];
  const int count = backtrace(calls, 64);
  for (int i = 0; i < count; ++i) {
    Dl_info found{};
    // The call does not return, so that what follows it may be another function.
    if (dladdr(static_cast<char*>(calls[i]) - 1, &found) != 0 && found.dli_sname != nullptr &&
        std::strcmp(found.dli_sname, "exit") == 0) {
      return true;
    }
  }
  return false;
}

construct_site::construct_site(const char* construct, std::source_location where,
                               std::source_location of_library) noexcept
    : construct_(construct), where_(where), outer_(innermost_site()) {
  // Of a construct that another one is made of, the program knows nothing.
  if (outer_ != nullptr && is_in_library(where, of_library)) {
    construct_ = outer_->construct_;
    where_ = outer_->where_;
  }
  innermost_site() = this;
  // Outside, whoever enters a region looks for locks.
  const worker* const here = worker::current();
  if (here != nullptr ? (here->core().sticky_reasons() & contract) != 0 : in_signal_handler())
    check_contract();
}

construct_site::~construct_site() { innermost_site() = outer_; }

}  // namespace sennit::detail

#endif
