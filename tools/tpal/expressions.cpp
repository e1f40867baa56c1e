// SPDX-License-Identifier: Apache-2.0
#include "tools/tpal/expressions.hpp"

#include "tools/tpal/doubles.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <set>

namespace tpal {
namespace {

std::vector<std::string> names_of_variables(const program& p) {
  std::set<std::string> taken;
  std::vector<std::string> names;
  for (const std::string& name : p.registers) {
    std::string word = "r_" + name;
    std::replace(word.begin(), word.end(), '-', '_');
    while (!taken.insert(word).second) word += '_';
    names.push_back(word);
  }
  return names;
}

std::string computed(operation op, const std::string& a, const std::string& b, int at) {
  const auto wrapped = [&](const char* sign) {
    return fmt::format("wrap(bits({}) {} bits({}))", a, sign, b);
  };
  const auto compared = [&](const char* sign) { return fmt::format("({} {} {} ? 0 : 1)", a, sign, b); };
  switch (op) {
    case operation::add: return wrapped("+");
    case operation::subtract: return wrapped("-");
    case operation::multiply: return wrapped("*");
    case operation::bit_and: return wrapped("&");
    case operation::bit_or: return wrapped("|");
    case operation::bit_xor: return wrapped("^");
    case operation::divide: return fmt::format("divide({}, {}, {})", a, b, at);
    case operation::remainder: return fmt::format("remainder({}, {}, {})", a, b, at);
    case operation::less: return compared("<");
    case operation::less_equal: return compared("<=");
    case operation::greater: return compared(">");
    case operation::greater_equal: return compared(">=");
    case operation::equal: return compared("==");
    case operation::not_equal: return compared("!=");
    case operation::shift_left: return fmt::format("wrap(bits({}) << (bits({}) & 63U))", a, b);
    case operation::shift_right: return fmt::format("({} >> (bits({}) & 63U))", a, b);
    default: return "";
  }
}

}  // namespace

std::string number_of_cpp(std::int64_t n) {
  return n == std::numeric_limits<std::int64_t>::min() ? std::string("INT64_MIN")
                                                       : fmt::format("number{{{}}}", n);
}

std::string string_of_cpp(std::string_view text) {
  std::string q = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') q += '\\';
    q += c;
  }
  return q + '"';
}

expressions::expressions(const program& p)
    : program_(p), variables_(names_of_variables(p)), kinds_(p), labels_(p) {}

bool expressions::is_double(const operand& v) const {
  return v.is == operand::kind::floating ||
         (v.is == operand::kind::reg && holds_doubles(static_cast<std::size_t>(v.value)));
}

std::string expressions::as_it_is(const operand& v) const {
  switch (v.is) {
    case operand::kind::reg: return variable(static_cast<std::size_t>(v.value));
    case operand::kind::data: return fmt::format("places[{}].begin", v.value);
    case operand::kind::length: return fmt::format("places[{}].length", v.value);
    case operand::kind::floating: return in_decimal(double_of(v.value));
    case operand::kind::label:
      return number_of_cpp(static_cast<std::int64_t>(labels_.of(static_cast<std::size_t>(v.value))));
    case operand::kind::number: break;
  }
  return number_of_cpp(v.value);
}

std::string expressions::value(const operand& v) const {
  return is_double(v) ? fmt::format("bits_of({})", as_it_is(v)) : as_it_is(v);
}

std::string expressions::floating(const operand& v) const {
  return is_double(v) ? as_it_is(v) : fmt::format("double_of({})", as_it_is(v));
}

std::string expressions::set(std::size_t target, const std::string& from, bool from_double) const {
  const bool to_double = holds_doubles(target);
  const char* const as = to_double == from_double ? "" : to_double ? "double_of" : "bits_of";
  return fmt::format("{} = {}({});", variable(target), as, from);
}

std::string expressions::move(const instruction& i) const {
  return set(i.target, as_it_is(i.left), is_double(i.left));
}

std::string expressions::compute(const instruction& i) const {
  if (is_of_doubles(i.op)) return compute_doubles(i);
  return set(i.target, computed(i.op, value(i.left), value(i.right), i.at.line), false);
}

std::string expressions::compute_doubles(const instruction& i) const {
  static constexpr std::array<const char*, 10> signs{"+", "-", "*", "/", "<", "<=", ">", ">=", "==", "!="};
  const auto which = static_cast<std::size_t>(i.op) - static_cast<std::size_t>(operation::double_add);
  const std::string e = fmt::format("{} {} {}", floating(i.left), signs[which], floating(i.right));
  return gives_double(i.op) ? set(i.target, e, true) : set(i.target, fmt::format("({} ? 0 : 1)", e), false);
}

std::string expressions::call(const instruction& i) const {
  const function& f = program_.functions[i.function];
  std::vector<std::string> arguments;
  for (std::size_t k = 0; k < f.parameters.size(); ++k) {
    arguments.push_back(f.parameters[k] == type::floating ? floating(i.arguments[k]) : value(i.arguments[k]));
  }
  const std::string call = fmt::format("extern_{}({})", i.function, fmt::join(arguments, ", "));
  return i.code == opcode::call ? set(i.target, call, f.returns == type::floating) : call + ";";
}

}  // namespace tpal
