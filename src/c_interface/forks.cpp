// SPDX-License-Identifier: Apache-2.0
// Joins, groups and regions of C programs.
#include "c_interface/status.hpp"

#include <sennit/join.hpp>
#include <sennit/region.hpp>
#include <sennit/task_group.hpp>

// Their counterparts in C are these types themselves.
struct sennit_group : sennit::task_group {};
struct sennit_region : sennit::region {};

namespace sennit::detail {

namespace {

struct branch_of_program {
  sennit_function function;
  void* context;
  void operator()() const {
    function(context);
    rethrow_failure_of_body();
  }
};

constexpr const char* no_place = "made is NULL; give the address of a pointer";
constexpr const char* no_group = "group is NULL; give what sennit_group_create() has made";
constexpr const char* no_region = "region is NULL; give what sennit_region_create() has made";
constexpr const char* no_function = "the function is NULL; give one that can be called with the context";

sennit_status wait_for(sennit_group& group) {
  const failure_put_aside meanwhile;
  return status_of([&] {
    group.wait();
    return SENNIT_OK;
  });
}

template <class T>
sennit_status create(const char* function, T** made) {
  if (made == nullptr) return refuse_argument(function, no_place);
  *made = nullptr;
  return status_of([=] {
    *made = new T;
    return SENNIT_OK;
  });
}

}  // namespace
}  // namespace sennit::detail

using namespace sennit::detail;

extern "C" {

sennit_status sennit_join(sennit_function left, void* left_context, sennit_function right,
                          void* right_context) {
  if (left == nullptr || right == nullptr) return refuse_argument("sennit_join", no_function);
  return status_of([=] {
    sennit::join(branch_of_program{left, left_context}, branch_of_program{right, right_context});
    return SENNIT_OK;
  });
}

sennit_status sennit_group_create(sennit_group** made) { return create("sennit_group_create", made); }

sennit_status sennit_group_spawn(sennit_group* group, sennit_function child, void* context) {
  if (group == nullptr) return refuse_argument("sennit_group_spawn", no_group);
  if (child == nullptr) return refuse_argument("sennit_group_spawn", no_function);
  return status_of([=] {
    group->spawn(branch_of_program{child, context});
    return SENNIT_OK;
  });
}

sennit_status sennit_group_wait(sennit_group* group) {
  if (group == nullptr) return refuse_argument("sennit_group_wait", no_group);
  return wait_for(*group);
}

sennit_status sennit_group_destroy(sennit_group* group) {
  if (group == nullptr) return SENNIT_OK;
  const failure_put_aside meanwhile;
  const sennit_status waited = wait_for(*group);
  const sennit_status ended = status_of([=] {
    delete group;
    return SENNIT_OK;
  });
  return waited != SENNIT_OK ? waited : ended;
}

sennit_status sennit_region_create(sennit_region** made) { return create("sennit_region_create", made); }

sennit_status sennit_region_run(sennit_region* region, sennit_function f, void* context) {
  if (region == nullptr) return refuse_argument("sennit_region_run", no_region);
  if (f == nullptr) return refuse_argument("sennit_region_run", no_function);
  return status_of([=] {
    // A function of a C program returns whatever has been dropped.
    if (region->run(branch_of_program{f, context}) && !region->cancel_requested()) return SENNIT_OK;
    return note_status(SENNIT_CANCELLED, "sennit: the region was cancelled");
  });
}

void sennit_region_cancel(sennit_region* region) {
  if (region != nullptr) region->cancel();
}
int sennit_region_cancel_requested(const sennit_region* region) {
  return region != nullptr && region->cancel_requested() ? 1 : 0;
}
void sennit_region_destroy(sennit_region* region) { delete region; }
int sennit_cancel_requested() { return sennit::cancel_requested() ? 1 : 0; }
}
