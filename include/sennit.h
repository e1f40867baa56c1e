// SPDX-License-Identifier: Apache-2.0
// sennit.h: Sennit for C, and for all languages that can call C functions. Plain C99; C++ programs may include the
// header, too, but have more of <sennit/sennit.hpp>.
//
// Forks are nearly free, loops split themselves, and no grain size is asked for. What holds for the constructs of
// C++ holds here; the guide's page c.md tells what a C program has to know of it.
//
// A body is a function and a `context`, which is handed to the function as it is. Several threads call a body at
// once. A function that calls a construct may return on another thread: hold no lock, and keep no address of a
// thread-local variable (such as errno's) across a call of this header.
//
// Errors: a function that can fail returns a status, and sennit_last_error() has the text. No exception of C++
// leaves a function of this header: what a body written in C++ throws is caught there, and is its status.
//
// Example:
//   #include <stdio.h>
//
//   struct scaled {
//     double factor;
//     const double* x;
//     double* y;
//   };
//
//   static void add_scaled(void* context, int64_t from, int64_t to) {
//     const struct scaled* s = context;
//     for (int64_t i = from; i < to; ++i) s->y[i] += s->factor * s->x[i];
//   }
//
//   int add(double factor, const double* x, double* y, int64_t n) {
//     struct scaled s = {factor, x, y};
//     if (sennit_for(0, n, add_scaled, &s, NULL) == SENNIT_OK) return 0;
//     fprintf(stderr, "%s\n", sennit_last_error());
//     return 1;
//   }
#ifndef SENNIT_H
#define SENNIT_H

// NOLINTBEGIN(modernize-*): it is C.
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define SENNIT_C_FUNCTION __attribute__((visibility("default")))
#else
#define SENNIT_C_FUNCTION
#endif

