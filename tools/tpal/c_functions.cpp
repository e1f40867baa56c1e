// SPDX-License-Identifier: Apache-2.0
#include "tools/tpal/c_functions.hpp"

#include <dlfcn.h>
#include <ffi.h>
#include <fmt/format.h>

#include <array>
#include <stdexcept>

namespace tpal {
namespace {

void* loaded(const std::string& object) {
  void* const handle = dlopen(object.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    throw std::invalid_argument(fmt::format(
        "cannot load {}: {}; a name without a slash is looked for where libraries are", object, dlerror()));
  }
  return handle;
}

ffi_type* described(type t) { return t == type::integer ? &ffi_type_sint64 : &ffi_type_double; }

}  // namespace

void find_functions(program& p, const std::vector<std::string>& objects) {
  if (p.functions.empty() && objects.empty()) return;
  std::vector<void*> places;
  for (const std::string& object : objects) places.push_back(loaded(object));
  places.push_back(RTLD_DEFAULT);
  for (function& f : p.functions) {
    for (void* const place : places) {
      if (f.address == nullptr) f.address = reinterpret_cast<void (*)()>(dlsym(place, f.name.c_str()));
    }
    if (f.address != nullptr) continue;
    throw std::invalid_argument(
        fmt::format("{}:{}: there is no function '{}'; name the shared object that has it, --load FILE",
                    p.file, f.at.line, f.name));
  }
}

std::int64_t call(const function& f, const std::vector<std::int64_t>& arguments) {
  std::vector<ffi_type*> types;
  std::vector<void*> places;
  std::vector<std::int64_t> values = arguments;  // libffi does not take constants
  for (std::size_t i = 0; i < values.size(); ++i) {
    types.push_back(described(f.parameters[i]));
    places.push_back(&values[i]);
  }
  ffi_cif shape;
  if (ffi_prep_cif(&shape, FFI_DEFAULT_ABI, static_cast<unsigned>(types.size()),
                   f.returns ? described(*f.returns) : &ffi_type_void, types.data()) != FFI_OK) {
    throw std::logic_error("libffi does not know integers of 64 bits and doubles");
  }
  std::int64_t result = 0;
  ffi_call(&shape, f.address, &result, places.data());
  return result;
}

}  // namespace tpal
