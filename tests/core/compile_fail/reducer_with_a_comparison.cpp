// SPDX-License-Identifier: Apache-2.0
// What is given in place of an operation yields no value to go on with.
#include <sennit/reducer.hpp>

#include <functional>
#include <string>

void declared() { sennit::reducer longest(std::string{}, std::less<>{}); }
