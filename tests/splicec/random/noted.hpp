// SPDX-License-Identifier: Apache-2.0
// Comes before a translation, so that its splices tell what they report.
#pragma once

#include <sennit/splicec.hpp>

#include <utility>

// Of all splices since it was last reset. Only the thread that calls them looks at it.
extern sennit::splice_report noted_report;

namespace sennit {

template <class... Arguments>
void noted_splice(Arguments&&... arguments) {
  const splice_report one = splice(std::forward<Arguments>(arguments)...);
  noted_report.steps += one.steps;
  noted_report.checks += one.checks;
}

}  // namespace sennit

#define splice noted_splice
