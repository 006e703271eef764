#include "shapes.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unwind.h>

#define shape static __attribute__((noinline)) void
// So that no call is the last thing that a function does.
#define stay() __asm__ volatile("" ::: "memory")

typedef struct {
  uint64_t random;
  int depth;
  void (*leaf)(void *);
  void *context;
} plan;

static void go_on(plan *p);

shape plain(plan *p) {
  go_on(p);
  stay();
}

shape large(plan *p) {
  volatile char room[5000];
  room[next_random(&p->random) % sizeof room] = 1;
  go_on(p);
  room[0] = 2;
}

shape variable(plan *p) {
  size_t size = 1 + next_random(&p->random) % 600;
  volatile char room[size];
  room[size - 1] = 1;
  go_on(p);
  room[0] = 2;
}

shape aligned(plan *p) {
  volatile _Alignas(64) char room[128];
  room[1] = 1;
  go_on(p);
  room[0] = 2;
}

shape aligned_and_variable(plan *p) {
  volatile _Alignas(128) char room[128];
  size_t size = 1 + next_random(&p->random) % 300;
  volatile char more[size];
  room[1] = more[size - 1] = 1;
  go_on(p);
  room[0] = more[0] = 2;
}

shape many_values(plan *p) {
  uint64_t v[12];
  for (int i = 0; i < 12; i++) v[i] = next_random(&p->random);
  go_on(p);
  uint64_t sum = p->random;
  for (int i = 0; i < 12; i++) sum = sum * 31 + v[i];
  __asm__ volatile("" ::"r"(sum));
}

static _Thread_local plan *sorted;

static int compare(const void *a, const void *b) {
  plan *p = sorted;
  sorted = NULL;
  if (p) go_on(p);
  stay();
  return *(const int *)a - *(const int *)b;
}

shape by_qsort(plan *p) {
  int numbers[4] = {4, 3, 2, 1};
  sorted = p;
  qsort(numbers, 4, sizeof *numbers, compare);
  stay();
}

shape by_bsearch(plan *p) {
  int numbers[4] = {1, 2, 3, 4}, key = 3;
  sorted = p;
  bsearch(&key, numbers, 4, sizeof *numbers, compare);
  stay();
}

shape with_arguments(plan *p, ...) {
  va_list list;
  va_start(list, p);
  for (int i = 0; i < 9; i++) p->random += (uint64_t)va_arg(list, long);
  va_end(list);
  go_on(p);
  stay();
}

shape variadic(plan *p) {
  with_arguments(p, 1l, 2l, 3l, 4l, 5l, 6l, 7l, 8l, 9l);
  stay();
}

static __attribute__((noinline)) void go_on(plan *p) {
  static void (*const shapes[])(plan *) = {plain,       large,    variable,   aligned, aligned_and_variable,
                                           many_values, by_qsort, by_bsearch, variadic};
  if (p->depth-- <= 0) p->leaf(p->context);
  else shapes[next_random(&p->random) % (sizeof shapes / sizeof *shapes)](p);
  stay();
}

void shapes_call(uint64_t seed, int depth, void (*leaf)(void *), void *context) {
  plan p = {seed, depth, leaf, context};
  go_on(&p);
  stay();
}

typedef struct {
  uint64_t *pcs;
  size_t most, count, skip;
} taken;

static _Unwind_Reason_Code take(struct _Unwind_Context *context, void *argument) {
  taken *t = argument;
  uint64_t pc = _Unwind_GetIP(context);
  if (t->skip) {
    t->skip--;
    return _URC_NO_REASON;
  }
  if (!pc || t->count == t->most) return _URC_END_OF_STACK;
  t->pcs[t->count++] = pc;
  return _URC_NO_REASON;
}

__attribute__((noinline)) size_t unwinder_walk(uint64_t *pcs, size_t most) {
  taken t = {pcs, most, 0, 2};
  _Unwind_Backtrace(take, &t);
  return t.count;
}

const char *complain(const char *format, ...) {
  static _Thread_local char text[1000];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  return text;
}
