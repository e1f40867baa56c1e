// SPDX-License-Identifier: Apache-2.0
// Runtimes and workers of C programs.
#include "c_interface/status.hpp"

#include <sennit/blocking.hpp>
#include <sennit/detail/calls.hpp>
#include <sennit/runtime.hpp>
#include <sennit/worker.hpp>

// Its counterpart in C is this type itself.
struct sennit_runtime : sennit::runtime {
  using runtime::runtime;
};

using namespace sennit::detail;

extern "C" {

sennit_status sennit_runtime_create(unsigned workers, sennit_runtime** made) {
  if (made == nullptr)
    return refuse_argument("sennit_runtime_create", "made is NULL; give the address of a pointer");
  *made = nullptr;
  return status_of(
      [=] {
        *made = new sennit_runtime(workers);
        return SENNIT_OK;
      },
      SENNIT_INVALID_ARGUMENT);
}

sennit_status sennit_runtime_run(sennit_runtime* runtime, sennit_function f, void* context) {
  if (f == nullptr) return refuse_argument("sennit_runtime_run", "f is NULL; give the function to call");
  return status_of([=] {
    auto body = [=] {
      f(context);
      rethrow_failure_of_body();
    };
    if (runtime != nullptr) {
      runtime->run(body);
    } else {
      run_region(nullptr, body);
    }
    return SENNIT_OK;
  });
}

unsigned sennit_runtime_workers(const sennit_runtime* runtime) {
  return runtime != nullptr ? runtime->workers() : sennit_worker_count();
}
void sennit_runtime_destroy(sennit_runtime* runtime) { delete runtime; }

sennit_status sennit_set_default_workers(unsigned workers) {
  return status_of(
      [=] {
        sennit::runtime::set_default({.workers = workers});
        return SENNIT_OK;
      },
      SENNIT_INVALID_ARGUMENT);
}

int sennit_in_runtime() { return in_strand() ? 1 : 0; }
unsigned sennit_worker_index() { return sennit::worker_index(); }

unsigned sennit_worker_count() {
  unsigned count = 0;
  status_of(
      [&] {
        count = sennit::worker_count();
        return SENNIT_OK;
      },
      SENNIT_INVALID_ARGUMENT);
  return count;
}

sennit_status sennit_blocking(sennit_function f, void* context) {
  if (f == nullptr) return refuse_argument("sennit_blocking", "f is NULL; give the function to call");
  return status_of([=] {
    {
      const body_outside body;
      sennit::blocking([=] { f(context); });
    }
    rethrow_failure_of_body();
    return SENNIT_OK;
  });
}
}
