// SPDX-License-Identifier: Apache-2.0
#include "tools/tpal/data.hpp"

#include "tools/tpal/doubles.hpp"
#include "tools/tpal/files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <system_error>

namespace tpal {
namespace {

std::int64_t number_of(std::string_view word, std::string_view context) {
  std::int64_t value = 0;
  const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || stop != word.data() + word.size()) {
    throw std::invalid_argument(fmt::format("expected a number of 64 bits in {}, found '{}'", context, word));
  }
  return value;
}

std::int64_t bits_of_double(std::string_view word, std::string_view context) {
  if (const std::optional<double> d = to_double(word)) return bits_of(*d);
  throw std::invalid_argument(fmt::format("expected a double in {}, found '{}'", context, word));
}

// Numbers and ranges between commas or white space; or doubles.
std::vector<std::int64_t> cells_of(type of, std::string_view list, std::string_view context) {
  constexpr std::string_view between = ", \t\r\n";
  std::vector<std::int64_t> cells;
  for (std::size_t at = 0; (at = list.find_first_not_of(between, at)) != std::string_view::npos;) {
    const std::size_t end = std::min(list.find_first_of(between, at), list.size());
    const std::string_view item = list.substr(at, end - at);
    at = end;
    if (of == type::floating) {
      cells.push_back(bits_of_double(item, context));
      continue;
    }
    const std::size_t dots = item.find("..");
    const std::int64_t first = number_of(item.substr(0, dots), context);
    const std::int64_t last =
        dots == std::string_view::npos ? first : number_of(item.substr(dots + 2), context);
    if (!append_range(cells, first, last)) {
      throw std::invalid_argument(fmt::format(
          "'{}' in {}: a range goes upwards, and data has no more than {} cells", item, context, most_cells));
    }
  }
  return cells;
}

class loader {
 public:
  loader(program code, const std::vector<std::string>& words) : words_(words) {
    image_.code = std::move(code);
  }

  image run() {
    for (const std::string& word : words_) bind(word);
    set_inputs();
    place_arrays();
    for (block& b : image_.code.blocks) {
      for (instruction& i : b.code) {
        for (operand* v : {&i.left, &i.right, &i.stored}) resolve(*v);
        for (operand& v : i.arguments) resolve(v);
      }
    }
    return std::move(image_);
  }

 private:
  void bind(const std::string& word) {
    const std::size_t sign = word.find('=');
    if (sign == std::string::npos || sign == 0) {
      throw std::invalid_argument(fmt::format("expected an input such as a=6, found '{}'", word));
    }
    const std::string name = word.substr(0, sign);
    const std::string value = word.substr(sign + 1);
    for (const input& i : image_.code.inputs) {
      if (image_.code.registers[i.target] == name) {
        const std::string context = fmt::format("'{}'", word);
        values_[i.target] =
            i.of == type::floating ? bits_of_double(value, context) : number_of(value, context);
        return;
      }
    }
    for (data& d : image_.code.arrays) {
      if (d.name == name) {
        d.cells = value.starts_with('@') ? cells_of(d.of, contents(value.substr(1)), value.substr(1))
                                         : cells_of(d.of, value, fmt::format("'{}'", word));
        d.zeros.clear();
        return;
      }
    }
    throw std::invalid_argument(
        fmt::format("'{}' is no input of {}, which has {}", name, image_.code.file, all_names()));
  }

  std::string all_names() const {
    std::vector<std::string> names;
    for (const input& i : image_.code.inputs) names.push_back(image_.code.registers[i.target]);
    for (const data& d : image_.code.arrays) names.push_back(d.name);
    return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
  }

  void set_inputs() {
    for (const input& i : image_.code.inputs) {
      const auto found = values_.find(i.target);
      if (found == values_.end() && !i.otherwise) {
        const std::string& name = image_.code.registers[i.target];
        throw std::invalid_argument(
            fmt::format("input '{}' has no value; add {}=NUMBER, or give it one in {}:{}, .input {} = NUMBER",
                        name, name, image_.code.file, i.at.line, name));
      }
      if (found == values_.end()) values_[i.target] = *i.otherwise;
      image_.registers.emplace_back(i.target, value::of_bits(values_[i.target], i.of == type::floating));
    }
  }

  std::int64_t factor(const operand& v) const {
    if (v.is == operand::kind::reg) return values_.at(static_cast<std::size_t>(v.value));
    if (v.is == operand::kind::number) return v.value;
    const data& d = image_.code.arrays[static_cast<std::size_t>(v.value)];
    return static_cast<std::int64_t>(d.cells.size());
  }

  // Arrays that count the cells of others come after them: a check of the program.
  void place_arrays() {
    for (data& d : image_.code.arrays) {
      if (!d.zeros.empty()) {
        std::int64_t count = 1;
        for (const operand& v : d.zeros) {
          const std::int64_t f = factor(v);
          const auto room = static_cast<std::int64_t>(most_cells) / std::max<std::int64_t>(count, 1);
          if (f < 0 || f > room) {
            throw std::invalid_argument(
                fmt::format("{}:{}: '{}' would have {} x {} cells; 0 to {} are possible", image_.code.file,
                            d.at.line, d.name, count, f, most_cells));
          }
          count *= f;
        }
        d.cells.assign(static_cast<std::size_t>(count), 0);
      }
      image_.places.push_back({image_.heap.size(), d.cells.size()});
      image_.heap.insert(image_.heap.end(), d.cells.begin(), d.cells.end());
      image_.are_doubles.resize(image_.heap.size(), d.of == type::floating);
    }
  }

  void resolve(operand& v) const {
    if (v.is != operand::kind::data && v.is != operand::kind::length) return;
    const place& p = image_.places[static_cast<std::size_t>(v.value)];
    v.value = static_cast<std::int64_t>(v.is == operand::kind::data ? p.begin : p.length);
    v.is = operand::kind::number;
  }

  const std::vector<std::string>& words_;
  image image_;
  std::map<std::size_t, std::int64_t> values_;
};

}  // namespace

bool append_range(std::vector<std::int64_t>& cells, std::int64_t first, std::int64_t last) {
  if (last < first) return false;
  const std::uint64_t more = static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first);
  if (more >= most_cells - std::min(cells.size(), most_cells)) return false;
  for (std::uint64_t i = 0; i <= more; ++i) cells.push_back(first + static_cast<std::int64_t>(i));
  return true;
}

image load(program code, const std::vector<std::string>& words) {
  return loader(std::move(code), words).run();
}

}  // namespace tpal
