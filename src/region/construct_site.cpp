// SPDX-License-Identifier: Apache-2.0
#include "region/construct_site.hpp"

#include "process/contract.hpp"
#include "worker/runtime_core.hpp"
#include "worker/worker.hpp"

#if SENNIT_CHECKED

#include <string_view>

namespace sennit::detail {

namespace {

constinit thread_local const construct_site* site_outside [[gnu::tls_model("initial-exec")]] = nullptr;

// Whether the call site is in the directory that the library's headers are in. A program's may have the same
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

namespace {

// What misuse() names.
[[maybe_unused]] const known_sites sites([]() noexcept -> const construct_site* { return innermost_site(); });

}  // namespace

construct_site::construct_site(const char* construct, std::source_location where,
                               std::source_location of_library) noexcept
    : construct_(construct), where_(where), outer_(innermost_site()) {
  // The program knows nothing of a construct that another one is made of.
  if (outer_ != nullptr && is_in_library(where, of_library)) {
    construct_ = outer_->construct_;
    where_ = outer_->where_;
  }
  innermost_site() = this;
  // Outside, run_region() looks for locks.
  const worker* const here = worker::current();
  if (here != nullptr ? (here->core().lasting_reasons() & contract) != 0 : in_signal_handler())
    check_contract();
}

construct_site::~construct_site() { innermost_site() = outer_; }

}  // namespace sennit::detail

#endif
