// SPDX-License-Identifier: Apache-2.0
// What the Python package calls: constructs that are run in a chosen runtime, and refused where they could only hang.
#include <dlfcn.h>
#include <sennit.h>
#include <stddef.h>

// Operations of reductions by name: of one number.
#define OPERATIONS(type, kind)                                                                               \
  SENNIT_C_FUNCTION void sennit_python_sum_##kind(void* context, void* left, const void* right) {            \
    (void)context;                                                                                           \
    *(type*)left += *(const type*)right;                                                                     \
  }                                                                                                          \
  SENNIT_C_FUNCTION void sennit_python_product_##kind(void* context, void* left, const void* right) {        \
    (void)context;                                                                                           \
    *(type*)left *= *(const type*)right;                                                                     \
  }                                                                                                          \
  SENNIT_C_FUNCTION void sennit_python_minimum_##kind(void* context, void* left, const void* right) {        \
    (void)context;                                                                                           \
    if (*(const type*)right < *(type*)left) *(type*)left = *(const type*)right;                              \
  }                                                                                                          \
  SENNIT_C_FUNCTION void sennit_python_maximum_##kind(void* context, void* left, const void* right) {        \
    (void)context;                                                                                           \
    if (*(type*)left < *(const type*)right) *(type*)left = *(const type*)right;                              \
  }
OPERATIONS(double, double)
OPERATIONS(int64_t, integer)

// A call of a loop or a reduction. `what` is NULL for a loop.
struct call {
  int64_t first;
  int64_t last;
  sennit_loop_body body;
  void* context;
  const sennit_reduction* what;
  void* result;
  const sennit_loop_options* how;
};

static void run(void* context) {
  const struct call* c = context;
  const sennit_status status = c->what == NULL
                                   ? sennit_for(c->first, c->last, c->body, c->context, c->how)
                                   : sennit_reduce(c->first, c->last, c->what, c->context, c->result, c->how);
  if (status != SENNIT_OK) sennit_fail(NULL);
}

// Python's own function, if this is a process of Python's.
static int holds_global_lock(void) {
  static int (*check)(void);
  if (check == NULL) *(void**)&check = dlsym(RTLD_DEFAULT, "PyGILState_Check");
  return check != NULL && check();
}

// Makes the text that of the latest call that failed, and the status that of a wrong argument.
static sennit_status refuse(const char* text) {
  sennit_fail(text);
  return SENNIT_INVALID_ARGUMENT;
}

// `needs_global_lock`: the body is in Python. Precondition: the caller is in no runtime.
SENNIT_C_FUNCTION sennit_status sennit_python_run(sennit_runtime* runtime, int needs_global_lock,
                                                  struct call* c) {
  if (needs_global_lock && holds_global_lock()) {
    return refuse("sennit: a deadlock: the calling thread holds the GIL while it waits for a body in Python, "
                  "which needs the "
                  "GIL; release it around the call (ctypes.CDLL instead of ctypes.PyDLL, nogil=True in "
                  "numba, `with nogil` in "
                  "Cython), or give a compiled body");
  }
  return sennit_runtime_run(runtime, run, c);
}
