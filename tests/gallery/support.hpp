// SPDX-License-Identifier: Apache-2.0
// What the tests of the gallery share.
#pragma once

#include "gallery/file.hpp"
#include "gallery/input_error.hpp"
#include "gallery/kernel.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>

namespace gallery {

inline std::unique_ptr<kernel> find(std::string_view name) {
  for (auto& k : kernels()) {
    if (k->about().name == name) return std::move(k);
  }
  throw std::invalid_argument("no kernel " + std::string(name));
}

// A word is set by its place among those it may be.
inline void set(kernel& k, std::string_view name, double to) {
  for (const parameter& p : k.parameters()) {
    if (p.name != name) continue;
    std::visit(
        [&](auto* value) {
          if constexpr (std::is_same_v<decltype(value), std::string*>) {
            *value = p.words.at(static_cast<std::size_t>(to));
          } else {
            *value = static_cast<std::decay_t<decltype(*value)>>(to);
          }
        },
        p.value);
    return;
  }
  throw std::invalid_argument("no parameter " + std::string(name));
}

inline void prepare(kernel& k) { k.prepare(default_input(k.about())); }

// A folder that lasts as long as the test.
class temporary_folder {
 public:
  temporary_folder() {
    std::string name = (std::filesystem::temp_directory_path() / "sennit-test-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
    path_ = name;
  }
  ~temporary_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;

  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

  std::filesystem::path with(std::string_view name, std::string_view content) const {
    std::ofstream(path_ / name, std::ios::binary) << content;
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

// What the input_error says that f throws; empty if it throws none.
template <class F>
std::string input_error_of(F&& f) {
  try {
    f();
  } catch (const input_error& error) {
    return error.what();
  }
  return {};
}

}  // namespace gallery
