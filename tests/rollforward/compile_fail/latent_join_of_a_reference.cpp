// SPDX-License-Identifier: Apache-2.0
// What the second call has captured is a copy if a beat comes, and gone when the caller reads the result.
#include <sennit/latent_join.hpp>

long called(long n) {
  const auto [a, b] = sennit::latent_join([=] { return n; }, [=]() -> const long& { return n; });
  return a + b;
}
