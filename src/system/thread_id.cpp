// SPDX-License-Identifier: Apache-2.0
#include "system/thread_id.hpp"

#include <unistd.h>

namespace sennit::detail {

namespace {

constinit thread_local pid_t known [[gnu::tls_model("initial-exec")]] = 0;

}  // namespace

[[gnu::noinline]] pid_t thread_id() noexcept {
  if (known == 0) known = gettid();
  return known;
}

void forget_thread_id() noexcept { known = 0; }

}  // namespace sennit::detail
