// SPDX-License-Identifier: Apache-2.0
/* The C interface, used as a C program does: interface_test.
   Catches: a construct that skips or repeats iterations, forgets an error, or has its text on another thread; a header that
   is no C99. */
#include <sennit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPECT(condition)                                                                                    \
  do {                                                                                                       \
    if (!(condition)) {                                                                                      \
      printf("%s:%d: not so: %s (%s)\n", __FILE__, __LINE__, #condition, sennit_last_error());               \
      ++faults;                                                                                              \
    }                                                                                                        \
  } while (0)

enum { size = 100000 };

static int faults;
static int counts[size];

static void count(void* context, int64_t from, int64_t to) {
  int* const at = context;
  for (int64_t i = from; i < to; ++i) ++at[i];
}

static int all_are(int expected) {
  for (int i = 0; i < size; ++i) {
    if (counts[i] != expected) return 0;
  }
  return 1;
}

static void fail_from(void* context, int64_t from, int64_t to) {
  char text[32];
  for (int64_t i = from; i < to; ++i) {
    if (i < *(int64_t*)context) continue;
    sprintf(text, "no %d", (int)i);
    sennit_fail(text);
    return;
  }
}

static void loops(void) {
  const sennit_loop_options grain = {7, 0, 0}, parts = {0, 1, 0}, wrong = {-1, 0, 0}, fixed = {0, 0, 1};
  EXPECT(sennit_for(0, size, count, counts, NULL) == SENNIT_OK && all_are(1));
  EXPECT(sennit_for(0, size, count, counts, &grain) == SENNIT_OK && all_are(2));
  EXPECT(sennit_for(0, size, count, counts, &parts) == SENNIT_OK && all_are(3));
  EXPECT(sennit_for(-5, size - 5, count, counts + 5, NULL) == SENNIT_OK && all_are(4));
  EXPECT(sennit_for(5, 5, count, counts, NULL) == SENNIT_OK &&
         sennit_for(5, -5, count, counts, NULL) == SENNIT_OK);
  EXPECT(all_are(4));
  EXPECT(sennit_for(0, 5, NULL, counts, NULL) == SENNIT_INVALID_ARGUMENT);
  EXPECT(strstr(sennit_last_error(), "sennit_for: body is NULL"));
  EXPECT(sennit_for(0, 5, count, counts, &wrong) == SENNIT_INVALID_ARGUMENT &&
         strstr(sennit_last_error(), "how->grain"));
  EXPECT(sennit_for(0, 5, count, counts, &fixed) == SENNIT_INVALID_ARGUMENT);
  for (int64_t at = 0; at < size; at = at * 3 + 1) {
    char text[32];
    sprintf(text, "no %d", (int)at);
    EXPECT(sennit_for(0, size, fail_from, &at, NULL) == SENNIT_FAILED &&
           strcmp(sennit_last_error(), text) == 0);
  }
}

/* A string that grows: not commutative, and with memory of its own. */
struct text {
  char* letters;
  size_t length;
};

static int64_t alive, fails_at = -1;

static void add_text(struct text* t, const char* letters, size_t length) {
  t->letters = realloc(t->letters, t->length + length + 1);
  memcpy(t->letters + t->length, letters, length);
  t->length += length;
  t->letters[t->length] = 0;
}
static void no_text(void* context, void* value) {
  const struct text none = {NULL, 0};
  (void)context;
  *(struct text*)value = none;
  __atomic_fetch_add(&alive, 1, __ATOMIC_RELAXED);
}
static void add_letters(void* context, void* value, int64_t from, int64_t to) {
  const char* letters = context;
  for (int64_t i = from; i < to; ++i) {
    if (i == fails_at) {
      sennit_fail("enough");
      return;
    }
    add_text(value, letters + i % 26, 1);
  }
}
static void add_right(void* context, void* left, const void* right) {
  const struct text* t = right;
  (void)context;
  if (t->length != 0) add_text(left, t->letters, t->length);
}
static void end_text(void* context, void* value) {
  (void)context;
  free(((struct text*)value)->letters);
  __atomic_fetch_sub(&alive, 1, __ATOMIC_RELAXED);
}

static void add_inverses(void* context, void* value, int64_t from, int64_t to) {
  (void)context;
  for (int64_t i = from; i < to; ++i) *(double*)value += 1.0 / (double)(i + 1);
}
static void add_sums(void* context, void* left, const void* right) {
  (void)context;
  *(double*)left += *(const double*)right;
}

static void reduces(void) {
  char letters[] = "abcdefghijklmnopqrstuvwxyz";
  const sennit_reduction join = {sizeof(struct text), no_text, add_letters, add_right, end_text, NULL};
  const double zero = 0;
  const sennit_reduction sum = {sizeof(double), NULL, add_inverses, add_sums, NULL, &zero};
  const sennit_reduction wrong = {sizeof(double), NULL, add_inverses, add_sums, NULL, NULL};
  const sennit_loop_options ways[] = {{0, 0, 0}, {10, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  double sums[2] = {1, 1};
  for (int way = 0; way < 4; ++way) {
    struct text t = {NULL, 0};
    int right = 1;
    add_text(&t, "first:", 6);
    EXPECT(sennit_reduce(0, size, &join, letters, &t, &ways[way]) == SENNIT_OK);
    EXPECT(alive == 0 && t.length == 6 + size && memcmp(t.letters, "first:", 6) == 0);
    for (int i = 0; i < size; ++i) right = right && t.letters[6 + i] == letters[i % 26];
    EXPECT(right);
    fails_at = size / 2;
    EXPECT(sennit_reduce(0, size, &join, letters, &t, &ways[way]) == SENNIT_FAILED && alive == 0);
    EXPECT(strcmp(sennit_last_error(), "enough") == 0);
    fails_at = -1;
    free(t.letters);
  }
  EXPECT(sennit_reduce(0, size, &sum, NULL, &sums[0], &ways[3]) == SENNIT_OK);
  EXPECT(sennit_reduce(0, size, &sum, NULL, &sums[1], &ways[3]) == SENNIT_OK);
  EXPECT(memcmp(&sums[0], &sums[1], sizeof(double)) == 0 && sums[0] > 13.09 && sums[0] < 13.1);
  EXPECT(sennit_reduce(3, 3, &sum, NULL, &sums[0], NULL) == SENNIT_OK && sums[0] == sums[1]);
  EXPECT(sennit_reduce(0, 3, &wrong, NULL, &sums[0], NULL) == SENNIT_INVALID_ARGUMENT);
  EXPECT(sennit_reduce(0, 3, &sum, NULL, NULL, NULL) == SENNIT_INVALID_ARGUMENT);
}

struct fibonacci {
  int n;
  int fails_at;
  long value;
};

static void fibonacci(void* context) {
  struct fibonacci* f = context;
  struct fibonacci left = {f->n - 1, f->fails_at, 0}, right = {f->n - 2, f->fails_at, 0};
  f->value = f->n;
  if (f->n == f->fails_at) {
    sennit_fail("not this one");
  } else if (f->n >= 2) {
    if (sennit_join(fibonacci, &left, fibonacci, &right) != SENNIT_OK) sennit_fail(NULL);
    f->value = left.value + right.value;
  }
}

struct tree {
  int depth;
  int fails;
  int64_t* visits;
};

static void visit(void* context) {
  const struct tree* t = context;
  struct tree child = {t->depth - 1, t->fails, t->visits};
  sennit_group* group;
  if (__atomic_fetch_add(t->visits, 1, __ATOMIC_RELAXED) == t->fails) {
    sennit_fail("enough visits");
    return;
  }
  if (t->depth == 0) return;
  EXPECT(sennit_group_create(&group) == SENNIT_OK);
  for (int i = 0; i < 3; ++i) sennit_group_spawn(group, visit, &child);
  if (sennit_group_wait(group) != SENNIT_OK) sennit_fail(NULL);
  sennit_group_destroy(group);
}

static void forks(void) {
  int64_t visits = 0;
  struct tree tree = {7, -1, &visits};
  struct fibonacci f = {20, -1, 0}, failing = {20, 1, 0};
  sennit_group* group = NULL;
  fibonacci(&f);
  EXPECT(f.value == 6765);
  EXPECT(sennit_join(fibonacci, &f, fibonacci, &failing) == SENNIT_FAILED);
  EXPECT(strcmp(sennit_last_error(), "not this one") == 0);
  EXPECT(sennit_join(NULL, &f, fibonacci, &f) == SENNIT_INVALID_ARGUMENT);
  EXPECT(sennit_runtime_run(NULL, visit, &tree) == SENNIT_OK && visits == 3280);
  tree.fails = 5000;
  EXPECT(sennit_runtime_run(NULL, visit, &tree) == SENNIT_FAILED &&
         strcmp(sennit_last_error(), "enough visits") == 0);
  EXPECT(sennit_group_create(NULL) == SENNIT_INVALID_ARGUMENT && sennit_group_create(&group) == SENNIT_OK);
  EXPECT(sennit_group_spawn(NULL, visit, &tree) == SENNIT_INVALID_ARGUMENT);
  EXPECT(sennit_group_spawn(group, fibonacci, &failing) == SENNIT_OK &&
         sennit_group_destroy(group) == SENNIT_FAILED);
  EXPECT(sennit_group_destroy(NULL) == SENNIT_OK);
}

struct cancelling {
  sennit_region* region;
  sennit_status inside;
};

static void cancel_at_half(void* context, int64_t from, int64_t to) {
  const struct cancelling* c = context;
  if (from <= size / 2 && to > size / 2) sennit_region_cancel(c->region);
}
static void cancel_loop(void* context) {
  struct cancelling* c = context;
  c->inside = sennit_for(0, size, cancel_at_half, c, NULL);
  c->inside = sennit_for(0, size, cancel_at_half, c, NULL);
  EXPECT(sennit_cancel_requested());
  sennit_fail(NULL);
}

static void regions(void) {
  struct cancelling c = {NULL, SENNIT_OK};
  EXPECT(sennit_region_create(&c.region) == SENNIT_OK && !sennit_region_cancel_requested(c.region));
  EXPECT(sennit_region_run(c.region, cancel_loop, &c) == SENNIT_CANCELLED && c.inside == SENNIT_CANCELLED);
  EXPECT(strstr(sennit_last_error(), "cancelled") && sennit_region_cancel_requested(c.region));
  EXPECT(sennit_region_run(c.region, cancel_loop, &c) == SENNIT_CANCELLED && !sennit_cancel_requested());
  sennit_region_destroy(c.region);
  EXPECT(sennit_region_run(NULL, cancel_loop, &c) == SENNIT_INVALID_ARGUMENT);
}

static void note_workers(void* context) {
  EXPECT(sennit_worker_index() < SENNIT_WORKER_INDEX_BOUND &&
         sennit_in_runtime() == (*(unsigned*)context == 0));
  *(unsigned*)context = sennit_worker_count();
}
static void fail_blocked(void* context) {
  (void)context;
  sennit_fail("no data");
}

static void runtimes(void) {
  sennit_runtime* three = NULL;
  unsigned workers = 0;
  EXPECT(sennit_runtime_create(3, &three) == SENNIT_OK && sennit_runtime_workers(three) == 3);
  EXPECT(sennit_runtime_run(three, note_workers, &workers) == SENNIT_OK && workers == 3);
  EXPECT(sennit_blocking(note_workers, &workers) == SENNIT_OK && workers == 2);
  EXPECT(sennit_runtime_run(three, fail_blocked, NULL) == SENNIT_FAILED &&
         strcmp(sennit_last_error(), "no data") == 0);
  EXPECT(sennit_blocking(fail_blocked, NULL) == SENNIT_FAILED && strcmp(sennit_last_error(), "no data") == 0);
  EXPECT(sennit_blocking(note_workers, &workers) == SENNIT_OK);
  sennit_runtime_destroy(three);
  EXPECT(sennit_runtime_create(100000, &three) == SENNIT_INVALID_ARGUMENT && three == NULL);
  EXPECT(strstr(sennit_last_error(), "100000"));
  EXPECT(sennit_runtime_workers(NULL) == 2);
  EXPECT(sennit_set_default_workers(4) == SENNIT_FAILED);
}

int main(void) {
  EXPECT(strchr(sennit_version(), '.') && strcmp(sennit_last_error(), "") == 0);
  sennit_fail("outside a body");
  EXPECT(strcmp(sennit_last_error(), "outside a body") == 0);
  EXPECT(sennit_set_default_workers(2) == SENNIT_OK && sennit_worker_count() == 2 &&
         sennit_worker_index() == 0);
  runtimes();
  loops();
  reduces();
  forks();
  regions();
  return faults != 0;
}
