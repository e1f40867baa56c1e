// SPDX-License-Identifier: Apache-2.0
// A list cannot be halved.
#include <sennit/sennit.hpp>

#include <functional>
#include <list>

void called(std::list<std::function<void()>>& branches) { sennit::join(branches); }