#ifdef __cplusplus
extern "C" {
#endif

// What a call came to. The numbers stay the same.
typedef enum sennit_status {
  SENNIT_OK = 0,                // all was done
  SENNIT_CANCELLED = 1,         // the region was cancelled, and work was dropped
  SENNIT_INVALID_ARGUMENT = 2,  // an argument, or a variable of the environment, that cannot be meant
  SENNIT_NO_MEMORY = 3,         // for a stack, say
  SENNIT_FAILED = 4  // a body failed: it called sennit_fail(), or threw; or the system refused something
} sennit_status;

// The text of the latest call that failed on this thread; "" if none has. It begins with the name of the function,
// or is what the body said. Valid until the next call of this header on this thread.
SENNIT_C_FUNCTION const char* sennit_last_error(void);

// Called by a body that cannot do its work, which then returns. The construct that called the body drops what has not
// begun, and returns SENNIT_FAILED with this text: that of the first body in the order of the serial program, if
// several fail. NULL: the status and the text of the call that has just failed in the body are passed on.
// Precondition: between this call and the body's return there is no other construct than sennit_group_wait() and
// sennit_group_destroy(), which wait in any case. Outside a body it sets the text only. A library that was built without
// exceptions cannot drop work, and ends the program with the text instead.
SENNIT_C_FUNCTION void sennit_fail(const char* text);

// Such as "1.2.3".
SENNIT_C_FUNCTION const char* sennit_version(void);

// A function that runs as a branch, as a child of a group, or in a runtime.
//
// Example:
//   #include <stdio.h>
//
//   static void greet(void* context) {
//     (void)context;
//     printf("version %s, worker %u of %u\n", sennit_version(), sennit_worker_index(), sennit_worker_count());
//   }
//   static void greet_often(void* context, int64_t from, int64_t to) {
//     for (int64_t i = from; i < to && !sennit_cancel_requested(); ++i) greet(context);
//   }
//   // Neither greeting is serial, and the second one waits for the terminal as long as that takes.
//   int greet_three_times(void) {
//     const sennit_function once = greet;
//     const sennit_loop_body often = greet_often;
//     if (sennit_in_runtime() && sennit_blocking(once, NULL) != SENNIT_OK) return 1;
//     return sennit_for(0, 2, often, NULL, NULL) != SENNIT_OK;
//   }
typedef void (*sennit_function)(void* context);
// The iterations [from, to) of a loop, at least one.
typedef void (*sennit_loop_body)(void* context, int64_t from, int64_t to);

// How a loop is cut into chunks. NULL in its place, and zeros, are the defaults.
typedef struct sennit_loop_options {
  int64_t grain;         // iterations a chunk; 0: by measured time
  int static_partition;  // not 0: equal parts, one for each worker, that are not split any further
  int deterministic;  // not 0: of a reduction; the same bits with any number of workers. Needs grain 0, no partition
} sennit_loop_options;

// Calls the body for chunks that cover [first, last) without overlap; does nothing if last <= first. Cost: that of a
// call a chunk, and one reading of the clock. A chunk takes about a microsecond, or is an iteration that takes longer.
SENNIT_C_FUNCTION sennit_status sennit_for(int64_t first, int64_t last, sennit_loop_body body, void* context,
                                           const sennit_loop_options* how);

// How values are made and combined. A value is `size` bytes that stay where they are.
typedef struct sennit_reduction {
  size_t size;
  // Makes an identity of the combination in raw memory, which is aligned to 64 bytes. If it fails, nothing is ended.
  void (*make)(void* context, void* value);
  // Adds the iterations [from, to) to the value, at its right end.
  void (*add)(void* context, void* value, int64_t from, int64_t to);
  // Appends the right value to the left one. It has to be associative, not commutative.
  void (*combine)(void* context, void* left, const void* right);
  // Ends a value that `make` has made; NULL: nothing is to be done.
  void (*end)(void* context, void* value);
  // If `make` is NULL: the bytes of an identity, of which values begin as copies.
  const void* identity;
} sennit_reduction;

// Adds all iterations of [first, last) to *result, which is a value already and counts once, at the left. The order
// is that of the serial loop. If the status is not SENNIT_OK, *result has some of the iterations. Cost: as
// sennit_for(), and a value made, combined and ended for each part that another worker took.
//
// Example:
//   static void add_squares(void* context, void* value, int64_t from, int64_t to) {
//     const double* x = context;
//     double sum = 0;
//     for (int64_t i = from; i < to; ++i) sum += x[i] * x[i];
//     *(double*)value += sum;
//   }
//   static void add_sums(void* context, void* left, const void* right) {
//     (void)context;
//     *(double*)left += *(const double*)right;
//   }
//
//   double norm(double* x, int64_t n) {
//     const double zero = 0;
//     const sennit_reduction squares = {sizeof(double), NULL, add_squares, add_sums, NULL, &zero};
//     double sum = 0;
//     const sennit_loop_options how = {0, 0, 1};  // the same bits with any number of workers
//     return sennit_reduce(0, n, &squares, x, &sum, &how) == SENNIT_OK ? sum : -1;
//   }
SENNIT_C_FUNCTION sennit_status sennit_reduce(int64_t first, int64_t last, const sennit_reduction* what,
                                              void* context, void* result, const sennit_loop_options* how);

// Runs both branches, which may run in parallel. The calling strand runs `left` at once. If `left` fails, `right` is
// dropped unless it has begun. Cost: some nanoseconds, if nobody takes `right`; a few tenths of a microsecond more
// outside a runtime.
//
// Example:
//   struct fibonacci {
//     int n;
//     long value;
//   };
//
//   void compute(void* context) {
//     struct fibonacci* f = context;
//     struct fibonacci left = {f->n - 1, 1};
//     struct fibonacci right = {f->n - 2, 1};
//     if (f->n < 2) {
//       f->value = f->n;
//     } else if (sennit_join(compute, &left, compute, &right) == SENNIT_OK) {
//       f->value = left.value + right.value;
//     } else {
//       sennit_fail(NULL);
//     }
//   }
SENNIT_C_FUNCTION sennit_status sennit_join(sennit_function left, void* left_context, sennit_function right,
                                            void* right_context);

// Branches whose number is known only at run time. Any strand or thread may spawn; the strand that made the group
// waits. A strand has no open group when it ends.
//
// Example:
//   struct tree {
//     int children;
//     struct tree* child;
//   };
//
//   void visit(void* context) {
//     struct tree* t = context;
//     sennit_group* group;
//     if (sennit_group_create(&group) != SENNIT_OK) {
//       sennit_fail(NULL);
//       return;
//     }
//     sennit_status status = SENNIT_OK;
//     for (int i = 0; i < t->children && status == SENNIT_OK; ++i) {
//       status = sennit_group_spawn(group, visit, &t->child[i]);
//     }
//     if (status == SENNIT_OK) status = sennit_group_wait(group);
//     if (status != SENNIT_OK) sennit_fail(NULL);
//     sennit_group_destroy(group);
//   }
typedef struct sennit_group sennit_group;
SENNIT_C_FUNCTION sennit_status sennit_group_create(sennit_group** made);
// The child may run inside this call. If the status is not SENNIT_OK, the child does not run.
SENNIT_C_FUNCTION sennit_status sennit_group_spawn(sennit_group* group, sennit_function child, void* context);
// Returns when all children have ended, also those that children have spawned. The status of the first child that
// failed, in the order of the serial program. The group may be used again.
SENNIT_C_FUNCTION sennit_status sennit_group_wait(sennit_group* group);
// Waits, and returns what sennit_group_wait() returns; the group has ended whatever that is. NULL: does nothing.
SENNIT_C_FUNCTION sennit_status sennit_group_destroy(sennit_group* group);

// Work that can be cancelled as a whole: what sennit_region_run() calls. Regions nest: to cancel one cancels those in
// it.
//
// Example:
//   struct search {
//     const int* numbers;
//     int wanted;
//     int64_t size;
//     sennit_region* region;
//   };
//
//   static void look(void* context, int64_t from, int64_t to) {
//     const struct search* s = context;
//     for (int64_t i = from; i < to; ++i) {
//       if (s->numbers[i] == s->wanted) sennit_region_cancel(s->region);
//     }
//   }
//   static void look_everywhere(void* context) {
//     struct search* s = context;
//     sennit_for(0, s->size, look, s, NULL);
//   }
//   int contains(struct search* s) {
//     int found = 0;
//     if (sennit_region_create(&s->region) != SENNIT_OK) return -1;
//     sennit_region_run(s->region, look_everywhere, s);
//     found = sennit_region_cancel_requested(s->region);
//     sennit_region_destroy(s->region);
//     return found;
//   }
typedef struct sennit_region sennit_region;
SENNIT_C_FUNCTION sennit_status sennit_region_create(sennit_region** made);
// Calls f. SENNIT_CANCELLED if the region was cancelled before f was called (then f is not called), or before f returned.
// Precondition: one such call at a time.
SENNIT_C_FUNCTION sennit_status sennit_region_run(sennit_region* region, sennit_function f, void* context);
// NULL: does nothing. Else drops what has not begun. Constructs in the region return SENNIT_CANCELLED from now on. Any thread may call it, at
// any time.
SENNIT_C_FUNCTION void sennit_region_cancel(sennit_region* region);
// Whether this region has been cancelled.
SENNIT_C_FUNCTION int sennit_region_cancel_requested(const sennit_region* region);
// NULL: does nothing. Precondition: no sennit_region_run() is going on.
SENNIT_C_FUNCTION void sennit_region_destroy(sennit_region* region);
// Whether the region of the calling strand, or one around it, has been cancelled. For long serial work.
SENNIT_C_FUNCTION int sennit_cancel_requested(void);

// A set of workers. A construct uses the runtime in whose sennit_runtime_run() it is, and outside any one the default
// runtime, which is made at its first use.
//
// Example:
//   static void do_nothing(void* context, int64_t from, int64_t to) {
//     (void)context;
//     (void)from;
//     (void)to;
//   }
//   static void loop(void* context) {
//     if (sennit_for(0, *(int64_t*)context, do_nothing, NULL, NULL) != SENNIT_OK) sennit_fail(NULL);
//   }
//   int with_two_workers(int64_t n) {
//     sennit_runtime* two;
//     sennit_status status = sennit_runtime_create(2, &two);
//     if (status != SENNIT_OK) return (int)status;
//     status = sennit_runtime_run(two, loop, &n);
//     if (status == SENNIT_OK && sennit_runtime_workers(two) != 2) status = SENNIT_FAILED;
//     sennit_runtime_destroy(two);
//     return (int)status;
//   }
//   // In main(), before anything else.
//   int begin_with_four_workers(void) { return sennit_set_default_workers(4) == SENNIT_OK; }
typedef struct sennit_runtime sennit_runtime;
// `workers`, including the calling thread: 1 to 1024. 0: what SENNIT_WORKERS says, or else what the machine has.
SENNIT_C_FUNCTION sennit_status sennit_runtime_create(unsigned workers, sennit_runtime** made);
// Calls f as a strand of the runtime; NULL: of the runtime that the caller is in, or else of the default runtime. The
// status is that of f: SENNIT_OK unless f calls sennit_fail(), throws, or cannot be begun.
SENNIT_C_FUNCTION sennit_status sennit_runtime_run(sennit_runtime* runtime, sennit_function f, void* context);
// NULL: as sennit_worker_count().
SENNIT_C_FUNCTION unsigned sennit_runtime_workers(const sennit_runtime* runtime);
// NULL: does nothing. Precondition: no sennit_runtime_run() of it is going on.
SENNIT_C_FUNCTION void sennit_runtime_destroy(sennit_runtime* runtime);
// The number of workers of the default runtime. SENNIT_FAILED once there is a default runtime: call it first.
SENNIT_C_FUNCTION sennit_status sennit_set_default_workers(unsigned workers);

// A number that no other thread of the same runtime has at the same time: constant between constructs, below
// SENNIT_WORKER_INDEX_BOUND, and possibly more than the number of workers. 0 outside any runtime.
SENNIT_C_FUNCTION unsigned sennit_worker_index(void);
#define SENNIT_WORKER_INDEX_BOUND 4096
// The number of workers of the runtime that a construct would use here. 0 if the default runtime cannot be made.
SENNIT_C_FUNCTION unsigned sennit_worker_count(void);
// Whether the caller is in a runtime. If so, constructs use that one, and may return on another thread than they were
// called on. Else they return on the same thread.
SENNIT_C_FUNCTION int sennit_in_runtime(void);

// Calls f, which may block its thread (a read, a lock, a sleep) and calls no construct. Meanwhile another thread takes
// the worker's place.
SENNIT_C_FUNCTION sennit_status sennit_blocking(sennit_function f, void* context);

#ifdef __cplusplus
}
#endif
// NOLINTEND(modernize-*)

#endif
