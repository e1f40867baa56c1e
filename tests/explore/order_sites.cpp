// SPDX-License-Identifier: Apache-2.0
#include "order_sites.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <tuple>

namespace explore {

namespace {

std::uintptr_t offset_of(const void* caller) {
  static const auto base = [caller] {
    Dl_info module;
    return dladdr(caller, &module) != 0 ? reinterpret_cast<std::uintptr_t>(module.dli_fbase) : 0;
  }();
  return reinterpret_cast<std::uintptr_t>(caller) - base;
}

class weakened {
 public:
  weakened() {
    const char* const given = std::getenv("SENNIT_EXPLORE_WEAKEN");
    if (given == nullptr) return;
    char* rest = nullptr;
    order_ = static_cast<int>(std::strtol(given, &rest, 10));
    of_failure_ = *rest == '/';
    while (*rest != 0 && *rest != ' ') ++rest;
    while (*rest != 0) at_.insert(std::strtoul(rest + 1, &rest, 16));
  }
  void apply(operation& op) const {
    if (at_.empty() || !at_.contains(offset_of(op.caller))) return;
    (of_failure_ ? op.order_of_failure : op.order) = order_;
  }

 private:
  std::set<std::uintptr_t> at_;
  int order_ = 0;
  bool of_failure_ = false;
};

class noted {
 public:
  ~noted() {
    std::FILE* const out = file_ != nullptr ? std::fopen(file_, "w") : nullptr;
    if (out == nullptr) return;
    for (const auto& [offset, what, order, of_failure] : all_)
      std::fprintf(out, "%lx %s %d %d\n", offset, word(what), order, of_failure);
    std::fclose(out);
  }
  void note(const operation& op) {
    if (file_ == nullptr || (op.order == 0 && op.order_of_failure == 0)) return;
    all_.insert({offset_of(op.caller), op.what, op.order, op.order_of_failure});
  }

 private:
  const char* const file_ = std::getenv("SENNIT_EXPLORE_SITES");
  std::set<std::tuple<std::uintptr_t, action, int, int>> all_;
};

}  // namespace

void weaken(operation& op) {
  static noted sites;
  static const weakened by;
  sites.note(op);
  by.apply(op);
}

}  // namespace explore
