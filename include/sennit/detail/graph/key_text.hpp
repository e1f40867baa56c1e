// SPDX-License-Identifier: Apache-2.0
// Keys as they appear in messages and traces.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/graph/keys.hpp>

#include <concepts>
#include <iosfwd>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace sennit::detail {

// Others than classes and scoped enumerations have no operator<< of their own, but may be converted to what
// has one.
template <class Key>
concept streamed_key =
    (std::is_class_v<Key> || (std::is_enum_v<Key> && !std::convertible_to<Key, long long>)) &&
    requires(std::ostream& to, const Key& k) { to << k; };

// What write(to, key) writes, or that it throws.
SENNIT_EXPORT SENNIT_COLD std::string text_by_stream(void (*write)(std::ostream& to, const void* key),
                                                     const void* key);
SENNIT_EXPORT SENNIT_COLD std::string text_of_address(const volatile void* address);

template <class Number>
std::string text_of_number(Number value) {
  if constexpr (std::is_enum_v<Number>) {
    return text_of_number(static_cast<std::underlying_type_t<Number>>(value));
  } else if constexpr (sizeof(Number) > sizeof(long long)) {
    return text_of_number(static_cast<long long>(value));
  } else {
    return std::to_string(value);
  }
}

// The key as it appears in messages. Formatting libraries are asked if they were included before.
template <class Key>
std::string text_of_key(const Key& key) {
  if constexpr (std::convertible_to<const Key&, std::string_view>) {
    // Not by operator+, for which GCC 12 gives a warning in users' code.
    std::string text(1, '"');
    text += std::string_view(key);
    return text += '"';
  } else if constexpr (streamed_key<Key>) {
    return text_by_stream([](std::ostream& to, const void* k) { to << *static_cast<const Key*>(k); }, &key);
  } else if constexpr (std::is_arithmetic_v<Key> || integral_key<Key>) {
    return text_of_number(key);
  } else if constexpr (tuple_key<Key>) {
    return std::apply(
        [](const auto&... parts) {
          std::string text;
          ((text += (text.empty() ? "(" : ", ") + text_of_key(parts)), ...);
          return text + ")";
        },
        key);
  } else if constexpr (std::is_pointer_v<Key> && std::is_object_v<std::remove_pointer_t<Key>>) {
    return text_of_address(key);
#if defined(FMT_VERSION)
  } else if constexpr (fmt::is_formattable<Key>::value) {
    return fmt::format("{}", key);
#endif
#if defined(__cpp_lib_format) && (defined(_GLIBCXX_FORMAT) || defined(_LIBCPP_FORMAT))
  } else if constexpr (std::is_default_constructible_v<std::formatter<Key, char>>) {
    return std::format("{}", key);
#endif
  } else {
    return "(a key without text: its type has no operator<<)";
  }
}

}  // namespace sennit::detail
