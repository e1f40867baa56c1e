// SPDX-License-Identifier: Apache-2.0
#include "tools/tpal/report.hpp"

#include "tools/tpal/doubles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace tpal {
namespace {

std::string in_words(const program& p, const value& v) {
  switch (v.is) {
    case value::kind::number: return fmt::format("{}", v.bits);
    case value::kind::floating: return in_decimal(double_of(v.bits));
    case value::kind::label: return fmt::format("label {}", p.blocks[static_cast<std::size_t>(v.bits)].name);
    case value::kind::record: return "a join record";
    case value::kind::mark:
    case value::kind::nothing: break;
  }
  return "nothing";
}

}  // namespace

std::string outputs(const image& start, const result& r) {
  const program& p = start.code;
  std::string text;
  for (const operand& v : p.outputs) {
    const auto which = static_cast<std::size_t>(v.value);
    if (v.is == operand::kind::reg) {
      text += fmt::format("{} = {}\n", p.registers[which], in_words(p, r.registers[which]));
    } else {
      const place at = start.places[which];
      const auto begin = r.heap.begin() + static_cast<std::ptrdiff_t>(at.begin);
      std::vector<std::string> cells;
      for (auto cell = begin; cell != begin + static_cast<std::ptrdiff_t>(at.length); ++cell) {
        cells.push_back(in_words(p, value::of_bits(*cell, p.arrays[which].of == type::floating)));
      }
      text += fmt::format("{} = {}\n", p.arrays[which].name, fmt::join(cells, ", "));
    }
  }
  if (!p.outputs.empty()) return text;
  for (std::size_t i = 0; i < r.registers.size(); ++i) {
    if (r.registers[i].is == value::kind::number || r.registers[i].is == value::kind::floating) {
      text += fmt::format("{} = {}\n", p.registers[i], in_words(p, r.registers[i]));
    }
  }
  return text;
}

std::string statistics(const result& r) {
  const double parallelism =
      static_cast<double>(r.done.work) / static_cast<double>(std::max<std::uint64_t>(r.span, 1));
  return fmt::format("work {}, span {}, parallelism {:.2f}; tasks {}, promotions {}, beats {}\n", r.done.work,
                     r.span, parallelism, r.done.forks + 1, r.done.forks, r.done.beats);
}

}  // namespace tpal
