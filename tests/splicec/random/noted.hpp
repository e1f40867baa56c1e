// What the splices of a translated program report, added up. In the translation their calls are made those of this one.
#pragma once

#include <sennit/splice.hpp>

#include <utility>

namespace noted {

inline sennit::splice_report all;
inline constexpr double most_checks = 40;

template <class... Arguments>
void splice(Arguments&&... arguments) {
  const sennit::splice_report one = sennit::splice(std::forward<Arguments>(arguments)...);
  all.steps += one.steps;
  all.checks += one.checks;
}

}  // namespace noted
