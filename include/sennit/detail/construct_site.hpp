// SPDX-License-Identifier: Apache-2.0
// The call site of a construct in the program, for messages of the checked variant. Other builds store nothing.
#pragma once

#include <sennit/detail/config.hpp>

#if SENNIT_CHECKED

#include <source_location>

namespace sennit::detail {

// While an object exists, the strand is in that construct. The constructor checks, in the checked variant,
// whether a construct may begin here: not in a signal handler, and not while the thread holds a lock. If it
// may not, the program ends with a message.
class SENNIT_EXPORT construct_site {
 public:
  // `of_library`: a call site in a header of this library, with the name that the compiler uses for the header.
  construct_site(const char* construct, std::source_location where, std::source_location of_library) noexcept;
  construct_site(const construct_site&) = delete;
  construct_site& operator=(const construct_site&) = delete;
  ~construct_site();

  const char* construct() const noexcept { return construct_; }
  const std::source_location& where() const noexcept { return where_; }

 private:
  const char* construct_;
  std::source_location where_;
  const construct_site* outer_;
};

template <bool there>
struct construct_site_if : construct_site {
  using construct_site::construct_site;
};
template <>
struct construct_site_if<false> {
  construct_site_if(const char*, std::source_location, std::source_location) noexcept {}
};

}  // namespace sennit::detail

// SENNIT_WHERE is the last parameter of a construct, and SENNIT_SITE the first line of its body.
#define SENNIT_WHERE , std::source_location where = std::source_location::current()
#define SENNIT_SITE(construct)                                                                               \
  const ::sennit::detail::construct_site site(construct, where, std::source_location::current())
// The same for a body that a serial elision shares.
#define SENNIT_SITE_IF(there, construct)                                                                     \
  [[maybe_unused]] const ::sennit::detail::construct_site_if<(there)> site(construct, where,                 \
                                                                           std::source_location::current())

#else

#define SENNIT_WHERE
#define SENNIT_SITE(construct) static_cast<void>(0)
#define SENNIT_SITE_IF(there, construct) static_cast<void>(0)

#endif
