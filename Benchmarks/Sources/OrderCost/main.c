// What the hooks of orders cost: pairs of lock and unlock that nobody else wants, alone and nested. Rounds without and with them take turns,
// and the medians are compared. scripts/measure-orders compiles and runs it.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../../Sources/COpTrace/hooks/imports.h"
#include "../../../Sources/COpTrace/objects/classes.h"
#include "../../../Sources/COpTrace/held/held.h"
#include "../../../Tests/CoreTests/recording.h"
#include "COpTraceHooks.h"

#if OPTRACE_HAS_HOOKS
enum { rounds = 41, pairs = 1000000 };

static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER, middle = PTHREAD_MUTEX_INITIALIZER, inner = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;

static void alone(void) {
  pthread_mutex_lock(&outer);
  pthread_mutex_unlock(&outer);
}
static void nested(void) {
  pthread_mutex_lock(&outer);
  pthread_mutex_lock(&inner);
  pthread_mutex_unlock(&inner);
  pthread_mutex_unlock(&outer);
}
static void three(void) {
  pthread_mutex_lock(&outer);
  pthread_mutex_lock(&middle);
  pthread_mutex_lock(&inner);
  pthread_mutex_unlock(&inner);
  pthread_mutex_unlock(&middle);
  pthread_mutex_unlock(&outer);
}
static void reading(void) {
  pthread_rwlock_rdlock(&shared);
  pthread_rwlock_unlock(&shared);
}

typedef struct {
  const char *name;
  void (*body)(void);
  int pairs;
} kind;
static const kind kinds[] = {{"a pair", alone, 1}, {"two nested pairs", nested, 2}, {"three nested pairs", three, 3}, {"a pair for reading", reading, 1}};
enum { kind_count = sizeof kinds / sizeof *kinds };

static double nanoseconds(void (*body)(void)) {
  struct timespec from, to;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
  for (int i = 0; i < pairs; i++) body();
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
  return ((double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec)) / pairs;
}

static int compare(const void *a, const void *b) {
  double left = *(const double *)a, right = *(const double *)b;
  return (left > right) - (left < right);
}
static double median(double *values) {
  qsort(values, rounds, sizeof *values, compare);
  return values[rounds / 2];
}

int main(void) {
  static double without[kind_count][rounds], with[kind_count][rounds], idle[kind_count][rounds];
  optrace_recorder *recorder = recording_begin("order-cost.optrace", 0, 0, true);
  const char *why = recorder ? optrace_hooks_install() : "there is no recorder";
  if (!why) why = optrace_record_orders(recorder);
  if (why) {
    fprintf(stderr, "%s\n", why);
    return 1;
  }
  for (int round = 0; round < rounds; round++)
    for (int k = 0; k < kind_count; k++) {
      imports_patch(false);
      without[k][round] = nanoseconds(kinds[k].body);
      imports_patch(true);
      with[k][round] = nanoseconds(kinds[k].body);
      // The hooks are there, and nothing is recorded any more.
      uint32_t recording = held_recording();
      held_set_recording(0);
      idle[k][round] = nanoseconds(kinds[k].body);
      held_set_recording(recording);
    }
  for (int k = 0; k < kind_count; k++) {
    double before = median(without[k]), after = median(with[k]), off = median(idle[k]);
    // Sorted by now: the least is what it costs while nobody else is on the processor.
    printf("%-20s %6.1f ns, with orders %6.1f ns: %+5.1f ns (least %+5.1f); stopped %+5.1f ns\n", kinds[k].name, before, after,
           after - before, with[k][0] - without[k][0], off - before);
  }
  return optrace_recorder_stop(recorder) ? 1 : 0;
}
#else
int main(void) {
  fprintf(stderr, "this system has no hooks\n");
  return 1;
}
#endif
