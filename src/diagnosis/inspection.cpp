// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/inspection.hpp"

#include "process/contract.hpp"
#include "worker/runtime_core.hpp"
#include "worker/worker.hpp"

#include <cxxabi.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace sennit::detail {

bool peek(void* to, const void* from, std::size_t bytes) noexcept {
  iovec here{to, bytes};
  iovec there{const_cast<void*>(from), bytes};
  const ssize_t copied = process_vm_readv(getpid(), &here, 1, &there, 1, 0);
  if (copied == static_cast<ssize_t>(bytes)) return true;
  // Some containers forbid that call, and not this file.
  const int memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
  if (memory < 0) return false;
  const ssize_t read = pread(memory, to, bytes, static_cast<off_t>(reinterpret_cast<std::uintptr_t>(from)));
  close(memory);
  return read == static_cast<ssize_t>(bytes);
}

std::string name_of_place(const void* address) {
  Dl_info found{};
  char text[64];
  if (dladdr(address, &found) == 0 || found.dli_fname == nullptr) {
    std::snprintf(text, sizeof text, "(%p)", address);
    return text;
  }
  const char* const slash = std::strrchr(found.dli_fname, '/');
  std::string name;
  if (found.dli_sname != nullptr) {
    int status = 0;
    char* const demangled = abi::__cxa_demangle(found.dli_sname, nullptr, nullptr, &status);
    name = std::string(status == 0 ? demangled : found.dli_sname) + " ";
    std::free(demangled);
  }
  std::snprintf(text, sizeof text, "+%#zx)",
                static_cast<std::size_t>(static_cast<const char*>(address) -
                                         static_cast<const char*>(found.dli_fbase)));
  return name + "(" + (slash != nullptr ? slash + 1 : found.dli_fname) + text;
}

// All of it at fixed distances, which debuggers read: a library without debug information says nothing else
// of them.
struct inspection {
  std::uint32_t version;
  std::uint32_t core_older;
  std::uint32_t core_workers;
  std::uint32_t core_worker_count;
  std::uint32_t worker_thread;
  std::uint32_t worker_running;
  std::uint32_t fiber_context;
  std::uint32_t fiber_branch;
  std::uint32_t fiber_awaited;
  std::uint32_t fiber_innermost;
  std::uint32_t frame_code;
  std::uint32_t frame_stolen;
  std::uint32_t stolen_opener;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
  static constexpr inspection layout() noexcept {
    return {
        .version = 2,
        .core_older = offsetof(runtime_core, older_core_),
        .core_workers = offsetof(runtime_core, workers_),
        .core_worker_count = offsetof(runtime_core, worker_count_),
        .worker_thread = offsetof(worker, thread),
        .worker_running = offsetof(worker, running_),
        .fiber_context = offsetof(fiber, context_),
        .fiber_branch = offsetof(fiber, branch),
        .fiber_awaited = offsetof(fiber, awaited),
        .fiber_innermost = offsetof(fiber, innermost),
        .frame_code = offsetof(frame, run_),
        .frame_stolen = offsetof(frame, stolen_),
        .stolen_opener = offsetof(stolen_state, opener),
    };
  }
#pragma GCC diagnostic pop
};

namespace {

constexpr inspection where = inspection::layout();

template <class T>
bool peek_at(T& to, const void* object, std::uint32_t distance) noexcept {
  return peek(static_cast<void*>(&to), static_cast<const char*>(object) + distance, sizeof to);
}

}  // namespace

bool look_at(const fiber& strand, strand_facts& found) {
  found = {};
  if (!peek_at(found.branch, &strand, where.fiber_branch)) return false;
  peek_at(found.awaited, &strand, where.fiber_awaited);
  if (found.branch != nullptr) {
    peek_at(found.code, found.branch, where.frame_code);
    const stolen_state* stolen = nullptr;
    if (peek_at(stolen, found.branch, where.frame_stolen)) peek_at(found.opener, stolen, where.stolen_opener);
  }
#if SENNIT_CHECKED
  const construct_site* site = nullptr;
  alignas(construct_site) unsigned char copy[sizeof(construct_site)];
  if (peek(site, &strand.site) && site != nullptr && peek(copy, site, sizeof copy)) {
    const auto& known = *reinterpret_cast<const construct_site*>(copy);
    found.line = std::string(known.construct()) + " at " + known.where().file_name() + ":" +
                 std::to_string(known.where().line());
  }
#endif
  return true;
}

}  // namespace sennit::detail

extern "C" {

// Debuggers read it: see tools/gdb/sennit-gdb.py.
extern const sennit::detail::inspection sennit_inspection;
const sennit::detail::inspection sennit_inspection = sennit::detail::inspection::layout();
}
