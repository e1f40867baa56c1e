// SPDX-License-Identifier: Apache-2.0
// A value of any size as a data handle of StarPU.
#pragma once

#include <sennit/mpi/detail/packing.hpp>

#include <starpu.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace sennit::starpu::detail {

using mpi::detail::byte_buffer;

// StarPU's own interfaces have a size that both ranks know. Of this one only the sender knows it: StarPU-MPI packs it and sends
// the size before it.
struct value_interface {
  starpu_data_interface_id id;
  byte_buffer* bytes;
};

inline value_interface& of_handle(starpu_data_handle_t handle, unsigned node) {
  return *static_cast<value_interface*>(starpu_data_get_interface_on_node(handle, node));
}

inline int pack_value(starpu_data_handle_t handle, unsigned node, void** to, starpu_ssize_t* count) {
  const byte_buffer& bytes = *of_handle(handle, node).bytes;
  *count = static_cast<starpu_ssize_t>(bytes.size());
  if (to == nullptr) return 0;
  if (const int code = starpu_malloc_flags(to, bytes.size(), 0); code != 0) return code;
  std::memcpy(*to, bytes.data(), bytes.size());
  return 0;
}

inline int unpack_value(starpu_data_handle_t handle, unsigned node, void* from, std::size_t count) {
  const auto* const first = static_cast<const std::byte*>(from);
  of_handle(handle, node).bytes->assign(first, first + count);
  return starpu_free_flags(from, count, 0);
}

inline starpu_data_interface_ops* value_operations() {
  static const starpu_data_copy_methods no_copies{};
  static starpu_data_interface_ops all = [] {
    starpu_data_interface_ops ops{};
    ops.register_data_handle = [](starpu_data_handle_t handle, unsigned home, void* given) {
      const auto& from = *static_cast<const value_interface*>(given);
      for (unsigned node = 0; node < STARPU_MAXNODES; ++node)
        of_handle(handle, node) = {from.id, node == home ? from.bytes : nullptr};
    };
    // Values stay in main memory.
    ops.allocate_data_on_node = [](void*, unsigned) -> starpu_ssize_t { return -ENOMEM; };
    ops.free_data_on_node = [](void*, unsigned) {};
    ops.copy_methods = &no_copies;
    ops.get_size = [](starpu_data_handle_t handle) {
      return of_handle(handle, STARPU_MAIN_RAM).bytes->size();
    };
    ops.footprint = [](starpu_data_handle_t) -> std::uint32_t { return 0; };
    ops.interfaceid = static_cast<starpu_data_interface_id>(starpu_data_interface_get_next_id());
    ops.interface_size = sizeof(value_interface);
    ops.pack_data = pack_value;
    ops.unpack_data = unpack_value;
    static char name[] = "sennit value";
    ops.name = name;
    return ops;
  }();
  return &all;
}

// The bytes outlive the handle.
inline starpu_data_handle_t register_value(byte_buffer& bytes) {
  starpu_data_interface_ops* const operations = value_operations();
  value_interface given{operations->interfaceid, &bytes};
  starpu_data_handle_t handle = nullptr;
  starpu_data_register(&handle, STARPU_MAIN_RAM, &given, operations);
  return handle;
}

}  // namespace sennit::starpu::detail
