// What stacks cost, by the recorder's own functions: `StackWorkload DEPTH|snapshot COUNT` prints nanoseconds for one, the least
// of ten batches. DEPTH: a walk over a stack of so many frames, and its number; snapshot: a thread of COUNT that sleep.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../../Sources/COpTrace/stacks/modules.h"
#include "../../../Sources/COpTrace/stacks/moment.h"
#include "../../../Sources/COpTrace/stacks/table.h"
#include "../../../Sources/COpTrace/stacks/unwind.h"

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

// ---- A walk

typedef struct {
  stack_table *table;
  uint64_t count;
  size_t frames;
  double least;
} walks;

static void walk(walks *work) {
  for (int batch = 0; batch < 10; batch++) {
    double began = now();
    for (uint64_t i = 0; i < work->count; i++) {
      uint64_t pcs[64];
      size_t guessed;
      bool is_new;
      stack_start here = stack_here();
      work->frames = stack_walk_here(&here, pcs, 64, &guessed);
      stack_table_add(work->table, pcs, work->frames, guessed, &is_new);
    }
    double each = (now() - began) / (double)work->count;
    if (batch == 0 || each < work->least) work->least = each;
  }
}

__attribute__((noinline)) static int descend(int depth, walks *work) {
  if (depth <= 0) walk(work);
  else descend(depth - 1, work);
  // No tail call: the frame stays.
  __asm__ volatile("" : : "r"(work) : "memory");
  return depth;
}

static int measure_walk(int depth, uint64_t count) {
  walks work = {.table = stack_table_create(1024, 1 << 20), .count = count};
  if (!work.table) return 1;
  modules_refresh();
  descend(0, &work);
  int outside = (int)work.frames;
  descend(depth > outside ? depth - outside : 0, &work);
  if ((int)work.frames != depth) return 1;
  printf("%.1f\n", work.least);
  return 0;
}

// ---- A snapshot

static void *sleep_there(void *gate) {
  pthread_mutex_lock(gate);
  return NULL;
}

static uint32_t stack_number(void *context, const thread_seen *seen) {
  uint32_t *asleep = context;
  *asleep += seen->call >= 0;
  return 1;
}

static void ignore(void *context, const moment_thread *thread) { (void)context, (void)thread; }

static int measure_snapshot(uint64_t count) {
  static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&gate);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 64 * 1024);
  for (uint64_t i = 0; i < count; i++) {
    pthread_t thread;
    if (pthread_create(&thread, &attributes, sleep_there, &gate)) return 1;
  }
  modules_refresh();
  double least = 0;
  for (int snapshots = 0; snapshots < 10;) {
    uint32_t asleep = 0;
    threads_count seen = {0};
    const moment_calls calls = {.stack_id = stack_number, .report = ignore, .context = &asleep};
    threads_options options = {0};
    double began = now();
    if (moment_take(&options, &calls, &seen) != threads_visited) return 1;
    double each = (now() - began) / (double)(count + 1);
    // Those that have only begun would be cheap.
    if (asleep < count) continue;
    if (snapshots++ == 0 || each < least) least = each;
  }
  printf("%.1f\n", least);
  return 0;
}

int main(int count, char **words) {
  if (count != 3) return 64;
  uint64_t amount = strtoull(words[2], NULL, 10);
  if (!amount) return 64;
  return strcmp(words[1], "snapshot") == 0 ? measure_snapshot(amount) : measure_walk(atoi(words[1]), amount);
}
